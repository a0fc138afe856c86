// -Wunshifted-exp: a softmax, or the logarithm of a sum of exponentials, from which no maximum was
// subtracted.
//
//     e = tl.exp(x)                                        exp of 89 is infinite in fp32, of 12 in fp16
//     y = e / tl.sum(e, axis=0)                            tl.exp(x - tl.max(x, axis=0))
//
// Where the author knows that all values are small it is right: off unless asked for.
#include "passes/Warn.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewise::tile {

static bool isSum(ReduceOp reduce) {
  Operation *end = reduce.getRegion().front().getTerminator();
  return end->getNumOperands() == 1 && end->getOperand(0).getDefiningOp<arith::AddFOp>();
}

/// What may have brought the values down before: a difference, a bound, a logarithm, or something
/// that is not looked into.
static bool mayHaveShifted(Operation *op) {
  return isa<arith::SubFOp, arith::NegFOp, arith::MinimumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::DivFOp, ReduceOp, ScanOp, DotOp, ExternCallOp, InlineAsmOp, MapOp>(op) ||
         isa<math::LogOp, math::Log2Op, math::TanhOp>(op);
}

void warnUnshiftedExp(func::FuncOp kernel) {
  kernel.walk([&](ReduceOp reduce) {
    if (!isSum(reduce))
      return;
    Operation *exponential = nullptr;
    isComputedFrom(reduce->getOperand(0), [&](Operation *op) {
      if (isExponential(op) && isComputedFrom(op->getOperand(0), isLoad) &&
          !isComputedFrom(op->getOperand(0), mayHaveShifted))
        exponential = op;
      return exponential != nullptr;
    });
    if (!exponential)
      return;
    bool isUsed = false;
    auto isTheSum = [&](Operation *op) { return op == reduce; };
    kernel.walk([&](Operation *op) {
      if (auto quotient = dyn_cast<arith::DivFOp>(op))
        isUsed |= isComputedFrom(quotient.getRhs(), isTheSum);
      else if (isa<math::LogOp, math::Log2Op>(op))
        isUsed |= isComputedFrom(op->getOperand(0), isTheSum);
    });
    if (isUsed)
      warn(exponential, Warning::UnshiftedExp,
           "this exponential overflows from 89 on (in fp16 from 12): no maximum was subtracted; write "
           "tl.exp(x - tl.max(x, axis=0)), which gives the same quotient")
              .attachNote(reduce.getLoc())
          << "it is summed here";
  });
}

} // namespace tilewise::tile
