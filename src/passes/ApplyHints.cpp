// tile-apply-hints: a hint whose result nobody uses => its result wherever its source is used after
// it.
#include "ir/Tile.h"
#include "passes/Passes.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_APPLYHINTS
#include "passes/Passes.h.inc"

namespace {

struct ApplyHints : impl::ApplyHintsBase<ApplyHints> {
  void runOnOperation() override {
    const DominanceInfo &dominance = getAnalysis<DominanceInfo>();
    // In the order of the program, so that the second of two hints is one of the first.
    getOperation().walk([&](HintOp hint) {
      if (hint.use_empty())
        hint.getSource().replaceUsesWithIf(
            hint, [&](OpOperand &use) { return dominance.properlyDominates(hint.getOperation(), use.getOwner()); });
    });
    markAnalysesPreserved<DominanceInfo>();
  }
};

} // namespace

} // namespace tilewise::tile
