// Math functions -> inline PTX around the special-function unit, with the care that keeps them
// within a few units in the last place.
//
// Bounds for f32, in ulp: sqrt 0.5 (IEEE), division 2 unless it must be exact, rsqrt 2, exp2 2, exp
// 3, both with results below 2^-126 flushed to 0. f16 and bf16 are computed in f32 and rounded.
// What has no instruction is a call of the device library (LibdeviceCalls.cpp).
#include "target/nvidia/NvidiaMachine.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// A result below 2^-126 is flushed to 0, as upstream's is: keeping it costs three instructions
/// more for each element, a fifth of all that attention executes.
Value exp2(gpu::Lowering &on, Value x) {
  return on.assembly("ex2.approx.ftz.f32 $0, $1;", "=f,f", on.builder.getF32Type(), x, /*effects=*/false);
}

/// x within [low, high]; NaN stays.
Value clamped(const NvidiaMachine &machine, gpu::Lowering &on, Value x, double low, double high) {
  Type f32 = on.builder.getF32Type();
  Value least = on.floatConstant(f32, low), most = on.floatConstant(f32, high);
  if (machine.capability >= 80) {
    x = on.assembly("max.NaN.f32 $0, $1, $2;", "=f,f,f", f32, {x, least}, /*effects=*/false);
    return on.assembly("min.NaN.f32 $0, $1, $2;", "=f,f,f", f32, {x, most}, /*effects=*/false);
  }
  x = on.select(on.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::olt, x, least), least, x);
  return on.select(on.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::ogt, x, most), most, x);
}

/// exp x = 2^t e^rest with t the product x log2 e, rounded, and rest = x - t ln 2 what rounding
/// took from it, so little that e^rest is 1 + rest. ln 2 is subtracted in two parts, of which the
/// second holds the digits that f32 cannot: without it the error grows to 5 ulp at x = 88, without
/// any rest to 14; with both it is below 1 where the power of two is exact. Beyond the bounds the
/// result is 0 or infinity anyway. The upper bound is 128 ln 2 rounded up, the first number whose
/// result is infinity, and its rest is above zero: an infinity times a rest of zero or less, added
/// to the infinity, would be no number.
Value exp(const NvidiaMachine &machine, gpu::Lowering &on, Value x) {
  Type f32 = on.builder.getF32Type();
  x = clamped(machine, on, x, -105, 0x1.62e43p+6);
  Value t = on.make<LLVM::FMulOp>(x, on.floatConstant(f32, 0x1.715476p+0));
  Value rest = on.make<LLVM::FMAOp>(t, on.floatConstant(f32, -0x1.62e43p-1), x);
  rest = on.make<LLVM::FMAOp>(t, on.floatConstant(f32, 0x1.05c61p-29), rest);
  Value power = exp2(on, t);
  return on.make<LLVM::FMAOp>(power, rest, power);
}

/// The device library's name for a function of the math dialect: of f64 it is libdevice's, of f32
/// one made for speed (library/Wrappers.cpp).
StringRef libraryName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::Log2Op>([](auto) { return "log2"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Default([](Operation *) { return StringRef(); });
}

} // namespace

Value NvidiaMachine::mathOp(gpu::Lowering &on, Operation *op, ValueRange operands) const {
  Value x = operands[0];
  Type type = x.getType();
  bool isF32 = type.isF32();
  auto instruction = [&](StringRef single, StringRef twice) {
    return on.assembly(((isF32 ? single : twice) + " $0, $1;").str(), isF32 ? "=f,f" : "=d,d", type, x,
                       /*effects=*/false);
  };
  Value value = llvm::TypeSwitch<Operation *, Value>(op)
                    .Case<math::AbsFOp>([&](auto) { return on.call("llvm.fabs", type, x); })
                    .Case<math::FloorOp>([&](auto) { return on.call("llvm.floor", type, x); })
                    .Case<math::CeilOp>([&](auto) { return on.call("llvm.ceil", type, x); })
                    .Case<math::TruncOp>([&](auto) { return on.call("llvm.trunc", type, x); })
                    .Case<math::RoundEvenOp>([&](auto) { return instruction("cvt.rni.f32.f32", "cvt.rni.f64.f64"); })
                    .Case<math::SqrtOp>([&](auto) { return instruction("sqrt.rn.f32", "sqrt.rn.f64"); })
                    .Case<math::RsqrtOp>([&](auto) -> Value {
                      if (isF32)
                        return instruction("rsqrt.approx.f32", "");
                      Value root = instruction("", "sqrt.rn.f64");
                      return on.make<LLVM::FDivOp>(on.floatConstant(type, 1), root);
                    })
                    .Case<math::ExpOp>([&](auto) { return isF32 ? exp(*this, on, x) : Value(); })
                    .Case<math::Exp2Op>([&](auto) { return isF32 ? exp2(on, x) : Value(); })
                    .Default([](Operation *) { return Value(); });
  if (value)
    return value;
  StringRef name = libraryName(op);
  if (name.empty())
    return {};
  return callLibrary(on, isF32 ? ("math_" + name + "f").str() : name.str(), type, operands);
}

} // namespace tilewise::nvidia
