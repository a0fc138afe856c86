// Ops over whole blocks: dot, reduce, scan, histogram, map; their verifiers.
#include "ir/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "ir/TileOps.cpp.inc"

using namespace mlir;

namespace tilewise::tile {

static bool isEightBitFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = shapeOf(getA().getType()), b = shapeOf(getB().getType()), c = shapeOf(getType());
  size_t rank = c.size();
  if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank)
    return emitOpError("needs blocks of rank 2, or of rank 3 with the batch first");
  bool oneBatch = rank == 2 || (a[0] == c[0] && b[0] == c[0]);
  a = a.take_back(2), b = b.take_back(2), c = c.take_back(2);
  if (!oneBatch || a[1] != b[0] || a[0] != c[0] || b[1] != c[1])
    return emitOpError("needs [M, K] @ [K, N] -> [M, N], got ")
           << getA().getType() << " @ " << getB().getType() << " -> " << getType();
  Type aElement = elementTypeOf(getA().getType()), bElement = elementTypeOf(getB().getType());
  if (aElement != bElement && !(isEightBitFloat(aElement) && isEightBitFloat(bElement)))
    return emitOpError("needs operands of one element type, or of two formats of 8-bit floats");
  if (isa<FloatType>(aElement) != isa<FloatType>(elementTypeOf(getType())))
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

LogicalResult MapOp::verify() {
  if (getSources().empty() || getResults().empty())
    return emitOpError("needs at least one block and one result");
  ArrayRef<int64_t> shape = shapeOf(getSources().front().getType());
  auto hasShape = [&](Type type) { return shapeOf(type) == shape; };
  if (!llvm::all_of(getSources().getTypes(), hasShape) || !llvm::all_of(getResultTypes(), hasShape))
    return emitOpError("needs blocks of one shape");
  if (ShapedType::getNumElements(shape) % getPack() != 0)
    return emitOpError("cannot cut ") << getSources().front().getType() << " into packs of " << getPack();
  return success();
}

LogicalResult MapOp::verifyRegions() {
  Block &body = getBody().front();
  size_t pack = getPack();
  if (body.getNumArguments() != pack * getSources().size())
    return emitOpError("region must take ") << pack << " elements of each block";
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (argument.getType() != elementTypeOf(getSources()[i / pack].getType()))
      return emitOpError("region argument ") << i << " must be one element of its block";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != pack * getNumResults())
    return emitOpError("region must yield ") << pack << " elements of each result";
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (value.getType() != elementTypeOf(getResult(i / pack).getType()))
      return emitOpError("region must yield elements of its results");
  return success();
}

} // namespace tilewise::tile
