// gpu-expand-precision: an f32 dot that may round its operands to several narrow parts becomes one
// dot for each pair of parts that counts, where matrix instructions multiply such parts.
//
//     a = a0 + a1 + ..., b likewise; each part has the leading bits of what those before it leave
//     tf32x3    a0 b0 + a0 b1 + a1 b0                             11 bits each, 22 in all
//     bf16x3    a0 b0 + a0 b1 + a1 b0                             8 bits each, 16 in all
//     bf16x6    a0 b0 + a0 b1 + a1 b0 + a1 b1 + a0 b2 + a2 b0     8 bits each, all 24
//
// A part is cut off, not rounded: the rest is exact, and an infinity keeps its leading part. Its
// rest is a NaN, as is infinity times a rest of zero; these are no part of the sum.
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_EXPANDPRECISION
#include "target/gpu/Passes.h.inc"

namespace {

class Expansion {
public:
  explicit Expansion(tile::DotOp dot)
      : dot_(dot), builder_(dot), loc_(dot.getLoc()), precision_(dot.getPrecision()),
        isTf32_(precision_ == tile::Precision::tf32x3), parts_(precision_ == tile::Precision::bf16x6 ? 3 : 2) {}

  void run() {
    SmallVector<Value> a = partsOf(dot_.getA()), b = partsOf(dot_.getB());
    // The smallest first; what they add up to is then still small.
    Value rest = zero(dot_.getType());
    for (unsigned order = parts_; order-- > 1;)
      for (unsigned i = 0; i <= order; ++i)
        rest = multiply(a[i], b[order - i], rest);
    Value isNumber = builder_.create<arith::CmpFOp>(loc_, arith::CmpFPredicate::ORD, rest, rest);
    rest = builder_.create<arith::SelectOp>(loc_, isNumber, rest, zero(dot_.getType()));
    Value sum = multiply(a[0], b[0], dot_.getAcc());
    sum = builder_.create<arith::AddFOp>(loc_, sum, rest);
    dot_.replaceAllUsesWith(sum);
    dot_.erase();
  }

  /// Whether a matrix instruction multiplies the parts.
  bool fits(const Machine &machine, unsigned warps) {
    auto part = [&](Value operand) { return zero(isTf32_ ? operand.getType() : narrow(operand)); };
    Operation *made[] = {part(dot_.getA()).getDefiningOp(), part(dot_.getB()).getDefiningOp(), nullptr};
    made[2] = multiply(made[0]->getResult(0), made[1]->getResult(0), dot_.getAcc()).getDefiningOp();
    bool result = !machine.matrixInstructionFor(cast<tile::DotOp>(made[2]), {}, warps).name.empty();
    for (Operation *op : llvm::reverse(made))
      op->erase();
    return result;
  }

private:
  SmallVector<Value> partsOf(Value operand) {
    SmallVector<Value> parts;
    Type type = narrow(operand);
    for (unsigned i = 0; i < parts_; ++i) {
      // The last part is the nearest to all that is left.
      Value part = i + 1 < parts_ ? leading(operand) : operand;
      parts.push_back(isTf32_ ? part : builder_.create<arith::TruncFOp>(loc_, type, part));
      if (i + 1 < parts_)
        operand = builder_.create<arith::SubFOp>(loc_, operand, part);
    }
    return parts;
  }

  Type narrow(Value operand) { return tile::withElementType(operand.getType(), builder_.getBF16Type()); }

  /// The leading bits of an f32: as many as a part has.
  Value leading(Value value) {
    Type bits = tile::withElementType(value.getType(), builder_.getI32Type());
    int32_t mask = isTf32_ ? int32_t(0xffffe000) : int32_t(0xffff0000);
    Value kept = builder_.create<arith::ConstantOp>(
        loc_, DenseElementsAttr::get(cast<RankedTensorType>(bits), builder_.getI32IntegerAttr(mask)));
    Value all = builder_.create<arith::BitcastOp>(loc_, bits, value);
    return builder_.create<arith::BitcastOp>(loc_, value.getType(), builder_.create<arith::AndIOp>(loc_, all, kept));
  }

  Value multiply(Value a, Value b, Value acc) {
    return builder_.create<tile::DotOp>(loc_, dot_.getType(), a, b, acc, tile::Precision::tf32);
  }

  Value zero(Type type) { return builder_.create<arith::ConstantOp>(loc_, builder_.getZeroAttr(type)); }

  tile::DotOp dot_;
  OpBuilder builder_;
  Location loc_;
  tile::Precision precision_;
  bool isTf32_;
  unsigned parts_;
};

struct ExpandPrecision : impl::ExpandPrecisionBase<ExpandPrecision> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      getOperation().emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    SmallVector<tile::DotOp> dots;
    getOperation().walk([&](tile::DotOp dot) {
      if (tile::elementTypeOf(dot.getA().getType()).isF32() && tile::elementTypeOf(dot.getType()).isF32() &&
          llvm::is_contained({tile::Precision::tf32x3, tile::Precision::bf16x3, tile::Precision::bf16x6},
                             dot.getPrecision()))
        dots.push_back(dot);
    });
    for (tile::DotOp dot : dots)
      if (Expansion expansion(dot); expansion.fits(*target, numWarps))
        expansion.run();
  }
};

} // namespace

} // namespace tilewise::gpu
