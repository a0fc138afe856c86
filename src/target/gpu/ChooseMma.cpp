// gpu-choose-mma: says for each dot which matrix instruction multiplies it, in the attribute
// `gpu.mma`; a dot without one is multiplied by FMAs.
#include "passes/AccessInference.h"
#include "passes/Warn.h"
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

/// Whether an operand is loaded with neighbours in memory along this dimension.
bool isLoadedAlong(unsigned dim, Value operand, tile::AccessInference &inference) {
  while (auto permute = operand.getDefiningOp<tile::PermuteOp>()) {
    dim = permute.getOrder()[dim];
    operand = permute.getSource();
  }
  auto load = operand.getDefiningOp<tile::LoadOp>();
  return load && isBlock(load.getType()) && inference.access(load).contiguousDim == dim;
}

OperandWalks walksOf(tile::DotOp dot, tile::AccessInference &inference) {
  unsigned rank = tile::shapeOf(dot.getType()).size();
  return {isLoadedAlong(rank - 1, dot.getA(), inference), isLoadedAlong(rank - 2, dot.getB(), inference)};
}

struct ChooseMma : impl::ChooseMmaBase<ChooseMma> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      getOperation().emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    SmallVector<tile::DotOp> dots;
    tile::AccessInference inference(kernel);
    kernel.walk([&](tile::DotOp dot) {
      dots.push_back(dot);
      MatrixChoice choice = target->matrixInstructionFor(dot, walksOf(dot, inference), numWarps);
      if (!choice.name.empty())
        dot->setAttr(GpuDialect::kMmaAttr, StringAttr::get(&getContext(), choice.name));
      if (choice.takesNarrow)
        dot->setAttr(GpuDialect::kTakesNarrowAttr, UnitAttr::get(&getContext()));
      if (!choice.why.empty() && tile::wantsPerf(dot))
        tile::warnPerf(dot,
                       "this dot is multiplied by " + (choice.name.empty() ? "FMAs" : choice.name) + ": " + choice.why);
    });
    llvm::for_each(dots, addInto);
  }
};

} // namespace

} // namespace tilewise::gpu
