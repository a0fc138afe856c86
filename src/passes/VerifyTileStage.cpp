// tile-verify-stage: the contract between the front half and the engines, executed.
#include "ir/Tile.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_VERIFYTILESTAGE
#include "passes/Passes.h.inc"

namespace {

/// arith ops whose result MLIR leaves undefined for some operands, where the tile dialect has a
/// total one.
bool isPartial(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::FloorDivSIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::FPToSIOp, arith::FPToUIOp>(op);
}

bool belongs(Operation *op) {
  if (isa<ModuleOp, func::FuncOp, func::ReturnOp, scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(
          op))
    return true;
  return isa_and_present<TileDialect, arith::ArithDialect, math::MathDialect>(op->getDialect()) && !isPartial(op);
}

LogicalResult verifyType(Operation *op, Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  Type element = block ? block.getElementType() : type;
  if (!isa<IntegerType, FloatType, PtrType>(element))
    return op->emitError("tile IR has no values of type ") << type;
  if (!block)
    return success();
  if (block.getEncoding())
    return op->emitError("tile IR has no layouts yet, got ") << type;
  if (block.getRank() == 0)
    return op->emitError("a block of rank 0 is a scalar, got ") << type;
  for (int64_t extent : block.getShape())
    if (ShapedType::isDynamic(extent) || !llvm::isPowerOf2_64(extent))
      return op->emitError("the extents of a block must be powers of two, got ") << type;
  return success();
}

LogicalResult verifyOp(Operation *op) {
  if (!belongs(op))
    return op->emitError("op '") << op->getName() << "' does not belong in tile IR";
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(verifyType(op, type)))
          return failure();
  return success();
}

struct VerifyTileStage : impl::VerifyTileStageBase<VerifyTileStage> {
  void runOnOperation() override {
    WalkResult walked = getOperation().walk(
        [](Operation *op) { return failed(verifyOp(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (walked.wasInterrupted())
      return signalPassFailure();
    auto functions = getOperation().getOps<func::FuncOp>();
    if (llvm::range_size(functions) != 1 || !kernelOf(getOperation())) {
      getOperation().emitError("a module of tile IR holds one function, the kernel, got ")
          << llvm::range_size(functions);
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace tilewise::tile
