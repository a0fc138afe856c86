// Gathers that exchange elements in pairs, as sorting networks do.
#include "passes/Exchanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::tile {

std::optional<int64_t> exchangeOf(GatherOp gather, AccessInference &inference) {
  auto exchange = gather.getIndices().getDefiningOp<arith::XOrIOp>();
  const int64_t extent = shapeOf(gather.getSource().getType())[gather.getAxis()];
  APInt constant;
  if (!exchange || !matchPattern(exchange.getRhs(), m_ConstantInt(&constant)) || !llvm::isPowerOf2_64(extent) ||
      constant.uge(extent))
    return {};
  const AffineForm &form = inference.form(exchange.getLhs());
  if (!form.isAffine() || !form.base || !form.base->isZero())
    return {};
  for (auto [d, stride] : llvm::enumerate(form.strides))
    if (!(int64_t(d) == gather.getAxis() ? stride->isConstant(1) : stride->isZero()))
      return {};
  return constant.getSExtValue();
}

} // namespace tilewise::tile
