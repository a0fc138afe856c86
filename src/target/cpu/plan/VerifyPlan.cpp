// cpu-verify-plan: what a plan may contain, and where; anything else is our own failure.
#include "target/cpu/Passes.h"
#include "target/cpu/plan/NestSurvey.h"
#include "target/cpu/plan/PlanDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_VERIFYPLAN
#include "target/cpu/Passes.h.inc"

namespace {

struct VerifyPlan : impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    auto &inference = getChildAnalysis<tile::AccessInference>(kernel);
    auto result = kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (auto nest = dyn_cast<NestOp>(op))
        return check(nest, inference) ? WalkResult::skip() : WalkResult::interrupt();
      if (isa<CheckOp>(op)) // It holds an access that is not done there.
        return WalkResult::skip();
      return checkBetween(op, inference) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static bool reject(Operation *op, const llvm::Twine &why) {
    op->emitError() << "internal: '" << op->getName() << "' " << why;
    return false;
  }

  static bool check(NestOp nest, tile::AccessInference &inference) {
    SmallVector<Value> pulled; // By the nest's effects, and what those pull.
    int64_t axis = -1;
    bool hasEffect = false;
    for (Operation &op : nest.getBody().front().without_terminator()) {
      if (isa<NestOp, ScratchOp, CheckOp, tile::TellsPeople>(op) || isScf(&op))
        return reject(&op, "stands in a nest, which computes chunk by chunk");
      auto keep = dyn_cast<KeepOp>(op);
      if (!keep && !isNestRoot(&op))
        continue;
      hasEffect = true;
      if (keep && keep.getValue().getDefiningOp<tile::ReduceOp>()) // When its loop is over.
        continue;
      if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
        if (axis >= 0 && axis != int64_t(reduce.getAxis()))
          return reject(&op, "reduces another dimension than the one before it in its nest");
        axis = int64_t(reduce.getAxis());
      }
      // The pointers of a store, the sources of a reduction, what is kept.
      if (tile::shapeOf(op.getOperand(0).getType()) != nest.getShape())
        return reject(&op, "has another shape than its nest");
      llvm::append_range(pulled, keep ? SmallVector<Value>{keep.getValue()} : pulledOperands(inference, &op));
    }
    return hasEffect ? checkPulled(nest, inference, std::move(pulled))
                     : reject(nest, "computes nothing that anybody sees");
  }

  /// An op over whole blocks may stand in a nest for the sake of addresses that are known without
  /// it; its elements are never asked for.
  static bool checkPulled(NestOp nest, tile::AccessInference &inference, SmallVector<Value> pulled) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!pulled.empty()) {
      Operation *op = pulled.pop_back_val().getDefiningOp();
      if (!op || !nest->isProperAncestor(op) || !seen.insert(op).second)
        continue;
      auto whole = dyn_cast<tile::WholeBlocks>(op);
      if (whole && !whole.givesElements())
        return reject(op, "stands in a nest, which computes chunk by chunk");
      if (whole && !llvm::all_of(whole.getWholeOperands(), liesInScratch))
        return reject(op, "takes elements of a block that does not lie in scratch");
      llvm::append_range(pulled, pulledOperands(inference, op));
    }
    return true;
  }

  static bool isScf(Operation *op) { return isa_and_present<scf::SCFDialect>(op->getDialect()); }

  /// An op between nests.
  static bool checkBetween(Operation *op, tile::AccessInference &inference) {
    if (isa<PrefetchOp>(op))
      return reject(op, "stands outside of nests");
    if (isNestRoot(op) && isBlock(op->getOperand(0)))
      return reject(op, "of a block stands outside of nests");
    if (auto keep = dyn_cast<KeepOp>(op); keep && !keep.getValue().getDefiningOp<tile::DotOp>())
      return reject(op, "stands outside of nests, and keeps no dot's result");
    if (isa<tile::DotOp>(op) && !op->getAttrOfType<DotPlanAttr>(kDotPlanAttr))
      return reject(op, "has no plan, see cpu-plan-dots");
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (isScf(op) && isBlock(argument) && !inference.carried(argument))
          return reject(op, "carries a block, which should lie in scratch");
    return true;
  }
};

} // namespace

} // namespace tilewise::cpu
