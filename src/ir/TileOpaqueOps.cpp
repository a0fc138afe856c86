// Ops that carry what the dialect cannot see itself: promises of the author, library calls, inline
// assembly; their verifiers.
#include "ir/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace tilewise::tile {

LogicalResult HintOp::verify() {
  size_t dims = std::max<size_t>(shapeOf(getType()).size(), 1);
  for (std::optional<ArrayRef<int64_t>> numbers : {getDivisibility(), getContiguity(), getConstancy()}) {
    if (!numbers)
      continue;
    if (numbers->size() != dims)
      return emitOpError("needs one number per dimension of ") << getType();
    if (llvm::any_of(*numbers, [](int64_t number) { return number < 1; }))
      return emitOpError("needs positive numbers");
  }
  return success();
}

static LogicalResult verifyOneShape(Operation *op) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0).getType());
  auto hasShape = [&](Type type) { return shapeOf(type) == shape; };
  if (!llvm::all_of(op->getOperandTypes(), hasShape) || !llvm::all_of(op->getResultTypes(), hasShape))
    return op->emitOpError("needs operands and results of one shape");
  return success();
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;
static void addEffectsIf(bool impure, Effects &effects) {
  if (!impure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult ExternCallOp::verify() { return verifyOneShape(*this); }
void ExternCallOp::getEffects(Effects &effects) { addEffectsIf(getImpure(), effects); }

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0)
    return getImpure() ? success() : emitOpError("without results must be impure");
  return verifyOneShape(*this);
}
void InlineAsmOp::getEffects(Effects &effects) { addEffectsIf(getImpure(), effects); }

} // namespace tilewise::tile
