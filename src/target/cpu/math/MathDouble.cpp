// Logarithm, sine and cosine of f64: range reduction in two parts of a number each, so that what a
// first part rounds off the second one has.
#include "target/cpu/math/MathDouble.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tilewise::cpu {

// 1.5 * 2^52: integers added to it stand in its last bits.
static constexpr double kMagic = 6755399441055744.0;

/// x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f); ln m = f - (f^2/2 - s
/// (f^2/2 + s^2 q(s^2))).
Value logOfDouble(MathLanes &l, Value x, bool base2) {
  Value isDenormal = l.less(x, l.constant(std::numeric_limits<double>::min()));
  Value scaled = l.select(isDenormal, l.mul(x, l.constant(0x1p54)), x);
  // The bits of sqrt(1/2): the exponent's carry is where the mantissa passes it.
  constexpr int64_t root = 0x3fe6a09e667f3bcd;
  Value offset = l.subI(l.bits(scaled), l.integer(root));
  Value exponent = l.shrS(offset, 52);
  Value m = l.fromBits(l.addI(l.andI(offset, l.integer(0x000fffffffffffff)), l.integer(root)));
  Value k = l.sub(l.fromBits(l.addI(exponent, l.integer(llvm::bit_cast<int64_t>(kMagic)))), l.constant(kMagic));
  k = l.select(isDenormal, l.sub(k, l.constant(54)), k);
  static constexpr double q[] = {0.14617807153417325, 0.15331611722055008, 0.1818289243253687, 0.22222211089379496,
                                 0.28571428626253836, 0.3999999999989889,  0.666666666666667};
  Value f = l.sub(m, l.constant(1)), s = l.div(f, l.add(f, l.constant(2))), square = l.mul(s, s);
  Value half = l.mul(l.constant(0.5), l.mul(f, f)), rest = l.mul(square, l.polynomial(square, q));
  Value low = l.mul(s, l.add(half, rest)), result; // ln m = f - (half - low)
  if (base2) {
    // What is multiplied by log2 e first has 21 bits, as the upper part of log2 e has.
    Value high = l.fromBits(l.andI(l.bits(l.sub(f, half)), l.integer(int64_t(0xffffffff00000000))));
    Value tail = l.add(l.sub(l.sub(f, high), half), low);
    Value upper = l.mul(high, l.constant(1.44269504072144627571));
    Value lower = l.add(l.mul(l.add(tail, high), l.constant(1.67517131648865118353e-10)),
                        l.mul(tail, l.constant(1.44269504072144627571)));
    Value sum = l.add(k, upper);
    result = l.add(l.add(lower, l.add(l.sub(k, sum), upper)), sum);
  } else {
    Value inner = l.add(low, l.mul(k, l.constant(1.90821492927058770002e-10)));
    Value fraction = l.sub(l.sub(half, inner), f);
    result = l.sub(l.mul(k, l.constant(0.693147180369123816490)), fraction);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = l.select(l.equal(x, l.constant(infinity)), x, result);
  result = l.select(l.equal(x, l.constant(0)), l.constant(-infinity), result);
  Value valid = l.b.create<arith::CmpFOp>(l.loc, arith::CmpFPredicate::OGE, x, l.constant(0));
  return l.select(valid, result, l.constant(std::numeric_limits<double>::quiet_NaN()));
}

/// x = n pi/2 + r + e with |r| <= pi/4 and e below r's last place: pi/2 in two parts of 33 bits,
/// whose products with n below 2^20 are exact, and a third one.
Value sineOrCosineOfDouble(MathLanes &l, Value x, bool cosine) {
  Value shifted = l.add(l.mul(x, l.constant(0.63661977236758134308)), l.constant(kMagic));
  Value n = l.sub(shifted, l.constant(kMagic));
  Value quadrant = l.subI(l.bits(shifted), l.integer(llvm::bit_cast<int64_t>(kMagic)));
  if (cosine)
    quadrant = l.addI(quadrant, l.integer(1));
  Value first = l.sub(x, l.mul(n, l.constant(1.57079632673412561417)));
  // The difference of any two numbers and what it rounds off.
  Value second = l.mul(n, l.constant(6.07710050630396597660e-11)), difference = l.sub(first, second);
  Value back = l.sub(difference, first);
  Value error = l.sub(l.sub(first, l.sub(difference, back)), l.add(second, back));
  Value tail = l.sub(error, l.mul(n, l.constant(2.02226624879595063154e-21)));
  Value r = l.add(difference, tail), e = l.add(l.sub(difference, r), tail);
  static constexpr double sinePart[] = {1.5917988979397435e-10, -2.5051129896450185e-08, 2.7557316093198404e-06,
                                        -0.00019841269836740532, 0.008333333333330936};
  static constexpr double cosinePart[] = {-1.138254464534925e-11, 2.087614504941318e-09,  -2.755731726587808e-07,
                                          2.48015872987544e-05,   -0.0013888888888887389, 0.041666666666666664};
  Value square = l.mul(r, r), cube = l.mul(square, r), half = l.mul(square, l.constant(0.5));
  // sin (r + e) = r - ((r^2 (e/2 - r^3 p) - e) + r^3 / 6), cos (r + e) = (1 - r^2/2) + (what that
  // rounded off + r^4 p - r e)
  Value inner = l.sub(l.mul(l.constant(0.5), e), l.mul(cube, l.polynomial(square, sinePart)));
  Value sine = l.sub(r, l.sub(l.sub(l.mul(square, inner), e), l.mul(cube, l.constant(-0.16666666666666666))));
  Value top = l.sub(l.constant(1), half), lost = l.sub(l.sub(l.constant(1), top), half);
  Value tails = l.sub(l.mul(l.mul(square, square), l.polynomial(square, cosinePart)), l.mul(r, e));
  Value cosineOfR = l.add(top, l.add(lost, tails));
  auto bitSet = [&](int64_t bit) {
    return l.b.create<arith::CmpIOp>(l.loc, arith::CmpIPredicate::ne, l.andI(quadrant, l.integer(bit)), l.integer(0))
        .getResult();
  };
  Value result = l.select(bitSet(1), cosineOfR, sine);
  result = l.select(bitSet(2), l.b.create<arith::NegFOp>(l.loc, result), result);
  if (cosine)
    return result;
  return l.select(l.less(l.abs(x), l.constant(0x1p-27)), x, result); // Also -0.
}

} // namespace tilewise::cpu
