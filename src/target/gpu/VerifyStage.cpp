// gpu-verify-stage: what an engine's stage may hold. Every block has a layout, every op knows how
// to work in the ones it meets.
#include "target/gpu/LayoutRules.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinDialect.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_VERIFYSTAGE
#include "target/gpu/Passes.h.inc"

namespace {

LogicalResult broken(Operation *op, const Twine &what) {
  return op->emitError("internal error: at the end of the GPU stage ") << op->getName() << " " << what;
}

/// Every block operand and result lives in one layout.
LogicalResult verifyOneLayout(Operation *op) {
  LayoutAttr layout;
  for (auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      if (!isBlock(type))
        continue;
      if (layout && layout != layoutAttrOf(type))
        return broken(op, "mixes layouts");
      layout = layoutAttrOf(type);
    }
  return success();
}

/// Every register of `wide` finds its element in the same thread of `narrow`, once dimensions that
/// differ count as 1.
LogicalResult verifyBroadcast(tile::BroadcastOp op) {
  LinearLayout from = layoutOf(op.getSource().getType()), to = layoutOf(op.getType());
  for (unsigned dim = 0; dim < to.shape().size(); ++dim)
    if (from.shape()[dim] != to.shape()[dim])
      to = to.withUnitDim(dim);
  return matchRegisters(from, to) ? success() : broken(op, "would move elements between threads");
}

LogicalResult verifyReduce(tile::ReduceOp op) {
  LinearLayout source = layoutOf(op.getSources().front().getType());
  uint32_t axis = source.dimMask(op.getAxis());
  for (Level level : {Level::Register, Level::Lane, Level::Warp})
    for (uint32_t basis : source.bases(level))
      if ((basis & axis) && (basis & ~axis))
        return broken(op, "has a basis that mixes the axis with another dimension");
  for (Value result : op.getResults())
    if (isBlock(result.getType()) && layoutOf(result.getType()) != source.withoutDim(op.getAxis()))
      return broken(op, "must give its source's layout without the axis");
  return success();
}

/// What works on the same elements of all its blocks. The rest takes blocks of one layout and gives
/// blocks of another, or carries them without looking.
bool worksInOneLayout(Operation *op) {
  return isElementwise(op) || isa<tile::MemoryAccess, tile::MapOp, tile::InlineAsmOp, CheckOp>(op);
}

LogicalResult verifyOp(Operation *op) {
  if (!isa<func::FuncDialect, scf::SCFDialect, BuiltinDialect, GpuDialect, arith::ArithDialect, math::MathDialect,
           tile::TileDialect>(op->getDialect()) ||
      isa<tile::BarrierOp>(op))
    return broken(op, "is not part of it");
  for (auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isBlock(type) && !layoutAttrOf(type))
        return broken(op, "has a block without a layout");
  if ((scratchBytes(op) || tileBytes(op)) && !op->hasAttr(GpuDialect::kSharedAttr))
    return broken(op, "has no place in shared memory");
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return verifyBroadcast(broadcast);
  auto permute = dyn_cast<tile::PermuteOp>(op);
  if (permute || tile::onlyReshapes(op)) {
    LinearLayout from = layoutOf(op->getOperand(0).getType()), to = layoutOf(op->getResult(0).getType());
    from = permute ? permuted(from, permute.getOrder()) : from.reshaped(to.shape());
    return matchRegisters(from, to) ? success() : broken(op, "would move elements between threads");
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op);
      scan && !axisBits(layoutOf(scan.getSources()[0].getType()), scan.getAxis()))
    return broken(op, "cannot walk along its axis in this layout");
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    for (Value source : reduce.getSources())
      if (source.getType() !=
          tile::withElementType(reduce.getSources().front().getType(), tile::elementTypeOf(source.getType())))
        return broken(op, "mixes layouts");
    return verifyReduce(reduce);
  }
  return worksInOneLayout(op) ? verifyOneLayout(op) : success();
}

struct VerifyStage : impl::VerifyStageBase<VerifyStage> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](Operation *op) { return failed(verifyOp(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewise::gpu
