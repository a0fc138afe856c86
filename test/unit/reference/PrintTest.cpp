// tl.device_print, line by line as upstream prints, through the host's callback.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

namespace tilewise {
namespace {

template <typename... Arguments>
std::string printedOn(const char *device, const std::string &parameters, const std::string &statement, Grid grid,
                      const Arguments &...arguments) {
  std::string text;
  tw_set_print_callback([](const char *some, void *user) { *static_cast<std::string *>(user) += some; }, &text);
  Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + parameters + "):\n    " +
                     statement + "\n")[grid]
      .on(Device(device))(arguments...);
  tw_set_print_callback(nullptr, nullptr);
  return text;
}

/// The same on both engines of every machine.
template <typename... Arguments>
std::string printed(const std::string &parameters, const std::string &statement, Grid grid,
                    const Arguments &...arguments) {
  std::string text = printedOn("reference", parameters, statement, grid, arguments...);
  EXPECT_EQ(printedOn("cpu", parameters, statement, grid, arguments...), text);
  return text;
}

template <typename T> Tensor tensorOf(std::vector<T> values) { return Tensor::from(values); }

TEST(Print, IndicesArePaddedToTheLastOne) {
  EXPECT_EQ(printed("", "tl.device_print(\"x: \", tl.arange(0, 2))", 1),
            "pid (0, 0, 0) idx (0) x: 0\npid (0, 0, 0) idx (1) x: 1\n");
  std::string text = printed("", "tl.device_print(\"x\", tl.arange(0, 16))", 1);
  EXPECT_EQ(text.substr(0, 28), "pid (0, 0, 0) idx ( 0) x: 0\n");
  EXPECT_NE(text.find("pid (0, 0, 0) idx (15) x: 15\n"), std::string::npos) << text;
}

TEST(Print, Prefixes) {
  EXPECT_EQ(printed("", "print(\"\", tl.program_id(0))", 1), "pid (0, 0, 0) idx (): 0\n");
  EXPECT_EQ(printed("", "print(\"no arg\")", 1), "pid (0, 0, 0) no arg\n");
  EXPECT_EQ(printed("", "tl.device_print(\"x \", tl.program_id(0))", 1), "pid (0, 0, 0) idx () x: 0\n");
  EXPECT_EQ(printed("", "tl.device_print(\"x:\", tl.program_id(0))", 1), "pid (0, 0, 0) idx () x: 0\n");
}

TEST(Print, ProgramsComeInOrder) {
  EXPECT_EQ(printed("", "print(\"p\", tl.program_id(1))", {2, 2}),
            "pid (0, 0, 0) idx () p: 0\npid (1, 0, 0) idx () p: 0\n"
            "pid (0, 1, 0) idx () p: 1\npid (1, 1, 0) idx () p: 1\n");
}

TEST(Print, SeveralOperands) {
  EXPECT_EQ(printed("", "print(\"\", tl.arange(0, 2), 7)", 1), "pid (0, 0, 0) idx (0): (operand 0) 0\n"
                                                               "pid (0, 0, 0) idx (1): (operand 0) 1\n"
                                                               "pid (0, 0, 0) idx (): (operand 1) 7\n");
}

TEST(Print, Matrices) {
  EXPECT_EQ(printed("", "tl.device_print(\"\", tl.arange(0, 4).reshape([2, 2]))", 1),
            "pid (0, 0, 0) idx (0, 0): 0\npid (0, 0, 0) idx (0, 1): 1\n"
            "pid (0, 0, 0) idx (1, 0): 2\npid (0, 0, 0) idx (1, 1): 3\n");
}

TEST(Print, Types) {
  auto one = [](const Tensor &tensor, const std::string &options) {
    std::string text = printed("X", "tl.device_print(\"x\", tl.load(X)" + options + ")", 1, tensor);
    return text.substr(sizeof "pid (0, 0, 0) idx () x: " - 1);
  };
  EXPECT_EQ(one(tensorOf<int32_t>({-5}), ""), "-5\n");
  EXPECT_EQ(one(tensorOf<uint32_t>({0x80000000u}), ""), "2147483648\n");
  EXPECT_EQ(one(tensorOf<int64_t>({-1}), ""), "-1\n");
  EXPECT_EQ(one(tensorOf<float>({1.5f}), ""), "1.500000\n");
  EXPECT_EQ(one(tensorOf<double>({-42}), ""), "-42.000000\n");
  EXPECT_EQ(one(tensorOf<float16>({float16(0.25f)}), ""), "0.250000\n");
  EXPECT_EQ(one(tensorOf<float>({INFINITY}), ""), "inf\n");
  EXPECT_EQ(one(tensorOf<int16_t>({-1}), ", hex=True"), "0xffff\n");
  EXPECT_EQ(one(tensorOf<int32_t>({26}), ", hex=True"), "0x0000001a\n");
  EXPECT_EQ(one(tensorOf<int64_t>({26}), ", hex=True"), "0x000000000000001a\n");
  EXPECT_EQ(one(tensorOf<float>({1.5f}), ", hex=True"), "0x1.8p+0\n");
  EXPECT_EQ(printed("", "print(\"b\", tl.program_id(0) == 0)", 1), "pid (0, 0, 0) idx () b: 1\n");
}

TEST(Print, Pointers) {
  Tensor x = tensorOf<int32_t>({1});
  char expected[80];
  std::snprintf(expected, sizeof expected, "pid (0, 0, 0) idx () ptr: 0x%llx\n", (unsigned long long)x.data());
  EXPECT_EQ(printed("X", "tl.device_print(\"ptr \", X)", 1, x), expected);
}

} // namespace
} // namespace tilewise
