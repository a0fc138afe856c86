// Functions of libdevice on lanes of f32, computed in f64: there simple formulas have twenty bits
// to spare, so that the one rounding at the end gives nearly always the result that the library
// gives.
#include "target/cpu/HostCalls.h"
#include "target/cpu/math/MathDouble.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace mlir;

namespace tilewise::cpu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kPi = 3.14159265358979323846;

/// Exponentials, logarithms, sines and cosines are expanded further by cpu-expand-math.
template <typename Op> Value call(MathLanes &l, Value x) { return l.b.create<Op>(l.loc, x); }
Value exp(MathLanes &l, Value x) { return call<math::ExpOp>(l, x); }
Value log(MathLanes &l, Value x) { return call<math::LogOp>(l, x); }
Value times(MathLanes &l, Value x, double factor) { return l.mul(x, l.constant(factor)); }
Value plus(MathLanes &l, Value x, double addend) { return l.add(x, l.constant(addend)); }
Value withSign(MathLanes &l, Value x, Value like) { return l.b.create<math::CopySignOp>(l.loc, x, like); }
Value negate(MathLanes &l, Value x) { return l.b.create<arith::NegFOp>(l.loc, x); }
Value both(MathLanes &l, Value x, Value y) { return l.b.create<arith::AndIOp>(l.loc, x, y); }
Value either(MathLanes &l, Value x, Value y) { return l.b.create<arith::OrIOp>(l.loc, x, y); }
Value isBelow(MathLanes &l, Value x, double bound) { return l.less(l.abs(x), l.constant(bound)); }
Value isInfinite(MathLanes &l, Value x) { return l.equal(l.abs(x), l.constant(kInfinity)); }
Value hasSign(MathLanes &l, Value x) {
  return l.b.create<arith::CmpIOp>(l.loc, arith::CmpIPredicate::slt, l.bits(x), l.integer(0));
}

/// x (1 + c[0] x^2 + c[1] x^4 + ..), for x so small that the sum of large terms would lose it.
Value oddSeries(MathLanes &l, Value x, std::initializer_list<double> c) {
  SmallVector<double> reversed(c);
  std::reverse(reversed.begin(), reversed.end());
  reversed.push_back(1);
  return l.mul(x, l.polynomial(l.mul(x, x), reversed));
}

using Operands = ArrayRef<Value>;
using Expand = Value (*)(MathLanes &, Operands);

/// What 1 + x has lost of x is a correction of first order; it counts where x is small.
Value log1p(MathLanes &l, Operands o) {
  Value x = o[0], sum = plus(l, x, 1), lost = l.div(l.sub(x, plus(l, sum, -1)), sum);
  Value result = l.add(log(l, sum), l.select(isBelow(l, x, 0.5), lost, l.constant(0)));
  return l.select(isBelow(l, x, 0x1p-30), x, result);
}
Value expm1(MathLanes &l, Operands o) {
  Value x = o[0], series = l.polynomial(x, {1.0 / 24, 1.0 / 6, 0.5, 1});
  return l.select(isBelow(l, x, 0x1p-10), l.mul(x, series), plus(l, exp(l, x), -1));
}
Value exp10(MathLanes &l, Operands o) { return call<math::Exp2Op>(l, times(l, o[0], 3.32192809488736234787)); }
Value log10(MathLanes &l, Operands o) { return times(l, log(l, o[0]), 0.43429448190325182765); }
Value tan(MathLanes &l, Operands o) { return l.div(call<math::SinOp>(l, o[0]), call<math::CosOp>(l, o[0])); }
Value sinh(MathLanes &l, Operands o) {
  Value power = exp(l, o[0]), large = times(l, l.sub(power, l.div(l.constant(1), power)), 0.5);
  return l.select(isBelow(l, o[0], 0x1p-8), oddSeries(l, o[0], {1.0 / 6, 1.0 / 120}), large);
}
Value cosh(MathLanes &l, Operands o) {
  Value power = exp(l, o[0]);
  return times(l, l.add(power, l.div(l.constant(1), power)), 0.5);
}
Value asinh(MathLanes &l, Operands o) {
  Value x = l.abs(o[0]), root = l.sqrt(plus(l, l.mul(x, x), 1));
  Value small = oddSeries(l, o[0], {-1.0 / 6, 3.0 / 40, -15.0 / 336});
  return l.select(isBelow(l, x, 0x1p-6), small, withSign(l, log(l, l.add(x, root)), o[0]));
}
Value acosh(MathLanes &l, Operands o) {
  // Two roots, so that a negative number gives NaN.
  return log(l, l.add(o[0], l.mul(l.sqrt(plus(l, o[0], -1)), l.sqrt(plus(l, o[0], 1)))));
}
Value atanh(MathLanes &l, Operands o) {
  Value x = o[0], ratio = l.div(plus(l, x, 1), l.sub(l.constant(1), x));
  return l.select(isBelow(l, x, 0x1p-6), oddSeries(l, x, {1.0 / 3, 1.0 / 5, 1.0 / 7}), times(l, log(l, ratio), 0.5));
}

/// The angle of the smaller coordinate over the larger one, by an odd polynomial within 5e-14,
/// turned into its octant.
Value atan2(MathLanes &l, Operands o) {
  static constexpr double angle[] = {
      -0.00010950133737292665, 0.0009961348991062624, -0.0042695010966784085, 0.011594726016119614,
      -0.02279206378279654,    0.0354478304883713,    -0.047005235904944216,  0.056826465091119466,
      -0.06613494495894422,    0.07681984916045911,   -0.0908950250900279,    0.11110983774962185,
      -0.14285707246678706,    0.19999999793953496,   -0.33333333330931053,   0.9999999999999531};
  Value y = l.abs(o[0]), x = l.abs(o[1]), isSteep = l.less(x, y);
  Value larger = l.select(isSteep, y, x), smaller = l.select(isSteep, x, y);
  // Neither 0 / 0 nor inf / inf is asked for.
  Value onDiagonal = l.select(l.equal(larger, l.constant(0)), l.constant(0), l.constant(1));
  Value ratio = l.select(l.equal(smaller, larger), onDiagonal, l.div(smaller, larger));
  Value result = l.mul(ratio, l.polynomial(l.mul(ratio, ratio), angle));
  result = l.select(isSteep, l.sub(l.constant(kPi / 2), result), result);
  result = l.select(hasSign(l, o[1]), l.sub(l.constant(kPi), result), result);
  return withSign(l, result, o[0]);
}
Value atan(MathLanes &l, Operands o) { return atan2(l, {o[0], l.constant(1)}); }
Value cosineOf(MathLanes &l, Value sine) { return l.sqrt(l.mul(l.sub(l.constant(1), sine), plus(l, sine, 1))); }
Value asin(MathLanes &l, Operands o) { return atan2(l, {o[0], cosineOf(l, o[0])}); }
Value acos(MathLanes &l, Operands o) { return atan2(l, {cosineOf(l, o[0]), o[0]}); }

Value cbrt(MathLanes &l, Operands o) { return withSign(l, exp(l, times(l, log(l, l.abs(o[0])), 1.0 / 3)), o[0]); }
Value hypot(MathLanes &l, Operands o) {
  Value root = l.sqrt(l.add(l.mul(o[0], o[0]), l.mul(o[1], o[1])));
  return l.select(either(l, isInfinite(l, o[0]), isInfinite(l, o[1])), l.constant(kInfinity), root);
}

/// x p(w) with w = -ln(1 - x^2), which is 16.6 for the last number before 1: a polynomial of w,
/// beyond 6.25 one of its root.
Value erfinv(MathLanes &l, Operands o) {
  static constexpr double near[] = {
      -3.2363815500872725e-14, 1.377011858867915e-13,   2.2844709596163345e-12,  -1.8895702592905134e-11,
      -2.7240983389959174e-11, 1.1219281816412393e-09,  -5.490774604748055e-09,  -2.37357023023479e-08,
      4.500601231577817e-07,   -1.7478897090903277e-06, -1.2716547123727149e-05, 0.00019506118840293207,
      -0.0008361816843540021,  -0.005738135156878685,   0.24163040414621315,     1.6235420064597765};
  static constexpr double far[] = {7.615510921388995e-06,  -4.0154552240733905e-05, 6.970267420466712e-05,
                                   1.9088738110397995e-05, -0.00035470254882574666, 0.000954784025419131,
                                   -0.0016884959428313346, 0.0024912412492568117,   -0.003751178218300143,
                                   0.005370924343355031,   1.0052589666961917,      3.083885610415417};
  Value w = negate(l, log(l, l.mul(l.sub(l.constant(1), o[0]), plus(l, o[0], 1))));
  Value isNear = l.less(w, l.constant(6.25));
  return l.mul(o[0],
               l.select(isNear, l.polynomial(plus(l, w, -3), near), l.polynomial(plus(l, l.sqrt(w), -3.25), far)));
}

/// e^(y ln |x|), negative for negative x to an odd power. 1 for x = 1 and for y = 0, also where the
/// other is NaN.
Value pow(MathLanes &l, Operands o) {
  Value x = o[0], y = o[1], one = l.constant(1), half = times(l, y, 0.5);
  Value size = exp(l, l.mul(y, log(l, l.abs(x))));
  Value isInteger = l.equal(call<math::FloorOp>(l, y), y), halfIsInteger = l.equal(call<math::FloorOp>(l, half), half);
  auto negated = [&](Value condition) {
    Value ones = l.b.create<arith::ConstantOp>(l.loc, l.b.getOneAttr(l.b.getI1Type()));
    if (auto lanes = dyn_cast<VectorType>(condition.getType()))
      ones = l.b.create<vector::SplatOp>(l.loc, lanes, ones);
    return l.b.create<arith::XOrIOp>(l.loc, condition, ones).getResult();
  };
  Value isOdd = both(l, isInteger, negated(halfIsInteger));
  Value result = l.select(both(l, isOdd, hasSign(l, x)), negate(l, size), size);
  Value isNegative = both(l, l.less(x, l.constant(0)), isBelow(l, x, kInfinity));
  result =
      l.select(both(l, isNegative, negated(isInteger)), l.constant(std::numeric_limits<double>::quiet_NaN()), result);
  Value isOne = either(l, l.equal(x, one), l.equal(y, l.constant(0)));
  isOne = either(l, isOne, both(l, l.equal(x, l.constant(-1)), isInfinite(l, y)));
  return l.select(isOne, one, result);
}

/// x - trunc(x / y) y, all exact for quotients below 2^28: x / y is no integer by 2^-24 at least,
/// 2^-52 of itself.
Value fmod(MathLanes &l, Operands o) {
  Value quotient = call<math::TruncOp>(l, l.div(o[0], o[1]));
  Value rest = l.sub(o[0], l.mul(quotient, o[1]));
  Value isWhole = both(l, isInfinite(l, o[1]), isBelow(l, o[0], kInfinity));
  return withSign(l, l.select(isWhole, o[0], rest), o[0]);
}

const llvm::StringMap<Expand> &expansions() {
  static const llvm::StringMap<Expand> table = {
      {"log1pf", log1p}, {"expm1f", expm1},  {"exp10f", exp10},      {"fast_exp10f", exp10}, {"log10f", log10},
      {"tanf", tan},     {"fast_tanf", tan}, {"fast_log10f", log10}, {"sinhf", sinh},        {"coshf", cosh},
      {"asinhf", asinh}, {"acoshf", acosh},  {"atanhf", atanh},      {"atan2f", atan2},      {"atanf", atan},
      {"asinf", asin},   {"acosf", acos},    {"cbrtf", cbrt},        {"hypotf", hypot},      {"powf", pow},
      {"powif", pow},    {"fast_powf", pow}, {"fmodf", fmod},        {"erfinvf", erfinv},
  };
  return table;
}

} // namespace

Value expandLibraryFunction(OpBuilder &b, Location loc, StringRef symbol, ArrayRef<Value> operands, bool hasFma,
                            bool hasScale) {
  if (!operands.empty() && getElementTypeOrSelf(operands[0].getType()).isF64()) {
    MathLanes l{b, loc, operands[0].getType(), hasFma, hasScale};
    return expandDoubleFunction(l, symbol, operands);
  }
  Expand expand = expansions().lookup(symbol);
  if (!expand)
    return {};
  Type narrow = operands[0].getType(), wide = b.getF64Type();
  if (auto vector = dyn_cast<VectorType>(narrow))
    wide = VectorType::get(vector.getShape(), wide);
  MathLanes l{b, loc, wide, hasFma};
  auto widened = [&] {
    SmallVector<Value> all;
    for (Value operand : operands)
      all.push_back(operand.getType() == narrow ? b.create<arith::ExtFOp>(loc, wide, operand).getResult()
                                                : b.create<arith::SIToFPOp>(loc, wide, operand));
    return all;
  };
  auto expanded = [&](Operands in) -> Value { return b.create<arith::TruncFOp>(loc, narrow, expand(l, in)); };
  if (symbol != "fmodf")
    return expanded(widened());
  SmallVector<Value> in = widened();
  Value beyond = l.less(l.constant(0x1p28), l.abs(l.div(in[0], in[1])));
  if (isa<VectorType>(beyond.getType()))
    beyond = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, beyond);
  auto branch = b.create<scf::IfOp>(loc, TypeRange(narrow), beyond, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(loc, callLibdevice(b, loc, symbol, operands, narrow));
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, expanded(in));
  return branch.getResult(0);
}

} // namespace tilewise::cpu
