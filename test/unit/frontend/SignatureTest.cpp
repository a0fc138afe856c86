// Signatures as text and back, and the names of types.
#include "frontend/Frontend.h"
#include "frontend/Type.h"

#include <gtest/gtest.h>

namespace tilewise::frontend {
namespace {

TEST(Signature, RoundTrip) {
  auto arguments = parseSignature("*fp32:16, i32, 1024, *kfp16, u1, \"a, b\", (1, 2), tl.float16, None");
  ASSERT_TRUE(bool(arguments));
  ASSERT_EQ(arguments->size(), 9u);
  EXPECT_EQ((*arguments)[0], (ArgumentSpec{"*fp32", false, 16}));
  EXPECT_EQ((*arguments)[2], (ArgumentSpec{"1024", true, 1}));
  EXPECT_EQ((*arguments)[5].text, "\"a, b\"");
  EXPECT_EQ((*arguments)[6].text, "(1, 2)");
  EXPECT_TRUE((*arguments)[7].isConstant);
  EXPECT_EQ(printSignature(*arguments), "*fp32:16, i32, 1024, *kfp16, i1, \"a, b\", (1, 2), tl.float16, None");
}

TEST(Signature, Mistakes) {
  for (const char *text : {"*fp33", "i32:3", "fp32:16", "i32,,i32", "(1, 2", "\"a", "1)"})
    EXPECT_FALSE(bool(parseSignature(text))) << text;
  EXPECT_TRUE(parseSignature("")->empty());
}

TEST(Types, Names) {
  EXPECT_EQ(parseDType("**kbf16")->str(), "pointer<const pointer<bf16>>");
  EXPECT_EQ(parseDType("**kbf16")->signatureName(), "**kbf16");
  EXPECT_EQ(parseDType("float8e4nv")->signatureName(), "fp8e4nv");
  EXPECT_EQ(parseDType("B")->str(), "int1");
  EXPECT_FALSE(parseDType("i33"));
  EXPECT_FALSE(parseDType("*********fp32"));
  EXPECT_EQ(Type(Scalar::Fp32, {16, 32}).str(), "fp32[16, 32]");
}

} // namespace
} // namespace tilewise::frontend
