// tile-expand-libdevice: calls of libdevice that ops of the dialect express, and casts toward zero
// => those ops.
#include "ir/Tile.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_EXPANDLIBDEVICE
#include "passes/Passes.h.inc"

namespace {

struct Call {
  OpBuilder &b;
  Location loc;
  ValueRange x;
  Type result;

  template <typename Op, typename... Args> Value make(Args &&...args) const {
    return b.create<Op>(loc, std::forward<Args>(args)...);
  }
  Value constant(Type type, double value) const { return filled(type, b.getFloatAttr(elementTypeOf(type), value)); }
  Value constantInt(Type type, int64_t value) const {
    return filled(type, b.getIntegerAttr(elementTypeOf(type), value));
  }
  Value magnitude() const { return make<math::AbsFOp>(x[0]); }
  Value infinity() const { return constant(x[0].getType(), std::numeric_limits<double>::infinity()); }

private:
  Value filled(Type type, TypedAttr element) const {
    if (auto block = dyn_cast<RankedTensorType>(type))
      return make<arith::ConstantOp>(SplatElementsAttr::get(block, Attribute(element)));
    return make<arith::ConstantOp>(element);
  }
};

using Expand = Value (*)(const Call &);

template <typename Op> Value unary(const Call &c) { return c.make<Op>(c.x[0]); }
template <typename Op> Value binary(const Call &c) { return c.make<Op>(c.x[0], c.x[1]); }
template <typename Op> Value convert(const Call &c) { return c.make<Op>(c.result, c.x[0]); }
Value fused(const Call &c) { return c.make<math::FmaOp>(c.x[0], c.x[1], c.x[2]); }
Value exactDivision(const Call &c) {
  auto division = c.b.create<arith::DivFOp>(c.loc, c.x[0], c.x[1]);
  division->setAttr(kExactAttr, c.b.getUnitAttr());
  return division;
}
Value reciprocal(const Call &c) {
  auto division = c.b.create<arith::DivFOp>(c.loc, c.constant(c.result, 1), c.x[0]);
  division->setAttr(kExactAttr, c.b.getUnitAttr());
  return division;
}
Value isNaN(const Call &c) { return c.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, c.x[0], c.x[0]); }
Value isInfinite(const Call &c) {
  return c.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, c.magnitude(), c.infinity());
}
Value isFinite(const Call &c) { return c.make<arith::CmpFOp>(arith::CmpFPredicate::OLT, c.magnitude(), c.infinity()); }
/// A NaN loses to 0.
Value saturate(const Call &c) {
  Value atLeast = c.make<arith::MaxNumFOp>(c.x[0], c.constant(c.result, 0));
  return c.make<arith::MinNumFOp>(atLeast, c.constant(c.result, 1));
}
/// The next integer; halves go away from zero. What is cut off is exact, and NaN for infinities,
/// which stay.
Value roundedAway(const Call &c) {
  Type type = c.x[0].getType();
  Value whole = c.make<math::TruncOp>(c.x[0]);
  Value rest = c.make<math::AbsFOp>(c.make<arith::SubFOp>(c.x[0], whole));
  Value isHalf = c.make<arith::CmpFOp>(arith::CmpFPredicate::OGE, rest, c.constant(type, 0.5));
  Value further = c.make<arith::AddFOp>(whole, c.make<math::CopySignOp>(c.constant(type, 1), c.x[0]));
  return c.make<arith::SelectOp>(isHalf, further, whole);
}
Value integerAway(const Call &c) { return c.make<FpToSiOp>(c.result, roundedAway(c)); }
template <typename Rounding, typename Op> Value integer(const Call &c) {
  return c.make<Op>(c.result, c.make<Rounding>(c.x[0]));
}
/// Counts of 64 bits are given in 32.
template <typename Op> Value count(const Call &c) {
  Value counted = c.make<Op>(c.x[0]);
  return counted.getType() == c.result ? counted : c.make<arith::TruncIOp>(c.result, counted);
}
template <bool isHigh> Value word(const Call &c) {
  Type bits = blockOrScalar(shapeOf(c.result), c.b.getI64Type());
  Value whole = c.make<arith::BitcastOp>(bits, c.x[0]);
  return c.make<arith::TruncIOp>(c.result, isHigh ? c.make<ShrUOp>(whole, c.constantInt(bits, 32)) : whole);
}

const llvm::StringMap<Expand> &expansions() {
  static const llvm::StringMap<Expand> table = {
      {"expf", unary<math::ExpOp>},
      {"exp", unary<math::ExpOp>},
      {"fast_expf", unary<math::ExpOp>},
      {"exp2f", unary<math::Exp2Op>},
      {"exp2", unary<math::Exp2Op>},
      {"logf", unary<math::LogOp>},
      {"log", unary<math::LogOp>},
      {"fast_logf", unary<math::LogOp>},
      {"log2f", unary<math::Log2Op>},
      {"log2", unary<math::Log2Op>},
      {"fast_log2f", unary<math::Log2Op>},
      {"sinf", unary<math::SinOp>},
      {"sin", unary<math::SinOp>},
      {"fast_sinf", unary<math::SinOp>},
      {"cosf", unary<math::CosOp>},
      {"cos", unary<math::CosOp>},
      {"fast_cosf", unary<math::CosOp>},
      {"tanhf", unary<math::TanhOp>},
      {"tanh", unary<math::TanhOp>},
      {"fast_tanhf", unary<math::TanhOp>},
      {"sqrtf", unary<math::SqrtOp>},
      {"sqrt", unary<math::SqrtOp>},
      {"fsqrt_rn", unary<math::SqrtOp>},
      {"dsqrt_rn", unary<math::SqrtOp>},
      {"rsqrtf", unary<math::RsqrtOp>},
      {"rsqrt", unary<math::RsqrtOp>},
      {"erff", unary<math::ErfOp>},
      {"erf", unary<math::ErfOp>},
      {"floorf", unary<math::FloorOp>},
      {"floor", unary<math::FloorOp>},
      {"ceilf", unary<math::CeilOp>},
      {"ceil", unary<math::CeilOp>},
      {"truncf", unary<math::TruncOp>},
      {"trunc", unary<math::TruncOp>},
      {"rintf", unary<math::RoundEvenOp>},
      {"rint", unary<math::RoundEvenOp>},
      {"nearbyintf", unary<math::RoundEvenOp>},
      {"nearbyint", unary<math::RoundEvenOp>},
      {"copysignf", binary<math::CopySignOp>},
      {"copysign", binary<math::CopySignOp>},
      {"fabsf", unary<math::AbsFOp>},
      {"fabs", unary<math::AbsFOp>},
      {"abs", unary<math::AbsIOp>},
      {"llabs", unary<math::AbsIOp>},
      {"fadd_rn", binary<arith::AddFOp>},
      {"dadd_rn", binary<arith::AddFOp>},
      {"fsub_rn", binary<arith::SubFOp>},
      {"dsub_rn", binary<arith::SubFOp>},
      {"fmul_rn", binary<arith::MulFOp>},
      {"dmul_rn", binary<arith::MulFOp>},
      {"fdiv_rn", exactDivision},
      {"ddiv_rn", exactDivision},
      {"frcp_rn", reciprocal},
      {"drcp_rn", reciprocal},
      {"fmaf", fused},
      {"fma", fused},
      {"fmaf_rn", fused},
      {"fma_rn", fused},
      {"fast_fdividef", binary<arith::DivFOp>},
      {"fminf", binary<arith::MinNumFOp>},
      {"fmin", binary<arith::MinNumFOp>},
      {"fmaxf", binary<arith::MaxNumFOp>},
      {"fmax", binary<arith::MaxNumFOp>},
      {"min", binary<arith::MinSIOp>},
      {"llmin", binary<arith::MinSIOp>},
      {"max", binary<arith::MaxSIOp>},
      {"llmax", binary<arith::MaxSIOp>},
      {"umin", binary<arith::MinUIOp>},
      {"ullmin", binary<arith::MinUIOp>},
      {"umax", binary<arith::MaxUIOp>},
      {"ullmax", binary<arith::MaxUIOp>},
      {"clz", count<math::CountLeadingZerosOp>},
      {"clzll", count<math::CountLeadingZerosOp>},
      {"popc", count<math::CtPopOp>},
      {"popcll", count<math::CtPopOp>},
      {"isnanf", isNaN},
      {"isnand", isNaN},
      {"isinff", isInfinite},
      {"isinfd", isInfinite},
      {"finitef", isFinite},
      {"isfinited", isFinite},
      {"saturatef", saturate},
      {"double2loint", word<false>},
      {"double2hiint", word<true>},
      {"int_as_float", convert<arith::BitcastOp>},
      {"uint_as_float", convert<arith::BitcastOp>},
      {"float_as_int", convert<arith::BitcastOp>},
      {"float_as_uint", convert<arith::BitcastOp>},
      {"longlong_as_double", convert<arith::BitcastOp>},
      {"double_as_longlong", convert<arith::BitcastOp>},
      {"roundf", roundedAway},
      {"round", roundedAway},
      {"llroundf", integerAway},
      {"llround", integerAway},
      {"llrintf", integer<math::RoundEvenOp, FpToSiOp>},
      {"llrint", integer<math::RoundEvenOp, FpToSiOp>},
      {"float2int_rn", integer<math::RoundEvenOp, FpToSiOp>},
      {"float2int_rd", integer<math::FloorOp, FpToSiOp>},
      {"float2int_ru", integer<math::CeilOp, FpToSiOp>},
      {"float2ll_rn", integer<math::RoundEvenOp, FpToSiOp>},
      {"float2ll_rd", integer<math::FloorOp, FpToSiOp>},
      {"float2ll_ru", integer<math::CeilOp, FpToSiOp>},
      {"float2uint_rn", integer<math::RoundEvenOp, FpToUiOp>},
      {"float2uint_rd", integer<math::FloorOp, FpToUiOp>},
      {"float2uint_ru", integer<math::CeilOp, FpToUiOp>},
      {"float2ull_rn", integer<math::RoundEvenOp, FpToUiOp>},
      {"float2ull_rd", integer<math::FloorOp, FpToUiOp>},
      {"float2ull_ru", integer<math::CeilOp, FpToUiOp>},
      {"double2int_rn", integer<math::RoundEvenOp, FpToSiOp>},
      {"double2int_rd", integer<math::FloorOp, FpToSiOp>},
      {"double2int_ru", integer<math::CeilOp, FpToSiOp>},
      {"double2ll_rn", integer<math::RoundEvenOp, FpToSiOp>},
      {"double2ll_rd", integer<math::FloorOp, FpToSiOp>},
      {"double2ll_ru", integer<math::CeilOp, FpToSiOp>},
      {"double2uint_rn", integer<math::RoundEvenOp, FpToUiOp>},
      {"double2uint_rd", integer<math::FloorOp, FpToUiOp>},
      {"double2uint_ru", integer<math::CeilOp, FpToUiOp>},
      {"double2ull_rn", integer<math::RoundEvenOp, FpToUiOp>},
      {"double2ull_rd", integer<math::FloorOp, FpToUiOp>},
      {"double2ull_ru", integer<math::CeilOp, FpToUiOp>},
      {"float2int_rz", convert<FpToSiOp>},
      {"float2uint_rz", convert<FpToUiOp>},
      {"float2ll_rz", convert<FpToSiOp>},
      {"float2ull_rz", convert<FpToUiOp>},
      {"double2int_rz", convert<FpToSiOp>},
      {"double2uint_rz", convert<FpToUiOp>},
      {"double2ll_rz", convert<FpToSiOp>},
      {"double2ull_rz", convert<FpToUiOp>},
      {"int2float_rn", convert<arith::SIToFPOp>},
      {"ll2float_rn", convert<arith::SIToFPOp>},
      {"ll2double_rn", convert<arith::SIToFPOp>},
      {"int2double_rn", convert<arith::SIToFPOp>},
      {"uint2float_rn", convert<arith::UIToFPOp>},
      {"ull2float_rn", convert<arith::UIToFPOp>},
      {"ull2double_rn", convert<arith::UIToFPOp>},
      {"uint2double_rn", convert<arith::UIToFPOp>},
      {"double2float_rn", convert<arith::TruncFOp>},
  };
  return table;
}

/// truncf x toward zero => the nearest value n, or the one whose bits are one less where |n| > |x|:
/// of one sign that is the next one toward zero, and below infinity it is the largest finite one.
void expandTowardZero(arith::TruncFOp op) {
  OpBuilder b(op);
  Call c{b, op.getLoc(), op->getOperands(), op.getType()};
  Value nearest = c.make<arith::TruncFOp>(c.result, c.x[0]);
  Value back = c.make<arith::ExtFOp>(c.x[0].getType(), nearest);
  Value beyond =
      c.make<arith::CmpFOp>(arith::CmpFPredicate::OGT, c.make<math::AbsFOp>(back), c.make<math::AbsFOp>(c.x[0]));
  Type bits = blockOrScalar(shapeOf(c.result), b.getIntegerType(elementTypeOf(c.result).getIntOrFloatBitWidth()));
  Value less = c.make<arith::SubIOp>(c.make<arith::BitcastOp>(bits, nearest), c.constantInt(bits, 1));
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType>(elementTypeOf(c.result))) {
    // Where zero has no sign, the bits of -0 are NaN's.
    Value isMinusZero = c.make<arith::CmpIOp>(arith::CmpIPredicate::eq, less, c.constantInt(bits, -128));
    less = c.make<arith::SelectOp>(isMinusZero, c.constantInt(bits, 0), less);
  }
  op.replaceAllUsesWith(c.make<arith::SelectOp>(beyond, c.make<arith::BitcastOp>(c.result, less), nearest));
  op.erase();
}

struct ExpandLibdevice : impl::ExpandLibdeviceBase<ExpandLibdevice> {
  void runOnOperation() override {
    SmallVector<ExternCallOp> calls;
    SmallVector<arith::TruncFOp> casts;
    getOperation().walk([&](Operation *op) {
      if (auto call = dyn_cast<ExternCallOp>(op))
        calls.push_back(call);
      if (auto cast = dyn_cast<arith::TruncFOp>(op); cast && cast.getRoundingmode() == arith::RoundingMode::toward_zero)
        casts.push_back(cast);
    });
    for (ExternCallOp call : calls) {
      Expand expand = expansions().lookup(call.getSymbol());
      if (!expand)
        continue;
      OpBuilder b(call);
      call.replaceAllUsesWith(expand(Call{b, call.getLoc(), call->getOperands(), call.getType()}));
      call.erase();
    }
    for (arith::TruncFOp cast : casts)
      expandTowardZero(cast);
  }
};

} // namespace

} // namespace tilewise::tile
