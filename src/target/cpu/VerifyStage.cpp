// cpu-verify-stage: what the CPU stage may contain; anything else is our own failure.
#include "ir/Tile.h"
#include "target/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::cpu {

bool isSelectable(Operation *op) {
  return isa<math::FmaOp, math::SqrtOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::TruncOp,
             math::RoundEvenOp, math::CopySignOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp>(
      op);
}

#define GEN_PASS_DEF_VERIFYSTAGE
#include "target/cpu/Passes.h.inc"

namespace {

/// Formats that exist only in memory and in conversions made of integer ops.
bool isArithmeticFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return !isa<FloatType>(element) || element.isF32() || element.isF64();
}

struct VerifyStage : impl::VerifyStageBase<VerifyStage> {
  void runOnOperation() override {
    auto result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (op == getOperation())
        return WalkResult::advance();
      if (!isa_and_present<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                           scf::SCFDialect, vector::VectorDialect>(op->getDialect()))
        return reject(op, "is left after tile-to-cpu-nests");
      for (Type type : op->getResultTypes()) {
        if (isa<RankedTensorType>(type))
          return reject(op, "still computes a block");
        if (auto vector = dyn_cast<VectorType>(type);
            vector && vector.getNumElements() * vector.getElementTypeBitWidth() > 64 * 64 * 8)
          return reject(op, "has a vector of more than 64 registers");
      }
      auto extreme = tile::floatExtreme(op);
      bool isLibm = isa<math::MathDialect>(op->getDialect())
                        ? !isSelectable(op)
                        : (extreme && !extreme->givesNan) || isa<arith::RemFOp>(op);
      if (isLibm)
        return reject(op, "is left after cpu-expand-math: LLVM would call libm");
      bool moves = isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp>(op);
      if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) && !moves)
        for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                                  SmallVector<Type>(op->getResultTypes())))
          if (!isArithmeticFloat(type))
            return reject(op, "computes in a narrow float after cpu-expand-narrow-floats");
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static WalkResult reject(Operation *op, StringRef why) {
    op->emitError() << "internal: '" << op->getName() << "' " << why;
    return WalkResult::interrupt();
  }
};

} // namespace

} // namespace tilewise::cpu
