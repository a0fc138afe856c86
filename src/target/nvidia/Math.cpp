// Math functions -> inline PTX around the special-function unit, with the care that keeps them within a few units in the last place.
//
// Bounds for f32, in ulp: sqrt and division 0.5 (IEEE), rsqrt 2, exp and exp2 3. f16 and bf16 are computed in f32 and rounded. What has
// no instruction is a call of the device library (Library.cpp).
#include "target/nvidia/NvidiaMachine.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// 2^(n + f) for |f| <= 1/2 and an integral n. ex2.approx is good to 2 ulp on f; the scale goes in two steps because 2^n itself leaves the
/// range where the product does not (n = 128, and results below the smallest normal number).
Value scaledExp2(gpu::Lowering &on, Value n, Value f) {
  Type f32 = on.builder.getF32Type(), i32 = on.builder.getI32Type();
  Value power = on.assembly("ex2.approx.f32 $0, $1;", "=f,f", f32, f, /*effects=*/false);
  // 2^-252 and 2^254 already take any power of f to 0 and infinity. The PTX conversion saturates and takes NaN to 0.
  Value whole = on.assembly("cvt.rni.s32.f32 $0, $1;", "=r,f", i32, n, /*effects=*/false);
  whole = on.make<LLVM::SMaxOp>(on.make<LLVM::SMinOp>(whole, on.i32(254)), on.i32(-252));
  Value half = on.make<LLVM::AShrOp>(whole, on.i32(1));
  Value rest = on.make<LLVM::SubOp>(whole, half);
  auto powerOfTwo = [&](Value exponent) {
    Value bits = on.make<LLVM::ShlOp>(on.make<LLVM::AddOp>(exponent, on.i32(127)), on.i32(23));
    return on.make<LLVM::BitcastOp>(f32, bits);
  };
  return on.make<LLVM::FMulOp>(on.make<LLVM::FMulOp>(power, powerOfTwo(half)), powerOfTwo(rest));
}

Value roundToIntegral(gpu::Lowering &on, Value x) {
  return on.assembly("cvt.rni.f32.f32 $0, $1;", "=f,f", on.builder.getF32Type(), x, /*effects=*/false);
}

/// exp x = 2^(x * log2 e): n is the nearest integer to the product, f the rest, taken from the exact product by fma and a second constant
/// with the digits of log2 e that f32 cannot hold. Without it the error grows to 14 ulp at x = 88.
Value exp(gpu::Lowering &on, Value x) {
  Type f32 = on.builder.getF32Type();
  Value log2e = on.floatConstant(f32, 0x1.715476p+0), log2eLow = on.floatConstant(f32, 0x1.4ae0bep-26);
  Value n = roundToIntegral(on, on.make<LLVM::FMulOp>(x, log2e));
  // Beyond the range where results differ from 0 and infinity n need not follow x; bounded, it also keeps f finite for finite x.
  Value high = on.floatConstant(f32, 254.0), low = on.floatConstant(f32, -252.0);
  n = on.call("llvm.minnum", f32, {n, high});
  n = on.call("llvm.maxnum", f32, {n, low});
  Value f = on.make<LLVM::FMAOp>(x, log2e, on.make<LLVM::FNegOp>(n));
  f = on.make<LLVM::FMAOp>(x, log2eLow, f);
  return scaledExp2(on, n, f);
}

Value exp2(gpu::Lowering &on, Value x) {
  Type f32 = on.builder.getF32Type();
  Value n = roundToIntegral(on, x);
  n = on.call("llvm.minnum", f32, {n, on.floatConstant(f32, 254.0)});
  n = on.call("llvm.maxnum", f32, {n, on.floatConstant(f32, -252.0)});
  return scaledExp2(on, n, on.make<LLVM::FSubOp>(x, n));
}

/// The device library's name for a function of the math dialect: of f64 it is libdevice's, of f32 one made for speed (library/Wrappers.cpp).
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
                    .Case<math::ExpOp>([&](auto) { return isF32 ? exp(on, x) : Value(); })
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
