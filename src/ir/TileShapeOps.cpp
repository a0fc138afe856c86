// Shape ops: range, splat, expand_dims, broadcast, reshape, permute, join, split, gather; their
// verifiers, folders and canonical forms.
#include "ir/Tile.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::tile {

LogicalResult RangeOp::verify() {
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t length = int64_t(int32_t(getEnd())) - int64_t(int32_t(getStart()));
  if (length <= 0)
    return emitOpError("needs end > start, got ") << int32_t(getStart()) << " to " << int32_t(getEnd());
  if (shape.size() != 1 || shape[0] != length)
    return emitOpError("of length ") << length << " cannot give " << getType();
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (Attribute value = adaptor.getSource(); value && isa<IntegerAttr, FloatAttr>(value))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
  return {};
}

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  if (getAxis() > expected.size())
    return emitOpError("axis ") << getAxis() << " is outside the result's rank " << expected.size() + 1;
  expected.insert(expected.begin() + getAxis(), 1);
  if (ArrayRef<int64_t>(expected) != shapeOf(getType()))
    return emitOpError("at ") << getAxis() << " of " << getSource().getType() << " cannot give " << getType();
  if (elementTypeOf(getSource().getType()) != elementTypeOf(getType()))
    return emitOpError("must keep the element type");
  return success();
}

static OpFoldResult reshapeSplat(Attribute source, Type result) {
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(source))
    return splat.resizeSplat(cast<ShapedType>(result));
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return reshapeSplat(adaptor.getSource(), getType()); }

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (from.size() != to.size())
    return emitOpError("must keep the rank, got ") << getSource().getType() << " to " << getType();
  for (auto [a, b] : llvm::zip(from, to))
    if (a != b && a != 1)
      return emitOpError("can stretch only extents of 1, got ") << getSource().getType() << " to " << getType();
  if (elementTypeOf(getSource().getType()) != elementTypeOf(getType()))
    return emitOpError("must keep the element type");
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  if (from.getNumElements() != to.getNumElements() || from.getElementType() != to.getElementType())
    return emitOpError("must keep the elements, got ") << from << " to " << to;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (getOrder().size() != from.size() || to.size() != from.size() ||
      !isPermutationVector(SmallVector<int64_t>(getOrder())))
    return emitOpError("needs each dimension of ") << getSource().getType() << " once";
  for (auto [d, source] : llvm::enumerate(getOrder()))
    if (to[d] != from[source])
      return emitOpError("cannot give ") << getType() << " from " << getSource().getType();
  if (elementTypeOf(getSource().getType()) != elementTypeOf(getType()))
    return emitOpError("must keep the element type");
  return success();
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())))
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

/// What a last dimension of extent 2 holds twice: a block of one rank less, or a scalar.
static Type halfOf(Type type) { return blockOrScalar(shapeOf(type).drop_back(), elementTypeOf(type)); }

LogicalResult JoinOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getType());
  if (shape.back() != 2 || shape.drop_back() != shapeOf(getLhs().getType()) ||
      elementTypeOf(getType()) != elementTypeOf(getLhs().getType()))
    return emitOpError("of two ") << getLhs().getType() << " cannot give " << getType();
  return success();
}

LogicalResult SplitOp::verify() {
  Type source = getSource().getType();
  if (shapeOf(source).back() != 2)
    return emitOpError("needs a last dimension of extent 2, got ") << source;
  if (shapeOf(getLhs().getType()) != shapeOf(halfOf(source)) ||
      elementTypeOf(getLhs().getType()) != elementTypeOf(source))
    return emitOpError("of ") << source << " cannot give " << getLhs().getType();
  return success();
}

/// split(join(a, b)) => a, b
LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (!join)
    return failure();
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> source = shapeOf(getSource().getType()), indices = shapeOf(getIndices().getType());
  if (indices.size() != source.size() || getAxis() >= source.size())
    return emitOpError("needs indices of the source's rank and an axis inside it");
  for (size_t d = 0; d < source.size(); ++d)
    if (d != getAxis() && source[d] != indices[d])
      return emitOpError("needs equal extents off the axis, got ")
             << getSource().getType() << " and " << getIndices().getType();
  if (shapeOf(getType()) != indices || elementTypeOf(getType()) != elementTypeOf(getSource().getType()))
    return emitOpError("gives the source's elements in the indices' shape, not ") << getType();
  return success();
}

namespace {

/// reshape(splat a) => splat a, for each op that only changes a shape.
template <typename ShapeOp> struct OfSplat : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
    return success();
  }
};

/// broadcast(broadcast x) => broadcast x
struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSource());
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<OfSplat<ReshapeOp>>(context);
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<OfSplat<ExpandDimsOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<OfSplat<BroadcastOp>, BroadcastOfBroadcast>(context);
}

} // namespace tilewise::tile
