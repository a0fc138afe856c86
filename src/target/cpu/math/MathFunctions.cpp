// The math functions themselves: range reduction, a polynomial, reconstruction. Bounds stand in
// MathFunctions.h.
#include "target/cpu/math/MathFunctions.h"

#include "ir/Tile.h"
#include "target/cpu/math/MathDouble.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <optional>

using namespace mlir;

namespace tilewise::cpu {

bool MathLanes::isF64() const { return getElementTypeOrSelf(type).isF64(); }

Type MathLanes::integers() const {
  Type element = b.getIntegerType(isF64() ? 64 : 32);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

static Value splat(OpBuilder &b, Location loc, Type type, TypedAttr attr) {
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return b.create<arith::ConstantOp>(loc, attr);
}

Value MathLanes::constant(double value) {
  return splat(b, loc, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}
Value MathLanes::integer(int64_t value) {
  return splat(b, loc, integers(), b.getIntegerAttr(getElementTypeOrSelf(integers()), value));
}
Value MathLanes::add(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
Value MathLanes::sub(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
Value MathLanes::mul(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }
Value MathLanes::div(Value x, Value y) { return b.create<arith::DivFOp>(loc, x, y); }
Value MathLanes::fma(Value x, Value y, Value z) {
  if (!hasFma)
    return add(mul(x, y), z);
  return b.create<math::FmaOp>(loc, x, y, z);
}
Value MathLanes::sqrt(Value x) { return b.create<math::SqrtOp>(loc, x); }
Value MathLanes::abs(Value x) { return b.create<math::AbsFOp>(loc, x); }
Value MathLanes::bits(Value x) { return b.create<arith::BitcastOp>(loc, integers(), x); }
Value MathLanes::fromBits(Value x) { return b.create<arith::BitcastOp>(loc, type, x); }
Value MathLanes::less(Value x, Value y) { return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x, y); }
Value MathLanes::equal(Value x, Value y) { return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, x, y); }
Value MathLanes::select(Value condition, Value x, Value y) { return b.create<arith::SelectOp>(loc, condition, x, y); }
Value MathLanes::addI(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
Value MathLanes::subI(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
Value MathLanes::andI(Value x, Value y) { return b.create<arith::AndIOp>(loc, x, y); }
Value MathLanes::orI(Value x, Value y) { return b.create<arith::OrIOp>(loc, x, y); }
Value MathLanes::shl(Value x, int64_t by) { return b.create<arith::ShLIOp>(loc, x, integer(by)); }
Value MathLanes::shrS(Value x, int64_t by) { return b.create<arith::ShRSIOp>(loc, x, integer(by)); }
Value MathLanes::toFloat(Value integer) { return b.create<arith::SIToFPOp>(loc, type, integer); }

Value MathLanes::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, constant(coefficient));
  return sum;
}

/// What added to a float of moderate size rounds it into the last place.
static double roundingConstant(MathLanes &l) { return l.isF64() ? 6755399441055744.0 : 12582912.0; }

Rounded roundToInteger(MathLanes &l, Value x, double scale) {
  const double magic = roundingConstant(l);
  Value shifted = l.fma(x, l.constant(scale), l.constant(magic));
  int64_t magicBits = l.isF64() ? llvm::bit_cast<int64_t>(magic) : int64_t(llvm::bit_cast<int32_t>(float(magic)));
  return {l.sub(shifted, l.constant(magic)), l.subI(l.bits(shifted), l.integer(magicBits))};
}

Exponent roundToExponent(MathLanes &l, Value x, double scale) {
  const double magic = roundingConstant(l) + double(2 * l.bias());
  Value shifted = l.fma(x, l.constant(scale), l.constant(magic));
  return {l.sub(shifted, l.constant(magic)), l.bits(shifted)};
}

namespace {

/// Bits of the type if it is a whole register, else 0.
int64_t registerBits(MathLanes &l) {
  auto vector = dyn_cast<VectorType>(l.type);
  int64_t bits = vector ? vector.getNumElements() * (l.isF64() ? 64 : 32) : 0;
  return bits == 128 || bits == 256 || bits == 512 ? bits : 0;
}

/// An instruction that AVX-512 has for two registers, in the form for a whole register; null when
/// the type is not one.
Value instruction(MathLanes &l, StringRef name, Value x, Value y, std::optional<int> variant = {}) {
  int64_t elementBits = l.isF64() ? 64 : 32, bits = registerBits(l);
  if (!bits)
    return {};
  OpBuilder &b = l.b;
  auto number = [&](int64_t width, int64_t value) {
    return b.create<arith::ConstantOp>(l.loc, b.getIntegerAttr(b.getIntegerType(unsigned(width)), value));
  };
  SmallVector<Value> operands{x, y};
  if (variant)
    operands.push_back(number(32, *variant));
  operands.append({x, number(std::max<int64_t>(8, bits / elementBits), -1)}); // All lanes.
  if (bits == 512)
    operands.push_back(number(32, 4)); // Rounding as the processor is set to.
  std::string full = ("llvm.x86.avx512.mask." + name + (l.isF64() ? ".pd." : ".ps.") + std::to_string(bits)).str();
  return b.create<LLVM::CallIntrinsicOp>(l.loc, TypeRange(l.type), full, operands).getResult(0);
}

bool scalesByInstruction(MathLanes &l) { return l.hasScale && registerBits(l); }

} // namespace

/// In two factors, so that a denormal result is rounded once: those with the exponents half and
/// biased - half, which are 2 * bias + n together and so biased themselves.
Value scaleByPower(MathLanes &l, Value x, Exponent by) {
  if (scalesByInstruction(l))
    return instruction(l, "scalef", x, by.asFloat);
  const int64_t mantissa = l.isF64() ? 52 : 23;
  Value half = l.andI(l.shl(by.biased, mantissa - 1), l.integer(-(int64_t(1) << mantissa)));
  Value rest = l.subI(l.shl(by.biased, mantissa), half);
  return l.mul(l.mul(x, l.fromBits(half)), l.fromBits(rest));
}

namespace {

/// Keeps NaN: a comparison with it is false.
Value atLeast(MathLanes &l, Value x, double low) { return l.select(l.less(x, l.constant(low)), l.constant(low), x); }
Value atMost(MathLanes &l, Value x, double high) { return l.select(l.less(l.constant(high), x), l.constant(high), x); }
Value clampKeepingNan(MathLanes &l, Value x, double low, double high) { return atMost(l, atLeast(l, x, low), high); }

/// Exponentials of less than `low` are 0. A product that underflows takes processors ten times as
/// long as another, and what a mask left out is -inf more often than not: the one instruction does
/// not meet it where n is far below (so x becomes that), and else it is a 1 that is not taken.
struct Underflow {
  Value isZero, x;

  Underflow(MathLanes &l, Value from, double low) {
    isZero = l.less(from, l.constant(low));
    x = l.select(isZero, l.constant(scalesByInstruction(l) ? -1e4 : 0), from);
  }
  Value result(MathLanes &l, Value power) {
    return scalesByInstruction(l) ? power : l.select(isZero, l.constant(0), power);
  }
};

} // namespace

/// e^x = 2^n * e^r, n = round(x / ln 2), r = x - n ln 2 in two steps; e^r = 1 + r (1 + r q(r)), |r|
/// <= ln 2 / 2.
Value exponential(MathLanes &l, Value x, Value tail) {
  bool wide = l.isF64();
  // Beyond these the result is 0 or infinity whatever the last bits are. The one instruction needs
  // no upper bound in f32: there p, of an even degree, is positive, infinite or NaN (inf - inf),
  // and 2^n of a large n makes infinity of each of them.
  Underflow bounded(l, x, wide ? -746 : -104);
  x = bounded.x;
  if (wide || !scalesByInstruction(l))
    x = atMost(l, x, wide ? 710 : 89);
  Exponent n = roundToExponent(l, x, 1.4426950408889634);
  // The high part has trailing zeros, so that n times it is exact.
  Value r = l.fma(n.asFloat, l.constant(wide ? -0.69314718036912382 : -0.693145751953125), x);
  r = l.fma(n.asFloat, l.constant(wide ? -1.9082149292705877e-10 : -1.428606765330187045e-06), r);
  if (tail)
    r = l.add(r, tail);
  static constexpr double single[] = {0.0013933733216306824, 0.008363235384627755, 0.0416664641673128,
                                      0.16666576643547173, 0.5000000013543258};
  static constexpr double twice[] = {2.491558610042119e-08, 2.7620449018471934e-07, 2.755771851294872e-06,
                                     2.480152046874341e-05, 0.00019841269506783404, 0.001388888891766545,
                                     0.0083333333334267,    0.04166666666662412,    0.1666666666666664,
                                     0.5000000000000002};
  Value q = l.polynomial(r, wide ? ArrayRef<double>(twice) : ArrayRef<double>(single));
  // With one rounding each the inner sum may be half a place off, which r takes a third of; without
  // FMA the square is the better way.
  Value one = l.constant(1);
  Value p = l.hasFma ? l.fma(l.fma(q, r, one), r, one) : l.add(l.fma(q, l.mul(r, r), r), one);
  return bounded.result(l, scaleByPower(l, p, n));
}

namespace {

/// 2^x = 2^n * 2^f, n = round(x), f = x - n exactly; 2^f = 1 + f q(f).
Value exp2(MathLanes &l, Value x) {
  bool wide = l.isF64();
  // As for exp; and f stays small however large x is, so f32 needs no bound at all with the one
  // instruction, which masked lanes (of -inf or -1e6) go through at full speed.
  std::optional<Underflow> bounded;
  if (wide || !scalesByInstruction(l)) {
    bounded.emplace(l, x, wide ? -1076 : -151);
    x = atMost(l, bounded->x, wide ? 1025 : 129);
  }
  Exponent n = roundToExponent(l, x, 1);
  Value f = l.sub(x, n.asFloat);
  static constexpr double single[] = {0.00015461563552693263, 0.0013390982250760112, 0.009618056379372424,
                                      0.05550356888601151,    0.24022650923705888,   0.6931471880743151};
  static constexpr double twice[] = {8.327993034338105e-11,  4.289440088249666e-10, 7.0131992866323e-09,
                                     1.0179102003475958e-07, 1.321560133750131e-06, 1.5252731523463688e-05,
                                     0.00015403530247643202, 0.0013333558148544084, 0.009618129107709704,
                                     0.05550410866481459,    0.24022650695909953,   0.6931471805599454};
  Value q = l.polynomial(f, wide ? ArrayRef<double>(twice) : ArrayRef<double>(single));
  Value power = scaleByPower(l, l.fma(q, f, l.constant(1)), n);
  return bounded ? bounded->result(l, power) : power;
}

/// x = 2^k * m with m in [sqrt(1/2), sqrt(2)); ln m = f - f^2/2 + f^3 q(f), f = m - 1. f32 only.
Value log(MathLanes &l, Value x, bool base2) {
  Value tiny = l.constant(1.17549435e-38), isDenormal = l.less(x, tiny);
  Value scaled = l.select(isDenormal, l.mul(x, l.constant(8388608)), x);
  Value raw = l.bits(scaled);
  // Subtracting the bits of sqrt(1/2) moves the exponent's carry to where the mantissa passes it.
  Value offset = l.subI(raw, l.integer(0x3f3504f3));
  Value exponent = l.shrS(offset, 23);
  Value m = l.fromBits(l.addI(l.andI(offset, l.integer(0x007fffff)), l.integer(0x3f3504f3)));
  Value k = l.toFloat(exponent);
  k = l.select(isDenormal, l.sub(k, l.constant(23)), k);
  Value f = l.sub(m, l.constant(1)), square = l.mul(f, f);
  static constexpr double q[] = {0.0714975389255799,   -0.11571200727591882, 0.11661511067428504,
                                 -0.12411050683928963, 0.14249936532995763,  -0.16668480239506464,
                                 0.20000707478390414,  -0.249999890487349,   0.3333333119084812};
  Value cubic = l.mul(l.mul(f, square), l.polynomial(f, q));
  Value correction = l.fma(l.constant(-0.5), square, cubic); // ln m = f + correction
  Value result;
  if (base2) {
    // log2 e in two parts: the first product with f is exact enough to keep the last place.
    Value high = l.fromBits(l.andI(l.bits(f), l.integer(int32_t(0xfffff000)))), low = l.add(l.sub(f, high), correction);
    Value small = l.fma(low, l.constant(1.44269504088896340736), l.mul(high, l.constant(-1.7605285393790e-4)));
    result = l.add(l.add(small, l.mul(high, l.constant(1.44287109375))), k);
  } else {
    Value low = l.fma(k, l.constant(-2.12194440e-4), correction);
    result = l.fma(k, l.constant(0.693359375), l.add(f, low));
  }
  double infinity = std::numeric_limits<double>::infinity();
  result = l.select(l.equal(x, l.constant(infinity)), x, result);
  result = l.select(l.equal(x, l.constant(0)), l.constant(-infinity), result);
  // Negative numbers and NaN: neither is 0 nor above it.
  Value valid = l.b.create<arith::CmpFOp>(l.loc, arith::CmpFPredicate::OGE, x, l.constant(0));
  return l.select(valid, result, l.constant(std::numeric_limits<double>::quiet_NaN()));
}

/// x = n pi/2 + r with |r| <= pi/4, in f64: pi/2 in two parts, the first of 33 bits so that n times
/// it is exact for |n| < 2^20 even without FMA. Then sin r or cos r by the quadrant, in f32.
Value sineOrCosine(MathLanes &l, Value x, bool cosine) {
  Type f64 = l.b.getF64Type();
  if (auto vector = dyn_cast<VectorType>(l.type))
    f64 = VectorType::get(vector.getShape(), f64);
  MathLanes w{l.b, l.loc, f64, l.hasFma};
  Value wide = l.b.create<arith::ExtFOp>(l.loc, f64, x);
  Rounded n = roundToInteger(w, wide, 0.63661977236758134308);
  Value reduced = w.fma(n.asFloat, w.constant(-1.57079632673412561417), wide);
  reduced = w.fma(n.asFloat, w.constant(-6.07710050650619224932e-11), reduced);
  Value r = l.b.create<arith::TruncFOp>(l.loc, l.type, reduced);
  Value quadrant = l.b.create<arith::TruncIOp>(l.loc, l.integers(), n.asInteger);
  if (cosine)
    quadrant = l.addI(quadrant, l.integer(1));
  static constexpr double sinePart[] = {2.7246907340878297e-06, -0.00019840063401736706, 0.00833333183147284,
                                        -0.1666666666374428};
  static constexpr double cosinePart[] = {2.480058085951726e-05, -0.0013888887635831195, 0.0416666666642282};
  Value square = l.mul(r, r);
  Value sine = l.fma(l.mul(r, square), l.polynomial(square, sinePart), r);
  Value tail = l.polynomial(square, cosinePart);
  Value cosineOfR = l.fma(l.mul(square, square), tail, l.fma(square, l.constant(-0.5), l.constant(1)));
  auto bitSet = [&](int64_t bit) {
    return l.b.create<arith::CmpIOp>(l.loc, arith::CmpIPredicate::ne, l.andI(quadrant, l.integer(bit)), l.integer(0))
        .getResult();
  };
  Value result = l.select(bitSet(1), cosineOfR, sine);
  result = l.select(bitSet(2), l.b.create<arith::NegFOp>(l.loc, result), result);
  // The sum of r = -0 and what the polynomial adds, +0, is +0.
  return cosine ? result : l.select(l.equal(x, l.constant(0)), x, result);
}

/// |x| with the sign of `like`.
Value withSignOf(MathLanes &l, Value x, Value like) {
  Value sign = l.andI(l.bits(like), l.integer(std::numeric_limits<int32_t>::min()));
  return l.fromBits(l.orI(l.bits(x), sign));
}

/// Small: an odd polynomial. Else 1 - 2 / (e^2|x| + 1). f32 only.
Value tanh(MathLanes &l, Value x) {
  static constexpr double odd[] = {0.002295841264630641, -0.008346980496622787, 0.021769960918099913,
                                   -0.05395940590849026, 0.13333304277862593,   -0.33333333177850477};
  Value magnitude = l.abs(x), square = l.mul(x, x);
  Value small = l.fma(l.mul(x, square), l.polynomial(square, odd), x);
  Value power = exponential(l, l.add(magnitude, magnitude));
  Value large = l.sub(l.constant(1), l.div(l.constant(2), l.add(power, l.constant(1))));
  // The sum of a polynomial makes +0 of -0.
  return withSignOf(l, l.select(l.less(magnitude, l.constant(0.625)), small, large), x);
}

/// Up to 1: an odd polynomial. Else 1 - e^-p(|x|), which is 1 in f32 from 4 on. f32 only.
Value erf(MathLanes &l, Value x) {
  static constexpr double inner[] = {-9.673590574966325e-06, 0.00011268253812311615, -0.0008484396539285625,
                                     0.005221053411740362,   -0.026865438310214526,  0.11283782622056523,
                                     -0.3761263847599092,    0.12837916706236085};
  static constexpr double outer[] = {-1.5966637936321883e-06, 4.525934549467709e-05, -0.000590087654893665,
                                     0.004728192973738781,    -0.026332093493237636, 0.10992358325974863,
                                     0.6319922474489206,      1.1301360787014398,    -0.00029607347304150267};
  Value magnitude = l.abs(x), square = l.mul(x, x);
  Value small = l.fma(x, l.polynomial(square, inner), x);
  Value bounded = clampKeepingNan(l, magnitude, 0, 4);
  Value large = l.sub(l.constant(1), exponential(l, l.sub(l.constant(0), l.polynomial(bounded, outer))));
  return l.select(l.less(magnitude, l.constant(1)), small, withSignOf(l, large, x));
}

} // namespace

/// Not a signalling NaN: what arithmetic has made, and what a loop carries of it.
static bool isQuiet(Value value, bool looksIntoLoops = true) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!looksIntoLoops || !loop || argument == loop.getInductionVar())
      return false;
    return isQuiet(loop.getTiedLoopInit(argument)->get(), false) &&
           isQuiet(loop.getTiedLoopYieldedValue(argument)->get(), false);
  }
  Operation *op = value.getDefiningOp();
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op))
    return isQuiet(shuffle.getV1(), looksIntoLoops) && isQuiet(shuffle.getV2(), looksIntoLoops);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isQuiet(loop.getRegionIterArg(cast<OpResult>(value).getResultNumber()), looksIntoLoops);
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return !number.isSignaling();
  // Calls of instructions are this file's. Casts are not here: those of small formats move bits.
  return tile::floatExtreme(op) || isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::SIToFPOp,
                                       arith::UIToFPOp, math::FmaOp, LLVM::CallIntrinsicOp>(op);
}

/// The range instruction takes the number where one operand is a quiet NaN, and gives NaN for a
/// signalling one: with itself it makes it quiet. Null when there is no whole register.
static Value maxOrMinByInstruction(MathLanes &l, tile::FloatExtreme kind, Value x, Value y) {
  // The sign is that of the result of the comparison.
  int variant = kind.isLargest ? 0b0101 : 0b0100;
  if (kind.givesNan) {
    Value number = instruction(l, "range", x, y, variant);
    if (!number)
      return {};
    Value unordered = l.b.create<arith::CmpFOp>(l.loc, arith::CmpFPredicate::UNO, x, y);
    return l.select(unordered, l.add(x, y), number);
  }
  for (Value *operand : {&x, &y})
    if (!isQuiet(*operand))
      if (Value quiet = instruction(l, "range", *operand, *operand, variant))
        *operand = quiet;
  return instruction(l, "range", x, y, variant);
}

/// Both orders of the processor's own maximum (x > y ? x : y) differ only for zeros of two signs,
/// where `and` picks +0, and for NaN.
static Value maxOrMin(MathLanes &l, tile::FloatExtreme kind, Value x, Value y) {
  if (l.hasRange)
    if (Value result = maxOrMinByInstruction(l, kind, x, y))
      return result;
  auto pick = [&](Value a, Value c) { return l.select(kind.isLargest ? l.less(c, a) : l.less(a, c), a, c); };
  Value one = l.bits(pick(x, y)), other = l.bits(pick(y, x));
  Value result = l.fromBits(kind.isLargest ? l.andI(one, other) : l.orI(one, other));
  auto unordered = [&](Value a, Value c) { return l.b.create<arith::CmpFOp>(l.loc, arith::CmpFPredicate::UNO, a, c); };
  if (kind.givesNan)
    return l.select(unordered(x, y), l.add(x, y), result);
  result = l.select(unordered(x, x), y, result);
  return l.select(unordered(y, y), x, result);
}

Value expandMathFunction(MathLanes &l, Operation *op, ArrayRef<Value> operands) {
  Value x = operands.front();
  if (auto kind = tile::floatExtreme(op))
    return maxOrMin(l, *kind, x, operands[1]);
  auto logarithm = [&](bool isBase2) { return l.isF64() ? logOfDouble(l, x, isBase2) : log(l, x, isBase2); };
  auto wave = [&](bool isCosine) {
    return l.isF64() ? sineOrCosineOfDouble(l, x, isCosine) : sineOrCosine(l, x, isCosine);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return exponential(l, x); })
      .Case<math::Exp2Op>([&](auto) { return exp2(l, x); })
      .Case<math::LogOp>([&](auto) { return logarithm(false); })
      .Case<math::Log2Op>([&](auto) { return logarithm(true); })
      .Case<math::SinOp>([&](auto) { return wave(false); })
      .Case<math::CosOp>([&](auto) { return wave(true); })
      .Case<math::TanhOp>([&](auto) { return l.isF64() ? expandDoubleFunction(l, "tanh", operands) : tanh(l, x); })
      .Case<math::ErfOp>([&](auto) { return l.isF64() ? expandDoubleFunction(l, "erf", operands) : erf(l, x); })
      .Case<math::RsqrtOp>([&](auto) { return l.div(l.constant(1), l.sqrt(x)); })
      .Default(Value());
}

} // namespace tilewise::cpu
