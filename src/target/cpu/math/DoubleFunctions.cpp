// Functions of libdevice on lanes of f64, with FMA: logarithms and what powers are made of stand as
// the sum of two numbers, the second one holding what the first rounds off.
#include "target/cpu/math/MathDouble.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace mlir;

namespace tilewise::cpu {

namespace {

using Operands = ArrayRef<Value>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value negate(MathLanes &l, Value x) { return l.b.create<arith::NegFOp>(l.loc, x); }
Value withSign(MathLanes &l, Value x, Value like) { return l.b.create<math::CopySignOp>(l.loc, x, like); }
Value both(MathLanes &l, Value x, Value y) { return l.b.create<arith::AndIOp>(l.loc, x, y); }
Value either(MathLanes &l, Value x, Value y) { return l.b.create<arith::OrIOp>(l.loc, x, y); }
Value isBelow(MathLanes &l, Value x, double bound) { return l.less(l.abs(x), l.constant(bound)); }
Value hasSign(MathLanes &l, Value x) {
  return l.b.create<arith::CmpIOp>(l.loc, arith::CmpIPredicate::slt, l.bits(x), l.integer(0));
}
Value notOf(MathLanes &l, Value condition) {
  Value ones = l.b.create<arith::ConstantOp>(l.loc, l.b.getOneAttr(l.b.getI1Type()));
  if (auto lanes = dyn_cast<VectorType>(condition.getType()))
    ones = l.b.create<vector::SplatOp>(l.loc, lanes, ones);
  return l.b.create<arith::XOrIOp>(l.loc, condition, ones);
}
/// These keep NaN.
Value atMost(MathLanes &l, Value x, double high) { return l.select(l.less(l.constant(high), x), l.constant(high), x); }
Value atLeast(MathLanes &l, Value x, double low) { return l.select(l.less(x, l.constant(low)), l.constant(low), x); }

struct Pair {
  Value high, low;
};

/// x + y and what it rounds off, for |x| >= |y| or x = 0.
Pair sumOfOrdered(MathLanes &l, Value x, Value y) {
  Value sum = l.add(x, y);
  return {sum, l.sub(y, l.sub(sum, x))};
}
Pair sum(MathLanes &l, Value x, Value y) {
  Value sum = l.add(x, y), back = l.sub(sum, x);
  return {sum, l.add(l.sub(x, l.sub(sum, back)), l.sub(y, back))};
}
Pair product(MathLanes &l, Value x, Value y) {
  Value product = l.mul(x, y);
  return {product, l.fma(x, y, negate(l, product))};
}
Pair product(MathLanes &l, Pair x, Pair y) {
  Pair result = product(l, x.high, y.high);
  return {result.high, l.fma(x.high, y.low, l.fma(x.low, y.high, result.low))};
}

/// ln x within 2^-64 of itself. x = 2^k m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1);
/// ln m = 2 s + s^3 (2/3 + s^2 p(s^2)), whose first two terms need more than one number.
Pair logarithm(MathLanes &l, Value x) {
  Value isDenormal = l.less(x, l.constant(std::numeric_limits<double>::min()));
  Value scaled = l.select(isDenormal, l.mul(x, l.constant(0x1p54)), x);
  constexpr int64_t root = 0x3fe6a09e667f3bcd; // The bits of sqrt(1/2).
  constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
  Value offset = l.subI(l.bits(scaled), l.integer(root)), exponent = l.shrS(offset, 52);
  Value m = l.fromBits(l.addI(l.andI(offset, l.integer(0x000fffffffffffff)), l.integer(root)));
  Value k = l.sub(l.fromBits(l.addI(exponent, l.integer(llvm::bit_cast<int64_t>(magic)))), l.constant(magic));
  k = l.select(isDenormal, l.sub(k, l.constant(54)), k);

  Value f = l.sub(m, l.constant(1)), below = l.add(m, l.constant(1));
  Value lost = l.sub(m, l.sub(below, l.constant(1))), inverse = l.div(l.constant(1), below);
  Pair s{l.mul(f, inverse), {}};
  Value minus = negate(l, s.high);
  s.low = l.mul(l.fma(minus, lost, l.fma(minus, below, f)), inverse);
  Pair square = product(l, s, s);
  static constexpr double p[] = {0.11724128145904647, 0.11706137022387776, 0.1333480877350211, 0.15384594878814908,
                                 0.1818181833629865,  0.22222222221650859, 0.2857142857142938, 0.4};
  Pair factor = sumOfOrdered(l, l.constant(0.6666666666666666), l.mul(square.high, l.polynomial(square.high, p)));
  factor.low = l.add(factor.low, l.constant(3.700743415417188e-17));
  Pair rest = product(l, s, product(l, square, factor));
  Pair ofM = sumOfOrdered(l, l.add(s.high, s.high), rest.high);
  Value low = l.add(ofM.low, l.fma(s.low, l.constant(2), rest.low));
  // The first part of ln 2 has 41 bits: k times it is exact.
  Pair whole = sumOfOrdered(l, l.mul(k, l.constant(0.693147180559663)), ofM.high);
  low = l.add(low, l.fma(k, l.constant(2.8235290563031577e-13), whole.low));
  Pair result = sumOfOrdered(l, whole.high, low);

  Value isInfinite = l.equal(x, l.constant(kInfinity)), isZero = l.equal(x, l.constant(0));
  Value isRegular = both(l, l.less(l.constant(0), x), isBelow(l, x, kInfinity));
  Value special = l.select(isZero, l.constant(-kInfinity), l.constant(std::numeric_limits<double>::quiet_NaN()));
  special = l.select(isInfinite, l.constant(kInfinity), special);
  return {l.select(isRegular, result.high, special), l.select(isRegular, result.low, l.constant(0))};
}

Value log10(MathLanes &l, Operands o) {
  Pair factor{l.constant(0.4342944819032518), l.constant(1.098319650216765e-17)}, ln = logarithm(l, o[0]);
  Pair result = product(l, ln, factor);
  return l.select(isBelow(l, ln.high, kInfinity), l.add(result.high, result.low), ln.high);
}

/// What 1 + x rounds off is a correction of first order.
Value log1p(MathLanes &l, Operands o) {
  Pair one = sum(l, l.constant(1), o[0]);
  Value result = logOfDouble(l, one.high, /*base2=*/false);
  Value isRegular = both(l, l.less(l.constant(0), one.high), isBelow(l, one.high, kInfinity));
  result = l.add(result, l.select(isRegular, l.div(one.low, one.high), l.constant(0)));
  return l.select(isBelow(l, o[0], 0x1p-54), o[0], result); // Also -0.
}

/// 2^n (e^r - 1 + (1 - 2^-n)), where e^r - 1 has no 1 in it that would cut off its last places.
Value expm1(MathLanes &l, Value x) {
  Value bounded = atMost(l, atLeast(l, x, -60), 710);
  Exponent n = roundToExponent(l, bounded, 1.4426950408889634);
  Value r = l.fma(n.asFloat, l.constant(-0.69314718036912382), bounded);
  r = l.fma(n.asFloat, l.constant(-1.9082149292705877e-10), r);
  static constexpr double q[] = {2.491558610042119e-08, 2.7620449018471934e-07, 2.755771851294872e-06,
                                 2.480152046874341e-05, 0.00019841269506783404, 0.001388888891766545,
                                 0.0083333333334267,    0.04166666666662412,    0.1666666666666664,
                                 0.5000000000000002};
  Value part = l.fma(l.mul(r, r), l.polynomial(r, q), r);
  Value inverse = l.fromBits(l.shl(l.subI(l.integer(3 * l.bias()), n.biased), 52));
  inverse = l.select(l.less(l.constant(100), n.asFloat), l.constant(0), inverse);
  Value result = scaleByPower(l, l.add(part, l.sub(l.constant(1), inverse)), n);
  return l.select(isBelow(l, x, 0x1p-54), x, result); // Also -0.
}
Value expm1(MathLanes &l, Operands o) { return expm1(l, o[0]); }

/// From 20 on it is 1.
Value tanh(MathLanes &l, Operands o) {
  Value size = atMost(l, l.abs(o[0]), 22), power = expm1(l, l.add(size, size));
  return withSign(l, l.div(power, l.add(power, l.constant(2))), o[0]);
}

/// Up to 1: an odd polynomial. Else 1 - e^-p(|x|), which is 1 from 5.95 on.
Value erf(MathLanes &l, Operands o) {
  static constexpr double inner[] = {5.960536601951008e-11,  -1.1374855137402028e-09, 1.4660299103975158e-08,
                                     -1.635039123115018e-07, 1.6461007945494173e-06,  -1.4925595734720337e-05,
                                     0.00012055331131196022, -0.0008548326981370978,  0.0052239776248273525,
                                     -0.026866170645077746,  0.11283791670954883,     -0.3761263890318375,
                                     0.1283791670955126};
  static constexpr double outer[] = {4.8439482873871226e-12, -2.012357535688665e-10,  3.876037089117081e-09,
                                     -4.578258739495408e-08, 3.684458827181843e-07,   -2.108709264751195e-06,
                                     8.553666903175368e-06,  -2.2452690604264586e-05, 1.932215676759834e-05,
                                     0.00013695213260467157, -0.0007736623328699347,  0.00191970131054728,
                                     -0.0004142510171785946, -0.01898752960507447,    0.1027020204744503,
                                     0.636644152865012,      1.128373969820553,       5.155184616158642e-07};
  Value x = o[0], size = l.abs(x);
  Value small = l.fma(x, l.polynomial(l.mul(x, x), inner), x);
  Value large = l.sub(l.constant(1), exponential(l, negate(l, l.polynomial(atMost(l, size, 5.95), outer))));
  return withSign(l, l.select(l.less(size, l.constant(1)), small, large), x);
}

/// e^(y ln |x|), negative for negative x to an odd power. 1 for x = 1 and for y = 0, also where the
/// other is NaN.
Value pow(MathLanes &l, Operands o) {
  Value x = o[0], y = o[1], one = l.constant(1), half = l.mul(y, l.constant(0.5));
  Pair ln = logarithm(l, l.abs(x)), exponent = product(l, y, ln.high);
  // Beyond, the result is 0 or infinite, and the tail may be the difference of infinities.
  Value tail = l.select(isBelow(l, exponent.high, 1e4), l.fma(y, ln.low, exponent.low), l.constant(0));
  Value size = exponential(l, exponent.high, tail);
  auto isWhole = [&](Value value) { return l.equal(l.b.create<math::FloorOp>(l.loc, value), value); };
  Value isInteger = isWhole(y), isOdd = both(l, isInteger, notOf(l, isWhole(half)));
  Value result = l.select(both(l, isOdd, hasSign(l, x)), negate(l, size), size);
  Value isNegative = both(l, l.less(x, l.constant(0)), isBelow(l, x, kInfinity));
  result =
      l.select(both(l, isNegative, notOf(l, isInteger)), l.constant(std::numeric_limits<double>::quiet_NaN()), result);
  Value isOne = either(l, l.equal(x, one), l.equal(y, l.constant(0)));
  isOne = either(l, isOne, both(l, l.equal(x, l.constant(-1)), l.equal(l.abs(y), l.constant(kInfinity))));
  return l.select(isOne, one, result);
}

/// The angle of the smaller coordinate over the larger one, from that of the diagonal where this is
/// nearer, turned into its octant.
Value atan2(MathLanes &l, Operands o) {
  static constexpr double p[] = {-0.019230205977774015, 0.039277335990337316, -0.05087112279698745, 0.05858483773576733,
                                 -0.06664552178092335,  0.07692186254026966,  -0.09090904718147663, 0.1111111101892261,
                                 -0.1428571428471501,   0.19999999999995763,  -0.3333333333333333};
  Value y = l.abs(o[0]), x = l.abs(o[1]), isSteep = l.less(x, y), zero = l.constant(0), one = l.constant(1);
  Value larger = l.select(isSteep, y, x), smaller = l.select(isSteep, x, y);
  // Neither 0 / 0 nor inf / inf is asked for.
  Value onDiagonal = l.select(l.equal(larger, zero), zero, one);
  Value ratio = l.select(l.equal(smaller, larger), onDiagonal, l.div(smaller, larger));
  Value isUpper = l.less(l.constant(0.41421356237309503), ratio);
  Value t = l.select(isUpper, l.div(l.sub(ratio, one), l.add(ratio, one)), ratio), square = l.mul(t, t);
  Value angle = l.fma(l.mul(t, square), l.polynomial(square, p), t);
  angle =
      l.select(isUpper, l.add(l.constant(0.7853981633974483), l.add(angle, l.constant(3.061616997868383e-17))), angle);
  auto from = [&](double high, double low) { return l.sub(l.constant(high), l.sub(angle, l.constant(low))); };
  angle = l.select(isSteep, from(1.5707963267948966, 6.123233995736766e-17), angle);
  angle = l.select(hasSign(l, o[1]), from(3.141592653589793, 1.2246467991473532e-16), angle);
  // A comparison with NaN picks either coordinate.
  Value unordered = l.b.create<arith::CmpFOp>(l.loc, arith::CmpFPredicate::UNO, o[0], o[1]);
  return l.select(unordered, l.add(o[0], o[1]), withSign(l, angle, o[0]));
}
Value cosineOf(MathLanes &l, Value sine) {
  return l.sqrt(l.mul(l.sub(l.constant(1), sine), l.add(sine, l.constant(1))));
}
Value atan(MathLanes &l, Operands o) { return atan2(l, {o[0], l.constant(1)}); }
Value asin(MathLanes &l, Operands o) { return atan2(l, {o[0], cosineOf(l, o[0])}); }
Value acos(MathLanes &l, Operands o) { return atan2(l, {cosineOf(l, o[0]), o[0]}); }

using Expand = Value (*)(MathLanes &, Operands);

const llvm::StringMap<Expand> &expansions() {
  static const llvm::StringMap<Expand> table = {
      {"tanh", tanh},   {"erf", erf},   {"log1p", log1p}, {"expm1", expm1}, {"pow", pow},
      {"log10", log10}, {"atan", atan}, {"atan2", atan2}, {"asin", asin},   {"acos", acos},
  };
  return table;
}

} // namespace

Value expandDoubleFunction(MathLanes &l, StringRef symbol, ArrayRef<Value> operands) {
  Expand expand = l.hasFma ? expansions().lookup(symbol) : nullptr;
  return expand ? expand(l, operands) : Value();
}

} // namespace tilewise::cpu
