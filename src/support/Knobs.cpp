// Environment variables, read when asked for.
#include "support/Knobs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace tilewise::knobs {

static constexpr Knob kTable[] = {
    {"TILEWISE_NUM_THREADS", "threads of the CPU engine", "one per core this process may use"},
    {"TILEWISE_CPU", "processor to compile CPU kernels for: x86-64, avx2, avx512 or LLVM's name of one", "this one"},
    {"TILEWISE_MAX_VARIANTS",
     "maximum number of compiled kernels that a process keeps for the CPU and reference engines", "4096"},
    {"TILEWISE_SPECIALIZE", "0 specialises kernels on no argument values, so that no value needs another compile",
     "as docs/shipping.md describes"},
    {"TILEWISE_WAIT_SECONDS", "seconds that a kernel's programs may wait for one that cannot start; 0 means for ever",
     "30"},
    {"TILEWISE_PTXAS", "path of the PTX assembler", "ptxas in PATH or /usr/local/cuda/bin, else the driver assembles"},
    {"TILEWISE_NVDISASM", "path of NVIDIA's disassembler", "nvdisasm in PATH or /usr/local/cuda/bin"},
    {"TILEWISE_LIBCUDA", "path of the CUDA driver library", "libcuda.so.1"},
    {"TILEWISE_CHECKED",
     "1 checks every access against the memory of the arguments; warned does so only in kernels that -Wunmasked-access "
     "warns of",
     "only launches that ask for it are checked"},
    {"TILEWISE_PERF_MAP", "1 writes the names of CPU kernels to /tmp/perf-PID.map, for perf", "no file"},
    {"TILEWISE_WARNINGS", "warnings to switch, as in perf,no-mask-other,error",
     "on as docs/warnings.md describes, none an error"},
    {"TILEWISE_DUMP_DIR", "folder for the stages of every kernel that is compiled",
     "none, unless TRITON_KERNEL_DUMP=1: then TRITON_DUMP_DIR, else ~/.triton/dump"},
    {"TILEWISE_PROFILE", "every process writes a profile to this path with .PID.json appended when it exits",
     "no file; `tilewise profile` sets it"},
    {"TILEWISE_REPRO_DIR", "folder for reproducers of internal errors", "the system's temporary folder"},
    {"TILEWISE_CACHE_DIR", "folder of the disk cache", "$XDG_CACHE_HOME/tilewise, else ~/.cache/tilewise"},
    {"TILEWISE_CACHE_MB", "maximum size of the disk cache in megabytes; 0 switches it off",
     "1024, unless TRITON_ALWAYS_COMPILE=1: then 0"},
    {"TILEWISE_TUNE",
     "never: configs are not timed; kernels and library functions run with a known choice or their first config",
     "when needed"},
    {"TILEWISE_TUNING_FILE", "tuning results from elsewhere, as `tilewise tune --save` writes them", "none"},
    {"TILEWISE_ENGINE", "Python: the engine for host memory, cpu or reference", "cpu"},
    {"TILEWISE_CUDA_AS_CPU", "Python: 1 runs programs written for a GPU on the CPU", "cuda is a GPU"},
    {"TILEWISE_QUICK_BENCH", "Python: 1 reduces benchmarks to one call, one point and one config", "full benchmarks"},
};

llvm::ArrayRef<Knob> all() { return kTable; }

static std::string read(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

namespace {
struct CountKnob {
  const char *name;
  unsigned least, most;
};
} // namespace
static constexpr CountKnob kNumThreads{"TILEWISE_NUM_THREADS", 1, 4096};
static constexpr CountKnob kMaxVariants{"TILEWISE_MAX_VARIANTS", 1, 1u << 30};
static constexpr CountKnob kWaitSeconds{"TILEWISE_WAIT_SECONDS", 0, 1u << 20};
static constexpr CountKnob kCacheMegabytes{"TILEWISE_CACHE_MB", 0, 1u << 30};

static std::optional<unsigned> readCount(const CountKnob &knob) {
  unsigned count = 0;
  if (llvm::StringRef(read(knob.name)).trim().getAsInteger(10, count) || count < knob.least || count > knob.most)
    return std::nullopt;
  return count;
}

std::string cpu() { return read("TILEWISE_CPU"); }
std::vector<std::string> problems() {
  std::vector<std::string> found;
  for (const CountKnob &knob : {kNumThreads, kMaxVariants, kWaitSeconds, kCacheMegabytes})
    if (std::string text = read(knob.name); !text.empty() && !readCount(knob))
      found.push_back(std::string(knob.name) + " is '" + text + "', expected a number from " +
                      std::to_string(knob.least) + " to " + std::to_string(knob.most) + "; it has no effect");
  // Who writes something else means to switch off what would then be on.
  if (std::string text = read("TILEWISE_TUNE"); !text.empty() && text != "never")
    found.push_back("TILEWISE_TUNE is '" + text + "', expected never; it has no effect");
  if (std::string text = read("TILEWISE_SPECIALIZE"); !text.empty() && text != "0" && text != "1")
    found.push_back("TILEWISE_SPECIALIZE is '" + text + "', expected 0 or 1; it has no effect");
  return found;
}

std::optional<unsigned> numThreads() { return readCount(kNumThreads); }
unsigned maxVariants() { return readCount(kMaxVariants).value_or(4096); }
unsigned waitSeconds() { return readCount(kWaitSeconds).value_or(30); }

std::string ptxas() { return read("TILEWISE_PTXAS"); }
std::string nvdisasm() { return read("TILEWISE_NVDISASM"); }
std::string libcuda() { return read("TILEWISE_LIBCUDA"); }

static bool isOn(const char *name) {
  const std::string value = llvm::StringRef(read(name)).trim().lower();
  return !value.empty() && !llvm::is_contained({"0", "false", "off", "no", "n"}, value);
}

/// HOME, else what the system has for the user: services are started without HOME.
static std::string home() {
  if (std::string dir = read("HOME"); !dir.empty())
    return dir;
  passwd entry, *found = nullptr;
  char text[4096];
  return getpwuid_r(geteuid(), &entry, text, sizeof text, &found) == 0 && found ? found->pw_dir : "";
}

unsigned cacheMegabytes() { return readCount(kCacheMegabytes).value_or(isOn("TRITON_ALWAYS_COMPILE") ? 0 : 1024); }
bool specializes() { return read("TILEWISE_SPECIALIZE") != "0"; }
bool neverTunes() { return read("TILEWISE_TUNE") == "never"; }
std::string tuningFile() { return read("TILEWISE_TUNING_FILE"); }
bool printsAutotuning() { return isOn("TRITON_PRINT_AUTOTUNING"); }
Checked checked() {
  if (read("TILEWISE_CHECKED") == "warned")
    return Checked::IfWarned;
  return isOn("TILEWISE_CHECKED") ? Checked::On : Checked::Off;
}
bool perfMap() { return isOn("TILEWISE_PERF_MAP"); }

std::string warnings() { return read("TILEWISE_WARNINGS"); }

std::string profile() { return read("TILEWISE_PROFILE"); }

std::string reproDir() { return read("TILEWISE_REPRO_DIR"); }

std::string dumpDir() {
  if (std::string dir = read("TILEWISE_DUMP_DIR"); !dir.empty())
    return dir;
  if (!isOn("TRITON_KERNEL_DUMP"))
    return "";
  std::string dir = read("TRITON_DUMP_DIR");
  return dir.empty() ? home() + "/.triton/dump" : dir;
}

std::string cacheDir() {
  if (std::string dir = read("TILEWISE_CACHE_DIR"); !dir.empty())
    return dir;
  if (std::string dir = read("XDG_CACHE_HOME"); !dir.empty())
    return dir + "/tilewise";
  const std::string dir = home();
  return dir.empty() ? "" : dir + "/.cache/tilewise";
}

} // namespace tilewise::knobs
