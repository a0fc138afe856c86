// Rings that a copy engine fills -> a signal for each slot, boxes that one warp asks for, waits.
//
// A signal turns over each time its slot is full. Turn n of a ring of S slots is the (n / S)-th of
// its slot, so whoever waits for it waits for the signal's half n / S, odd or even.
#include "target/gpu/Lowering.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/TileForm.h"

using namespace mlir;

namespace tilewise::gpu {

Value Lowering::signalOf(RingType type, Value ring, Value n) {
  Value signals = advance(ring, i32(signalOffset(type)));
  if (type.getSlots() == 1)
    return signals;
  Value slot = make<LLVM::URemOp>(n, i32(type.getSlots()));
  return advance(signals, make<LLVM::MulOp>(slot, i32(kSignalBytes)));
}

LogicalResult Lowering::lowerRing(RingOp op) {
  Value ring = sharedAddress(scratchOffset(op));
  set(op, {ring});
  if (!op.getSignalled())
    return success();
  RingType type = op.getType();
  for (unsigned slot = 0; slot < type.getSlots(); ++slot)
    machine.makeSignal(*this, signalOf(type, ring, i32(slot)), isFirstThread());
  // What threads wrote here before comes before what the engine will.
  machine.publishShared(*this);
  barrier();
  return success();
}

LogicalResult Lowering::lowerFillBox(FillBoxOp op) {
  RingType type = op.getRing().getType();
  TileForm form(type.getTile());
  Value ring = scalarOf(op.getRing()), n = scalarOf(op.getN());
  Value slot = slotOf(type, ring, n), signal = signalOf(type, ring, n);
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
  Value enabled = both(op.getEnabled() ? scalarOf(op.getEnabled()) : Value(), isFirstWarp());
  machine.copyBoxes(*this, scalarOf(op.getMap()), boxes, signal, form.bytes(), enabled);
  return success();
}

LogicalResult Lowering::lowerAwaitBox(AwaitBoxOp op) {
  RingType type = op.getRing().getType();
  Value n = scalarOf(op.getN()), signal = signalOf(type, scalarOf(op.getRing()), n);
  Value turn = make<LLVM::UDivOp>(n, i32(type.getSlots()));
  machine.awaitSignal(*this, signal, make<LLVM::AndOp>(turn, i32(1)),
                      op.getEnabled() ? scalarOf(op.getEnabled()) : Value());
  return success();
}

} // namespace tilewise::gpu
