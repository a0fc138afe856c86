// Math functions made of arithmetic on scalars or vectors of f32 or f64, without branches or
// tables.
//
// Bounds, in units of the last place of the exact result (ulp), over the whole range unless said
// otherwise; NaN gives NaN:
//
//     f32   exp, exp2  1      denormal results included; -inf gives 0, overflow gives inf
//           log, log2  2      0 gives -inf, negative gives NaN, denormal operands included
//           rsqrt      1.5    by square root and division
//           sin, cos   2      by this code for |x| up to 2^20, by libdevice's function beyond; infinities give NaN
//           tanh, erf  4
//     f64   exp, exp2  2
//           log, log2  2
//           sin, cos   2      as those of f32
//           tanh, erf, log1p, expm1, pow, log10, atan, atan2, asin, acos
//                      4      where the processor has FMA, else calls (DoubleFunctions.cpp)
//
// Formats below f32 are computed in f32. Functions of libdevice on f32 that have a simple formula
// in f64 are that (LibdeviceFunctions.cpp), within 1 ulp. All others are calls (HostCalls.h).
//
// test/unit/cpu/MathTest.cpp measures them.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilewise::cpu {

/// Builds ops on one float type, scalar or vector, and on the integers of its width.
struct MathLanes {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  bool hasFma;
  bool hasScale = false;
  bool hasRange = false;

  bool isF64() const;
  int64_t bias() const { return isF64() ? 1023 : 127; } ///< Of the exponent.
  mlir::Type integers() const;
  mlir::Value constant(double value);
  mlir::Value integer(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value bits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);
  mlir::Value less(mlir::Value x, mlir::Value y); ///< False for NaN.
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value addI(mlir::Value x, mlir::Value y);
  mlir::Value subI(mlir::Value x, mlir::Value y);
  mlir::Value andI(mlir::Value x, mlir::Value y);
  mlir::Value orI(mlir::Value x, mlir::Value y);
  mlir::Value shl(mlir::Value x, int64_t by);
  mlir::Value shrS(mlir::Value x, int64_t by);
  mlir::Value toFloat(mlir::Value integer);
  /// coefficients[0] * x^n + ... + coefficients[n], by Horner's rule.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);
};

/// The nearest integer to a float of moderate size, as float and as integer: adding 1.5 *
/// 2^(mantissa bits) rounds it into the last place. No conversion instruction is asked about NaN.
struct Rounded {
  mlir::Value asFloat, asInteger;
};
Rounded roundToInteger(MathLanes &lanes, mlir::Value x, double scale);

/// The same n as an exponent: an integer whose low bits are n + 2 * bias, which are the bits of
/// what was added to.
struct Exponent {
  mlir::Value asFloat, biased;
};
Exponent roundToExponent(MathLanes &lanes, mlir::Value x, double scale);

/// x * 2^n for |n| below twice the bias.
mlir::Value scaleByPower(MathLanes &lanes, mlir::Value x, Exponent by);

/// e^(x + tail), the tail being below the last places of x.
mlir::Value exponential(MathLanes &lanes, mlir::Value x, mlir::Value tail = {});

/// The value of `op` (of the math dialect, or a float maximum or minimum of arith, exact to the
/// sign of zero) for operands of type lanes.type; null when the op is an instruction or unknown.
mlir::Value expandMathFunction(MathLanes &lanes, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

/// The value of a function of libdevice on f32 by arithmetic in f64 and ops of the math dialect, or
/// of one on f64; null when there is none of that name.
mlir::Value expandLibraryFunction(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef symbol,
                                  llvm::ArrayRef<mlir::Value> operands, bool hasFma, bool hasScale);

} // namespace tilewise::cpu
