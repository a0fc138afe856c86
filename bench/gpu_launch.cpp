// What a launch on a GPU costs the host, beside cuLaunchKernel itself; and the first launch of a
// process whose kernel lies in the disk cache, beside loading the same machine code by hand.
#include <tilewise/tilewise.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/wait.h>
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
  int (*loadData)(void **, const void *) = get<int (*)(void **, const void *)>("cuModuleLoadData");
  int (*getFunction)(void **, void *,
                     const char *) = get<int (*)(void **, void *, const char *)>("cuModuleGetFunction");
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                void **) = get<decltype(launch)>("cuLaunchKernel");

  Driver() {
    void *context = nullptr;
    if (init(0) != 0 || retain(&context, 0) != 0 || setCurrent(context) != 0) {
      std::fprintf(stderr, "there is no GPU that can be used\n");
      std::exit(1);
    }
  }
};

/// A kernel of one program that stores the sum of its integers.
std::string kernelText(int integers) {
  std::string parameters, sum = "0";
  for (int i = 0; i < integers; ++i) {
    parameters += ", a" + std::to_string(i);
    sum += " + a" + std::to_string(i);
  }
  return "import triton\nimport triton.language as tl\n\n@triton.jit\ndef add(x" + parameters + "):\n    tl.store(x, " +
         sum + ")\n";
}

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
  driver.synchronize();
  return least;
}

void costByArguments(const Driver &driver) {
  std::printf("arguments   us per launch   cuLaunchKernel   difference\n");
  for (int integers : {1, 3, 7, 15, 31}) {
    const Kernel kernel = Kernel::fromSource(kernelText(integers));
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
    if (driver.loadData(&module, code.c_str()) != 0 || driver.getFunction(&function, module, "add") != 0) {
      std::fprintf(stderr, "the kernel's code could not be loaded\n");
      std::exit(1);
    }
    unsigned long long memory = 0;
    driver.allocate(&memory, 4);
    std::vector<int> numbers(integers, 3);
    std::vector<void *> places = {&memory};
    for (int &number : numbers)
      places.push_back(&number);
    const double bare =
        hostSeconds(driver, [&] { driver.launch(function, 1, 1, 1, 128, 1, 1, 0, nullptr, places.data(), nullptr); });
    std::printf("%9d %15.2f %16.2f %12.2f\n", integers + 1, ours * 1e6, bare * 1e6, (ours - bare) * 1e6);
  }
}

/// Milliseconds that a process of its own took for what `how` says: see main.
double inProcess(const std::string &cache, const char *how) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  if (fork() == 0) {
    setenv("TILEWISE_CACHE_DIR", cache.c_str(), 1);
    dup2(ends[1], 1);
    execl("/proc/self/exe", "bench-gpu-launch", how, cache.c_str(), nullptr);
    _exit(1);
  }
  close(ends[1]);
  char text[64] = "";
  if (read(ends[0], text, sizeof text - 1) < 0)
    text[0] = 0;
  close(ends[0]);
  wait(nullptr);
  return std::atof(text);
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

void firstLaunch(const Driver &driver) {
  unsigned long long memory = 0;
  driver.allocate(&memory, 1 << 16);
  driver.synchronize();
  const Clock::time_point start = Clock::now();
  const Kernel kernel = Kernel::fromSource(kSoftmax);
  float *pointer = reinterpret_cast<float *>(memory);
  kernel[1].on("cuda:0")(pointer, pointer, 1000, 1024);
  driver.synchronize();
  std::printf("%f\n", since(start) * 1e3);
}

void firstLaunchByHand(const Driver &driver) {
  const Kernel kernel = Kernel::fromSource(kSoftmax);
  const std::string code = machineCode(kernel, "*fp32:16, *fp32:16, i32, 1024");
  unsigned long long memory = 0;
  driver.allocate(&memory, 1 << 16);
  driver.synchronize();
  const Clock::time_point start = Clock::now();
  void *module = nullptr, *function = nullptr;
  driver.loadData(&module, code.c_str());
  driver.getFunction(&function, module, "softmax");
  int columns = 1000;
  void *places[] = {&memory, &memory, &columns};
  driver.launch(function, 1, 1, 1, 128, 1, 1, 64, nullptr, places, nullptr);
  driver.synchronize();
  std::printf("%f\n", since(start) * 1e3);
}

} // namespace

int main(int argc, char **argv) {
  const Driver driver;
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "--first")
    return firstLaunch(driver), 0;
  if (how == "--by-hand")
    return firstLaunchByHand(driver), 0;
  costByArguments(driver);
  const std::string cache = std::filesystem::temp_directory_path() / ("tilewise-bench-" + std::to_string(getpid()));
  auto median = [&](const char *what, bool empty) {
    std::vector<double> times;
    for (int i = 0; i < 11; ++i) {
      if (empty)
        std::filesystem::remove_all(cache);
      times.push_back(inProcess(cache, what));
    }
    std::nth_element(times.begin(), times.begin() + 5, times.end());
    return times[5];
  };
  const double compiled = median("--first", true), cached = median("--first", false),
               byHand = median("--by-hand", false);
  std::printf("first launch of a process whose context exists: %.2f ms compiling, %.2f ms from the disk cache, %.2f ms "
              "to load the same code by hand (%.2f times)\n",
              compiled, cached, byHand, cached / byHand);
  std::filesystem::remove_all(cache);
}
