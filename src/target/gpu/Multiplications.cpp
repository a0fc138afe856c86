// Multiplications that go on behind the threads' backs, and what waits for them.
#include "target/gpu/Multiplications.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::gpu {

SmallVector<MmaOp> multiplicationsOf(MmaWaitOp wait) {
  SmallVector<MmaOp> found;
  SmallVector<Value> open{wait.getAcc()};
  llvm::SmallPtrSet<void *, 8> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value.getAsOpaquePointer()).second)
      continue;
    if (auto mma = value.getDefiningOp<MmaOp>()) {
      found.push_back(mma);
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument != loop.getInductionVar())
        open.append({loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
    } else if (auto loop = value.getDefiningOp<scf::ForOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      open.append({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
    } else if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      open.append({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
    } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
      open.append({select.getTrueValue(), select.getFalseValue()});
    }
  }
  return found;
}

bool givesSums(Operation *op) { return isa<MmaOp, MmaWaitOp>(op); }

} // namespace tilewise::gpu
