// Layout conversions -> renamed registers, shuffles within a warp, or a trip through shared memory,
// as the two layouts' algebra says.
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"
#include "target/gpu/Shuffle.h"

#include "llvm/Support/MathExtras.h"

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

/// The renumbering that makes some of so many bits the highest.
static BitMap raised(uint32_t chosen, unsigned bits) {
  BitMap map;
  unsigned low = 0, high = bits - llvm::popcount(chosen);
  for (unsigned bit = 0; bit < bits; ++bit)
    map.columns.push_back(1u << (chosen >> bit & 1 ? high++ : low++));
  return map;
}

/// A renumbering of elements after which each warp's lie side by side.
static BitMap groupedByWarp(const LinearLayout &layout) {
  return raised(layout.bitsOf(Level::Warp), llvm::Log2_64(layout.elements()));
}

/// A renumbering of elements after which every thread takes part in every round alike: the highest
/// bits of a number, which tell the round, are such that no lane or warp sets in either layout.
/// Otherwise threads write in vain what is of another round. As it is, where there are too few.
static BitMap evenRounds(const LinearLayout &from, const LinearLayout &to, unsigned rounds, unsigned elementBytes) {
  return raised(bitsOfRounds(from, to, llvm::Log2_32(rounds), elementBytes), llvm::Log2_64(from.elements()));
}

/// Registers in the order of their rounds, of so many elements each: what goes together lies side
/// by side.
static void orderByRound(LinearLayout &layout, Registers &registers, uint32_t elements) {
  ArrayRef<uint32_t> bases = layout.bases(Level::Register);
  SmallVector<unsigned> order;
  for (bool isLater : {false, true})
    for (auto [bit, basis] : llvm::enumerate(bases))
      if ((basis >= elements) == isLater)
        order.push_back(bit);
  LinearLayout::Bases ordered;
  for (unsigned bit : order)
    ordered.push_back(bases[bit]);
  Registers moved;
  for (uint32_t reg = 0; reg < registers.size(); ++reg) {
    uint32_t from = 0;
    for (auto [to, bit] : llvm::enumerate(order))
      from |= (reg >> to & 1) << bit;
    moved.push_back(registers[from]);
  }
  layout = LinearLayout(layout.shape(), ordered, layout.bases(Level::Lane), layout.bases(Level::Warp));
  registers = std::move(moved);
}

LogicalResult Lowering::lowerConvert(ConvertLayoutOp op) {
  LinearLayout from = layoutOf(op.getSource().getType()), to = layoutOf(op.getType());
  Registers source = registersOf(op.getSource());
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
    const unsigned bytes = elementBytes(tile::elementTypeOf(op.getType()));
    auto renumber = [&](const BitMap &map) {
      from = from.renumbered(map);
      to = to.renumbered(map);
    };
    const bool isWithin = isWithinWarps(op);
    auto meet = [&] { isWithin ? machine.warpBarrier(*this) : barrier(); };
    if (isWithin)
      renumber(groupedByWarp(from));
    renumber(evenRounds(from, to, scratch.rounds, bytes));
    renumber(spreadOverBanks(from, to, bytes));
    orderByRound(from, source, scratch.elements);
    SharedTile tile(*this, scratchOffset(op), tile::elementTypeOf(op.getType()), from.elements(), from.elements());
    result.resize(to.registers());
    for (uint32_t round = 0; round < scratch.rounds; ++round) {
      // What a warp alone reads, it alone writes again: gpu-insert-barriers sees to all others.
      if (round || isWithin)
        meet();
      SharedTile::Window window{round * scratch.elements, scratch.elements};
      tile.storeTogether(from, source, window);
      meet();
      tile.load(to, result, window);
    }
    break;
  }
  }
  set(op, std::move(result));
  return success();
}

} // namespace tilewise::gpu
