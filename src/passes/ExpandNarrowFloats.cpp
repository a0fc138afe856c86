// tile-expand-narrow-floats: arithmetic on the 8-bit floats -> f32 between conversions, and
// conversions -> integer ops.
#include "ir/Tile.h"
#include "passes/NarrowFloats.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_EXPANDNARROWFLOATS
#include "passes/Passes.h.inc"

namespace {

struct ExpandNarrowFloats : impl::ExpandNarrowFloatsBase<ExpandNarrowFloats> {
  using Base::Base;

  void runOnOperation() override {
    // Engines convert between f16, bf16 and f32 by instructions.
    NarrowFloats bytes(16, [](Type type) { return type.isF16() || type.isBF16(); });
    getOperation().walk([&](Operation *op) {
      // Every 8-bit format fits into f16, which all dots are known for; some engines multiply them
      // as they are.
      if (isa<DotOp>(op) && (takesNarrow.empty() || !op->hasAttr(takesNarrow)))
        widen(op->getOpOperands().take_front(2), Builder(op).getF16Type(), bytes);
      if (isa<PrintOp>(op))
        widen(op->getOpOperands(), Builder(op).getF32Type(), bytes);
    });
    if (Operation *unknown = bytes.run(getOperation())) {
      unknown->emitError("internal error: no conversion is known for a float of this type");
      signalPassFailure();
    }
  }

  static void widen(MutableArrayRef<OpOperand> operands, Type wide, const NarrowFloats &bytes) {
    for (OpOperand &operand : operands) {
      Value value = operand.get();
      if (!bytes.isNarrow(value.getType()))
        continue;
      OpBuilder b(operand.getOwner());
      operand.set(b.create<arith::ExtFOp>(operand.getOwner()->getLoc(), withElementType(value.getType(), wide), value));
    }
  }
};

} // namespace

} // namespace tilewise::tile
