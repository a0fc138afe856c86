// Ops over whole blocks: dot and reduce; their verifiers.
#include "ir/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "ir/TileOps.cpp.inc"

using namespace mlir;

namespace tilewise::tile {

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = shapeOf(getA().getType()), b = shapeOf(getB().getType()), c = shapeOf(getType());
  if (a.size() != 2 || b.size() != 2 || c.size() != 2)
    return emitOpError("needs blocks of rank 2");
  if (a[1] != b[0] || a[0] != c[0] || b[1] != c[1])
    return emitOpError("needs [M, K] @ [K, N] -> [M, N], got ")
           << getA().getType() << " @ " << getB().getType() << " -> " << getType();
  if (elementTypeOf(getA().getType()) != elementTypeOf(getB().getType()))
    return emitOpError("needs operands of one element type");
  bool floats = isa<FloatType>(elementTypeOf(getA().getType()));
  if (floats != isa<FloatType>(elementTypeOf(getType())))
    return emitOpError("of floats gives floats, of integers gives integers");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getSources().empty())
    return emitOpError("needs at least one block");
  ArrayRef<int64_t> shape = shapeOf(getSources().front().getType());
  if (getAxis() >= shape.size())
    return emitOpError("axis ") << getAxis() << " is outside rank " << shape.size();
  SmallVector<int64_t> reduced(shape);
  reduced.erase(reduced.begin() + getAxis());
  if (getNumResults() != getSources().size())
    return emitOpError("gives one result per block");
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    if (shapeOf(source.getType()) != shape)
      return emitOpError("needs blocks of one shape");
    if (shapeOf(result.getType()) != ArrayRef<int64_t>(reduced) ||
        elementTypeOf(result.getType()) != elementTypeOf(source.getType()))
      return emitOpError("along ") << getAxis() << " of " << source.getType() << " cannot give " << result.getType();
  }
  return success();
}

/// The combine region of a reduce or scan: two partial results per block in, one out.
template <typename CombineOp> static LogicalResult verifyCombine(CombineOp op) {
  Block &body = op.getCombine().front();
  size_t count = op.getSources().size();
  if (body.getNumArguments() != 2 * count)
    return op.emitOpError("combines ") << 2 * count << " values, the region takes " << body.getNumArguments();
  for (size_t i = 0; i < 2 * count; ++i)
    if (body.getArgument(i).getType() != elementTypeOf(op.getSources()[i % count].getType()))
      return op.emitOpError("region argument ") << i << " must be one element of its block";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != count)
    return op.emitOpError("region must yield ") << count << " values";
  for (auto [value, source] : llvm::zip(yield.getValues(), op.getSources()))
    if (value.getType() != elementTypeOf(source.getType()))
      return op.emitOpError("region must yield elements of its blocks");
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult ScanOp::verify() {
  if (getSources().empty())
    return emitOpError("needs at least one block");
  ArrayRef<int64_t> shape = shapeOf(getSources().front().getType());
  if (getAxis() >= shape.size())
    return emitOpError("axis ") << getAxis() << " is outside rank " << shape.size();
  if (getNumResults() != getSources().size())
    return emitOpError("gives one result per block");
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    if (shapeOf(source.getType()) != shape)
      return emitOpError("needs blocks of one shape");
    if (source.getType() != result.getType())
      return emitOpError("keeps the type ") << source.getType() << ", got " << result.getType();
  }
  return success();
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (source.getRank() != 1 || cast<RankedTensorType>(getType()).getRank() != 1)
    return emitOpError("needs blocks of rank 1");
  if (getMask() && shapeOf(getMask().getType()) != source.getShape())
    return emitOpError("needs a mask of the source's shape");
  return success();
}

} // namespace tilewise::tile
