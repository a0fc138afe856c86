// cpu-merge-branches: a branch between blocks that are cheap to compute => both sides, and a choice
// element by element.
//
//     mean = if first: x                          a    = x
//            else: mean + (x - mean) / n    =>    b    = mean + (x - mean) / n
//                                                 mean = select(first, a, b)
//
// A region is no part of a nest: what a branch gives is written to scratch, and what it takes was
// written there before. A choice is pulled as any other op, so that a step of Welford's rule, as
// PyTorch's compiler writes it, is one nest and not three.
#include "passes/AccessInference.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/PullCosts.h"
#include "target/cpu/plan/Pulls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_MERGEBRANCHES
#include "target/cpu/Passes.h.inc"

/// What computing one side of a branch costs; nothing where it does more than compute elements.
static std::optional<unsigned> costOf(tile::AccessInference &inference, Block &side) {
  unsigned cost = 0;
  for (Operation &op : side.without_terminator()) {
    const bool isMove = isa<tile::MovesElements>(op) && !isa<tile::WholeBlocks>(op);
    if (!op.hasTrait<OpTrait::ConstantLike>() && !isMove && !tile::isElementwise(&op))
      return std::nullopt;
    cost += PullCosts::of(inference, &op);
  }
  return cost;
}

/// Whether both sides together cost no more than to write the results of one and read them again.
static bool isCheap(tile::AccessInference &inference, scf::IfOp branch) {
  unsigned kept = 0;
  for (Value result : branch.getResults()) {
    if (inference.carried(result)) // One scalar says which.
      return false;
    kept += isBlock(result);
  }
  if (kept == 0)
    return false;
  std::optional<unsigned> first = costOf(inference, *branch.thenBlock()),
                          second = costOf(inference, *branch.elseBlock());
  return first && second && *first + *second <= kept * PullCosts::kKeepBeyond;
}

static void merge(scf::IfOp branch) {
  OpBuilder b(branch);
  scf::YieldOp first = branch.thenYield(), second = branch.elseYield();
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : llvm::make_early_inc_range(side->without_terminator()))
      op.moveBefore(branch);
  for (auto [result, yes, no] : llvm::zip(branch.getResults(), first.getOperands(), second.getOperands()))
    result.replaceAllUsesWith(b.create<arith::SelectOp>(branch.getLoc(), branch.getCondition(), yes, no));
  branch.erase();
}

namespace {
struct MergeBranches : impl::MergeBranchesBase<MergeBranches> {
  void runOnOperation() override {
    tile::AccessInference inference(getOperation());
    SmallVector<scf::IfOp> cheap;
    getOperation().walk([&](scf::IfOp branch) {
      if (branch.elseBlock() && isCheap(inference, branch))
        cheap.push_back(branch);
    });
    for (scf::IfOp branch : cheap)
      merge(branch);
  }
};
} // namespace

} // namespace tilewise::cpu
