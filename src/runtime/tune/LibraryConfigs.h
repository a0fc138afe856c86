// The configs of the kernel library: with which blocks, warps and stages its functions launch.
//
//     chosen before ─► TILEWISE_TUNING_FILE ─► shipped with the library ─► disk cache ─► timed now
//                      (this device, its class)  (class of devices)                      and kept
//
// A result belongs to a kernel, a type and a size class: every size rounded up to a power of two.
// What is in a file serves other sizes of the same kernel and type, too, the nearest ones: on a
// device of a class that results are shipped for, nothing is ever timed. kernels/tuned/ has those
// files, one per class, and configs.json, the configs that are worth timing; the first of a list
// is what runs where nothing is known and nothing may be timed.
#pragma once

#include "runtime/tune/Config.h"
#include "support/Error.h"
#include "tilewise/tune.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <string>

namespace tilewise::tune {

/// A launch of a library kernel whose config is wanted.
struct LibraryLaunch {
  std::string kernel; ///< Its name, and after a slash what else tells its launches apart.
  tw_device device;
  tw_dtype type; ///< Of the elements it is about.
  llvm::ArrayRef<int64_t> sizes;
};

/// Runs a config and gives the seconds that so many calls took; negative where it cannot be run.
/// No calls: it is only compiled, several at once on threads of their own.
using RunConfig = std::function<double(const Config &config, uint64_t calls)>;

/// Good for ever. Without `run` nothing is timed.
Result<const tw_config *> libraryConfig(const LibraryLaunch &launch, const RunConfig &run);

/// Times all configs, whatever is known, each for about so many seconds, and adds the fastest to a
/// file as the result of the device's class: or the first one, where the file has another result.
Result<const tw_config *> tuneLibrary(const LibraryLaunch &launch, const RunConfig &run, double secondsEach,
                                      const std::string &path);

} // namespace tilewise::tune
