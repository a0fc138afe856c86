// Histograms -> counters in shared memory, to which every thread adds its own elements.
#include "target/gpu/SharedTile.h"

using namespace mlir;

namespace tilewise::gpu {

LogicalResult Lowering::lowerHistogram(tile::HistogramOp op) {
  LinearLayout source = layoutOf(op.getSource().getType()), result = layoutOf(op.getType());
  unsigned bins = result.elements();
  SharedTile counters(*this, scratchOffset(op), builder.getI32Type(), bins, bins);
  counters.store(result, Registers(result.registers(), i32(0)));
  barrier();
  const Registers values = registersOf(op.getSource());
  Registers masks = op.getMask() ? registersOf(op.getMask()) : Registers(values.size(), Value());
  Value owner = ownerOf(source);
  // Registers may hold copies, too: each element counts once.
  llvm::SmallDenseSet<uint32_t> seen;
  for (auto [reg, value] : llvm::enumerate(values)) {
    if (!seen.insert(source.element(reg)).second)
      continue;
    Type type = value.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    Value isBin = width < 32 && uint64_t(bins) >> width
                      ? Value()
                      : compare(LLVM::ICmpPredicate::ult, value, constant(type, bins));
    Value bin = value;
    if (width > 32)
      bin = make<LLVM::TruncOp>(builder.getI32Type(), value);
    else if (width < 32)
      bin = make<LLVM::ZExtOp>(builder.getI32Type(), value);
    machine.addShared(*this, counters.addressOf(bin), i32(1), both(both(isBin, masks[reg]), owner));
  }
  barrier();
  set(op, counters.load(result));
  return success();
}

} // namespace tilewise::gpu
