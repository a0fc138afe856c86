// Which kernel argument a pointer comes from.
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

} // namespace tilewise::gpu
