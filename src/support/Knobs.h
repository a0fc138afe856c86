// Every environment variable that Tilewise reads, in one place. docs/knobs.md has the same table,
// checked by a test.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewise::knobs {

struct Knob {
  const char *name;
  const char *meaning;
  const char *fallback;
};

/// The table itself, for `tilewise info` and the docs.
llvm::ArrayRef<Knob> all();

/// TILEWISE_NUM_THREADS: threads of the CPU engine; nothing set means one per core this process may
/// use.
std::optional<unsigned> numThreads();
/// TILEWISE_CPU: the processor that the CPU engine compiles for, by the name that follows `cpu:` in
/// a target; empty means this one.
std::string cpu();
/// TILEWISE_MAX_VARIANTS: compiled kernels that the process keeps for the CPU and reference
/// engines, see runtime/VariantCache.h.
unsigned maxVariants();
/// TILEWISE_WAIT_SECONDS: after this long a kernel whose programs wait for one that cannot begin is
/// ended; 0: never.
unsigned waitSeconds();
/// One message per number or word that cannot be read, and so is ignored.
std::vector<std::string> problems();
/// TILEWISE_PTXAS: path of ptxas; empty means: look in PATH and CUDA's usual folder, else let the
/// driver assemble.
std::string ptxas();
/// TILEWISE_NVDISASM: path of nvdisasm; empty means: look in PATH and CUDA's usual folder.
std::string nvdisasm();
/// TILEWISE_LIBCUDA: path of the CUDA driver library; empty means libcuda.so.1.
std::string libcuda();
/// TILEWISE_CHECKED: 1 has every launch check its accesses, `warned` those of kernels that
/// -Wunmasked-access warns of.
enum class Checked { Off, On, IfWarned };
Checked checked();
/// TILEWISE_PERF_MAP: 1 tells the profiler `perf` where kernels are.
bool perfMap();
/// TILEWISE_WARNINGS: flags of warnings, as in "no-mask-other,error".
std::string warnings();
/// TILEWISE_DUMP_DIR: folder for the stages of every compile; empty means none. Upstream's
/// variables ask for the same.
std::string dumpDir();
/// TILEWISE_PROFILE: where processes write their profiles; empty means nowhere.
std::string profile();
/// TILEWISE_REPRO_DIR: folder for reproducers of internal errors; empty means the system's
/// temporary one.
std::string reproDir();
/// TILEWISE_SPECIALIZE: whether launches compile in what they see of their arguments' values; 0:
/// not.
bool specializes();
/// TILEWISE_TUNE: "never" has the autotuner time nothing.
bool neverTunes();
/// TILEWISE_TUNING_FILE: results of tuning that were shipped; empty means none.
std::string tuningFile();
/// TRITON_PRINT_AUTOTUNING: 1 tells what tuning found out.
bool printsAutotuning();
/// TILEWISE_CACHE_DIR: folder of the disk cache; empty where nothing names one.
std::string cacheDir();
/// TILEWISE_CACHE_MB: what the disk cache may hold; 0: there is none.
unsigned cacheMegabytes();

} // namespace tilewise::knobs
