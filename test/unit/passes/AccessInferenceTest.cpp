// Access inference as engines ask it: carried blocks, arguments, facts, and expressions made into
// IR.
#include "passes/AccessInference.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace tilewise::tile {
namespace {

class AccessInferenceTest : public testing::Test {
protected:
  AccessInferenceTest() { context.loadDialect<TileDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect>(); }

  func::FuncOp parse(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }
  template <typename Op> SmallVector<Op> all(func::FuncOp function) {
    SmallVector<Op> found;
    function.walk([&](Op op) { found.push_back(op); });
    return found;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

const char *kCarried = R"(
func.func @kernel(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f32>, %n: i32, %s: i32 {tile.divisibility = 8 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pid = tile.program_id 0
  %i = tile.range 0 to 16 : tensor<16xi32>
  %pids = tile.splat %pid : tensor<16xi32>
  %ss = tile.splat %s : tensor<16xi32>
  %off = arith.muli %pids, %ss : tensor<16xi32>
  %at = arith.addi %off, %i : tensor<16xi32>
  %as = tile.splat %a : tensor<16x!tile.ptr<f32>>
  %start = tile.ptr_add %as, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %next = tile.ptr_add %p, %ss : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  %w = tile.load %end : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  return
})";

TEST_F(AccessInferenceTest, CarriedBlockIsItsFirstElement) {
  func::FuncOp kernel = parse(kCarried);
  ASSERT_TRUE(kernel);
  AccessInference inference(kernel);
  auto loads = all<LoadOp>(kernel);
  scf::ForOp loop = all<scf::ForOp>(kernel)[0];
  const StructuredAccess &inside = inference.access(loads[0]);
  EXPECT_TRUE(inside.isStructured());
  EXPECT_EQ(inside.address.pointer, Value(loop.getRegionIterArg(0)));
  EXPECT_TRUE(inside.address.base->isZero());
  EXPECT_EQ(inside.contiguity, 16);
  // 16 bytes from `a`, 8 * 4 bytes from each step.
  EXPECT_EQ(inside.alignment, 16);
  EXPECT_EQ(inside.vectorWidth(16), 4);
  EXPECT_EQ(inside.vectorWidth(8), 2);

  const CarriedBlock *carried = inference.carried(loop.getRegionIterArg(0));
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->init.pointer, Value(kernel.getArgument(0)));
  EXPECT_EQ(carried->init.base->terms().size(), 1u);
  EXPECT_EQ(carried->next.pointer, Value(loop.getRegionIterArg(0)));
  EXPECT_TRUE(*carried->next.base == ScalarExpr(kernel.getArgument(3)));
  EXPECT_EQ(inference.carried(loop.getResult(0))->argument, Value(loop.getRegionIterArg(0)));
  EXPECT_EQ(inference.access(loads[1]).address.pointer, loop.getResult(0));
  EXPECT_FALSE(inference.carried(kernel.getArgument(0)));
}

TEST_F(AccessInferenceTest, ExpressionsBecomeScalars) {
  func::FuncOp kernel = parse(kCarried);
  ASSERT_TRUE(kernel);
  AccessInference inference(kernel);
  scf::ForOp loop = all<scf::ForOp>(kernel)[0];
  AffineForm init = inference.carried(loop.getRegionIterArg(0))->init;
  OpBuilder builder(loop);
  // s * pid in 64 bits: two extensions and a product.
  Value offset = materialize(builder, loop.getLoc(), *init.base, builder.getI64Type());
  auto product = offset.getDefiningOp<arith::MulIOp>();
  ASSERT_TRUE(product);
  EXPECT_EQ(product.getLhs().getDefiningOp<arith::ExtSIOp>().getIn(), Value(kernel.getArgument(3)));
  EXPECT_TRUE(product.getRhs().getDefiningOp<arith::ExtSIOp>().getIn().getDefiningOp<ProgramIdOp>());
  // n - s + 5, its factors replaced on the way.
  ScalarExpr bound = ScalarExpr(kernel.getArgument(2)) - ScalarExpr(kernel.getArgument(3)) + ScalarExpr(5);
  Value other = builder.create<arith::ConstantIntOp>(loop.getLoc(), 9, 32);
  Value sum = materialize(builder, loop.getLoc(), bound, builder.getI32Type(),
                          [&](Value factor) { return factor == kernel.getArgument(3) ? other : factor; });
  auto difference = sum.getDefiningOp<arith::AddIOp>().getLhs().getDefiningOp<arith::SubIOp>();
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference.getLhs(), Value(kernel.getArgument(2)));
  EXPECT_EQ(difference.getRhs(), other);
  EXPECT_TRUE(
      materialize(builder, loop.getLoc(), ScalarExpr(7), builder.getIndexType()).getDefiningOp<arith::ConstantOp>());
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(AccessInferenceTest, ExpressionsAddAndMultiply) {
  func::FuncOp kernel = parse("func.func @f(%a: i32, %b: i32) { return }");
  Value a = kernel.getArgument(0), b = kernel.getArgument(1);
  ScalarExpr x(a), y(b);
  EXPECT_TRUE((x + y) == (y + x));
  EXPECT_TRUE((x - x).isZero());
  EXPECT_TRUE((x + ScalarExpr(2)) * (y + ScalarExpr(3)) ==
              x * y + x * ScalarExpr(3) + y * ScalarExpr(2) + ScalarExpr(6));
  EXPECT_TRUE(x * y == y * x);
  EXPECT_FALSE(x * x == x * y);
  EXPECT_TRUE((ScalarExpr(0) * x).isZero());
}

TEST_F(AccessInferenceTest, DivisibilityIsNotExponential) {
  // Each step uses the one before it twice: 2^60 paths, 60 values.
  std::string text =
      "func.func @f(%n: i32 {tile.divisibility = 4 : i64}, %p: !tile.ptr<i32>) {\n  %v0 = arith.addi %n, %n : i32\n";
  for (int i = 1; i <= 60; ++i)
    text += "  %v" + std::to_string(i) + " = arith.addi %v" + std::to_string(i - 1) + ", %v" + std::to_string(i - 1) +
            " : i32\n";
  text += "  tile.store %p, %v60 : !tile.ptr<i32>, i32\n  return\n}";
  func::FuncOp kernel = parse(text.c_str());
  ASSERT_TRUE(kernel);
  AccessInference inference(kernel);
  Value last = all<StoreOp>(kernel)[0].getValue();
  EXPECT_EQ(inference.facts(last).divisibility, 4);
  EXPECT_FALSE(inference.isNonNegative(last));
}

TEST_F(AccessInferenceTest, ShapesThatOnlyMoveDimensionsKeepTheForm) {
  func::FuncOp kernel = parse(R"(
func.func @f(%p: !tile.ptr<f32>, %s: i32) {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %c = tile.reshape %i : tensor<8xi32> -> tensor<8x1xi32>
  %r = tile.reshape %c : tensor<8x1xi32> -> tensor<1x8xi32>
  %ss = tile.splat %s : tensor<8x1xi32>
  %cs = arith.muli %c, %ss : tensor<8x1xi32>
  %cb = tile.broadcast %cs : tensor<8x1xi32> -> tensor<8x8xi32>
  %rb = tile.broadcast %r : tensor<1x8xi32> -> tensor<8x8xi32>
  %sum = arith.addi %cb, %rb : tensor<8x8xi32>
  %t = tile.permute %sum by [1, 0] : tensor<8x8xi32> -> tensor<8x8xi32>
  %flat = tile.reshape %t : tensor<8x8xi32> -> tensor<64xi32>
  return
})");
  ASSERT_TRUE(kernel);
  AccessInference inference(kernel);
  const AffineForm &transposed = inference.form(all<PermuteOp>(kernel)[0]);
  ASSERT_TRUE(transposed.isAffine());
  EXPECT_TRUE(transposed.strides[0]->isConstant(1));
  EXPECT_TRUE(*transposed.strides[1] == ScalarExpr(kernel.getArgument(1)));
  EXPECT_FALSE(inference.form(all<ReshapeOp>(kernel).back()).isAffine());
}

} // namespace
} // namespace tilewise::tile
