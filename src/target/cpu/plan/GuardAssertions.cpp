// cpu-guard-assertions: every assertion behind a test of its whole block, so that what runs in a
// good kernel is that reduction.
//
//     assert(x)  =>  if (any(not x)) assert(x)
#include "target/cpu/Passes.h"
#include "target/cpu/plan/Pulls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_GUARDASSERTIONS
#include "target/cpu/Passes.h.inc"

static void guardAssertions(func::FuncOp kernel) {
  SmallVector<tile::AssertOp> assertions;
  kernel.walk([&](tile::AssertOp op) { assertions.push_back(op); });
  for (tile::AssertOp op : assertions) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type type = op.getCondition().getType();
    TypedAttr on = b.getBoolAttr(true);
    if (auto block = dyn_cast<RankedTensorType>(type))
      on = DenseElementsAttr::get(block, true);
    Value fails = b.create<arith::XOrIOp>(loc, op.getCondition(), b.create<arith::ConstantOp>(loc, on));
    if (op.getMask())
      fails = b.create<arith::AndIOp>(loc, fails, op.getMask());
    while (isBlock(fails)) {
      SmallVector<int64_t> shape(tile::shapeOf(fails.getType()));
      shape.erase(shape.begin());
      Type reduced = tile::blockOrScalar(shape, b.getI1Type());
      auto reduce = b.create<tile::ReduceOp>(loc, TypeRange(reduced), ValueRange(fails), 0);
      OpBuilder::InsertionGuard guard(b);
      Block *body = b.createBlock(&reduce.getCombine(), {}, {b.getI1Type(), b.getI1Type()}, {loc, loc});
      b.create<tile::YieldOp>(loc, ValueRange(b.create<arith::OrIOp>(loc, body->getArgument(0), body->getArgument(1))));
      fails = reduce.getResult(0);
    }
    b.setInsertionPoint(op);
    auto branch = b.create<scf::IfOp>(loc, fails, /*withElse=*/false);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }
}

namespace {
struct GuardAssertions : impl::GuardAssertionsBase<GuardAssertions> {
  void runOnOperation() override { guardAssertions(getOperation()); }
};
} // namespace

} // namespace tilewise::cpu
