// tilewise info: what this machine can do, each engine shown by a kernel that was compiled, run and
// checked on it.
#include "cli/CommandLine.h"
#include "runtime/tune/KeptMemory.h"
#include "support/Knobs.h"

#include "tilewise/profile.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp = R"(usage: tilewise info [--measure]

Prints the versions, the engines (on each a kernel is compiled, run and checked), the CUDA driver and assembler, the cache
folder and the environment variables that Tilewise reads. If something is missing, it prints the command that installs it.
The exit code is 1 if no engine works.

  --measure   measure memory bandwidth (GB/s) and the rate of an fp32 matrix product (GFLOP/s) on the CPU and on each GPU.
              This takes a few seconds. The result is kept in the cache and shown by this command and by profiles
)";

// Small, and yet it goes through loads, stores, masks and arithmetic.
static constexpr llvm::StringLiteral kProbe = R"(
import triton
import triton.language as tl

@triton.jit
def probe(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2.0 + 1.0, mask=i < n)
)";

namespace {

struct Check {
  bool works = false;
  std::string message;
};

struct ProbeTensors {
  tw_tensor *x = nullptr, *y = nullptr;
  ~ProbeTensors() {
    tw_tensor_destroy(x);
    tw_tensor_destroy(y);
  }
};

struct ProbeKernel {
  tw_source *source = nullptr;
  tw_kernel *kernel = nullptr;
  ~ProbeKernel() {
    tw_kernel_destroy(kernel);
    tw_source_destroy(source);
  }
};

Check checkDevice(tw_device device) {
  constexpr int64_t n = 1000, block = 256;
  float x[n], y[n];
  for (int64_t i = 0; i < n; ++i)
    x[i] = float(i) * 0.5f;
  ProbeTensors tensors;
  ProbeKernel probe;
  bool launched = tw_source_create(kProbe.data(), kProbe.size(), "probe.py", 1, &probe.source) == TW_OK &&
                  tw_kernel_create(probe.source, "probe", &probe.kernel) == TW_OK &&
                  tw_tensor_create(device, TW_FLOAT32, &n, 1, &tensors.x) == TW_OK &&
                  tw_tensor_create(device, TW_FLOAT32, &n, 1, &tensors.y) == TW_OK &&
                  tw_tensor_upload(tensors.x, x, sizeof x) == TW_OK;
  if (launched) {
    tw_argument arguments[] = {tw_pointer(tw_tensor_data(tensors.x), TW_FLOAT32),
                               tw_pointer(tw_tensor_data(tensors.y), TW_FLOAT32), tw_int(n), tw_int(block)};
    int64_t grid = (n + block - 1) / block;
    launched = tw_kernel_launch(probe.kernel, device, nullptr, &grid, 1, arguments, 4, nullptr) == TW_OK &&
               tw_device_synchronize(device) == TW_OK && tw_tensor_download(tensors.y, y, sizeof y) == TW_OK;
  }
  if (!launched)
    return {false, tw_last_error()};
  for (int64_t i = 0; i < n; ++i)
    if (y[i] != x[i] * 2.0f + 1.0f)
      return {false, "wrong result at element " + std::to_string(i)};
  return {true, "compiled, ran and checked " + std::to_string(n) + " elements"};
}

std::string takeText(tw_status status, char *text) {
  if (status != TW_OK)
    return std::string("unknown: ") + tw_last_error();
  std::string copy = text;
  tw_free(text);
  return copy;
}

bool printDevice(tw_device device) {
  char *target = nullptr, *name = nullptr;
  std::string targetText = takeText(tw_device_target(device, &target), target);
  std::string nameText = takeText(tw_device_name(device, &name), name);
  Check check = checkDevice(device);
  llvm::outs() << "  " << llvm::left_justify(targetText, 12) << (check.works ? "ok      " : "FAILED  ") << nameText
               << ": " << check.message << '\n';
  // Tuning is of the devices that it is for: the reference engine has no times to speak of.
  if (check.works && device.engine != TW_ENGINE_REFERENCE)
    if (Result<std::string> place = tune::deviceTextForTuning(device))
      llvm::outs() << "              tuned as " << *place << '\n';
  return check.works;
}

/// What was measured of the device, now or earlier.
void printCeilings(tw_device device, bool measure) {
  tw_ceilings found = {};
  if (measure && tw_device_measure(device, &found) != TW_OK)
    llvm::outs() << "              not measured: " << tw_last_error() << '\n';
  else if (measure || tw_device_ceilings(device, false, &found) == TW_OK)
    llvm::outs() << llvm::format("              %.1f GB/s read and written, %.0f GFLOP/s in fp32\n",
                                 found.gigabytes_per_second, found.gigaflops);
}

void printAssembler() {
  std::string path = knobs::ptxas();
  if (path.empty())
    if (auto found = llvm::sys::findProgramByName("ptxas"))
      path = *found;
  if (path.empty() && llvm::sys::fs::exists("/usr/local/cuda/bin/ptxas"))
    path = "/usr/local/cuda/bin/ptxas";
  llvm::outs() << "ptxas         "
               << (path.empty() ? "not found: the driver assembles; to use one, set TILEWISE_PTXAS=PATH" : path)
               << '\n';
}

} // namespace

int infoCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp;
    return kDone;
  }
  const bool measure = arguments.takeFlag("--measure");
  if (!arguments.takeRest().empty() || !arguments.problem().empty())
    return reportUsage("info", "nothing but --measure is expected");

  llvm::outs() << "tilewise      " << tw_version() << " (LLVM " LLVM_VERSION_STRING ")\nengines\n";
  bool any = printDevice({TW_ENGINE_REFERENCE, 0});
  any |= printDevice(tw_cpu());
  printCeilings(tw_cpu(), measure);
  int32_t gpus = tw_device_count(TW_ENGINE_CUDA);
  for (int32_t index = 0; index < gpus; ++index) {
    any |= printDevice({TW_ENGINE_CUDA, index});
    printCeilings({TW_ENGINE_CUDA, index}, measure);
  }
  if (gpus == 0) {
    char *target = nullptr;
    std::string why = "the driver shows no GPU";
    if (tw_device_target({TW_ENGINE_CUDA, 0}, &target) != TW_OK)
      why = tw_last_error();
    tw_free(target);
    llvm::outs() << "  cuda        absent  " << why
                 << "\n              for an NVIDIA GPU install its driver (Debian: apt-get install nvidia-driver)\n";
  }
  printAssembler();
  llvm::outs() << "cache folder  " << knobs::cacheDir() << "\nenvironment\n";
  for (const knobs::Knob &knob : knobs::all()) {
    const char *value = std::getenv(knob.name);
    llvm::outs() << "  " << llvm::left_justify(knob.name, 22) << (value ? value : "not set") << "  (" << knob.meaning
                 << "; default: " << knob.fallback << ")\n";
  }
  return any ? kDone : kUserError;
}

} // namespace tilewise::cli
