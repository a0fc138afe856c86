// Float arithmetic, comparisons and conversions -> LLVM ops that NVPTX selects, and inline PTX where it has none.
//
// No op carries a fast-math flag. f16 is native; bf16 is widened to f32 and rounded back, which for one + - * is exact rounding because f32
// has more than twice its digits.
#include "target/Refusal.h"
#include "target/nvidia/Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewise::nv {

Value Lowering::toFloat(Value value, Type from) {
  Type f32 = builder.getF32Type();
  if (from.isBF16()) {
    Value bits = make<LLVM::ShlOp>(make<LLVM::ZExtOp>(builder.getI32Type(), value), i32(16));
    return make<LLVM::BitcastOp>(f32, bits);
  }
  return from.isF16() ? make<LLVM::FPExtOp>(f32, value) : value;
}

Value Lowering::fromFloat(Value value, Type to) {
  if (to.isF16())
    return make<LLVM::FPTruncOp>(to, value);
  if (!to.isBF16())
    return value;
  if (capability >= 80)
    return ptx("cvt.rn.bf16.f32 $0, $1;", "=h,f", builder.getI16Type(), value, /*effects=*/false);
  // Add half of the last kept digit, less one where that digit is even, and cut; a NaN must not be carried into an infinity.
  Value bits = make<LLVM::BitcastOp>(builder.getI32Type(), value);
  Value odd = make<LLVM::AndOp>(make<LLVM::LShrOp>(bits, i32(16)), i32(1));
  Value rounded = make<LLVM::AddOp>(bits, make<LLVM::AddOp>(odd, i32(0x7fff)));
  Value isNan = make<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, value, value);
  Value kept = select(isNan, i32(0x7fffffff), rounded);
  return make<LLVM::TruncOp>(builder.getI16Type(), make<LLVM::LShrOp>(kept, i32(16)));
}

/// The f32 next to `exact` towards zero, its last digit set when digits were lost: rounding that to fewer digits is rounding `exact` once.
static Value stickyFloat(Lowering &on, Value towardsZero, Value lostDigits) {
  Type i32 = on.builder.getI32Type();
  Value bits = on.make<LLVM::BitcastOp>(i32, towardsZero);
  bits = on.make<LLVM::OrOp>(bits, on.make<LLVM::ZExtOp>(i32, lostDigits));
  return on.make<LLVM::BitcastOp>(on.builder.getF32Type(), bits);
}

Value Lowering::convertFloat(Value value, Type from, Type to) {
  if (from == to)
    return value;
  unsigned width = from.getIntOrFloatBitWidth();
  if (from.isF64() && to.isBF16()) {
    Value cut = ptx("cvt.rz.f32.f64 $0, $1;", "=f,d", builder.getF32Type(), value, /*effects=*/false);
    Value back = make<LLVM::FPExtOp>(from, cut);
    // A NaN compares unordered: its last digit may be set as well.
    return fromFloat(stickyFloat(*this, cut, make<LLVM::FCmpOp>(LLVM::FCmpPredicate::une, back, value)), to);
  }
  if (width < 32 && to.isF64())
    return make<LLVM::FPExtOp>(to, toFloat(value, from));
  if (width < 32)
    return fromFloat(toFloat(value, from), to);
  if (to.getIntOrFloatBitWidth() > width)
    return make<LLVM::FPExtOp>(to, value);
  return to.isBF16() ? fromFloat(value, to) : make<LLVM::FPTruncOp>(to, value);
}

static Value intToFloat(Lowering &on, Value value, Type to, bool isSigned) {
  auto plain = [&](Type type) -> Value {
    return isSigned ? on.make<LLVM::SIToFPOp>(type, value) : on.make<LLVM::UIToFPOp>(type, value);
  };
  if (!to.isBF16())
    return plain(to);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < 32)
    return on.fromFloat(plain(on.builder.getF32Type()), to);
  Type wide = width == 32 ? on.builder.getI32Type() : on.builder.getI64Type();
  std::string suffix = (isSigned ? "s" : "u") + std::to_string(width);
  std::string letter = width == 32 ? "r" : "l";
  Value cut =
      on.ptx("cvt.rz.f32." + suffix + " $0, $1;", "=f," + letter, on.builder.getF32Type(), value, /*effects=*/false);
  Value back = on.ptx("cvt.rzi." + suffix + ".f32 $0, $1;", "=" + letter + ",f", wide, cut, /*effects=*/false);
  return on.fromFloat(stickyFloat(on, cut, on.compare(LLVM::ICmpPredicate::ne, back, value)), to);
}

/// maximum and minimum give NaN for a NaN; maxnum and minnum the other operand.
static Value minOrMax(Lowering &on, Value a, Value b, bool isMax, bool keepsNan) {
  Type type = a.getType();
  StringRef name = isMax ? "llvm.maxnum" : "llvm.minnum";
  Value ordered = on.call(name, type, {a, b});
  if (!keepsNan)
    return ordered;
  if (type.isF32() && on.capability >= 80)
    return on.ptx(isMax ? "max.NaN.f32 $0, $1, $2;" : "min.NaN.f32 $0, $1, $2;", "=f,f,f", type, {a, b},
                  /*effects=*/false);
  Value isNan = on.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, a, b);
  return on.select(isNan, on.make<LLVM::FAddOp>(a, b), ordered);
}

/// Rounded once. Before sm_80 through f64, which holds the product exactly, and the sum unless its parts lie 37 binary digits apart.
static Value fmaBf16(Lowering &on, ValueRange x) {
  if (on.capability >= 80)
    return on.ptx("fma.rn.bf16 $0, $1, $2, $3;", "=h,h,h,h", on.builder.getI16Type(), x, /*effects=*/false);
  Type bf16 = on.builder.getBF16Type(), f64 = on.builder.getF64Type();
  SmallVector<Value, 3> wide;
  for (Value value : x)
    wide.push_back(on.convertFloat(value, bf16, f64));
  return on.convertFloat(on.make<LLVM::FMAOp>(wide[0], wide[1], wide[2]), f64, bf16);
}

Value Lowering::lowerFloat(Operation *op, ValueRange operands) {
  Type source = tile::elementTypeOf(op->getOperand(0).getType()),
       result = tile::elementTypeOf(op->getResult(0).getType());
  // Conversions look at both types themselves.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    unsigned least = std::min(source.getIntOrFloatBitWidth(), result.getIntOrFloatBitWidth());
    return least < 16 ? (refuse(op, "nvidia", "on 8-bit floats"), Value()) : convertFloat(operands[0], source, result);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return intToFloat(*this, operands[0], result, isa<arith::SIToFPOp>(op));
  if (isa<tile::FpToSiOp, tile::FpToUiOp>(op))
    return call(isa<tile::FpToSiOp>(op) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", registerType(result),
                toFloat(operands[0], source));

  if (isa<math::FmaOp>(op) && source.isF16())
    return make<LLVM::FMAOp>(operands[0], operands[1], operands[2]);
  if (isa<math::FmaOp>(op) && source.isBF16())
    return fmaBf16(*this, operands);

  bool isNarrow = source.isBF16() || (source.isF16() && isa<math::MathDialect>(op->getDialect()));
  isNarrow |= source.isF16() && isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
  SmallVector<Value, 3> x(operands);
  if (isNarrow)
    for (Value &value : x)
      value = toFloat(value, source);
  if (auto compareOp = dyn_cast<arith::CmpFOp>(op))
    return make<LLVM::FCmpOp>(static_cast<LLVM::FCmpPredicate>(compareOp.getPredicate()), x[0], x[1]);

  Value value = llvm::TypeSwitch<Operation *, Value>(op)
                    .Case<arith::AddFOp>([&](auto) { return make<LLVM::FAddOp>(x[0], x[1]); })
                    .Case<arith::SubFOp>([&](auto) { return make<LLVM::FSubOp>(x[0], x[1]); })
                    .Case<arith::MulFOp>([&](auto) { return make<LLVM::FMulOp>(x[0], x[1]); })
                    .Case<arith::DivFOp>([&](auto) { return make<LLVM::FDivOp>(x[0], x[1]); })
                    .Case<arith::NegFOp>([&](auto) { return make<LLVM::FNegOp>(x[0]); })
                    .Case<arith::MaximumFOp>([&](auto) { return minOrMax(*this, x[0], x[1], true, true); })
                    .Case<arith::MinimumFOp>([&](auto) { return minOrMax(*this, x[0], x[1], false, true); })
                    .Case<arith::MaxNumFOp>([&](auto) { return minOrMax(*this, x[0], x[1], true, false); })
                    .Case<arith::MinNumFOp>([&](auto) { return minOrMax(*this, x[0], x[1], false, false); })
                    .Case<math::FmaOp>([&](auto) { return make<LLVM::FMAOp>(x[0], x[1], x[2]); })
                    .Default([&](Operation *) {
                      return isa<math::MathDialect>(op->getDialect()) ? lowerMath(op, x[0]) : Value();
                    });
  if (!value) {
    refuse(op, "nvidia");
    return {};
  }
  return isNarrow ? fromFloat(value, result) : value;
}

} // namespace tilewise::nv
