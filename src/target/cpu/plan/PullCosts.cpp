// Which row of the table of costs an op is in.
#include "target/cpu/plan/PullCosts.h"
#include "target/cpu/plan/NestSurvey.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::cpu {

/// Lanes that are neighbours, or a fixed distance apart.
static bool isWalk(tile::AccessInference &inference, tile::MemoryAccess access) {
  const tile::AffineForm &address = inference.access(access).address;
  if (address.isAffine())
    return true;
  for (auto [d, stride] : llvm::enumerate(address.strides))
    if (stride ? stride->isConstant(1) : isRun(inference, access, d))
      return true;
  return false;
}

unsigned PullCosts::of(tile::AccessInference &inference, Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tile::MovesElements>(op))
    return kMoved;
  if (auto whole = dyn_cast<tile::WholeBlocks>(op); whole && whole.givesElements())
    return kGather;
  if (auto access = dyn_cast<tile::MemoryAccess>(op))
    return isWalk(inference, access) ? kLoad : kGather;
  if (isa<tile::IntegerDivision>(op))
    return matchPattern(op->getOperand(1), m_Constant()) ? kDivision : kIntegerDivision;
  if (isa<arith::DivFOp>(op))
    return kDivision;
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::AbsFOp>(op))
    return kFunction;
  return isa<tile::ExternCallOp, arith::RemFOp>(op) ? kLibrary : kPlain;
}

} // namespace tilewise::cpu
