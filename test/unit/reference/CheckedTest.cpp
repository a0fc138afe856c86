// Checked mode: what stops a launch on the engines of every machine, and that the message names
// line, argument, program, lane and distance.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

namespace tilewise {
namespace {

const Device kReference("reference");

/// The kernel's text with `body` from line 5 on, four blanks in.
std::string kernelText(const std::string &parameters, const std::string &body) {
  std::string text = "import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + parameters + "):\n";
  for (size_t at = 0, end; at < body.size(); at = end + 1) {
    end = std::min(body.find('\n', at), body.size());
    text += "    " + body.substr(at, end - at) + "\n";
  }
  return text;
}

template <typename... Arguments>
std::string failureOn(const Device &device, const std::string &text, Grid grid, const Arguments &...arguments) {
  Options options;
  options.checked = true;
  try {
    Kernel::fromSource(text, "", "k.py")[grid].with(options).on(device)(arguments...);
  } catch (const LaunchError &error) {
    return error.what();
  }
  return "";
}

/// The same on both engines of every machine.
template <typename... Arguments>
std::string failureOf(const std::string &text, Grid grid, const Arguments &...arguments) {
  std::string message = failureOn(kReference, text, grid, arguments...);
  EXPECT_EQ(failureOn(Device("cpu"), text, grid, arguments...), message);
  return message;
}

TEST(Checked, LoadBehindTheEnd) {
  Tensor x = Tensor::from(std::vector<float>(1000, 1.0f)), y = Tensor::from(std::vector<float>(1024, 0.0f));
  std::string text = kernelText("x, y, B: tl.constexpr",
                                "at = tl.program_id(0) * B + tl.arange(0, B)\ntl.store(y + at, tl.load(x + at))");
  EXPECT_EQ(
      failureOf(text, 4, x, y, 256),
      "k.py:6:22: error: load outside of 'x': element 1000 lies 4 bytes (1 element) after the last one, in program "
      "(3, 0, 0), lane (232)\n"
      "    6 |     tl.store(y + at, tl.load(x + at))\n"
      "      |                      ^~~~~~~~~~~~~~~\n"
      "note: 'x' has 1000 elements; leave such lanes out by a mask, as in tl.load(pointers, mask=offsets < n)");
  EXPECT_EQ(failureOf(text, 3, x, y, 256), "");
}

TEST(Checked, StoreBeforeTheBegin) {
  Tensor y = Tensor::from(std::vector<int16_t>(64));
  std::string message = failureOf(kernelText("y", "at = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :] - 3\n"
                                                  "tl.store(y + at, at.to(tl.int16))"),
                                  1, y);
  EXPECT_NE(
      message.find("k.py:6:5: error: store outside of 'y': element -3 lies 6 bytes (3 elements) before the first one, "
                   "in program (0, 0, 0), lane (0, 0)\n"),
      std::string::npos)
      << message;
  EXPECT_NE(message.find("tl.store(pointers, values, mask="), std::string::npos) << message;
}

TEST(Checked, MaskedLanesMayPointAnywhere) {
  Tensor x = Tensor::from(std::vector<int32_t>(5, 7)), y = Tensor::from(std::vector<int32_t>(5, 0));
  std::string body = "at = tl.arange(0, 8)\ntl.store(y + at, tl.load(x + at, mask=at < n), mask=at < n)";
  EXPECT_EQ(failureOf(kernelText("x, y, n", body), 1, x, y, 5), "");
  EXPECT_EQ(y.toVector<int32_t>(), std::vector<int32_t>(5, 7));
  std::string message = failureOf(kernelText("x, y, n", body), 1, x, y, 6);
  EXPECT_NE(message.find("the mask lets this lane through"), std::string::npos) << message;
}

TEST(Checked, AnotherArgumentsMemoryIsOutside) {
  // One piece of memory, two tensors: reading on from the first into the second stays in the
  // launch's memory and is still wrong.
  std::vector<float> memory(128, 1.0f);
  Tensor x = Tensor::view(memory.data(), {64}), y = Tensor::view(memory.data() + 64, {64});
  std::string message =
      failureOf(kernelText("x, y", "at = tl.arange(0, 64)\ntl.store(y + at, tl.load(x + at + 2))"), 1, x, y);
  EXPECT_NE(message.find("load outside of 'x': element 64 lies 4 bytes (1 element) after"), std::string::npos)
      << message;
  EXPECT_NE(message.find("note: the address belongs to 'y'"), std::string::npos) << message;
}

TEST(Checked, PointersThroughLoopsAndBranches) {
  Tensor x = Tensor::from(std::vector<float>(64, 1.0f)), y = Tensor::from(std::vector<float>(64, 0.0f));
  std::string text = kernelText("x, y, n, flag", "p = x + tl.arange(0, 16)\n"
                                                 "if flag:\n"
                                                 "    p += 1\n"
                                                 "for i in range(n):\n"
                                                 "    tl.store(y + i * 16 + tl.arange(0, 16), tl.load(p))\n"
                                                 "    p += 16");
  EXPECT_EQ(failureOf(text, 1, x, y, 4, 0), "");
  std::string message = failureOf(text, 1, x, y, 4, 2);
  EXPECT_NE(message.find("k.py:9:49: error: load outside of 'x': element 64 lies"), std::string::npos) << message;
}

TEST(Checked, AtomicsAreChecked) {
  Tensor counts = Tensor::from(std::vector<int32_t>(8));
  std::string message = failureOf(kernelText("c", "tl.atomic_add(c + tl.arange(0, 16), 1)"), 1, counts);
  EXPECT_NE(message.find("k.py:5:5: error: atomic outside of 'c': element 8 lies 4 bytes (1 element) after"),
            std::string::npos)
      << message;
}

TEST(Checked, RawPointersHaveNoSize) {
  std::vector<int32_t> memory(64, 3);
  EXPECT_EQ(failureOf(kernelText("p, n", "tl.store(p + tl.arange(0, 64), n)"), 1, memory.data(), 5), "");
  EXPECT_EQ(memory, std::vector<int32_t>(64, 5));
}

TEST(Checked, RawPointersReachOnlyMemoryOfTheProcess) {
  std::vector<int32_t> memory(64, 3);
  std::string message =
      failureOf(kernelText("p, far", "tl.store(p + tl.arange(0, 64) * far, 5)"), 1, memory.data(), int64_t(1) << 45);
  EXPECT_NE(message.find("k.py:5:5: error: store at the address 0x"), std::string::npos) << message;
  EXPECT_NE(message.find(
                " made from 'p', where this process has no memory that can be written, in program (0, 0, 0), lane (1)"),
            std::string::npos)
      << message;
}

TEST(Checked, NullPointers) {
  tw_argument null = tw_pointer(nullptr, TW_INT32);
  null.bytes = 0;
  Kernel kernel = Kernel::fromSource(kernelText("p", "tl.store(p, 1)"), "", "k.py");
  int64_t grid = 1;
  EXPECT_EQ(tw_kernel_launch(kernel.get(), kReference.get(), nullptr, &grid, 1, &null, 1, nullptr), TW_ERROR_LAUNCH);
  std::string message = tw_last_error();
  EXPECT_NE(message.find("k.py:5:5: error: store through a null pointer made from 'p', in program (0, 0, 0)"),
            std::string::npos)
      << message;
}

TEST(Checked, PointersFromMemoryAreTheirOwnersBusiness) {
  std::vector<int32_t> memory(16, 3);
  Tensor table = Tensor::from(std::vector<int64_t>{int64_t(memory.data())}), y = Tensor::from(std::vector<int32_t>(16));
  std::string text = kernelText("t, y", "p = tl.load(t).to(tl.pointer_type(tl.int32))\n"
                                        "tl.store(y + tl.arange(0, 16), tl.load(p + tl.arange(0, 16)))");
  EXPECT_EQ(failureOf(text, 1, table, y), "");
  EXPECT_EQ(y.toVector<int32_t>(), memory);
}

TEST(Checked, ViewsReachBackwardsAsFarAsTheirStrides) {
  std::vector<float> memory(8, 2.0f), out(8);
  Tensor x = Tensor::view(memory.data() + 7, {8}, {-1}), y = Tensor::view(out.data(), {8});
  EXPECT_EQ(failureOf(kernelText("x, y", "at = tl.arange(0, 8)\ntl.store(y + at, tl.load(x - at))"), 1, x, y), "");
  std::string message =
      failureOf(kernelText("x, y", "at = tl.arange(0, 8)\ntl.store(y + at, tl.load(x - at - 1))"), 1, x, y);
  EXPECT_NE(message.find("element -8 lies 4 bytes (1 element) before the first one"), std::string::npos) << message;
}

TEST(Checked, OffsetOverflow) {
  Tensor rows = Tensor::from(std::vector<int32_t>{0, 0, 70000, 0}), x = Tensor::from(std::vector<float>(100, 1.0f)),
         y = Tensor::from(std::vector<float>(4));
  std::string body =
      "i = tl.arange(0, 4)\nr = tl.load(rows + i)\nat = r * s\nv = tl.load(x + at, mask=r < top, other=0.)\n"
      "tl.store(y + i, v)";
  std::string text = kernelText("rows, x, y, s, top", body);
  EXPECT_EQ(failureOf(text, 1, rows, x, y, 40000, 100000),
            "k.py:7:10: error: an offset overflows int32: 70000 * 40000 is 2800000000, in program (0, 0, 0), lane (2)\n"
            "    7 |     at = r * s\n"
            "      |          ^\n"
            "note: it reaches the address of a load through 'x', lane (2): k.py:8:9\n"
            "note: compute the offset in 64 bits: cast one operand by .to(tl.int64) before this operation");
  // Off by the mask: no harm, and no message.
  EXPECT_EQ(failureOf(text, 1, rows, x, y, 40000, 1), "");
}

TEST(Checked, OffsetOverflowIsFollowedThroughBlocksAndLoops) {
  Tensor x = Tensor::from(std::vector<float>(100, 1.0f)), y = Tensor::from(std::vector<float>(4));
  std::string text = kernelText("x, y, s", "rows = tl.arange(0, 2)\ncols = tl.arange(0, 2)\n"
                                           "at = (rows[:, None] + 1) * s + cols[None, :]\n"
                                           "for i in range(3):\n    at += s\n"
                                           "tl.store(y + rows[:, None] * 2 + cols[None, :], tl.load(x + at))");
  // The CPU engine does not follow an overflow around a loop: what it checks is the address.
  std::string message = failureOn(kReference, text, 1, x, y, 700000000);
  EXPECT_NE(message.find("k.py:9:9: error: an offset overflows int32: 2100000000 + 700000000 is 2800000000"),
            std::string::npos)
      << message;
}

TEST(Checked, WrapsThatAreMeantAreNoOverflow) {
  Tensor x = Tensor::from(std::vector<int32_t>(64, 1)), y = Tensor::from(std::vector<int32_t>(64));
  EXPECT_EQ(failureOf(kernelText("x, y", "i = tl.arange(0, 64)\nh = (i * 1103515245 + 12345) & 63\n"
                                         "tl.store(y + i, tl.load(x + h))"),
                      1, x, y),
            "");
}

TEST(Checked, OverflowInAnUnchosenLaneIsNone) {
  Tensor x = Tensor::from(std::vector<int32_t>(64, 1)), y = Tensor::from(std::vector<int32_t>(64));
  EXPECT_EQ(failureOf(kernelText("x, y, big", "i = tl.arange(0, 64)\nat = tl.where(i < 1, 0, i * big)\n"
                                              "tl.store(y + i, tl.load(x + tl.where(i < 1, at, i)))"),
                      1, x, y, 2147483647),
            "");
}

TEST(Checked, TheCallersAreNamed) {
  Tensor x = Tensor::from(std::vector<float>(4));
  std::string text = "import triton\nimport triton.language as tl\n"
                     "@triton.jit\ndef put(p):\n    tl.store(p + tl.arange(0, 8), 1.0)\n"
                     "@triton.jit\ndef k(x):\n    put(x)\n";
  try {
    Kernel::fromSource(text, "k", "k.py")[1].on(kReference)(x);
    FAIL();
  } catch (const LaunchError &error) {
    std::string message = error.what();
    EXPECT_EQ(message.rfind("k.py:5:5: error: store outside of 'x'", 0), 0u) << message;
    EXPECT_NE(message.find("note: called from here: k.py:8:5"), std::string::npos) << message;
  }
}

} // namespace
} // namespace tilewise
