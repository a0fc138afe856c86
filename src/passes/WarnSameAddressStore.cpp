// -Wsame-address-store: programs that write over each other.
#include "passes/Warn.h"

using namespace mlir;

namespace tilewise::tile {

/// What may differ from program to program.
static bool differsByProgram(Operation *op) { return isa<ProgramIdOp, MemoryAccess, ExternCallOp, InlineAsmOp>(op); }

/// Whether a branch or loop around the op may choose between programs.
static bool isChosen(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    for (Value operand : parent->getOperands())
      if (isComputedFrom(operand, differsByProgram))
        return true;
  return false;
}

void warnSameAddressStore(func::FuncOp kernel) {
  // A kernel that never asks which program it is runs as one.
  ProgramIdOp asked;
  kernel.walk([&](ProgramIdOp op) {
    if (!asked)
      asked = op;
  });
  if (!asked)
    return;
  kernel.walk([&](StoreOp store) {
    // Programs that all write one number, a constant or an argument, do no harm.
    bool writesOneNumber =
        !isComputedFrom(store.getValue(), [](Operation *op) { return !isa<arith::ConstantOp, SplatOp>(op); });
    if (writesOneNumber || isComputedFrom(store.getPointer(), differsByProgram) ||
        (store.getMask() && isComputedFrom(store.getMask(), differsByProgram)) || isChosen(store))
      return;
    warn(store, Warning::SameAddressStore,
         "every program stores to the same addresses: they do not depend on the program id")
            .attachNote(asked.getLoc())
        << "the program id is read here; add tl.program_id(0) * BLOCK to the offsets, or let one program store";
  });
}

} // namespace tilewise::tile
