// What a launch on a GPU costs the host, beside cuLaunchKernel itself; and the first launch of a
// process whose kernel lies in the disk cache, beside loading the same machine code by hand.
#include "Processes.h"

#include <tilewise/tilewise.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

using namespace tilewise;
using Clock = std::chrono::steady_clock;

static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

namespace {

/// The few functions of the driver that a program without Tilewise would call.
struct Driver {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename Function> Function get(const char *name) const {
    if (void *found = library ? dlsym(library, name) : nullptr)
      return reinterpret_cast<Function>(found);
    std::fprintf(stderr, "there is no NVIDIA driver\n");
    std::exit(1);
  }
  int (*init)(unsigned) = get<int (*)(unsigned)>("cuInit");
  int (*retain)(void **, int) = get<int (*)(void **, int)>("cuDevicePrimaryCtxRetain");
  int (*setCurrent)(void *) = get<int (*)(void *)>("cuCtxSetCurrent");
  int (*synchronize)() = get<int (*)()>("cuCtxSynchronize");
  int (*allocate)(unsigned long long *, size_t) = get<int (*)(unsigned long long *, size_t)>("cuMemAlloc_v2");
  int (*fill)(unsigned long long, unsigned,
              size_t) = get<int (*)(unsigned long long, unsigned, size_t)>("cuMemsetD32_v2");
  int (*copyToHost)(void *, unsigned long long,
                    size_t) = get<int (*)(void *, unsigned long long, size_t)>("cuMemcpyDtoH_v2");
  int (*loadData)(void **, const void *) = get<int (*)(void **, const void *)>("cuModuleLoadData");
  int (*getFunction)(void **, void *,
                     const char *) = get<int (*)(void **, void *, const char *)>("cuModuleGetFunction");
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                void **) = get<decltype(launch)>("cuLaunchKernel");

  static void check(int code, const char *what) {
    if (code == 0)
      return;
    std::fprintf(stderr, "%s failed: CUDA error %d\n", what, code);
    std::exit(1);
  }

  Driver() {
    void *context = nullptr;
    if (init(0) != 0 || retain(&context, 0) != 0 || setCurrent(context) != 0) {
      std::fprintf(stderr, "there is no GPU that can be used\n");
      std::exit(1);
    }
  }
};

std::string signatureOf(int integers) {
  std::string text = "*i32:16";
  for (int i = 0; i < integers; ++i)
    text += ", i32";
  return text;
}

/// The machine code of a kernel for the first GPU, by ptxas; the driver takes PTX, too, where there
/// is none, but assembles it each time.
std::string machineCode(const Kernel &kernel, const std::string &signature) {
  const std::string target = Device("cuda:0").target(), ptx = kernel.emit("ptx", signature, target);
  const std::string name = std::filesystem::temp_directory_path() / ("tilewise-bench-" + std::to_string(getpid()));
  std::ofstream(name + ".ptx") << ptx;
  const std::string processor =
      ptx.substr(ptx.find(".target ") + 8, ptx.find_first_of(",\n", ptx.find(".target ")) - ptx.find(".target ") - 8);
  const std::string command =
      "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=" + processor + " " + name + ".ptx -o " + name + ".cubin";
  const bool isAssembled = std::system(command.c_str()) == 0;
  std::ifstream code(name + (isAssembled ? ".cubin" : ".ptx"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(code), {}};
  std::filesystem::remove(name + ".ptx");
  std::filesystem::remove(name + ".cubin");
  return bytes;
}

/// Seconds of the host for a launch: the least of 40 times 400, few enough for the card's queue.
double hostSeconds(const Driver &driver, const std::function<void()> &launch) {
  double least = 1;
  for (int turn = 0; turn < 40; ++turn) {
    driver.synchronize();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < 400; ++i)
      launch();
    least = std::min(least, since(start) / 400);
  }
  driver.check(driver.synchronize(), "launching");
  return least;
}

void costByArguments(const Driver &driver) {
  std::printf("arguments   us per launch   cuLaunchKernel   difference\n");
  for (int integers : {1, 3, 7, 15, 31}) {
    const Kernel kernel = Kernel::fromSource(sumKernel(integers));
    const Device device("cuda:0");
    const Tensor out(DType::Int32, {1}, device);
    kernel.specializeAll(0);
    std::vector<tw_argument> arguments = {detail::toArgument(out)};
    for (int i = 0; i < integers; ++i)
      arguments.push_back(tw_int(i + 3));
    const std::int64_t grid = 1;
    const double ours = hostSeconds(driver, [&] {
      detail::check(
          tw_kernel_launch(kernel.get(), device.get(), nullptr, &grid, 1, arguments.data(), arguments.size(), nullptr));
    });
    const std::string code = machineCode(kernel, signatureOf(integers));
    void *module = nullptr, *function = nullptr;
    driver.check(driver.loadData(&module, code.c_str()), "loading");
    driver.check(driver.getFunction(&function, module, "add"), "finding the kernel");
    unsigned long long memory = 0;
    driver.check(driver.allocate(&memory, 4), "allocating");
    std::vector<int> numbers(integers, 3);
    std::vector<void *> places = {&memory};
    for (int &number : numbers)
      places.push_back(&number);
    const double bare =
        hostSeconds(driver, [&] { driver.launch(function, 1, 1, 1, 128, 1, 1, 0, nullptr, places.data(), nullptr); });
    std::printf("%9d %15.2f %16.2f %12.2f\n", integers + 1, ours * 1e6, bare * 1e6, (ours - bare) * 1e6);
  }
}

/// A kernel as people have them: some kilobytes of machine code.
constexpr const char *kSoftmax = R"(
import triton
import triton.language as tl

@triton.jit
def softmax(out_ptr, in_ptr, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    x = tl.load(in_ptr + at, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + at, e / tl.sum(e, axis=0), mask=inside)
)";

/// A row of zeros; what is made of it lies in its place.
struct Row {
  const Driver &driver;
  unsigned long long memory = 0;
  explicit Row(const Driver &driver) : driver(driver) {
    driver.check(driver.allocate(&memory, 4096), "allocating");
    driver.check(driver.fill(memory, 0, 1024), "filling");
    driver.check(driver.synchronize(), "waiting");
  }
  /// Waits, prints the milliseconds since then, and looks at the result: 1000 equal shares.
  int tell(Clock::time_point start) const {
    driver.check(driver.synchronize(), "the kernel");
    std::printf("%f\n", since(start) * 1e3);
    float first = 0;
    driver.check(driver.copyToHost(&first, memory, sizeof first), "copying");
    return std::abs(first - 1e-3f) < 1e-6f ? 0 : 1;
  }
};

int firstLaunch(const Driver &driver) {
  const Row row(driver);
  const Clock::time_point start = Clock::now();
  const Kernel kernel = Kernel::fromSource(kSoftmax);
  float *pointer = reinterpret_cast<float *>(row.memory);
  kernel[1].on("cuda:0")(pointer, pointer, 1000, 1024);
  return row.tell(start);
}

/// Of machine code in a file. It is made elsewhere: a process that has compiled is no fresh one.
int firstLaunchByHand(const Driver &driver, const char *path) {
  std::ifstream file(path, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  const Row row(driver);
  const Clock::time_point start = Clock::now();
  void *module = nullptr, *function = nullptr;
  driver.check(driver.loadData(&module, code.c_str()), "loading");
  driver.check(driver.getFunction(&function, module, "softmax"), "finding the kernel");
  int columns = 1000;
  unsigned long long memory = row.memory;
  void *places[] = {&memory, &memory, &columns};
  driver.check(driver.launch(function, 1, 1, 1, 128, 1, 1, 1024, nullptr, places, nullptr), "launching");
  return row.tell(start);
}

} // namespace

int main(int argc, char **argv) {
  const Driver driver;
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "--first")
    return firstLaunch(driver);
  if (how == "--by-hand" && argc > 2)
    return firstLaunchByHand(driver, argv[2]);
  costByArguments(driver);
  const std::string cache = std::filesystem::temp_directory_path() / ("tilewise-bench-" + std::to_string(getpid()));
  const std::string code = cache + ".cubin";
  std::ofstream(code, std::ios::binary) << machineCode(Kernel::fromSource(kSoftmax), "*fp32:16, *fp32:16, i32, 1024");
  auto median = [&](const std::vector<const char *> &arguments, bool isEmpty) {
    std::vector<double> times;
    for (int i = 0; i < 11; ++i) {
      if (isEmpty)
        std::filesystem::remove_all(cache);
      times.push_back(printedBy(arguments, {{"TILEWISE_CACHE_DIR", cache}}));
    }
    return medianOf(times);
  };
  const double compiled = median({"--first"}, true), cached = median({"--first"}, false),
               byHand = median({"--by-hand", code.c_str()}, false);
  std::printf("first launch of a process whose context exists: %.2f ms compiling, %.2f ms from the disk cache, %.2f ms "
              "to load the same code by hand (%.2f times)\n",
              compiled, cached, byHand, cached / byHand);
  std::filesystem::remove_all(cache);
  std::filesystem::remove(code);
}
