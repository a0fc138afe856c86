// The type that two operands meet in: every pair of element types through + / == maximum where,
// against the rules written out as tables.
#include "frontend/EmitTile.h"
#include "frontend/sema/Sema.h"
#include "ir/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace tilewise::frontend {
namespace {

const char *kTypes[] = {"int1",    "int8",  "int16",   "int32",    "int64", "uint8", "uint16", "uint32", "uint64",
                        "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp16",  "bf16",  "fp32",   "fp64"};

/// Sums of ints: a row per left type, a column per right type, in the order of kTypes.
const char *kInts[9][9] = {
    {"int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
    {"int8", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
    {"int16", "int16", "int16", "int32", "int64", "int16", "uint16", "uint32", "uint64"},
    {"int32", "int32", "int32", "int32", "int64", "int32", "int32", "uint32", "uint64"},
    {"int64", "int64", "int64", "int64", "int64", "int64", "int64", "int64", "uint64"},
    {"uint8", "uint8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
    {"uint16", "uint16", "uint16", "int32", "int64", "uint16", "uint16", "uint32", "uint64"},
    {"uint32", "uint32", "uint32", "uint32", "int64", "uint32", "uint32", "uint32", "uint64"},
    {"uint64", "uint64", "uint64", "uint64", "uint64", "uint64", "uint64", "uint64", "uint64"},
};

/// fp8 (two of one format, two of different ones), fp16, bf16, fp32, fp64.
std::string floatSum(const std::string &a, const std::string &b) {
  auto either = [&](const char *name) { return a == name || b == name; };
  if (either("fp64"))
    return "fp64";
  if (either("fp32"))
    return "fp32";
  if (either("fp16"))
    return "fp16";
  if (either("bf16"))
    return a == b ? "bf16" : "fp32";
  return a == b ? a : "fp16";
}

class PromotionTest : public testing::Test {
protected:
  PromotionTest() {
    context
        .loadDialect<mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, tile::TileDialect>();
    module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    mlir::OpBuilder builder(&context);
    builder.setInsertionPointToEnd(module->getBody());
    auto function = builder.create<mlir::func::FuncOp>(builder.getUnknownLoc(), "k", builder.getFunctionType({}, {}));
    block = function.addEntryBlock();
    sink = std::make_unique<EmitTile>(block);
    sema = std::make_unique<Sema>(*sink);
  }

  Operand operand(const std::string &name) {
    Type type(*parseDType(name));
    mlir::Value value = block->addArgument(convertType(type, &context), mlir::UnknownLoc::get(&context));
    return Operand(EmitTile::wrap(type, value));
  }
  static std::string typeOf(Result<Operand> result) { return result ? result->value().type.element.str() : "error"; }
  static std::string typeOf(Result<Value> result) { return result ? result->type.element.str() : "error"; }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *block;
  std::unique_ptr<EmitTile> sink;
  std::unique_ptr<Sema> sema;
};

TEST_F(PromotionTest, EveryPair) {
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 17; ++j) {
      std::string a = kTypes[i], b = kTypes[j], sum, quotient;
      bool aIsFloat = i >= 9, bIsFloat = j >= 9;
      if (!aIsFloat && !bIsFloat) {
        sum = kInts[i][j];
        // int1 counts as unsigned; ints of two signs do not divide.
        bool aIsSigned = i >= 1 && i <= 4, bIsSigned = j >= 1 && j <= 4;
        quotient = aIsSigned == bIsSigned ? "fp32" : "error";
      } else {
        // An int takes the float's type; with bf16 or fp8 it has no common one but fp32 for bf16,
        // and none for fp8.
        std::string only = aIsFloat ? a : b;
        bool isFp8 = only.starts_with("fp8");
        sum = aIsFloat && bIsFloat ? floatSum(a, b) : only == "bf16" ? "fp32" : isFp8 ? "error" : only;
        quotient = a == "fp64" || b == "fp64" ? "fp64" : "fp32";
      }
      Operand x = operand(a), y = operand(b);
      EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, x, y)), sum) << a << " + " << b;
      EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Mul, x, y)), sum) << a << " * " << b;
      EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Div, x, y)), quotient) << a << " / " << b;
      EXPECT_EQ(typeOf(sema->compare(CompareOperator::Eq, x, y)), sum == "error" ? sum : "int1") << a << " == " << b;
      EXPECT_EQ(typeOf(sema->where(operand("int1"), x, y)), sum) << "where " << a << ", " << b;
      // bf16 is compared in fp32.
      std::string largest = a == "bf16" || b == "bf16" ? floatSum(a == "bf16" ? "fp32"
                                                                  : aIsFloat  ? a
                                                                              : "fp8e5",
                                                                  b == "bf16" ? "fp32"
                                                                  : bIsFloat  ? b
                                                                              : "fp8e5")
                                                       : sum;
      EXPECT_EQ(typeOf(sema->maximum(x, y, NanRule::Loses)), largest) << "maximum " << a << ", " << b;
      std::string bits = aIsFloat || bIsFloat ? "error" : sum;
      EXPECT_EQ(typeOf(sema->binary(BinaryOperator::BitAnd, x, y)), bits) << a << " & " << b;
    }
  mlir::OpBuilder builder(&context);
  builder.setInsertionPointToEnd(block);
  builder.create<mlir::func::ReturnOp>(builder.getUnknownLoc());
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  function.setType(builder.getFunctionType(block->getArgumentTypes(), {}));
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
}

TEST_F(PromotionTest, NumbersAdoptTheTensorsTypeUnlessTheirKindIsHigher) {
  Operand one = Operand::ofInt(1), half = Operand::ofFloat(0.5), yes = Operand::ofBool(true);
  for (const char *name : kTypes) {
    Operand x = operand(name);
    std::string type = name;
    bool isFloat = type.find("fp") != std::string::npos || type == "bf16", isBool = type == "int1";
    EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, x, yes)), type);
    EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, x, one)), isBool ? "int32" : type) << type;
    EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, one, x)), isBool ? "int32" : type) << type;
    EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, x, half)), isFloat ? type : "fp32") << type;
    EXPECT_EQ(typeOf(sema->where(operand("int1"), x, half)), isFloat ? type : "fp32") << type;
    std::string quotient = type == "fp64" ? "fp64" : "fp32";
    EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Div, x, half)), quotient) << type;
    // The trap: here the number is an fp32 tensor first.
    EXPECT_EQ(typeOf(sema->maximum(x, half, NanRule::Loses)), type == "fp64" ? "fp64" : "fp32") << type;
  }
  EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, operand("uint8"), Operand::ofInt(-1))), "error");
  EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, operand("int8"), Operand::ofInt(128))), "error");
  EXPECT_EQ(typeOf(sema->binary(BinaryOperator::Add, operand("int8"), Operand::ofInt(127))), "int8");
}

} // namespace
} // namespace tilewise::frontend
