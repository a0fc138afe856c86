// cpu-expand-narrow-floats: arithmetic on f16, bf16 and the 8-bit formats -> f32 between
// conversions, and conversions -> integer ops (NarrowFloats.h).
//
// LLVM has no conversions for bf16 without AVX512-BF16 but a call to a function that libgcc may
// lack, so they are made of integer ops.
#include "passes/NarrowFloats.h"
#include "target/Refusal.h"
#include "target/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_EXPANDNARROWFLOATS
#include "target/cpu/Passes.h.inc"

namespace {

struct ExpandNarrowFloats : impl::ExpandNarrowFloatsBase<ExpandNarrowFloats> {
  ExpandNarrowFloats() = default;
  explicit ExpandNarrowFloats(const Machine &machine) : machine(machine) {}

  void runOnOperation() override {
    tile::NarrowFloats narrow(32, [this](Type type) { return type.isF16() && machine.hasHalf; });
    if (Operation *unknown = narrow.run(getOperation())) {
      refuse(unknown, "cpu", "on this float type");
      return signalPassFailure();
    }
    carryBytes();
  }

  /// 8-bit floats, which LLVM has no types for, are bytes from here on: all that is left of them
  /// moves bits.
  void carryBytes() {
    auto asBytes = [](Type type) -> Type {
      Type element = getElementTypeOrSelf(type);
      bool isByte = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
      Type byte = IntegerType::get(type.getContext(), 8);
      auto vector = dyn_cast<VectorType>(type);
      return !isByte ? type : vector ? Type(vector.clone(byte)) : byte;
    };
    SmallVector<arith::BitcastOp> casts;
    getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(asBytes(argument.getType()));
      for (OpResult result : op->getResults()) {
        Type bytes = asBytes(result.getType());
        if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && bytes != result.getType())
          constant.setValueAttr(bitsOf(constant.getValue(), bytes));
        result.setType(bytes);
      }
      if (auto cast = dyn_cast<arith::BitcastOp>(op))
        casts.push_back(cast);
    });
    for (arith::BitcastOp cast : casts)
      if (cast.getIn().getType() == cast.getType()) {
        cast.getResult().replaceAllUsesWith(cast.getIn());
        cast.erase();
      }
  }

  static TypedAttr bitsOf(TypedAttr value, Type type) {
    if (auto one = dyn_cast<FloatAttr>(value))
      return IntegerAttr::get(type, one.getValue().bitcastToAPInt());
    return cast<DenseElementsAttr>(value).bitcast(getElementTypeOrSelf(type));
  }

  Machine machine;
};

} // namespace

std::unique_ptr<Pass> createExpandNarrowFloatsPass(const Machine &machine) {
  return std::make_unique<ExpandNarrowFloats>(machine);
}

} // namespace tilewise::cpu
