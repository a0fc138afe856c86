// Signatures as text and back, and the names of types.
#include "frontend/Frontend.h"
#include "frontend/values/Type.h"

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

TEST(Signature, Descriptors) {
  auto arguments = parseSignature("tensordesc<fp16[128,64]>, i32, tensordesc<float32[ 32 ], nan>");
  ASSERT_TRUE(bool(arguments));
  EXPECT_EQ(printSignature(*arguments), "tensordesc<fp16[128, 64]>, i32, tensordesc<fp32[32], nan>");
  std::vector<ArgumentPart> parts = partsOf((*arguments)[0]);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].type, "*fp16");
  EXPECT_EQ(parts[0].divisibility, 16u);
  EXPECT_EQ(parts[2].kind, ArgumentPart::Kind::Extent);
  EXPECT_EQ(parts[2].dimension, 1u);
  EXPECT_EQ(parts[3].kind, ArgumentPart::Kind::Stride);
  EXPECT_EQ(parts[3].type, "i64");
  EXPECT_EQ(partsOf((*arguments)[1]).front().kind, ArgumentPart::Kind::Whole);
  EXPECT_EQ(partsOf((*arguments)[2]).size(), 2u);
  for (const char *text :
       {"tensordesc<fp16>", "tensordesc<fp16[0]>", "tensordesc<fp16[8], inf>", "tensordesc<*fp16[8]>",
        "tensordesc<fp16[8]", "tensordesc[8]", "tensordesc<fp16[1,1,1,1,1,8]>"})
    EXPECT_FALSE(bool(parseSignature(text))) << text;
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
