// tile-form-fma: products that only a sum uses become fused multiply-adds.
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_FORMFMA
#include "passes/Passes.h.inc"

namespace {

arith::MulFOp singleUseProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : arith::MulFOp();
}

/// a * b + c => fma(a, b, c);  c + a * b => fma(a, b, c)
struct FuseSum : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    Value other = op.getRhs();
    arith::MulFOp product = singleUseProduct(op.getLhs());
    if (!product) {
      product = singleUseProduct(op.getRhs());
      other = op.getLhs();
    }
    if (!product)
      return failure();
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(), product.getRhs(), other);
    return success();
  }
};

/// a * b - c => fma(a, b, -c);  c - a * b => fma(-a, b, c)
struct FuseDifference : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op, PatternRewriter &rewriter) const override {
    if (auto product = singleUseProduct(op.getLhs())) {
      Value negated = rewriter.create<arith::NegFOp>(op.getLoc(), op.getRhs());
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, product.getLhs(), product.getRhs(), negated);
      return success();
    }
    if (auto product = singleUseProduct(op.getRhs())) {
      Value negated = rewriter.create<arith::NegFOp>(op.getLoc(), product.getLhs());
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, negated, product.getRhs(), op.getLhs());
      return success();
    }
    return failure();
  }
};

struct FormFma : impl::FormFmaBase<FormFma> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseSum, FuseDifference>(&getContext());
    // Top down, so that of a sum of products the same product is fused in every process.
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewise::tile
