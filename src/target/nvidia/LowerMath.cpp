// Math functions -> inline PTX around the special-function unit, with the care that keeps them within a few units in the last place.
//
// Bounds for f32, in ulp: sqrt and division 0.5 (IEEE), rsqrt 2, exp and exp2 3. f16 and bf16 are computed in f32 and rounded. f64: sqrt only.
#include "target/nvidia/Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewise::nv {

namespace {

/// 2^(n + f) for |f| <= 1/2 and an integral n. ex2.approx is good to 2 ulp on f; the scale goes in two steps because 2^n itself leaves the
/// range where the product does not (n = 128, and results below the smallest normal number).
Value scaledExp2(Lowering &on, Value n, Value f) {
  Type f32 = on.builder.getF32Type(), i32 = on.builder.getI32Type();
  Value power = on.ptx("ex2.approx.f32 $0, $1;", "=f,f", f32, f, /*effects=*/false);
  // 2^-252 and 2^254 already take any power of f to 0 and infinity. The PTX conversion saturates and takes NaN to 0.
  Value whole = on.ptx("cvt.rni.s32.f32 $0, $1;", "=r,f", i32, n, /*effects=*/false);
  whole = on.make<LLVM::SMaxOp>(on.make<LLVM::SMinOp>(whole, on.i32(254)), on.i32(-252));
  Value half = on.make<LLVM::AShrOp>(whole, on.i32(1));
  Value rest = on.make<LLVM::SubOp>(whole, half);
  auto powerOfTwo = [&](Value exponent) {
    Value bits = on.make<LLVM::ShlOp>(on.make<LLVM::AddOp>(exponent, on.i32(127)), on.i32(23));
    return on.make<LLVM::BitcastOp>(f32, bits);
  };
  return on.make<LLVM::FMulOp>(on.make<LLVM::FMulOp>(power, powerOfTwo(half)), powerOfTwo(rest));
}

Value roundToIntegral(Lowering &on, Value x) {
  return on.ptx("cvt.rni.f32.f32 $0, $1;", "=f,f", on.builder.getF32Type(), x, /*effects=*/false);
}

/// exp x = 2^(x * log2 e): n is the nearest integer to the product, f the rest, taken from the exact product by fma and a second constant
/// with the digits of log2 e that f32 cannot hold. Without it the error grows to 14 ulp at x = 88.
Value exp(Lowering &on, Value x) {
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

Value exp2(Lowering &on, Value x) {
  Type f32 = on.builder.getF32Type();
  Value n = roundToIntegral(on, x);
  n = on.call("llvm.minnum", f32, {n, on.floatConstant(f32, 254.0)});
  n = on.call("llvm.maxnum", f32, {n, on.floatConstant(f32, -252.0)});
  return scaledExp2(on, n, on.make<LLVM::FSubOp>(x, n));
}

} // namespace

Value Lowering::lowerMath(Operation *op, Value x) {
  Type type = x.getType();
  bool isF32 = type.isF32();
  auto approximate = [&](StringRef name) {
    return ptx((name + ".approx.f32 $0, $1;").str(), "=f,f", type, x, /*effects=*/false);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::AbsFOp>([&](auto) { return call("llvm.fabs", type, x); })
      .Case<math::FloorOp>([&](auto) { return call("llvm.floor", type, x); })
      .Case<math::CeilOp>([&](auto) { return call("llvm.ceil", type, x); })
      .Case<math::SqrtOp>([&](auto) {
        return ptx(isF32 ? "sqrt.rn.f32 $0, $1;" : "sqrt.rn.f64 $0, $1;", isF32 ? "=f,f" : "=d,d", type, x, false);
      })
      .Case<math::RsqrtOp>([&](auto) { return isF32 ? approximate("rsqrt") : Value(); })
      .Case<math::ExpOp>([&](auto) { return isF32 ? exp(*this, x) : Value(); })
      .Case<math::Exp2Op>([&](auto) { return isF32 ? exp2(*this, x) : Value(); })
      .Default([](Operation *) { return Value(); });
}

} // namespace tilewise::nv
