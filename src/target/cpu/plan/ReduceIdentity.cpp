// Identities of sums, products, extremes and bitwise ops.
#include "target/cpu/plan/ReduceIdentity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::cpu {

TypedAttr identityOf(tile::ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSources().size() != 1 || body.getOperations().size() != 2)
    return {};
  Operation *op = &body.front();
  if (op->getNumOperands() != 2 || !llvm::is_contained(op->getOperands(), body.getArgument(0)) ||
      !llvm::is_contained(op->getOperands(), body.getArgument(1)) ||
      body.getTerminator()->getOperand(0) != op->getResult(0))
    return {};
  Builder b(op->getContext());
  Type type = op->getResult(0).getType();
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    using F = llvm::APFloat;
    return TypeSwitch<Operation *, TypedAttr>(op)
        .Case<arith::AddFOp>([&](auto) { return b.getFloatAttr(type, F::getZero(semantics, /*Negative=*/true)); })
        .Case<arith::MulFOp>([&](auto) { return b.getFloatAttr(type, F(semantics, 1)); })
        .Case<arith::MaximumFOp>([&](auto) { return b.getFloatAttr(type, F::getInf(semantics, /*Negative=*/true)); })
        .Case<arith::MinimumFOp>([&](auto) { return b.getFloatAttr(type, F::getInf(semantics)); })
        .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return b.getFloatAttr(type, F::getNaN(semantics)); })
        .Default(TypedAttr());
  }
  unsigned width = type.getIntOrFloatBitWidth();
  return TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return b.getIntegerAttr(type, APInt::getZero(width)); })
      .Case<arith::MulIOp>([&](auto) { return b.getIntegerAttr(type, APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return b.getIntegerAttr(type, APInt::getAllOnes(width)); })
      .Case<arith::MaxSIOp>([&](auto) { return b.getIntegerAttr(type, APInt::getSignedMinValue(width)); })
      .Case<arith::MinSIOp>([&](auto) { return b.getIntegerAttr(type, APInt::getSignedMaxValue(width)); })
      .Default(TypedAttr());
}

bool haveIdentities(ArrayRef<tile::ReduceOp> reductions) {
  return llvm::all_of(reductions, [](tile::ReduceOp reduce) { return bool(identityOf(reduce)); });
}

} // namespace tilewise::cpu
