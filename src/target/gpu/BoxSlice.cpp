// Backwards from where a box is asked for, through loops' bounds and what they carry.
#include "target/gpu/BoxSlice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewise::gpu {

void BoxSlice::need(Operation *op) {
  if (isa<func::FuncOp, RingOp>(op) || !ops_.insert(op))
    return;
  need(op->getParentOp());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return need({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  check(op);
  need(op->getOperands());
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
        need(operand);
  });
}

SmallVector<unsigned> BoxSlice::carriedBy(scf::ForOp loop) const {
  SmallVector<unsigned> indices;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (carried_.contains({loop, i}))
      indices.push_back(i);
  return indices;
}

void BoxSlice::need(ValueRange values) {
  for (Value value : values)
    need(value);
}

void BoxSlice::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      argument == loop.getInductionVar() ? need(loop) : needCarried(loop, argument.getArgNumber() - 1);
    return;
  }
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return needCarried(loop, cast<OpResult>(value).getResultNumber());
  need(value.getDefiningOp());
}

void BoxSlice::needCarried(scf::ForOp loop, unsigned index) {
  need(loop);
  if (carried_.insert({loop, index}).second)
    need({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
}

void BoxSlice::check(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (llvm::any_of(op->getOperandTypes(), isBlock) || llvm::any_of(op->getResultTypes(), isBlock))
    problem_ = "where the boxes lie follows from a block";
  else if (!isa<FillBoxOp>(op) && !load && !isMemoryEffectFree(op))
    problem_ = "where the boxes lie follows from an op with effects";
  else if (load && load.getIsVolatile())
    problem_ = "where the boxes lie follows from a volatile load";
}

} // namespace tilewise::gpu
