// Layout conversions -> renamed registers, shuffles within a warp, or a trip through shared memory,
// as the two layouts' algebra says.
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"
#include "target/gpu/Shuffle.h"

using namespace mlir;

namespace tilewise::gpu {

Value shuffle(Lowering &on, Value value, ShuffleMode mode, Value source) {
  Type type = value.getType(), word = on.builder.getI32Type();
  auto exchange = [&](Value bits) { return on.machine.shuffle(on, bits, mode, source); };
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value bits = on.make<LLVM::PtrToIntOp>(on.builder.getI64Type(), value);
    return on.make<LLVM::IntToPtrOp>(type, shuffle(on, bits, mode, source));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type bitsType = on.builder.getIntegerType(width);
  Value bits = type == bitsType ? value : on.make<LLVM::BitcastOp>(bitsType, value);
  Value moved;
  if (width == 64) {
    Value low = exchange(on.make<LLVM::TruncOp>(word, bits));
    Value high = exchange(on.make<LLVM::TruncOp>(word, on.make<LLVM::LShrOp>(bits, on.constant(bitsType, 32))));
    high = on.make<LLVM::ShlOp>(on.make<LLVM::ZExtOp>(bitsType, high), on.constant(bitsType, 32));
    moved = on.make<LLVM::OrOp>(on.make<LLVM::ZExtOp>(bitsType, low), high);
  } else if (width == 32) {
    moved = exchange(bits);
  } else {
    moved = on.make<LLVM::TruncOp>(bitsType, exchange(on.make<LLVM::ZExtOp>(word, bits)));
  }
  return type == bitsType ? moved : on.make<LLVM::BitcastOp>(type, moved);
}

/// Result register r of lane l is source register `conversion(r)` of the lane that `conversion`
/// gives for (r, l).
static Registers convertByShuffles(Lowering &on, const LinearLayout &from, const LinearLayout &to,
                                   const Registers &source) {
  BitMap conversion = conversionMap(from, to);
  unsigned registerBits = from.levelShift(Level::Lane);
  LinearLayout::Bases lanes;
  for (unsigned bit = 0; bit < to.bases(Level::Lane).size(); ++bit)
    lanes.push_back(conversion.columns[to.levelShift(Level::Lane) + bit] >> registerBits & (on.machine.lanes() - 1));
  LinearLayout laneMap({on.machine.lanes()}, {}, lanes, LinearLayout::Bases(to.bases(Level::Warp).size(), 0));
  Value base = on.threadElement(laneMap);
  Registers result;
  for (uint32_t reg = 0; reg < to.registers(); ++reg) {
    uint32_t image = conversion(reg);
    Value lane = on.xorConstant(base, Lowering::threadBits(laneMap), image >> registerBits & (on.machine.lanes() - 1));
    result.push_back(shuffle(on, source[image & ((1u << registerBits) - 1)], ShuffleMode::Index, lane));
  }
  return result;
}

LogicalResult Lowering::lowerConvert(ConvertLayoutOp op) {
  LinearLayout from = layoutOf(op.getSource().getType()), to = layoutOf(op.getType());
  const Registers source = registersOf(op.getSource());
  LayoutConversion plan = planConversion(from, to);
  Registers result;
  switch (plan.way) {
  case LayoutConversion::Way::Registers:
    for (uint32_t reg : plan.sources)
      result.push_back(source[reg]);
    break;
  case LayoutConversion::Way::Shuffle:
    result = convertByShuffles(*this, from, to, source);
    break;
  case LayoutConversion::Way::Shared: {
    BlockScratch scratch = blockScratch(op.getType());
    BitMap spread = spreadOverBanks(from, to, elementBytes(tile::elementTypeOf(op.getType())));
    from = from.renumbered(spread);
    to = to.renumbered(spread);
    SharedTile tile(*this, scratchOffset(op), tile::elementTypeOf(op.getType()), from.elements(), from.elements());
    result.resize(to.registers());
    for (uint32_t round = 0; round < scratch.rounds; ++round) {
      if (round)
        barrier();
      SharedTile::Window window{round * scratch.elements, scratch.elements};
      tile.store(from, source, window);
      barrier();
      tile.load(to, result, window);
    }
    break;
  }
  }
  set(op, std::move(result));
  return success();
}

} // namespace tilewise::gpu
