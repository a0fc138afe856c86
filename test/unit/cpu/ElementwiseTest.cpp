// Every elementwise op on every type, CPU engine against reference engine, bit for bit, on special
// values and random bits.
#include "CpuHarness.h"
#include "engines/RunKernel.h"

#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

constexpr size_t kCount = 203; // Whole registers, and an odd end.

size_t bytesOf(const std::string &type) {
  if (type == "i1" || type.starts_with("f8") || type == "i8")
    return 1;
  return type == "bf16" ? 2 : std::stoul(type.substr(1)) / 8;
}

/// Bits of numbers where things happen, then random ones.
std::vector<char> inputsOf(const std::string &type, unsigned seed) {
  size_t bytes = bytesOf(type);
  std::vector<char> data(kCount * bytes);
  std::mt19937_64 random(seed);
  std::vector<uint64_t> special;
  unsigned bits = unsigned(8 * bytes);
  if (type[0] == 'i')
    special = {0, 1, 2, ~0ull, ~0ull - 1, 1ull << (bits - 1), (1ull << (bits - 1)) - 1, bits - 1, bits, bits + 1, 7};
  else if (type == "f32")
    special = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1,
               0x807fffff, 0x4effffff, 0x4f000000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x33000001};
  else if (type == "f16")
    special = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x83ff, 0x7bff, 0x0400};
  else if (type == "bf16")
    special = {0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 1, 0x807f, 0x7f7f};
  else if (type == "f64")
    special = {0, 1ull << 63,         0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
               1, 0x36a0000000000001, 0x47efffffe0000000, 0x47effffff0000000, 0x40effffc00000000};
  for (size_t i = 0; i < kCount; ++i) {
    uint64_t value = i < special.size() * special.size() && i < kCount / 2
                         ? special[seed % 2 ? i % special.size() : i / special.size()]
                         : random();
    if (i >= kCount / 2 && i % 2 && type != "i1") { // Numbers of ordinary size.
      double number = double(int64_t(random() % 2001) - 1000) / 8;
      if (type == "f32")
        value = std::bit_cast<uint32_t>(float(number));
      else if (type == "f64")
        value = std::bit_cast<uint64_t>(number);
      else if (type == "bf16")
        value = std::bit_cast<uint32_t>(float(number)) >> 16;
      else if (type[0] == 'i')
        value = uint64_t(int64_t(number));
    }
    if (type == "i1")
      value &= 1;
    std::memcpy(data.data() + i * bytes, &value, bytes);
  }
  return data;
}

bool isNan(const std::string &type, uint64_t bits) {
  if (type == "f32")
    return (bits & 0x7fffffff) > 0x7f800000;
  if (type == "f64")
    return (bits & ~(1ull << 63)) > 0x7ff0000000000000;
  if (type == "f16")
    return (bits & 0x7fff) > 0x7c00;
  if (type == "bf16")
    return (bits & 0x7fff) > 0x7f80;
  if (type == "f8E5M2")
    return (bits & 0x7f) > 0x7c;
  if (type == "f8E4M3FN")
    return (bits & 0x7f) == 0x7f;
  return false;
}

/// Runs a kernel of `body` on both engines and compares the outputs; `ulp` allows floats to differ
/// in their last places.
void compare(const std::vector<std::string> &inputs, const std::string &output, const std::string &body,
             int64_t ulp = 0) {
  SCOPED_TRACE(body);
  std::string text = engines::elementwiseKernel(inputs, output, body, kCount);
  std::vector<std::vector<char>> data;
  std::vector<uint64_t> slots;
  for (auto [i, type] : llvm::enumerate(inputs))
    data.push_back(inputsOf(type, unsigned(i) + 1));
  for (auto &input : data)
    slots.push_back(reinterpret_cast<uint64_t>(input.data()));
  size_t bytes = bytesOf(output);
  std::vector<char> expected(kCount * bytes), actual(kCount * bytes);
  slots.push_back(reinterpret_cast<uint64_t>(expected.data()));
  auto program = engines::loadKernel(text);
  ASSERT_TRUE(program);
  ASSERT_TRUE(bool(program->launch(slots, {{1, 1, 1}}, nullptr)));
  // The host, and a machine without AVX, FMA and f16 conversions.
  for (std::string target : {"cpu", "cpu:x86-64-v2"}) {
    SCOPED_TRACE(target);
    CompiledKernel kernel(text, target);
    ASSERT_TRUE(bool(kernel));
    slots.back() = reinterpret_cast<uint64_t>(actual.data());
    kernel.runSlots({1, 1, 1}, slots);
    for (size_t i = 0; i < kCount; ++i) {
      uint64_t want = 0, got = 0;
      std::memcpy(&want, expected.data() + i * bytes, bytes);
      std::memcpy(&got, actual.data() + i * bytes, bytes);
      if (isNan(output, want) && isNan(output, got))
        continue;
      std::string operands;
      for (auto [type, input] : llvm::zip(inputs, data)) {
        uint64_t bits = 0;
        std::memcpy(&bits, input.data() + i * bytesOf(type), bytesOf(type));
        operands += " 0x" + llvm::utohexstr(bits);
      }
      ASSERT_LE(uint64_t(std::abs(int64_t(want) - int64_t(got))), uint64_t(ulp))
          << "element " << i << " of" << operands << ": expected 0x" << llvm::utohexstr(want) << ", got 0x"
          << llvm::utohexstr(got);
    }
  }
}

std::string block(const std::string &type) { return "tensor<" + std::to_string(kCount) + "x" + type + ">"; }

TEST(CpuElementwise, Integers) {
  for (std::string type : {"i8", "i16", "i32", "i64"}) {
    for (std::string op : {"arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori",
                           "arith.maxsi", "arith.minui", "tile.div_s", "tile.div_u", "tile.rem_s", "tile.rem_u",
                           "tile.shl", "tile.shr_s", "tile.shr_u"})
      compare({type, type}, type, "%r = " + op + " %0, %1 : " + block(type));
    for (std::string predicate : {"eq", "slt", "ule", "sge"})
      compare({type, type}, "i1", "%r = arith.cmpi " + predicate + ", %0, %1 : " + block(type));
    compare({"i1", type, type}, type, "%r = arith.select %0, %1, %2 : " + block("i1") + ", " + block(type));
  }
}

TEST(CpuElementwise, IntegerCasts) {
  compare({"i8"}, "i64", "%r = arith.extsi %0 : " + block("i8") + " to " + block("i64"));
  compare({"i1"}, "i32", "%r = arith.extui %0 : " + block("i1") + " to " + block("i32"));
  compare({"i64"}, "i16", "%r = arith.trunci %0 : " + block("i64") + " to " + block("i16"));
  for (std::string type : {"f16", "bf16", "f32", "f64"})
    for (std::string integer : {"i8", "i32", "i64"}) {
      compare({integer}, type, "%r = arith.sitofp %0 : " + block(integer) + " to " + block(type));
      compare({integer}, type, "%r = arith.uitofp %0 : " + block(integer) + " to " + block(type));
      compare({type}, integer, "%r = tile.fp_to_si %0 : " + block(type) + " -> " + block(integer));
      compare({type}, integer, "%r = tile.fp_to_ui %0 : " + block(type) + " -> " + block(integer));
    }
}

TEST(CpuElementwise, Floats) {
  for (std::string type : {"f16", "bf16", "f32", "f64"}) {
    for (std::string op : {"arith.addf", "arith.subf", "arith.mulf", "arith.maxnumf", "arith.minnumf", "arith.maximumf",
                           "arith.minimumf", "arith.divf"})
      compare({type, type}, type, "%r = " + op + " %0, %1 : " + block(type));
    for (std::string predicate : {"oeq", "olt", "une", "oge"})
      compare({type, type}, "i1", "%r = arith.cmpf " + predicate + ", %0, %1 : " + block(type));
    for (std::string op : {"arith.negf", "math.absf", "math.sqrt", "math.floor", "math.ceil"})
      compare({type}, type, "%r = " + op + " %0 : " + block(type));
    compare({type, type, type}, type, "%r = math.fma %0, %1, %2 : " + block(type));
  }
}

TEST(CpuElementwise, FloatCasts) {
  std::vector<std::string> types = {"f8E5M2", "f8E4M3FN", "f16", "bf16", "f32", "f64"};
  for (const std::string &narrow : types)
    for (const std::string &wide : types)
      if (bytesOf(narrow) < bytesOf(wide)) {
        compare({narrow}, wide, "%r = arith.extf %0 : " + block(narrow) + " to " + block(wide));
        compare({wide}, narrow, "%r = arith.truncf %0 : " + block(wide) + " to " + block(narrow));
      }
}

} // namespace
