// gpu-split-dots: a dot by FMAs whose operands do not fit into shared memory becomes two, of half
// as much k each, until they do.
//
//     dot(a, b, acc) => dot(a1, b1, dot(a0, b0, acc))    a = [a0, a1] and b = [b0; b1] along k
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_SPLITDOTS
#include "target/gpu/Passes.h.inc"

namespace {

/// The lower and the upper half of a block along a dimension.
tile::SplitOp halves(OpBuilder &builder, Value block, unsigned dim) {
  Location loc = block.getLoc();
  auto type = cast<RankedTensorType>(block.getType());
  auto withShape = [&](ArrayRef<int64_t> shape) { return RankedTensorType::get(shape, type.getElementType()); };
  SmallVector<int64_t> half(type.getShape());
  half[dim] /= 2;
  SmallVector<int64_t> apart(half), last(half);
  apart.insert(apart.begin() + dim, 2);
  last.push_back(2);
  SmallVector<int32_t> order;
  for (unsigned i = 0; i < apart.size(); ++i)
    if (i != dim)
      order.push_back(i);
  order.push_back(dim);
  Value reshaped = builder.create<tile::ReshapeOp>(loc, withShape(apart), block);
  Value moved = builder.create<tile::PermuteOp>(loc, withShape(last), reshaped, order);
  return builder.create<tile::SplitOp>(loc, withShape(half), withShape(half), moved);
}

void split(tile::DotOp dot, unsigned limit) {
  unsigned rank = tile::shapeOf(dot.getA().getType()).size();
  if (scratchOf(dot).bytes <= limit || tile::shapeOf(dot.getA().getType())[rank - 1] < 2)
    return;
  OpBuilder builder(dot);
  tile::SplitOp a = halves(builder, dot.getA(), rank - 1), b = halves(builder, dot.getB(), rank - 2);
  auto part = [&](Value left, Value right, Value acc) {
    auto clone = cast<tile::DotOp>(builder.clone(*dot));
    clone->setOperands({left, right, acc});
    return clone;
  };
  tile::DotOp low = part(a.getLhs(), b.getLhs(), dot.getAcc());
  tile::DotOp high = part(a.getRhs(), b.getRhs(), low.getResult());
  dot.replaceAllUsesWith(high.getResult());
  dot.erase();
  split(low, limit);
  split(high, limit);
}

struct SplitDots : impl::SplitDotsBase<SplitDots> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      getOperation().emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    SmallVector<tile::DotOp> dots;
    getOperation().walk([&](tile::DotOp dot) { dots.push_back(dot); });
    for (tile::DotOp dot : dots)
      split(dot, target->sharedLimit());
  }
};

} // namespace

} // namespace tilewise::gpu
