// Looks at each atomic, and at what could wait.
#include "passes/AtomicUse.h"

#include "ir/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::tile {

bool isUpdate(Operation *op) {
  auto update = dyn_cast<AtomicRmwOp>(op);
  return update && update.getResult().use_empty() && update.getKind() != AtomicKind::xchg &&
         update.getScope() != MemScope::sys;
}

AtomicUse atomicUseOf(Operation *root) {
  AtomicUse use;
  bool othersMatter = false;
  root->walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    const bool isVolatile = load && load.getIsVolatile(), atomic = isAtomic(op);
    use.any |= atomic;
    use.mayWait |= (atomic || isVolatile) && op->getParentOfType<scf::WhileOp>();
    othersMatter |= (atomic && !isUpdate(op)) || isVolatile || isa<scf::WhileOp>(op);
  });
  use.updatesOnly = use.any && !othersMatter;
  return use;
}

} // namespace tilewise::tile
