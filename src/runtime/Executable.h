// An artifact loaded into this process, ready to be launched.
#pragma once

#include "artifact/ArgumentSpan.h"
#include "artifact/Artifact.h"
#include "support/Error.h"

#include <array>
#include <memory>
#include <span>
#include <string>

namespace tilewise {

struct LaunchGrid {
  std::array<uint32_t, 3> size;
  bool cooperative = false; ///< All programs live at once, so that they may wait for each other.
  /// The arguments without elements, which are null: "argument 'x' has", "arguments 'x', 'y' have".
  std::string empty = {};

  uint64_t programs() const { return uint64_t(size[0]) * size[1] * size[2]; }
};

/// What code takes of a GPU; see tw_resources.
struct Resources {
  uint32_t threads = 0, sharedBytes = 0, registers = 0, spilledBytes = 0, maxThreads = 0;
};

class Executable {
public:
  virtual ~Executable() = default;

  /// `arguments` has one 8-byte slot per launch parameter, as artifact/Artifact.h says. `stream` is
  /// a CUstream for NVIDIA, else null. CPU and reference launches have finished on return; an
  /// NVIDIA launch is queued on the stream.
  virtual Result<void> launch(std::span<const uint64_t> arguments, const LaunchGrid &grid, void *stream) = 0;

  virtual Result<Resources> resources() const { return Resources(); }

  /// Whether this engine checks accesses against the memory of the arguments.
  virtual bool isChecked() const { return false; }
  /// A launch of such an engine, with one span per launch parameter.
  virtual Result<void> launchChecked(std::span<const uint64_t> arguments, std::span<const ArgumentSpan>,
                                     const LaunchGrid &grid, void *stream) {
    return launch(arguments, grid, stream);
  }
};

/// Loads for the artifact's engine. NVIDIA code is loaded into the current device's primary
/// context.
Result<std::unique_ptr<Executable>> loadExecutable(const Artifact &artifact);

// One loader per engine.
Result<std::unique_ptr<Executable>> loadReferenceExecutable(const Artifact &artifact);
Result<std::unique_ptr<Executable>> loadCpuExecutable(const Artifact &artifact);
Result<std::unique_ptr<Executable>> loadCudaExecutable(const Artifact &artifact);

} // namespace tilewise
