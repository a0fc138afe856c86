// gpu-choose-mma: says for each dot which matrix instruction multiplies it, in the attribute
// `gpu.mma`; a dot without one is multiplied by FMAs.
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_CHOOSEMMA
#include "target/gpu/Passes.h.inc"

namespace {

/// `acc += dot(a, b)`: the dot adds to `acc` itself, which then needs no second block of sums.
void addInto(tile::DotOp dot) {
  // A narrow sum is rounded after each dot.
  if (!dot->hasOneUse() || tile::elementTypeOf(dot.getType()).getIntOrFloatBitWidth() < 32 ||
      !(matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero())))
    return;
  OpOperand &use = *dot->use_begin();
  Operation *sum = use.getOwner();
  if (!isa<arith::AddFOp, arith::AddIOp>(sum) || sum->getBlock() != dot->getBlock())
    return;
  dot.getAccMutable().assign(sum->getOperand(1 - use.getOperandNumber()));
  dot->moveBefore(sum);
  sum->getResult(0).replaceAllUsesWith(dot.getResult());
  sum->erase();
}

struct ChooseMma : impl::ChooseMmaBase<ChooseMma> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      getOperation().emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    SmallVector<tile::DotOp> dots;
    getOperation().walk([&](tile::DotOp dot) { dots.push_back(dot); });
    for (tile::DotOp dot : dots) {
      if (std::string name = target->matrixInstructionFor(dot, numWarps); !name.empty())
        dot->setAttr(GpuDialect::kMmaAttr, StringAttr::get(&getContext(), name));
      addInto(dot);
    }
  }
};

} // namespace

} // namespace tilewise::gpu
