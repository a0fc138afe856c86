// -Wperf: the reasons, from what access inference found out.
#include "target/cpu/nests/PerfWarnings.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/NestSurvey.h"

#include "passes/Warn.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

/// "[perf] this load ..." at the op; notes go to what is returned.
InFlightDiagnostic warnPerf(tile::MemoryAccess op, const llvm::Twine &message) {
  return tile::warnPerf(op, "this " + op.getVerb() + message);
}

/// The first op of a block among those that `value` is computed from.
template <typename... Ops> Operation *blockOpBehind(Value value) {
  Operation *found = nullptr;
  tile::isComputedFrom(value, [&](Operation *op) {
    if (!isa<Ops...>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
      return false;
    found = op;
    return true;
  });
  return found;
}

/// Addresses that are no walk with one stride per dimension.
void warnOfAddresses(tile::MemoryAccess op) {
  Value pointer = op.getPointer();
  if (Operation *index = blockOpBehind<tile::LoadOp>(pointer)) {
    warnPerf(op, " is executed lane by lane: its addresses are computed from loaded values").attachNote(index->getLoc())
        << "the values were loaded here; if they select rows, let each program load its row number as a scalar and the "
           "row as a block";
  } else if (Operation *wrap = blockOpBehind<tile::RemSOp, tile::RemUOp, tile::DivSOp, tile::DivUOp>(pointer)) {
    warnPerf(op, " is executed lane by lane: its addresses are divided or wrapped element by element")
            .attachNote(wrap->getLoc())
        << "the division is here; give the block one dimension per factor, or promise what you know with "
           "tl.max_contiguous and tl.multiple_of";
  } else {
    warnPerf(op, " is executed lane by lane: its addresses have no fixed stride").attachNote(pointer.getLoc())
        << "they are computed here; sums of tl.arange times strides become vector accesses";
  }
}

void warnOfStride(tile::MemoryAccess op, const tile::StructuredAccess &access, unsigned laneDim) {
  const tile::ScalarExpr &stride = *access.address.strides[laneDim];
  if (!stride.isConstant()) {
    warnPerf(op, " is executed lane by lane unless its stride, which is known only at run time, is 1")
            .attachNote(op->getLoc())
        << "omit the stride if it is always 1, or make it a tl.constexpr";
    return;
  }
  InFlightDiagnostic warning = warnPerf(op, " is executed lane by lane: adjacent lanes are " +
                                                llvm::Twine(stride.constant()) + " elements apart in memory");
  if (access.contiguousDim && *access.contiguousDim != laneDim)
    warning.attachNote(op->getLoc())
        << "memory is contiguous along dimension " << *access.contiguousDim
        << " of the block, but it is vectorized along dimension " << laneDim
        << " with the ops around it; use the same order for both, or transpose with tl.trans";
  else
    warning.attachNote(op->getLoc()) << "let the last dimension of the block be the one that is contiguous in memory";
}

} // namespace

void warnOfLanes(KernelEmitter &k, tile::MemoryAccess op, unsigned laneDim) {
  if (!k.source->getParentOp()->hasAttr(tile::kWarnPerfAttr))
    return;
  const tile::StructuredAccess &access = k.inference.access(op);
  if (!access.address.isAffine() && (laneDim >= access.address.strides.size() || !access.address.strides[laneDim])) {
    if (!isRun(k.inference, op, laneDim))
      warnOfAddresses(op);
    return;
  }
  const tile::ScalarExpr &stride = *access.address.strides[laneDim];
  if (!stride.isConstant(1) && !stride.isZero())
    return warnOfStride(op, access, laneDim);
  if (access.mask && !access.mask->isUnderstood())
    warnPerf(op, " masks every vector: its mask is not a range of indices")
            .attachNote(access.mask->remainder.front().getLoc())
        << "the mask is computed here; comparisons of offsets with a bound, combined by &, are tested once per row";
}

} // namespace tilewise::cpu
