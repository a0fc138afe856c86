// Float arithmetic, comparisons and conversions -> LLVM ops that NVPTX selects, and inline PTX
// where it has none.
//
// No op carries a fast-math flag. f16 is native; bf16 is widened to f32 and rounded back, which for
// one + - * is exact rounding because f32 has more than twice its digits. 8-bit formats have become
// bytes and integer ops before (tile-expand-narrow-floats).
#include "passes/Passes.h"
#include "target/Refusal.h"
#include "target/nvidia/NvidiaMachine.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::nvidia {

Value NvidiaMachine::toFloat(gpu::Lowering &on, Value value, Type from) const {
  Type f32 = on.builder.getF32Type();
  if (from.isBF16()) {
    Value bits = on.make<LLVM::ShlOp>(on.make<LLVM::ZExtOp>(on.builder.getI32Type(), value), on.i32(16));
    return on.make<LLVM::BitcastOp>(f32, bits);
  }
  return from.isF16() ? on.make<LLVM::FPExtOp>(f32, value) : value;
}

Value NvidiaMachine::fromFloat(gpu::Lowering &on, Value value, Type to) const {
  if (to.isF16())
    return on.make<LLVM::FPTruncOp>(to, value);
  if (!to.isBF16())
    return value;
  if (capability >= 80)
    return on.assembly("cvt.rn.bf16.f32 $0, $1;", "=h,f", on.builder.getI16Type(), value, /*effects=*/false);
  // Add half of the last kept digit, less one where that digit is even, and cut; a NaN must not be
  // carried into an infinity.
  Value bits = on.make<LLVM::BitcastOp>(on.builder.getI32Type(), value);
  Value odd = on.make<LLVM::AndOp>(on.make<LLVM::LShrOp>(bits, on.i32(16)), on.i32(1));
  Value rounded = on.make<LLVM::AddOp>(bits, on.make<LLVM::AddOp>(odd, on.i32(0x7fff)));
  Value isNan = on.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, value, value);
  Value kept = on.select(isNan, on.i32(0x7fffffff), rounded);
  return on.make<LLVM::TruncOp>(on.builder.getI16Type(), on.make<LLVM::LShrOp>(kept, on.i32(16)));
}

namespace {

/// The f32 next to `exact` towards zero, its last digit set when digits were lost: rounding that to
/// fewer digits is rounding `exact` once.
Value stickyFloat(gpu::Lowering &on, Value towardsZero, Value lostDigits) {
  Type i32 = on.builder.getI32Type();
  Value bits = on.make<LLVM::BitcastOp>(i32, towardsZero);
  bits = on.make<LLVM::OrOp>(bits, on.make<LLVM::ZExtOp>(i32, lostDigits));
  return on.make<LLVM::BitcastOp>(on.builder.getF32Type(), bits);
}

/// The integer as f32, rounded once more by whoever narrows it.
Value intToStickyFloat(gpu::Lowering &on, Value value, bool isSigned) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  std::string suffix = (isSigned ? "s" : "u") + std::to_string(width), letter = width == 32 ? "r" : "l";
  Value cut = on.assembly("cvt.rz.f32." + suffix + " $0, $1;", "=f," + letter, on.builder.getF32Type(), value,
                          /*effects=*/false);
  Value back = on.assembly("cvt.rzi." + suffix + ".f32 $0, $1;", "=" + letter + ",f", value.getType(), cut,
                           /*effects=*/false);
  return stickyFloat(on, cut, on.compare(LLVM::ICmpPredicate::ne, back, value));
}

Value intToFloat(const NvidiaMachine &machine, gpu::Lowering &on, Value value, Type to, bool isSigned) {
  auto plain = [&](Type type) -> Value {
    return isSigned ? on.make<LLVM::SIToFPOp>(type, value) : on.make<LLVM::UIToFPOp>(type, value);
  };
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (!to.isBF16() && !(to.isF16() && width > 32))
    return plain(to);
  if (width < 32)
    return machine.fromFloat(on, plain(on.builder.getF32Type()), to);
  return machine.fromFloat(on, intToStickyFloat(on, value, isSigned), to);
}

/// maximum and minimum give NaN for a NaN; maxnum and minnum the other operand.
Value minOrMax(const NvidiaMachine &machine, gpu::Lowering &on, Value a, Value b, bool isMax, bool keepsNan) {
  Type type = a.getType();
  StringRef name = isMax ? "llvm.maxnum" : "llvm.minnum";
  Value ordered = on.call(name, type, {a, b});
  if (!keepsNan)
    return ordered;
  if (type.isF32() && machine.capability >= 80)
    return on.assembly(isMax ? "max.NaN.f32 $0, $1, $2;" : "min.NaN.f32 $0, $1, $2;", "=f,f,f", type, {a, b},
                       /*effects=*/false);
  Value isNan = on.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::uno, a, b);
  return on.select(isNan, on.make<LLVM::FAddOp>(a, b), ordered);
}

/// Rounded once. Before sm_80 through f64, which holds the product exactly, and the sum unless its
/// parts lie 37 binary digits apart.
Value fmaBf16(const NvidiaMachine &machine, gpu::Lowering &on, ValueRange x) {
  if (machine.capability >= 80)
    return on.assembly("fma.rn.bf16 $0, $1, $2, $3;", "=h,h,h,h", on.builder.getI16Type(), x, /*effects=*/false);
  Type bf16 = on.builder.getBF16Type(), f64 = on.builder.getF64Type();
  SmallVector<Value, 3> wide;
  for (Value value : x)
    wide.push_back(machine.convertFloat(on, value, bf16, f64));
  return machine.convertFloat(on, on.make<LLVM::FMAOp>(wide[0], wide[1], wide[2]), f64, bf16);
}

/// A quotient may be 2 ulp off unless the kernel asked for more: what `div.full` is, in a fifth of
/// the instructions.
Value quotient(gpu::Lowering &on, Operation *op, Value a, Value b) {
  if (!a.getType().isF32() || op->hasAttr(kExactAttr))
    return on.make<LLVM::FDivOp>(a, b);
  return on.assembly("div.full.f32 $0, $1, $2;", "=f,f,f", a.getType(), {a, b}, /*effects=*/false);
}

/// Of the bits of two floats of one type.
Value copySign(gpu::Lowering &on, Value magnitude, Value sign) {
  Type type = magnitude.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = on.builder.getIntegerType(width);
  auto asBits = [&](Value x) -> Value { return x.getType() == bits ? x : on.make<LLVM::BitcastOp>(bits, x); };
  Value mask = on.make<LLVM::ConstantOp>(bits, on.builder.getIntegerAttr(bits, APInt::getSignMask(width)));
  Value rest = on.make<LLVM::ConstantOp>(bits, on.builder.getIntegerAttr(bits, ~APInt::getSignMask(width)));
  Value joined =
      on.make<LLVM::OrOp>(on.make<LLVM::AndOp>(asBits(magnitude), rest), on.make<LLVM::AndOp>(asBits(sign), mask));
  return type == bits ? joined : on.make<LLVM::BitcastOp>(type, joined);
}

} // namespace

Value NvidiaMachine::convertFloat(gpu::Lowering &on, Value value, Type from, Type to) const {
  if (from == to)
    return value;
  unsigned width = from.getIntOrFloatBitWidth();
  if (from.isF64() && to.isBF16()) {
    Value cut = on.assembly("cvt.rz.f32.f64 $0, $1;", "=f,d", on.builder.getF32Type(), value, /*effects=*/false);
    Value back = on.make<LLVM::FPExtOp>(from, cut);
    // A NaN compares unordered: its last digit may be set as well.
    return fromFloat(on, stickyFloat(on, cut, on.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::une, back, value)), to);
  }
  if (width < 32 && to.isF64())
    return on.make<LLVM::FPExtOp>(to, toFloat(on, value, from));
  if (width < 32)
    return fromFloat(on, toFloat(on, value, from), to);
  if (to.getIntOrFloatBitWidth() > width)
    return on.make<LLVM::FPExtOp>(to, value);
  return to.isBF16() ? fromFloat(on, value, to) : on.make<LLVM::FPTruncOp>(to, value);
}

Value NvidiaMachine::floatOp(gpu::Lowering &on, Operation *op, ValueRange operands) const {
  Type source = op->getNumOperands() ? tile::elementTypeOf(op->getOperand(0).getType()) : Type(),
       result = tile::elementTypeOf(op->getResult(0).getType());
  auto none = [&]() -> Value {
    refuse(op, "nvidia");
    return {};
  };
  auto isByte = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16; };
  if (!source || isByte(source) || isByte(result))
    return none();
  // Conversions look at both types themselves.
  if (tile::convertsFloats(op))
    return convertFloat(on, operands[0], source, result);
  if (tile::convertsIntegersToFloats(op))
    return intToFloat(*this, on, operands[0], result, isa<arith::SIToFPOp>(op));
  if (auto conversion = dyn_cast<tile::FloatToInteger>(op))
    return on.call(conversion.isSigned() ? "llvm.fptosi.sat" : "llvm.fptoui.sat", on.registerType(result),
                   toFloat(on, operands[0], source));
  if (isa<math::FmaOp>(op) && source.isF16())
    return on.make<LLVM::FMAOp>(operands[0], operands[1], operands[2]);
  if (isa<math::FmaOp>(op) && source.isBF16())
    return fmaBf16(*this, on, operands);
  if (isa<math::CopySignOp>(op))
    return copySign(on, operands[0], operands[1]);

  bool isNarrow = source.isBF16() || (source.isF16() && isa<math::MathDialect>(op->getDialect()));
  auto extreme = tile::floatExtreme(op);
  isNarrow |= source.isF16() && (extreme || isa<arith::DivFOp, arith::RemFOp>(op));
  SmallVector<Value, 3> x(operands);
  if (isNarrow)
    for (Value &value : x)
      value = toFloat(on, value, source);
  if (auto compareOp = dyn_cast<arith::CmpFOp>(op))
    return on.make<LLVM::FCmpOp>(static_cast<LLVM::FCmpPredicate>(compareOp.getPredicate()), x[0], x[1]);

  Value value = extreme ? minOrMax(*this, on, x[0], x[1], extreme->isLargest, extreme->givesNan)
                        : llvm::TypeSwitch<Operation *, Value>(op)
                              .Case<arith::AddFOp>([&](auto) { return on.make<LLVM::FAddOp>(x[0], x[1]); })
                              .Case<arith::SubFOp>([&](auto) { return on.make<LLVM::FSubOp>(x[0], x[1]); })
                              .Case<arith::MulFOp>([&](auto) { return on.make<LLVM::FMulOp>(x[0], x[1]); })
                              .Case<arith::DivFOp>([&](auto) { return quotient(on, op, x[0], x[1]); })
                              .Case<arith::NegFOp>([&](auto) { return on.make<LLVM::FNegOp>(x[0]); })
                              .Case<arith::RemFOp>([&](auto) {
                                return callLibrary(on, x[0].getType().isF64() ? "fmod" : "fmodf", x[0].getType(), x);
                              })
                              .Case<math::FmaOp>([&](auto) { return on.make<LLVM::FMAOp>(x[0], x[1], x[2]); })
                              .Default([&](Operation *) {
                                return isa<math::MathDialect>(op->getDialect()) ? mathOp(on, op, x) : Value();
                              });
  if (!value)
    return none();
  return isNarrow ? fromFloat(on, value, result) : value;
}

} // namespace tilewise::nvidia
