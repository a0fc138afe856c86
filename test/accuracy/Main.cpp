// dev/bench accuracy: how far the CPU engine's functions of one fp32 are from the exact value, over
// every fp32 there is.
//
// The exact value is the C library's in fp64, whose own error (below 1 ulp of fp64, 2^-29 of an
// fp32's) does not count. Distances are in units of the last place (ulp) of the exact value; a
// result below the normal numbers counts in their smallest unit. Where the exact value is NaN, the
// result has to be; where it overflows fp32, infinity is right, and so is the largest number within
// the bound.
#include <tilewise/tilewise.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace tilewise::literals;

namespace {

struct Function {
  const char *text; ///< Of x, in the kernel language.
  double (*exact)(double);
  double bound; ///< In ulp: what docs/semantics.md and docs/libdevice.md promise.
};

constexpr double kPi = 3.14159265358979323846;

/// sin(pi x) and cos(pi x) by the exact remainder: x - 2 round(x / 2) is exact in fp64.
double sinPi(double x) {
  double rest = std::remainder(x, 2.0);
  // Whole numbers keep their sign: the product with pi would round to something else than 0.
  if (rest == std::rint(rest))
    return std::copysign(0.0, x);
  // The branch near a zero keeps the relative error of the result that of the remainder.
  if (std::fabs(rest) > 0.5)
    rest = std::copysign(1.0, rest) - rest;
  return std::sin(kPi * rest);
}
double cosPi(double x) {
  return std::fabs(std::remainder(x, 2.0)) == 0.5 ? 0.0 : sinPi(0.5 - std::fabs(std::remainder(x, 2.0)));
}

const Function kFunctions[] = {
    {"tl.exp(x)", std::exp, 2},
    {"tl.exp2(x)", std::exp2, 2},
    {"tl.log(x)", std::log, 2},
    {"tl.log2(x)", std::log2, 2},
    {"tl.sin(x)", std::sin, 2},
    {"tl.cos(x)", std::cos, 2},
    {"tl.sqrt(x)", std::sqrt, 1},
    {"tl.sqrt_rn(x)", std::sqrt, 0.5},
    {"tl.rsqrt(x)", [](double x) { return 1 / std::sqrt(x); }, 2},
    {"tl.erf(x)", std::erf, 4},
    {"libdevice.tanh(x)", std::tanh, 4},
    {"libdevice.exp10(x)", [](double x) { return std::pow(10.0, x); }, 0.502},
    {"libdevice.expm1(x)", std::expm1, 0.502},
    {"libdevice.log10(x)", std::log10, 0.502},
    {"libdevice.log1p(x)", std::log1p, 0.502},
    {"libdevice.tan(x)", std::tan, 0.502},
    {"libdevice.sinpi(x)", sinPi, 0.502},
    {"libdevice.cospi(x)", cosPi, 0.502},
    {"libdevice.asin(x)", std::asin, 0.502},
    {"libdevice.acos(x)", std::acos, 0.502},
    {"libdevice.atan(x)", std::atan, 0.502},
    {"libdevice.sinh(x)", std::sinh, 0.502},
    {"libdevice.cosh(x)", std::cosh, 0.502},
    {"libdevice.asinh(x)", std::asinh, 0.502},
    {"libdevice.acosh(x)", std::acosh, 0.502},
    {"libdevice.atanh(x)", std::atanh, 0.502},
    {"libdevice.cbrt(x)", std::cbrt, 0.502},
    {"libdevice.erfc(x)", std::erfc, 0.502},
    {"libdevice.rcp_rn(x)", [](double x) { return 1 / x; }, 0.5},
};

double ulpsBetween(float actual, double exact) {
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) == std::isnan(actual) ? 0 : INFINITY;
  if (std::isinf(exact) || exact == 0)
    return double(actual) == exact ? 0 : INFINITY;
  int exponent;
  std::frexp(exact, &exponent);
  exponent = std::clamp(exponent, std::numeric_limits<float>::min_exponent, std::numeric_limits<float>::max_exponent);
  const double unit = std::ldexp(1.0, exponent - std::numeric_limits<float>::digits);
  // Infinity stands for the number that would follow the largest.
  const double value = std::isinf(actual)
                           ? std::copysign(std::ldexp(1.0, std::numeric_limits<float>::max_exponent), actual)
                           : double(actual);
  if (std::isinf(actual) && std::fabs(exact) >= std::fabs(value))
    return 0;
  return std::fabs(value - exact) / unit;
}

struct Worst {
  double ulps = 0;
  float at = 0, got = 0;
};

/// Every `step`-th bit pattern from `first` on, `count` of them, over the host's threads.
void compare(const Function &function, uint32_t first, uint32_t step, const float *got, size_t count, Worst &worst) {
  std::mutex mutex;
  std::vector<std::thread> threads;
  const size_t parts = std::max(1u, std::thread::hardware_concurrency());
  for (size_t part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      Worst mine;
      for (size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
        const float x = std::bit_cast<float>(uint32_t(first + i * step));
        if (double distance = ulpsBetween(got[i], function.exact(x)); distance > mine.ulps)
          mine = {distance, x, got[i]};
      }
      std::lock_guard lock(mutex);
      if (mine.ulps > worst.ulps)
        worst = mine;
    });
  for (std::thread &thread : threads)
    thread.join();
}

int usage(const char *program, int status) {
  std::fprintf(status ? stderr : stdout,
               "usage: %s [--filter TEXT] [--every N]\n\n"
               "Prints the largest error of each function of one fp32 on the CPU engine, over all 2^32 inputs.\n\n"
               "  --filter TEXT   only functions whose name contains the text\n"
               "  --every N       only every Nth input\n",
               program);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  std::string filter;
  uint32_t every = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help")
      return usage(argv[0], 0);
    if (i + 1 == argc || (option != "--filter" && option != "--every"))
      return usage(argv[0], 2);
    if (option == "--filter")
      filter = argv[++i];
    else if (every = uint32_t(std::strtoul(argv[++i], nullptr, 10)); every == 0)
      return usage(argv[0], 2);
  }
  const size_t total = ((size_t(1) << 32) + every - 1) / every, chunk = std::min<size_t>(total, size_t(1) << 22);
  tilewise::Tensor y = tilewise::Tensor::from(std::vector<float>(chunk));
  std::printf("%s, %zu values\n\n| function | bound | worst | at |\n|---|---|---|---|\n",
              tilewise::Device("cpu").name().c_str(), total);
  bool isKept = true;
  try {
    for (const Function &function : kFunctions) {
      if (std::string(function.text).find(filter) == std::string::npos)
        continue;
      auto kernel = tilewise::Kernel::fromSource(
          "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n@triton.jit\n"
          "def evaluate(y_ptr, first, step, n, BLOCK: tl.constexpr):\n"
          "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
          "    bits = tl.cast(first, tl.uint32) + i.to(tl.uint32) * tl.cast(step, tl.uint32)\n"
          "    x = bits.to(tl.float32, bitcast=True)\n"
          "    tl.store(y_ptr + i, " +
          std::string(function.text) + ", mask=i < n)\n");
      Worst worst;
      for (size_t done = 0; done < total; done += chunk) {
        const size_t count = std::min(chunk, total - done);
        std::memset(y.data<float>(), 0xa5, count * sizeof(float));
        const uint32_t first = uint32_t(done * every);
        kernel[tilewise::cdiv(int64_t(count), 1024)](y, int64_t(first), int64_t(every), int64_t(count),
                                                     "BLOCK"_a = 1024);
        compare(function, first, every, y.data<float>(), count, worst);
      }
      const bool isWithin = worst.ulps <= function.bound;
      isKept &= isWithin;
      std::printf("| `%s` | %g | %s%.4f | %.9g |\n", function.text, function.bound, isWithin ? "" : "ABOVE ",
                  worst.ulps, worst.at);
      std::fflush(stdout);
    }
  } catch (const tilewise::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return isKept ? 0 : 1;
}
