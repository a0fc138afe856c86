// tile-warn: runs the warnings that are on, and what they share.
#include "passes/Warn.h"

#include "passes/Passes.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_WARN
#include "passes/Passes.h.inc"

InFlightDiagnostic warn(Location place, Warning warning, const llvm::Twine &message) {
  return emitWarning(place) << message << " [-W" << nameOf(warning) << "]";
}

bool wantsPerf(Operation *op) { return op->getParentOfType<ModuleOp>()->hasAttr(kWarnPerfAttr); }

InFlightDiagnostic warnPerf(Operation *op, const llvm::Twine &message) {
  return warn(op->getLoc(), Warning::Perf, "[perf] " + message);
}

bool isComputedFrom(Value value, llvm::function_ref<bool(Operation *)> matches) {
  llvm::SmallPtrSet<void *, 32> seen;
  SmallVector<Value> open = {value};
  auto pushRegions = [&](Operation *op) {
    llvm::append_range(open, op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          llvm::append_range(open, block.getTerminator()->getOperands());
  };
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next.getAsOpaquePointer()).second)
      continue;
    if (Operation *op = next.getDefiningOp()) {
      if (matches(op))
        return true;
      pushRegions(op);
    } else if (!isFunctionArgument(next)) {
      pushRegions(cast<BlockArgument>(next).getOwner()->getParentOp());
    }
  }
  return false;
}

namespace {

struct Warn : impl::WarnBase<Warn> {
  using WarnBase::WarnBase;

  void runOnOperation() override {
    WarningSet on;
    if (Result<void> read = on.applyAll(flags); !read) {
      getOperation().emitError(read.failure().message);
      return signalPassFailure();
    }
    AccessInference inference(getOperation());
    if (on.has(Warning::UnmaskedAccess))
      warnUnmaskedAccess(getOperation(), inference);
    if (on.has(Warning::HalfAccumulator))
      warnHalfAccumulator(getOperation());
    if (on.has(Warning::SameAddressStore))
      warnSameAddressStore(getOperation());
    if (on.has(Warning::OffsetWidth))
      warnOffsetWidth(getOperation());
    if (on.has(Warning::MaskOther))
      warnMaskOther(getOperation(), inference);
    if (on.has(Warning::MaskMismatch))
      warnMaskMismatch(getOperation(), inference);
    if (on.has(Warning::ScatterUpdate))
      warnScatterUpdate(getOperation());
    if (on.has(Warning::UnshiftedExp))
      warnUnshiftedExp(getOperation());
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace tilewise::tile
