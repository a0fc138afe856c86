// -Whalf-accumulator: a sum over a loop in fp16 or bf16, which after a few hundred terms no longer
// sees the next one.
#include "passes/Warn.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::tile {

/// The op that adds to `carried` on the way to `value`: value = carried + a + b, or a dot onto it.
static Operation *sumOnto(Value value, Value carried) {
  Operation *last = nullptr;
  // Sums of one statement: more than eight are not written.
  for (int step = 0; step < 8; ++step) {
    if (value == carried)
      return last;
    Operation *op = value.getDefiningOp();
    if (!op)
      return nullptr;
    if (auto add = dyn_cast<arith::AddFOp>(op)) {
      last = op;
      // The left side, unless the right one is the sum so far.
      value = add.getRhs() == carried ? carried : add.getLhs();
    } else if (auto subtract = dyn_cast<arith::SubFOp>(op)) {
      last = op;
      value = subtract.getLhs();
    } else if (auto fma = dyn_cast<math::FmaOp>(op)) {
      last = op;
      value = fma.getC();
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      last = op;
      value = dot.getAcc();
    } else if (convertsFloats(op)) {
      value = op->getOperand(0);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

static void checkCarried(Value carried, Value next, Operation *loop) {
  Type element = elementTypeOf(carried.getType());
  if (!element.isF16() && !element.isBF16())
    return;
  Operation *sum = sumOnto(next, carried);
  if (!sum)
    return;
  warn(sum, Warning::HalfAccumulator,
       llvm::Twine("this sum is kept in ") + (element.isF16() ? "fp16" : "bf16") +
           " over a loop and loses small terms; start it as tl.float32 and cast the result after the loop")
          .attachNote(loop->getLoc())
      << "the loop is here";
}

void warnHalfAccumulator(func::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [carried, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
        checkCarried(carried, next, loop);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [carried, next] : llvm::zip(loop.getAfterArguments(), loop.getYieldOp().getOperands()))
        checkCarried(carried, next, loop);
    }
  });
}

} // namespace tilewise::tile
