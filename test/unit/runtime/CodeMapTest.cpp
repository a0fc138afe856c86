// Faults inside a kernel: told before the process dies. And perf's map of kernels.
#include "runtime/CodeMap.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tilewise {
namespace {

Kernel kernelOf(const std::string &name) {
  return Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\ndef " + name +
                                "(p, n):\n    tl.store(p + tl.program_id(0) * n, 1.0)\n",
                            name, "k.py");
}

TEST(CodeMap, FindsCodeWhileItLives) {
  static char code[64] = {};
  auto at = [](size_t offset) { return originOf(uintptr_t(code) + offset).kernel; };
  auto map = [](size_t offset, size_t bytes, const char *kernel) {
    return MappedCode({code + offset, bytes, code, {}}, kernel);
  };
  EXPECT_EQ(at(0), nullptr);
  {
    MappedCode one = map(0, 32, "one"), two = map(32, 16, "two");
    EXPECT_STREQ(at(0), "one");
    EXPECT_STREQ(at(31), "one");
    EXPECT_STREQ(at(32), "two");
    EXPECT_EQ(at(48), nullptr);
    MappedCode moved(std::move(one));
    EXPECT_STREQ(at(5), "one");
  }
  EXPECT_EQ(at(0), nullptr);
  MappedCode again = map(0, 8, "again");
  EXPECT_STREQ(at(7), "again");
}

TEST(CodeMapDeathTest, AFaultNamesLineKernelProgramAndTheWayOut) {
  Kernel kernel = kernelOf("wild");
  auto *nowhere = reinterpret_cast<float *>(uintptr_t(1) << 46);
  EXPECT_DEATH(
      kernel[1].on(Device("cpu"))(nowhere, 1),
      "k.py:5:5: error: kernel 'wild' accessed memory at 0x400000000000, which it must not, in program .0, 0, 0.\n"
      "note: with TILEWISE_CHECKED=1 the launch stops");
}

// One of hundreds that a thread runs in a row, on a grid of two axes.
TEST(CodeMapDeathTest, AFaultNamesTheOneProgramOfMany) {
  Kernel kernel = Kernel::fromSource(R"(import triton
import triton.language as tl

@triton.jit
def wild(p, bad):
    number = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    if number == bad:
        tl.store(p + number, 1.0)
)",
                                     "wild", "k.py");
  auto *nowhere = reinterpret_cast<float *>(uintptr_t(1) << 46);
  EXPECT_DEATH((kernel[{50, 40}].on(Device("cpu"))(nowhere, 1234)), "must not, in program .34, 24, 0.\n");
}

// Of the function that faulted, not of the call; and of the call, where the library's own text
// faulted.
TEST(CodeMapDeathTest, AFaultInAFunctionHasItsLine) {
  Kernel kernel = Kernel::fromSource(R"(import triton
import triton.language as tl

@triton.jit
def put(p, n):
    tl.store(p + tl.program_id(0) * n, 1.0)

@triton.jit
def wild(p, n):
    put(p, n)
)",
                                     "wild", "some/folder/k.py");
  auto *nowhere = reinterpret_cast<float *>(uintptr_t(1) << 46);
  EXPECT_DEATH(kernel[1].on(Device("cpu"))(nowhere, 1), "some/folder/k.py:6:5: error: kernel 'wild' accessed");
}

TEST(CodeMapDeathTest, AnAddressThatCannotBeIsNotCalledZero) {
  Kernel kernel = kernelOf("wild");
  auto *nowhere = reinterpret_cast<float *>(uintptr_t(1) << 60);
  EXPECT_DEATH(kernel[1].on(Device("cpu"))(nowhere, 1),
               "k.py:5:5: error: kernel 'wild' accessed an impossible address, in program .0, 0, 0.\n");
}

TEST(CodeMap, PerfFindsNames) {
  setenv("TILEWISE_PERF_MAP", "1", 1);
  std::vector<float> memory(4);
  kernelOf("profiled")[1].on(Device("cpu"))(memory.data(), 1);
  unsetenv("TILEWISE_PERF_MAP");
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  unlink(path.c_str());
  EXPECT_NE(text.str().find(" profiled\n"), std::string::npos) << text.str();
}

} // namespace
} // namespace tilewise
