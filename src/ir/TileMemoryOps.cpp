// Memory ops: ptr_add, load, store; what they must agree on and when a mask is no mask.
#include "ir/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewise::tile {

static Type pointeeTypeOf(Type pointer) {
  return withElementType(pointer, cast<PtrType>(elementTypeOf(pointer)).getPointee());
}

static LogicalResult verifyLike(Operation *op, StringRef what, Value value, Type expected) {
  if (!value || value.getType() == expected)
    return success();
  return op->emitOpError() << what << " must be " << expected << ", got " << value.getType();
}

OpFoldResult PtrAddOp::fold(FoldAdaptor) {
  if (matchPattern(getOffset(), m_Zero()))
    return getPointer();
  return {};
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value mask, Value other) {
  build(builder, state, pointeeTypeOf(pointer.getType()), pointer, mask, other, CacheModifier::none, Eviction::normal,
        /*isVolatile=*/false);
}

LogicalResult LoadOp::verify() {
  Type value = pointeeTypeOf(getPointer().getType());
  if (getType() != value)
    return emitOpError("through ") << getPointer().getType() << " gives " << value << ", not " << getType();
  if (getOther() && !getMask())
    return emitOpError("has `other` without a mask");
  Type mask = withElementType(value, IntegerType::get(getContext(), 1));
  return success(succeeded(verifyLike(*this, "mask", getMask(), mask)) &&
                 succeeded(verifyLike(*this, "other", getOther(), value)));
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPointerMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPointerMutable());
}

LogicalResult StoreOp::verify() {
  Type value = pointeeTypeOf(getPointer().getType());
  Type mask = withElementType(value, IntegerType::get(getContext(), 1));
  return success(succeeded(verifyLike(*this, "value", getValue(), value)) &&
                 succeeded(verifyLike(*this, "mask", getMask(), mask)));
}

void StoreOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPointerMutable());
}

LogicalResult AtomicRmwOp::verify() {
  Type value = pointeeTypeOf(getPointer().getType());
  if (getType() != value)
    return emitOpError("gives the old ") << value << ", not " << getType();
  bool isFloat = isa<FloatType>(elementTypeOf(value));
  if (getKind() == AtomicKind::fadd ? !isFloat : isFloat && getKind() != AtomicKind::xchg)
    return emitOpError("of kind ") << stringifyAtomicKind(getKind()) << " cannot work on " << value;
  Type mask = withElementType(value, IntegerType::get(getContext(), 1));
  return success(succeeded(verifyLike(*this, "value", getValue(), value)) &&
                 succeeded(verifyLike(*this, "mask", getMask(), mask)));
}

LogicalResult AtomicCasOp::verify() {
  Type value = pointeeTypeOf(getPointer().getType());
  if (getType() != value)
    return emitOpError("gives the old ") << value << ", not " << getType();
  return success(succeeded(verifyLike(*this, "expected", getExpected(), value)) &&
                 succeeded(verifyLike(*this, "value", getValue(), value)));
}

// An acquire or release orders other memory too, so an atomic reads and writes everything.
void AtomicRmwOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void AtomicCasOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

namespace {

/// load(p, true, other) => load(p);  load(p, false, other) => other
struct LoadWithConstantMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (!op.getMask() || op.getIsVolatile())
      return failure();
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getOtherMutable().clear();
        op.getMaskMutable().clear();
      });
      return success();
    }
    if (!matchPattern(op.getMask(), m_Zero()))
      return failure();
    if (op.getOther()) {
      rewriter.replaceOp(op, op.getOther());
      return success();
    }
    TypedAttr zero = rewriter.getZeroAttr(op.getType());
    if (!zero)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};

/// store(p, v, true) => store(p, v);  store(p, v, false) => nothing
struct StoreWithConstantMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    if (!op.getMask())
      return failure();
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
      return success();
    }
    if (!matchPattern(op.getMask(), m_Zero()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LoadWithConstantMask>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StoreWithConstantMask>(context);
}

} // namespace tilewise::tile
