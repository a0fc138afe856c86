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
  void runOnOperation() override {
    // Engines convert between f16, bf16 and f32 by instructions.
    NarrowFloats bytes(16, [](Type type) { return type.isF16() || type.isBF16(); });
    getOperation().walk([&](DotOp dot) { widenOperands(dot, bytes); });
    if (Operation *unknown = bytes.run(getOperation())) {
      unknown->emitError("internal error: no conversion is known for a float of this type");
      signalPassFailure();
    }
  }

  /// Every 8-bit format fits into f16, which all dots are known for.
  static void widenOperands(DotOp dot, const NarrowFloats &bytes) {
    OpBuilder b(dot);
    for (unsigned index : {0, 1}) {
      Value operand = dot->getOperand(index);
      if (bytes.isNarrow(operand.getType()))
        dot->setOperand(
            index, b.create<arith::ExtFOp>(dot.getLoc(), withElementType(operand.getType(), b.getF16Type()), operand));
    }
  }
};

} // namespace

} // namespace tilewise::tile
