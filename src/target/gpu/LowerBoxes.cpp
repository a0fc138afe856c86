// Rings that a copy engine fills -> a signal for each slot, boxes that one warp asks for, waits.
//
// A signal turns over each time its slot is full. Turn n of a ring of S slots is the (n / S)-th of
// its slot, so whoever waits for it waits for the signal's half n / S, odd or even.
#include "target/gpu/Lowering.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/TileForm.h"

using namespace mlir;

namespace tilewise::gpu {

/// What makes the ring that an op works on.
template <typename Op> static RingOp ringOf(Op op) { return op.getRing().template getDefiningOp<RingOp>(); }

Value Lowering::signalOf(RingOp ring, Value n, RingSignal which) {
  unsigned slots = ring.getType().getSlots(), before = which == RingSignal::Full ? 0 : slots * kSignalBytes;
  unsigned offset = ring->getAttrOfType<IntegerAttr>(GpuDialect::kSignalsAttr).getInt();
  Value signals = sharedAddress(offset + before);
  if (slots == 1)
    return signals;
  Value slot = make<LLVM::URemOp>(n, i32(slots));
  return advance(signals, make<LLVM::MulOp>(slot, i32(kSignalBytes)));
}

void Lowering::awaitSignal(RingOp ring, Value n, RingSignal which, Value enabled) {
  Value half = make<LLVM::AndOp>(make<LLVM::UDivOp>(n, i32(ring.getType().getSlots())), i32(1));
  // What the slot was used for last was one turn of its own earlier; of the first, nothing.
  if (which == RingSignal::Released)
    half = make<LLVM::XOrOp>(half, i32(1));
  machine.awaitSignal(*this, signalOf(ring, n, which), half, enabled);
}

LogicalResult Lowering::lowerRing(RingOp op) {
  set(op, {sharedAddress(scratchOffset(op))});
  if (!op.getSignalled())
    return success();
  for (unsigned slot = 0; slot < op.getType().getSlots(); ++slot) {
    machine.makeSignal(*this, signalOf(op, i32(slot), RingSignal::Full), 1, isFirstThread());
    if (op.getReleased())
      machine.makeSignal(*this, signalOf(op, i32(slot), RingSignal::Released), numWarpsOf(module), isFirstThread());
  }
  // What threads wrote here before comes before what the engine will.
  machine.publishShared(*this);
  barrier();
  return success();
}

LogicalResult Lowering::lowerFillBox(FillBoxOp op) {
  RingType type = op.getRing().getType();
  TileForm form(type.getTile());
  Value n = scalarOf(op.getN());
  Value slot = slotOf(type, scalarOf(op.getRing()), n), signal = signalOf(ringOf(op), n, RingSignal::Full);
  SmallVector<Value> at;
  for (Value coordinate : op.getCoordinates())
    at.push_back(scalarOf(coordinate));
  unsigned inRow = form.rowBytes() / elementBytes(type.getTile().getElement());
  SmallVector<BoxCopy> boxes;
  for (unsigned panel = 0; panel < form.panels(); ++panel)
    for (unsigned row = 0; row < form.rows(); row += form.boxRows()) {
      BoxCopy &box = boxes.emplace_back();
      box.shared = advance(slot, i32(panel * form.panelBytes() + row * form.rowBytes()));
      box.at = at;
      box.at[0] = make<LLVM::AddOp>(at[0], i32(panel * inRow));
      box.at[1] = make<LLVM::AddOp>(at[1], i32(row));
    }
  Value enabled = both(op.getEnabled() ? scalarOf(op.getEnabled()) : Value(), isAskingWarp());
  machine.copyBoxes(*this, scalarOf(op.getMap()), boxes, signal, form.bytes(), enabled);
  return success();
}

LogicalResult Lowering::lowerAwaitBox(AwaitBoxOp op) {
  awaitSignal(ringOf(op), scalarOf(op.getN()), RingSignal::Full, op.getEnabled() ? scalarOf(op.getEnabled()) : Value());
  return success();
}

LogicalResult Lowering::lowerAwaitRelease(AwaitReleaseOp op) {
  awaitSignal(ringOf(op), scalarOf(op.getN()), RingSignal::Released, {});
  return success();
}

LogicalResult Lowering::lowerRelease(ReleaseOp op) {
  Value signal = signalOf(ringOf(op), scalarOf(op.getN()), RingSignal::Released);
  machine.giveSignal(*this, signal, op.getEnabled() ? scalarOf(op.getEnabled()) : Value());
  return success();
}

LogicalResult Lowering::lowerBeside(BesideOp op) {
  // The same for all lanes, which a shuffle tells the assembler.
  Value which = atStart([&] { return machine.shuffle(*this, warp, ShuffleMode::Index, i32(0)); });
  Value first = i32(numWarpsOf(module));
  Block *others = newBlock(), *asking = newBlock(), *end = newBlock(), *rest = newBlock();
  builder.create<LLVM::CondBrOp>(loc, compare(LLVM::ICmpPredicate::uge, which, first), others, ValueRange(), rest,
                                 ValueRange());
  builder.setInsertionPointToEnd(others);
  if (op.getRegisters())
    machine.takeRegisters(*this, *op.getRegisters(), /*areMore=*/false);
  builder.create<LLVM::CondBrOp>(loc, compare(LLVM::ICmpPredicate::eq, which, first), asking, ValueRange(), end,
                                 ValueRange());
  builder.setInsertionPointToEnd(asking);
  isBeside_ = true;
  for (Operation &inner : op.getBody().front())
    if (failed(lower(&inner)))
      return failure();
  isBeside_ = false;
  loc = op.getLoc();
  builder.create<LLVM::BrOp>(loc, ValueRange(), end);
  builder.setInsertionPointToEnd(end);
  builder.create<LLVM::ReturnOp>(loc, ValueRange());
  builder.setInsertionPointToEnd(rest);
  hasBeside_ = true;
  if (op.getLeaving())
    machine.takeRegisters(*this, *op.getLeaving(), /*areMore=*/true);
  return success();
}

} // namespace tilewise::gpu
