// Which kernel argument a pointer comes from, and which memory ops may change.
#include "target/gpu/MemoryRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::gpu {

Value rootOf(Value pointer) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(pointer)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return tile::isFunctionArgument(argument) ? pointer : Value();
      OpOperand *init = loop.getTiedLoopInit(argument);
      if (!init)
        return {};
      pointer = init->get();
      continue;
    }
    Operation *op = pointer.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      pointer = loop.getInitArgs()[cast<OpResult>(pointer).getResultNumber()];
      continue;
    }
    if (!isa<tile::PtrAddOp, tile::PtrCastOp, tile::MovesElements, ConvertLayoutOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
}

bool mayChange(Operation *within, ArrayRef<Value> roots) {
  WalkResult found = within->walk([&](Operation *op) {
    if (!tile::changesMemory(op))
      return WalkResult::advance();
    Value written = tile::isStore(op) ? rootOf(cast<tile::MemoryAccess>(op).getPointer()) : Value();
    bool isApart = written && llvm::none_of(roots, [&](Value root) { return !root || root == written; });
    return isApart ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found.wasInterrupted();
}

bool hasOtherEffects(Operation *op) {
  return !isa<GpuDialect>(op->getDialect()) && !tile::isLoad(op) && !tile::isStore(op) && !isMemoryEffectFree(op);
}

} // namespace tilewise::gpu
