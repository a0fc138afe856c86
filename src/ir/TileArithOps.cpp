// Total integer division and shifts: folders that define the edge cases once, for constants.
#include "ir/Tile.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::tile {

using Fold = llvm::function_ref<APInt(const APInt &, const APInt &)>;

static OpFoldResult foldInts(ArrayRef<Attribute> operands, Fold fold) {
  return constFoldBinaryOp<IntegerAttr, APInt, void>(operands,
                                                     [&](const APInt &a, const APInt &b) { return fold(a, b); });
}

static bool isOne(Value value) { return matchPattern(value, m_One()); }
static bool isZero(Value value) { return matchPattern(value, m_Zero()); }

OpFoldResult DivSOp::fold(FoldAdaptor adaptor) {
  if (isOne(getRhs()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    if (b.isZero())
      return APInt::getAllOnes(a.getBitWidth());
    return b.isAllOnes() ? -a : a.sdiv(b); // -a wraps for INT_MIN, where sdiv would overflow.
  });
}

OpFoldResult DivUOp::fold(FoldAdaptor adaptor) {
  if (isOne(getRhs()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    return b.isZero() ? APInt::getAllOnes(a.getBitWidth()) : a.udiv(b);
  });
}

OpFoldResult RemSOp::fold(FoldAdaptor adaptor) {
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) {
    if (b.isZero())
      return a;
    return b.isAllOnes() ? APInt::getZero(a.getBitWidth()) : a.srem(b);
  });
}

OpFoldResult RemUOp::fold(FoldAdaptor adaptor) {
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) { return b.isZero() ? a : a.urem(b); });
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  if (isZero(getRhs()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) { return a.shl(b); });
}

OpFoldResult ShrSOp::fold(FoldAdaptor adaptor) {
  if (isZero(getRhs()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) { return a.ashr(b); });
}

OpFoldResult ShrUOp::fold(FoldAdaptor adaptor) {
  if (isZero(getRhs()))
    return getLhs();
  return foldInts(adaptor.getOperands(), [](const APInt &a, const APInt &b) { return a.lshr(b); });
}

} // namespace tilewise::tile
