// Launch arguments -> signature: what is specialised on, how arguments are bound, and what is
// refused.
#include "runtime/Specialize.h"

#include "frontend/Frontend.h"
#include "runtime/DataType.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilewise;

namespace {

Parameter parameter(std::string name, std::string annotation = "", std::string defaultText = "") {
  Parameter made;
  made.name = std::move(name);
  made.annotation = std::move(annotation);
  made.defaultText = std::move(defaultText);
  made.isConstexpr = made.annotation == "tl.constexpr";
  return made;
}

/// The signature's text, or the error's.
std::string signature(std::vector<Parameter> parameters, std::vector<tw_argument> arguments) {
  for (Parameter &each : parameters)
    each.readAnnotationAndDefault();
  std::vector<const tw_argument *> bound(parameters.size());
  LaunchKey key;
  if (Result<void> done = bindArguments("k", parameters, arguments, bound); !done)
    return done.failure().message;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (Result<void> done = appendToKey("k", parameters[i], *bound[i], key); !done)
      return done.failure().message;
  std::string text;
  for (const frontend::ArgumentSpec &spec : signatureOfKey(key.words(), 0))
    text += (text.empty() ? "" : ", ") + spec.text +
            (spec.divisibility == 1 ? "" : ":" + std::to_string(spec.divisibility)) + (spec.isConstant ? "!" : "");
  return text;
}

std::string one(tw_argument argument, std::string annotation = "") {
  return signature({parameter("x", std::move(annotation))}, {argument});
}

alignas(64) char memory[128];

TEST(Specialize, IntegersByValue) {
  EXPECT_EQ(one(tw_int(0)), "i32:16");
  EXPECT_EQ(one(tw_int(1)), "1!");
  EXPECT_EQ(one(tw_int(2)), "i32");
  EXPECT_EQ(one(tw_int(-1)), "i32");
  EXPECT_EQ(one(tw_int(-32)), "i32:16");
  EXPECT_EQ(one(tw_int(INT32_MAX)), "i32");
  EXPECT_EQ(one(tw_int(INT32_MIN)), "i32:16");
  EXPECT_EQ(one(tw_int(int64_t(INT32_MAX) + 1)), "i64:16");
  EXPECT_EQ(one(tw_int(int64_t(INT32_MIN) - 1)), "i64");
  EXPECT_EQ(one(tw_uint(INT64_MAX)), "i64");
  EXPECT_EQ(one(tw_uint(uint64_t(INT64_MAX) + 1)), "u64:16");
}

TEST(Specialize, PointersByTypeAndAlignment) {
  EXPECT_EQ(one(tw_pointer(memory, TW_FLOAT16)), "*fp16:16");
  EXPECT_EQ(one(tw_pointer(memory + 4, TW_BFLOAT16)), "*bf16");
  EXPECT_EQ(one(tw_pointer(memory + 16, TW_BOOL)), "*i1:16");
  EXPECT_EQ(one(tw_pointer(memory, TW_FLOAT8E4M3)), "*fp8e4nv:16");
}

TEST(Specialize, OtherScalars) {
  EXPECT_EQ(one(tw_float(16)), "fp32");
  EXPECT_EQ(one(tw_bool(true)), "i1");
  EXPECT_EQ(one(tw_typed(TW_FLOAT64, tw_float(1))), "fp64");
  EXPECT_EQ(one(tw_typed(TW_INT8, tw_int(1))), "i8");
  EXPECT_EQ(one(tw_none()), "None!");
  EXPECT_EQ(one(tw_constant("tl.float16")), "tl.float16!");
}

TEST(Specialize, AnnotationsOverrideTheValue) {
  EXPECT_EQ(one(tw_int(1), "tl.int64"), "i64");
  EXPECT_EQ(one(tw_int(32), "\"i64\""), "i64:16");
  EXPECT_EQ(one(tw_int(3), "tl.float64"), "fp64");
  EXPECT_EQ(one(tw_pointer(memory, TW_FLOAT32), "'*fp32'"), "*fp32:16");
  EXPECT_EQ(one(tw_int(5), "tl.tensor"), "i32");
}

TEST(Specialize, ConstantsKeepTheirValue) {
  EXPECT_EQ(one(tw_int(1024), "tl.constexpr"), "1024!");
  EXPECT_EQ(one(tw_int(-7), "tl.constexpr"), "-7!");
  EXPECT_EQ(one(tw_uint(UINT64_MAX), "tl.constexpr"), "18446744073709551615!");
  EXPECT_EQ(one(tw_float(2), "tl.constexpr"), "2.0!");
  EXPECT_EQ(one(tw_float(0.1), "tl.constexpr"), "0.10000000000000001!");
  EXPECT_EQ(one(tw_float(-INFINITY), "tl.constexpr"), "float(\"-inf\")!");
  EXPECT_EQ(one(tw_bool(false), "tl.constexpr"), "False!");
  EXPECT_EQ(one(tw_constant("\"a rather long activation\""), "tl.constexpr"), "\"a rather long activation\"!");
}

TEST(Specialize, WhatTheKernelTurnsOffIsNotCompiledIn) {
  Parameter plain = parameter("x");
  plain.specialize = TW_SPECIALIZE_NOTHING;
  EXPECT_EQ(signature({plain}, {tw_int(1)}), "i32");
  EXPECT_EQ(signature({plain}, {tw_int(16)}), "i32");
  EXPECT_EQ(signature({plain}, {tw_pointer(memory, TW_FLOAT32)}), "*fp32");
}

TEST(Specialize, BindsByPositionNameAndDefault) {
  const std::vector<Parameter> three = {parameter("a"), parameter("b", "tl.constexpr"),
                                        parameter("c", "tl.constexpr", "64")};
  EXPECT_EQ(signature(three, {tw_int(3), tw_int(8)}), "i32, 8!, 64!");
  EXPECT_EQ(signature(three, {tw_named("c", tw_int(2)), tw_int(3), tw_named("b", tw_int(4))}), "i32, 4!, 2!");
  EXPECT_EQ(signature({parameter("a", "", "None"), parameter("b", "", "2.5"), parameter("c", "", "True"),
                       parameter("d", "", "1")},
                      {}),
            "None!, fp32, i1, 1!");
}

TEST(Specialize, WrongCallsSayWhatIsWrong) {
  const std::vector<Parameter> two = {parameter("n"), parameter("BLOCK", "tl.constexpr")};
  EXPECT_EQ(signature(two, {tw_int(3)}), "kernel 'k' takes 2 arguments, got 1: missing 'BLOCK' (tl.constexpr)");
  EXPECT_EQ(signature(two, {}), "kernel 'k' takes 2 arguments, got 0: missing 'n', 'BLOCK' (tl.constexpr)");
  EXPECT_EQ(signature(two, {tw_int(3), tw_int(4), tw_int(5)}), "kernel 'k' takes 2 arguments, got 3");
  EXPECT_EQ(signature(two, {tw_int(3), tw_named("BLOK", tw_int(4))}),
            "kernel 'k' has no parameter 'BLOK'; did you mean 'BLOCK'?");
  EXPECT_EQ(signature(two, {tw_int(3), tw_named("n", tw_int(4))}), "kernel 'k': argument 'n' is given twice");
  EXPECT_EQ(signature(two, {tw_int(3), tw_pointer(memory, TW_INT8)}),
            "kernel 'k': argument 'BLOCK' is tl.constexpr and needs a value known when compiling, got a pointer");
  EXPECT_EQ(one(tw_pointer(nullptr, TW_FLOAT32)), "kernel 'k': argument 'x' is a null pointer");
  EXPECT_EQ(one(tw_pointer(memory + 2, TW_FLOAT32)),
            "kernel 'k': argument 'x' points to fp32 at an address that is no multiple of 4");
  EXPECT_EQ(one(tw_pointer(memory, TW_FLOAT32), "\"*fp16\""),
            "kernel 'k': argument 'x' is annotated \"*fp16\", got a pointer to fp32");
  EXPECT_EQ(one(tw_int(300), "tl.uint8"), "kernel 'k': argument 'x' is 300, which does not fit u8");
  EXPECT_EQ(one(tw_int(-1), "tl.uint64"), "kernel 'k': argument 'x' is -1, which does not fit u64");
  EXPECT_EQ(one(tw_float(1.5), "tl.int32"), "kernel 'k': argument 'x' is of type i32, got a float");
}

TEST(Specialize, AnEmptyTensorMayHaveNoAddress) {
  tw_argument empty = tw_pointer(nullptr, TW_FLOAT32);
  empty.bytes = 0;
  EXPECT_EQ(one(empty), "*fp32:16");
}

TEST(Specialize, KeysOfManyWordsSpill) {
  LaunchKey key;
  for (uint64_t i = 0; i < 300; ++i)
    key.push(i);
  ASSERT_EQ(key.words().size(), 300u);
  for (uint64_t i = 0; i < 300; ++i)
    EXPECT_EQ(key.words()[i], i);
}

TEST(Specialize, SlotsHoldTheBits) {
  EXPECT_EQ(argumentSlot(tw_int(-2), ArgumentClass::Int, TW_INT32), uint64_t(-2));
  EXPECT_EQ(argumentSlot(tw_float(1), ArgumentClass::Float, TW_FLOAT32), 0x3f800000u);
  EXPECT_EQ(argumentSlot(tw_int(1), ArgumentClass::Float, TW_FLOAT64), 0x3ff0000000000000u);
  EXPECT_EQ(argumentSlot(tw_float(1), ArgumentClass::Float, TW_FLOAT16), 0x3c00u);
  EXPECT_EQ(argumentSlot(tw_float(-2), ArgumentClass::Float, TW_BFLOAT16), 0xc000u);
}

} // namespace
