// One op on elements, as scalars or as vectors: arith and math as they are, the tile dialect's
// total ops with their guards.
#include "target/cpu/HostCalls.h"
#include "target/cpu/math/MathFunctions.h"
#include "target/cpu/nests/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <functional>

using namespace mlir;

namespace tilewise::cpu {

namespace {

/// Builds guarded integer ops on one type, scalar or vector.
struct IntOps {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(const APInt &value) {
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return b.create<arith::ConstantOp>(loc, attr);
  }
  unsigned width() { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }
  Value zero() { return constant(APInt::getZero(width())); }
  Value one() { return constant(APInt(width(), 1)); }
  Value ones() { return constant(APInt::getAllOnes(width())); }
  Value equal(Value a, Value c) { return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, c); }
  Value select(Value condition, Value a, Value c) { return b.create<arith::SelectOp>(loc, condition, a, c); }

  /// LLVM multiplies instead of dividing by constants.
  static bool isConstant(Value value) {
    if (auto broadcast = value.getDefiningOp<vector::SplatOp>())
      value = broadcast.getInput();
    return matchPattern(value, m_Constant());
  }

  /// The divisor is one that no hardware traps on, unless it is a constant already known to be
  /// such; a vector has every lane checked.
  bool isSafeDivisor(Value divisor, bool isSigned) {
    DenseElementsAttr lanes;
    if (matchPattern(divisor, m_Constant(&lanes)))
      return llvm::none_of(lanes.getValues<APInt>(),
                           [&](const APInt &x) { return x.isZero() || (isSigned && x.isAllOnes()); });
    APInt value;
    if (auto broadcast = divisor.getDefiningOp<vector::SplatOp>())
      divisor = broadcast.getInput();
    return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() && !(isSigned && value.isAllOnes());
  }

  /// The quotient of lanes of up to 32 bits, which no processor divides, by way of floats with
  /// twice their bits (and six more): x / y is at least 1/x of itself below the next integer, far
  /// more than the rounding takes. One divisor for all lanes is inverted once; x half further from
  /// zero is 1/2x away from any integer, on either side, which two roundings do not take either.
  /// `y` is neither 0 nor -1.
  Value divideByFloats(Value x, Value y, bool isSigned) {
    Type element = width() > 16 ? Type(b.getF64Type()) : b.getF32Type();
    auto floats = VectorType::get(cast<VectorType>(type).getShape(), element);
    auto convert = [&](Value value, Type to) -> Value {
      if (isSigned)
        return b.create<arith::SIToFPOp>(loc, to, value);
      return b.create<arith::UIToFPOp>(loc, to, value);
    };
    auto number = [&](Type to, double value) -> Value {
      TypedAttr attr = b.getFloatAttr(element, value);
      if (to == floats)
        attr = DenseElementsAttr::get(floats, Attribute(attr));
      return b.create<arith::ConstantOp>(loc, attr);
    };
    Value dividend = convert(x, floats), ratio;
    if (auto broadcast = y.getDefiningOp<vector::SplatOp>()) {
      Value inverse = b.create<arith::DivFOp>(loc, number(element, 1), convert(broadcast.getInput(), element));
      Value half = number(floats, 0.5);
      if (isSigned)
        half = b.create<math::CopySignOp>(loc, half, dividend);
      ratio = b.create<arith::MulFOp>(loc, b.create<arith::AddFOp>(loc, dividend, half),
                                      b.create<vector::SplatOp>(loc, floats, inverse));
    } else {
      ratio = b.create<arith::DivFOp>(loc, dividend, convert(y, floats));
    }
    if (isSigned)
      return b.create<arith::FPToSIOp>(loc, type, ratio);
    return b.create<arith::FPToUIOp>(loc, type, ratio);
  }

  /// `y` in place of a divisor that hardware traps on, of all lanes at once where they have the
  /// same.
  Value guard(Value y, bool isSigned) {
    if (auto broadcast = y.getDefiningOp<vector::SplatOp>()) {
      IntOps scalar{b, loc, broadcast.getInput().getType()};
      return b.create<vector::SplatOp>(loc, type, scalar.guard(broadcast.getInput(), isSigned));
    }
    Value traps = equal(y, zero());
    if (isSigned && width() > 1)
      traps = b.create<arith::OrIOp>(loc, traps, equal(y, ones()));
    return select(traps, one(), y);
  }

  /// x / 0 is all ones, x % 0 is x; INT_MIN / -1 is INT_MIN, INT_MIN % -1 is 0: both follow from
  /// dividing by 1 instead of -1 and negating.
  Value divide(tile::IntegerDivision op, Value x, Value y) {
    const bool isSigned = op.isSigned(), quotient = op.givesQuotient();
    auto plain = [&](Value divisor) -> Value {
      if (isa<VectorType>(type) && width() > 1 && width() <= 32 && !isConstant(divisor)) {
        Value whole = divideByFloats(x, divisor, isSigned);
        if (quotient)
          return whole;
        return b.create<arith::SubIOp>(loc, x, b.create<arith::MulIOp>(loc, whole, divisor));
      }
      if (isSigned)
        return quotient ? b.create<arith::DivSIOp>(loc, x, divisor).getResult()
                        : b.create<arith::RemSIOp>(loc, x, divisor);
      return quotient ? b.create<arith::DivUIOp>(loc, x, divisor).getResult()
                      : b.create<arith::RemUIOp>(loc, x, divisor);
    };
    if (isSafeDivisor(y, isSigned))
      return plain(y);
    Value result = plain(guard(y, isSigned));
    if (isSigned && width() > 1 && quotient)
      result = select(equal(y, ones()), b.create<arith::SubIOp>(loc, zero(), x), result);
    return select(equal(y, zero()), quotient ? ones() : x, result);
  }

  Value shift(tile::IntegerShift op, Value x, Value amount) {
    Value limit = constant(APInt(width(), width() - 1));
    if (op.isSigned()) {
      Value clamped = b.create<arith::MinUIOp>(loc, amount, limit);
      return b.create<arith::ShRSIOp>(loc, x, clamped);
    }
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, amount, limit);
    Value guarded = select(inside, amount, zero());
    Value shifted =
        op.isLeft() ? b.create<arith::ShLIOp>(loc, x, guarded).getResult() : b.create<arith::ShRUIOp>(loc, x, guarded);
    return select(inside, shifted, zero());
  }
};

Type withLanesOf(Type element, Value like) {
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return vectorType(element, vector.getNumElements());
  return scalarType(element);
}

} // namespace

/// The address `offset` elements on; vectors of pointers are vectors of i64.
static Value addToPointer(KernelEmitter &k, tile::PtrAddOp op, Value pointer, Value offset) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  auto vector = dyn_cast<VectorType>(pointer.getType());
  Type wide = vector ? Type(vector) : b.getI64Type();
  if (getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth() < 64)
    offset = b.create<arith::ExtSIOp>(loc, wide, offset);
  int64_t bytes = storageBytes(cast<tile::PtrType>(tile::elementTypeOf(op.getType())).getPointee());
  if (bytes != 1) {
    TypedAttr scale = b.getI64IntegerAttr(bytes);
    if (vector)
      scale = DenseElementsAttr::get(vector, Attribute(scale));
    offset = b.create<arith::MulIOp>(loc, offset, b.create<arith::ConstantOp>(loc, scale));
  }
  if (vector)
    return b.create<arith::AddIOp>(loc, pointer, offset);
  return k.offsetPointer(loc, pointer, offset);
}

Value KernelEmitter::applyElementwise(Operation *op, ArrayRef<Value> operands) {
  Location loc = op->getLoc();
  if (auto division = dyn_cast<tile::IntegerDivision>(op))
    return IntOps{b, loc, operands[0].getType()}.divide(division, operands[0], operands[1]);
  if (auto shift = dyn_cast<tile::IntegerShift>(op))
    return IntOps{b, loc, operands[0].getType()}.shift(shift, operands[0], operands[1]);
  if (auto add = dyn_cast<tile::PtrAddOp>(op))
    return addToPointer(*this, add, operands[0], operands[1]);

  // A promise has told the access inference what it can.
  if (isa<tile::PtrCastOp, tile::HintOp>(op))
    return operands[0];
  if (isa<tile::PtrToIntOp, tile::IntToPtrOp>(op)) {
    if (isa<VectorType>(operands[0].getType())) // Vectors of pointers are vectors of i64.
      return operands[0];
    if (isa<tile::PtrToIntOp>(op))
      return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), operands[0]);
    return b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), operands[0]);
  }

  Type element = tile::elementTypeOf(op->getResult(0).getType());
  Type type = withLanesOf(element, operands.empty() ? Value() : operands.back());
  if (auto conversion = dyn_cast<tile::FloatToInteger>(op)) {
    // LLVM's saturating conversion has just our meaning; formats below f32 go through f32, which
    // holds them exactly.
    Value x = operands[0];
    if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
      x = b.create<arith::ExtFOp>(loc, withLanesOf(b.getF32Type(), x), x);
    StringRef name = conversion.isSigned() ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    return b.create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name), x, LLVM::FastmathFlags{}).getResult(0);
  }
  if (isa<arith::RemFOp>(op) && element.isF32())
    return expandLibraryFunction(b, loc, "fmodf", operands, machine.hasFma, machine.hasScale);
  if (auto call = dyn_cast<tile::ExternCallOp>(op)) {
    if (Value result = expandLibraryFunction(b, loc, call.getSymbol(), operands, machine.hasFma, machine.hasScale))
      return result;
    Value result = callLibdevice(b, loc, call.getSymbol(), operands, type);
    return result ? result : refuse(op, ("of '" + call.getSymbol() + "'").str());
  }
  if (op->getDialect() && isa<arith::ArithDialect, math::MathDialect>(op->getDialect())) {
    OperationState state(loc, op->getName(), operands, type, op->getAttrs());
    return b.create(state)->getResult(0);
  }
  return refuse(op);
}

SmallVector<Value> KernelEmitter::applyCombine(Operation *reduction, ArrayRef<Value> left, ArrayRef<Value> right) {
  Block &body = reduction->getRegion(0).front();
  IRMapping values;
  size_t count = left.size();
  for (size_t i = 0; i < count; ++i) {
    values.map(body.getArgument(i), left[i]);
    values.map(body.getArgument(count + i), right[i]);
  }
  auto like = dyn_cast<VectorType>(left.front().getType());
  // Constants of the region, and scalars from outside it, are the same in every lane.
  auto lookup = [&](Value value) -> Value {
    Value known = values.lookupOrNull(value);
    if (!known)
      known = scalars.lookupOrNull(value);
    if (!known)
      return fail(reduction, "the combine region uses a value it cannot reach");
    if (like && !isa<VectorType>(known.getType()))
      known = b.create<vector::SplatOp>(reduction->getLoc(), VectorType::get(like.getShape(), known.getType()), known);
    return known;
  };
  // What the block gives. Nothing in such a function has an effect and every op is total, so that
  // both sides of a branch are computed and each lane picks its own.
  std::function<SmallVector<Value>(Block &)> evaluate = [&](Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (op.hasTrait<OpTrait::ConstantLike>()) {
        values.map(op.getResult(0), b.clone(op)->getResult(0));
        continue;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults()) {
        Value condition = lookup(branch.getCondition());
        SmallVector<Value> chosen = evaluate(branch.getThenRegion().front());
        SmallVector<Value> others = evaluate(branch.getElseRegion().front());
        for (auto [result, yes, no] : llvm::zip(branch.getResults(), chosen, others))
          if (!failed)
            values.map(result, b.create<arith::SelectOp>(op.getLoc(), condition, yes, no));
      } else if (tile::isElementwise(&op)) {
        SmallVector<Value> operands;
        for (Value operand : op.getOperands())
          operands.push_back(lookup(operand));
        if (!failed)
          values.map(op.getResult(0), applyElementwise(&op, operands));
      } else {
        refuse(&op, "inside the function of a reduction");
      }
      if (failed)
        return SmallVector<Value>();
    }
    SmallVector<Value> results;
    for (Value yielded : block.getTerminator()->getOperands())
      results.push_back(lookup(yielded));
    return results;
  };
  SmallVector<Value> results = evaluate(body);
  return failed ? SmallVector<Value>(left) : results;
}

} // namespace tilewise::cpu
