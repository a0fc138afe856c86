// The forms a cast can take in a kernel: methods, functions, numbers, pointers, bools.
#include "engines/RunSource.h"

#include <bit>
#include <cmath>

namespace tilewise::engines {
namespace {

class CastForms : public OnEngine {};
ON_EACH_ENGINE(CastForms);

TEST_P(CastForms, NumbersAreTensorsFirst) {
  std::vector<double> out(4);
  runSource(R"(
@triton.jit
def k(out):
    tl.store(out, tl.cast(0.1, tl.float64))
    tl.store(out + 1, tl.full([], 0.1, tl.float64))
    tl.store(out + 2, tl.cast(1e-300, tl.float64))
    tl.store(out + 3, tl.cast(300, tl.int8).to(tl.float64))
)",
            "*fp64", out);
  EXPECT_EQ(out[0], double(0.1f));
  EXPECT_EQ(out[1], 0.1);
  EXPECT_EQ(out[2], 1e-300);
  EXPECT_EQ(out[3], 44);
}

TEST_P(CastForms, ConstantsOfEightBitsSaturate) {
  std::vector<uint8_t> out(10);
  runSource(R"(
@triton.jit
def k(out):
    tl.store(out, tl.full([], 1000.0, tl.float8e4nv).to(tl.uint8, bitcast=True))
    tl.store(out + 1, tl.full([], -1e6, tl.float8e5).to(tl.uint8, bitcast=True))
    tl.store(out + 2, tl.full([], float("inf"), tl.float8e4b8).to(tl.uint8, bitcast=True))
    tl.store(out + 3, tl.full([], float("nan"), tl.float8e5b16).to(tl.uint8, bitcast=True))
    tl.store(out + 4, tl.full([], 1.0, tl.float8e4b15).to(tl.uint8, bitcast=True))
    tl.store(out + 5, tl.full([], -7.0, tl.float8e4b15).to(tl.uint8, bitcast=True))
    tl.store(out + 6, tl.zeros([4], tl.float8e4b15).to(tl.uint8, bitcast=True).sum().to(tl.uint8))
    tl.store(out + 7, tl.full([], 448.0, tl.float8e4nv).to(tl.uint8, bitcast=True))
)",
            "*u8", out);
  EXPECT_EQ(out, (std::vector<uint8_t>{0x7e, 0xfb, 0x7f, 0x80, 0x78, 0xfe, 0, 0x7e, 0, 0}));
}

TEST_P(CastForms, Pointers) {
  std::vector<int32_t> data = {7, 8, 9};
  std::vector<int64_t> out(5);
  runSource(R"(
@triton.jit
def k(p, out):
    address = (p + 2).to(tl.int64)
    tl.store(out, address)
    tl.store(out + 1, tl.load(address.to(tl.pointer_type(tl.int32))))
    tl.store(out + 2, tl.load((p + 1).to(tl.pointer_type(tl.int8)) + 4))
    tl.store(out + 3, p.to(tl.int1).to(tl.int64))
    tl.store(out + 4, tl.cast(p, tl.uint64, bitcast=True).to(tl.int64))
)",
            "*i32, *i64", data, out);
  EXPECT_EQ(out[0], int64_t(uintptr_t(&data[2])));
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(out[2], 9);
  EXPECT_EQ(out[3], 1);
  EXPECT_EQ(out[4], int64_t(uintptr_t(data.data())));

  std::string message;
  EXPECT_FALSE(loadSource("@triton.jit\ndef k(p):\n    x = p.to(tl.int32)\n", "*i32", &message));
  EXPECT_NE(message.find("an address is 64 bits"), std::string::npos) << message;
}

TEST_P(CastForms, BoolsWrapModuloTwo) {
  std::vector<uint8_t> a = {0, 1, 0, 1}, b = {0, 0, 1, 1}, out(4);
  std::vector<float> floats(4);
  std::vector<int64_t> longs(4);
  auto run = [&](const std::string &expression) {
    runSource(
        "@triton.jit\ndef k(a, b, out):\n    i = tl.arange(0, 4)\n    x = tl.load(a + i)\n    y = tl.load(b + i)\n"
        "    tl.store(out + i, " +
            expression + ")\n",
        "*i1, *i1, *i1", a, b, out);
    return out;
  };
  EXPECT_EQ(run("x + y"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(run("x - y"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(run("x * y"), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(run("x & y"), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(run("x | y"), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(run("x < y"), (std::vector<uint8_t>{0, 0, 1, 0}));
  EXPECT_EQ(run("not x"), (std::vector<uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(run("tl.maximum(x, y)"), (std::vector<uint8_t>{0, 1, 1, 1}));
  const char *widen = "@triton.jit\ndef k(a, out):\n    i = tl.arange(0, 4)\n"
                      "    tl.store(out + i, tl.load(a + i).to(out.dtype.element_ty))\n";
  runSource(widen, "*i1, *fp32", a, floats);
  runSource(widen, "*i1, *i64", a, longs);
  EXPECT_EQ(floats, (std::vector<float>{0, 1, 0, 1}));
  EXPECT_EQ(longs, (std::vector<int64_t>{0, 1, 0, 1}));
}

TEST_P(CastForms, LibdeviceOnTheEngine) {
  std::vector<float> x = {0.5f, -0.25f, 1.0f, 0.0f}, out(4);
  std::vector<uint8_t> flags(4);
  runSource(R"(
@triton.jit
def k(x, out, flags):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.asin(v) + tl.div_rn(v, 3.0) + tl.sqrt_rn(tl.abs(v)))
    tl.store(flags + i, libdevice.isinf(v / 0.0))
)",
            "*fp32, *fp32, *i1", x, out, flags);
  for (int i = 0; i < 4; ++i) {
    float expected = float(std::asin(double(x[i]))) + x[i] / 3.0f + std::sqrt(std::fabs(x[i]));
    EXPECT_EQ(out[i], expected) << i;
    EXPECT_EQ(flags[i], x[i] != 0);
  }
}

} // namespace
} // namespace tilewise::engines
