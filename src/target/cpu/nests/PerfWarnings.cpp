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
    warnPerf(op, " goes to addresses that were computed from loaded values: every lane is moved alone")
            .attachNote(index->getLoc())
        << "the values were loaded here; where they choose rows, let a program load the number of its row as a scalar, "
           "and the "
           "row as a block";
  } else if (Operation *wrap = blockOpBehind<tile::RemSOp, tile::RemUOp, tile::DivSOp, tile::DivUOp>(pointer)) {
    warnPerf(op, " goes to addresses that were divided or wrapped element by element: every lane is moved alone")
            .attachNote(wrap->getLoc())
        << "it is done here; give the block one dimension per factor, or promise what is known with tl.max_contiguous "
           "and "
           "tl.multiple_of";
  } else {
    warnPerf(op, " goes to addresses without a fixed distance between lanes: every lane is moved alone")
            .attachNote(pointer.getLoc())
        << "they are made here; sums of tl.arange times strides are moved as vectors";
  }
}

void warnOfStride(tile::MemoryAccess op, const tile::StructuredAccess &access, unsigned laneDim) {
  const tile::ScalarExpr &stride = *access.address.strides[laneDim];
  if (!stride.isConstant()) {
    warnPerf(op, " has lanes whose distance is known at run time only: unless it is 1, every lane is moved alone")
            .attachNote(op->getLoc())
        << "leave the stride out where it is always 1, or make it a tl.constexpr";
    return;
  }
  InFlightDiagnostic warning = warnPerf(op, " has lanes that are " + llvm::Twine(stride.constant()) +
                                                " elements apart: every lane is moved alone");
  if (access.contiguousDim && *access.contiguousDim != laneDim)
    warning.attachNote(op->getLoc())
        << "memory is dense along dimension " << *access.contiguousDim
        << " of the block, the lanes lie along dimension " << laneDim
        << ", as in what it is computed with; keep both in one order, or transpose with tl.trans";
  else
    warning.attachNote(op->getLoc())
        << "let the block's last dimension be the one whose elements are neighbours in memory";
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
    warnPerf(op, " has a mask that is no range of indices: every vector of it is masked")
            .attachNote(access.mask->remainder.front().getLoc())
        << "the mask is made here; comparisons of offsets with a bound, joined by &, are tested once per row";
}

} // namespace tilewise::cpu
