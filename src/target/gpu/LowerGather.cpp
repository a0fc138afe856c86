// Gathers -> the source goes to shared memory, every thread reads at its own indices. Elements that
// change places in pairs need not, where both of a pair are in one warp.
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"
#include "target/gpu/Shuffle.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

LogicalResult Lowering::lowerGather(tile::GatherOp op) {
  if (std::optional<ExchangePlace> place = exchangeWithinWarps(op)) {
    const Registers source = registersOf(op.getSource());
    Registers exchanged;
    for (uint32_t reg = 0; reg < source.size(); ++reg) {
      Value other = source[reg ^ place->reg];
      exchanged.push_back(place->lane ? shuffle(*this, other, ShuffleMode::Xor, i32(place->lane)) : other);
    }
    set(op, std::move(exchanged));
    return success();
  }
  Type element = tile::elementTypeOf(op.getType());
  LinearLayout source = layoutOf(op.getSource().getType()), result = layoutOf(op.getType());
  unsigned axis = op.getAxis();
  int64_t extent = source.shape()[axis];
  const Registers indices = registersOf(op.getIndices()), values = registersOf(op.getSource());

  // The source's element number for each register: the result's coordinates, with the index in
  // place of the axis.
  SmallVector<Value> at, valid;
  SmallVector<Value> elements = elementsOf(result);
  for (auto [reg, index] : llvm::enumerate(indices)) {
    Type type = index.getType();
    Value inside = compare(LLVM::ICmpPredicate::ult, index, constant(type, extent));
    // An index type that cannot hold the extent has no index outside.
    if (type.getIntOrFloatBitWidth() < 32 && uint64_t(extent) >> type.getIntOrFloatBitWidth())
      inside = constant(builder.getI1Type(), 1);
    Value narrow = index;
    if (type.getIntOrFloatBitWidth() > 32)
      narrow = make<LLVM::TruncOp>(builder.getI32Type(), index);
    else if (type.getIntOrFloatBitWidth() < 32)
      narrow = make<LLVM::ZExtOp>(builder.getI32Type(), index);
    Value position = make<LLVM::ShlOp>(make<LLVM::AndOp>(narrow, i32(extent - 1)), i32(source.dimShift(axis)));
    for (unsigned dim = 0; dim < result.shape().size(); ++dim) {
      if (dim == axis || result.shape()[dim] == 1)
        continue;
      Value part = make<LLVM::AndOp>(elements[reg], i32(result.dimMask(dim)));
      int shift = int(source.dimShift(dim)) - int(result.dimShift(dim));
      if (shift > 0)
        part = make<LLVM::ShlOp>(part, i32(shift));
      else if (shift < 0)
        part = make<LLVM::LShrOp>(part, i32(-shift));
      position = make<LLVM::OrOp>(position, part);
    }
    at.push_back(position);
    valid.push_back(inside);
  }

  BlockScratch scratch = blockScratch(op.getSource().getType());
  SharedTile tile(*this, scratchOffset(op), element, source.elements(), source.elements());
  Registers gathered(at.size(), zero(element));
  for (uint32_t round = 0; round < scratch.rounds; ++round) {
    if (round)
      barrier();
    tile.storeTogether(source, values, {round * scratch.elements, scratch.elements});
    barrier();
    for (auto [reg, position] : llvm::enumerate(at)) {
      Value inside = valid[reg], here = position;
      if (scratch.rounds > 1) {
        Value high = make<LLVM::LShrOp>(position, i32(llvm::Log2_32(scratch.elements)));
        inside = both(inside, compare(LLVM::ICmpPredicate::eq, high, i32(round)));
        here = make<LLVM::AndOp>(position, i32(scratch.elements - 1));
      }
      gathered[reg] = select(inside, tile.loadRun(here, 1).front(), gathered[reg]);
    }
  }
  set(op, std::move(gathered));
  return success();
}

} // namespace tilewise::gpu
