// Every function of libdevice on the CPU engine, against the function that the reference engine
// calls.
#include "CpuHarness.h"
#include "engines/RunKernel.h"
#include "libdevice/Libdevice.h"

#include <cmath>

using namespace tilewise;
using namespace tilewise::cputest;
using libdevice::Element;

namespace {

const char *nameOf(Element element) {
  static const char *const names[] = {"i1", "i32", "i32", "i64", "i64", "f32", "f64"};
  return names[size_t(element)];
}
size_t bytesOf(Element element) {
  static constexpr size_t bytes[] = {1, 4, 4, 8, 8, 4, 8};
  return bytes[size_t(element)];
}

constexpr size_t kCount = 40; // Two chunks and a rest.

/// Numbers near 0 and of moderate size, specials, and for ints small and extreme ones.
std::vector<char> operandOf(Element element, size_t which, bool small) {
  static constexpr double floats[] = {0,   -0.0,  0.5, -0.5, 0.25, 1,     -1,   2,     3.5,      -7,  10,
                                      0.1, -0.75, 100, 1e-3, 1e5,  1e-40, 1e30, -1e30, INFINITY, NAN, -INFINITY};
  static constexpr int64_t ints[] = {0, 1, -1, 2, 5, -7, 31, 100, 12345, INT32_MAX, INT32_MIN};
  std::vector<char> bytes(kCount * bytesOf(element));
  for (size_t i = 0; i < kCount; ++i) {
    size_t pick = i * (2 * which + 1) + which;
    double d = floats[pick % std::size(floats)];
    float f = float(d);
    int64_t n = ints[pick % (std::size(ints) - (small ? 3 : 0))];
    const void *from = element == Element::F64   ? static_cast<const void *>(&d)
                       : element == Element::F32 ? static_cast<const void *>(&f)
                                                 : &n;
    std::memcpy(&bytes[i * bytesOf(element)], from, bytesOf(element));
  }
  return bytes;
}

double valueOf(Element element, const char *at) {
  if (element == Element::F32) {
    float f;
    std::memcpy(&f, at, 4);
    return f;
  }
  double d;
  std::memcpy(&d, at, 8);
  return d;
}

/// Equal bits, or for floats two NaNs or numbers within the 4 ulp that the engine's vector code of
/// any function keeps.
bool agree(Element element, const char *got, const char *expected) {
  if (std::memcmp(got, expected, bytesOf(element)) == 0)
    return true;
  if (element != Element::F32 && element != Element::F64)
    return false;
  double a = valueOf(element, got), b = valueOf(element, expected);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  int digits = element == Element::F32 ? 24 : 53, least = element == Element::F32 ? -125 : -1021;
  int exponent = b == 0 ? least : std::max(std::ilogb(b) + 1, least);
  return std::fabs(a - b) <= 4 * std::ldexp(1.0, exponent - digits);
}

void check(const libdevice::Function &function) {
  SCOPED_TRACE(function.symbol.str());
  std::vector<std::string> types;
  std::vector<std::vector<char>> operands;
  std::string names, blocks, count = std::to_string(kCount);
  // Bessel functions take as many steps as their order says.
  bool small = function.symbol.starts_with("jn") || function.symbol.starts_with("yn");
  for (auto [i, element] : llvm::enumerate(function.operands())) {
    types.push_back(nameOf(element));
    operands.push_back(operandOf(element, i, small));
    names += (i ? ", %" : "%") + std::to_string(i);
    blocks += (i ? ", tensor<" : "tensor<") + count + "x" + types.back() + ">";
  }
  std::string result = nameOf(function.result);
  std::string body = "%r = tile.extern_call \"" + function.symbol.str() + "\"(" + names + ") : (" + blocks +
                     ") -> tensor<" + count + "x" + result + ">";
  std::vector<char> got(kCount * bytesOf(function.result)), expected(got.size());
  std::vector<uint64_t> slots;
  std::vector<const void *> pointers;
  for (const std::vector<char> &operand : operands) {
    slots.push_back(reinterpret_cast<uint64_t>(operand.data()));
    pointers.push_back(operand.data());
  }
  slots.push_back(reinterpret_cast<uint64_t>(got.data()));
  CompiledKernel kernel(engines::elementwiseKernel(types, result, body, kCount));
  ASSERT_TRUE(bool(kernel));
  kernel.runSlots({1, 1, 1}, slots);
  function.apply(pointers.data(), expected.data(), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    size_t at = i * bytesOf(function.result);
    EXPECT_TRUE(agree(function.result, &got[at], &expected[at])) << "element " << i;
  }
}

TEST(CpuLibrary, EveryFunctionGivesTheReferencesResult) {
  for (const libdevice::Name &name : libdevice::names())
    for (const libdevice::Function &function : name.overloads())
      check(function);
}

TEST(CpuLibrary, FunctionsOfDoublesAreAsTheLibrarys) {
  for (const char *op : {"math.log", "math.log2", "math.sin", "math.cos", "math.erf", "math.tanh", "math.cbrt"}) {
    SCOPED_TRACE(op);
    std::vector<double> x = {0.1, 0.5, 1, 3, 10, 1e10, INFINITY, NAN}, y(8), expected(8);
    CompiledKernel kernel(
        engines::elementwiseKernel({"f64"}, "f64", std::string("%r = ") + op + " %0 : tensor<8xf64>", 8));
    ASSERT_TRUE(bool(kernel));
    kernel.run({1, 1, 1}, x.data(), y.data());
    const void *operands[] = {x.data()};
    libdevice::findSymbol(llvm::StringRef(op).drop_front(5))->apply(operands, expected.data(), 8);
    for (size_t i = 0; i < 8; ++i)
      EXPECT_TRUE(agree(Element::F64, reinterpret_cast<char *>(&y[i]), reinterpret_cast<char *>(&expected[i]))) << x[i];
  }
}

} // namespace
