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
    const bool isAtomic = isa<AtomicRmwOp, AtomicCasOp>(op);
    use.any |= isAtomic;
    othersMatter |= (isAtomic && !isUpdate(op)) || isa<scf::WhileOp>(op) || (load && load.getIsVolatile());
  });
  use.updatesOnly = use.any && !othersMatter;
  return use;
}

} // namespace tilewise::tile
