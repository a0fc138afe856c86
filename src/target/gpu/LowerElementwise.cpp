// Elementwise ops -> one LLVM op, or a few, per register; integer edge cases are guarded as the
// tile dialect defines them.
#include "target/Refusal.h"
#include "target/gpu/Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::gpu {

LogicalResult Lowering::lowerElementwise(Operation *op) {
  if (op->getNumResults() != 1)
    return refuse(op, "GPU");
  Value result = op->getResult(0);
  unsigned count = isBlock(result.getType()) ? layoutOf(result.getType()).registers() : 1;
  Registers registers;
  for (unsigned reg = 0; reg < count; ++reg) {
    SmallVector<Value, 3> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isBlock(operand.getType()) ? registersOf(operand)[reg] : scalarOf(operand));
    // Registers that a broadcast made equal are computed once.
    if (reg > 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
          const Registers &all = registersOf(operand);
          return all.size() == 1 || all[reg] == all[reg - 1];
        })) {
      registers.push_back(registers.back());
      continue;
    }
    Value value = lowerElement(op, operands);
    if (!value)
      return failure();
    registers.push_back(value);
  }
  set(result, std::move(registers));
  return success();
}

namespace {

unsigned widthOf(Value value) { return value.getType().getIntOrFloatBitWidth(); }

std::optional<APInt> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

/// Division with its divisor made harmless: 0 and (signed) -1 are divided by 1 and the result
/// replaced.
Value divide(Lowering &on, tile::IntegerDivision op, Value a, Value b) {
  const bool isSigned = op.isSigned(), isDiv = op.givesQuotient();
  auto plain = [&](Value divisor) -> Value {
    if (isSigned)
      return isDiv ? on.make<LLVM::SDivOp>(a, divisor) : on.make<LLVM::SRemOp>(a, divisor);
    return isDiv ? on.make<LLVM::UDivOp>(a, divisor) : on.make<LLVM::URemOp>(a, divisor);
  };
  std::optional<APInt> known = constantOf(b);
  if (known && !known->isZero() && !(isSigned && known->isAllOnes()))
    return plain(b);
  Type type = a.getType();
  Value zero = on.constant(type, 0), one = on.constant(type, 1), ones = on.constant(type, -1);
  Value isZero = on.compare(LLVM::ICmpPredicate::eq, b, zero);
  Value isOnes = isSigned ? on.compare(LLVM::ICmpPredicate::eq, b, ones) : Value();
  Value harmful = isSigned ? on.make<LLVM::OrOp>(isZero, isOnes) : isZero;
  Value result = plain(on.select(harmful, one, b));
  if (isSigned)
    result = on.select(isOnes, isDiv ? on.make<LLVM::SubOp>(zero, a) : zero, result);
  return on.select(isZero, isDiv ? ones : a, result);
}

/// A shift by at least the width gives 0, or the sign.
Value shift(Lowering &on, tile::IntegerShift op, Value a, Value b) {
  unsigned width = widthOf(a);
  Type type = a.getType();
  std::optional<APInt> known = constantOf(b);
  bool inRange = known && known->ult(width);
  if (op.isSigned()) {
    Value most = on.constant(type, width - 1);
    Value amount = inRange ? b : on.select(on.compare(LLVM::ICmpPredicate::ult, b, most), b, most);
    return on.make<LLVM::AShrOp>(a, amount);
  }
  auto plain = [&](Value amount) -> Value {
    return op.isLeft() ? on.make<LLVM::ShlOp>(a, amount) : on.make<LLVM::LShrOp>(a, amount);
  };
  if (inRange)
    return plain(b);
  // A bool's width is 1, which its own type cannot hold; its only harmless amount is 0.
  Value isIn = width == 1 ? on.compare(LLVM::ICmpPredicate::eq, b, on.constant(type, 0))
                          : on.compare(LLVM::ICmpPredicate::ult, b, on.constant(type, width));
  Value zero = on.constant(type, 0);
  return on.select(isIn, plain(on.select(isIn, b, zero)), zero);
}

LLVM::ICmpPredicate predicateOf(arith::CmpIPredicate predicate) { return static_cast<LLVM::ICmpPredicate>(predicate); }

Value resize(Lowering &on, Value value, Type to, bool isSigned) {
  unsigned from = widthOf(value), width = to.getIntOrFloatBitWidth();
  if (from == width)
    return value;
  if (from > width)
    return on.make<LLVM::TruncOp>(to, value);
  return isSigned ? on.make<LLVM::SExtOp>(to, value) : on.make<LLVM::ZExtOp>(to, value);
}

} // namespace

Value Lowering::lowerElement(Operation *op, ValueRange x) {
  Type result = registerType(tile::elementTypeOf(op->getResult(0).getType()));
  auto intrinsic = [&](StringRef name) { return call(name, result, x); };
  Value value =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case<arith::AddIOp>([&](auto) { return make<LLVM::AddOp>(x[0], x[1]); })
          .Case<arith::SubIOp>([&](auto) { return make<LLVM::SubOp>(x[0], x[1]); })
          .Case<arith::MulIOp>([&](auto) { return make<LLVM::MulOp>(x[0], x[1]); })
          .Case<arith::AndIOp>([&](auto) { return make<LLVM::AndOp>(x[0], x[1]); })
          .Case<arith::OrIOp>([&](auto) { return make<LLVM::OrOp>(x[0], x[1]); })
          .Case<arith::XOrIOp>([&](auto) { return make<LLVM::XOrOp>(x[0], x[1]); })
          .Case<arith::MaxSIOp>([&](auto) { return make<LLVM::SMaxOp>(x[0], x[1]); })
          .Case<arith::MinSIOp>([&](auto) { return make<LLVM::SMinOp>(x[0], x[1]); })
          .Case<arith::MaxUIOp>([&](auto) { return make<LLVM::UMaxOp>(x[0], x[1]); })
          .Case<arith::MinUIOp>([&](auto) { return make<LLVM::UMinOp>(x[0], x[1]); })
          .Case<arith::CmpIOp>(
              [&](auto compareOp) { return compare(predicateOf(compareOp.getPredicate()), x[0], x[1]); })
          .Case<tile::HintOp>([&](auto) { return x[0]; })
          .Case<arith::SelectOp>([&](auto) { return select(x[0], x[1], x[2]); })
          .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return resize(*this, x[0], result, true); })
          .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return resize(*this, x[0], result, false); })
          .Case<arith::TruncIOp>([&](auto) { return resize(*this, x[0], result, false); })
          .Case<arith::BitcastOp>(
              [&](auto) { return x[0].getType() == result ? x[0] : make<LLVM::BitcastOp>(result, x[0]); })
          .Case<tile::IntegerDivision>([&](auto op) { return divide(*this, op, x[0], x[1]); })
          // Passes make these where the amount is below the width.
          .Case<arith::ShLIOp>([&](auto) { return make<LLVM::ShlOp>(x[0], x[1]); })
          .Case<arith::ShRUIOp>([&](auto) { return make<LLVM::LShrOp>(x[0], x[1]); })
          .Case<arith::ShRSIOp>([&](auto) { return make<LLVM::AShrOp>(x[0], x[1]); })
          .Case<tile::IntegerShift>([&](auto op) { return shift(*this, op, x[0], x[1]); })
          .Case<tile::PtrAddOp>([&](auto add) -> Value {
            Type pointee = cast<tile::PtrType>(tile::elementTypeOf(add.getType())).getPointee();
            return make<LLVM::GEPOp>(result, memoryType(pointee), x[0], ArrayRef<LLVM::GEPArg>{x[1]});
          })
          .Case<tile::PtrCastOp>([&](auto) { return x[0]; })
          .Case<tile::PtrToIntOp>([&](auto) { return make<LLVM::PtrToIntOp>(result, x[0]); })
          .Case<tile::IntToPtrOp>(
              [&](auto) { return make<LLVM::IntToPtrOp>(result, resize(*this, x[0], builder.getI64Type(), false)); })
          .Case<tile::ExternCallOp>([&](auto call) { return machine.libraryCall(*this, call, x); })
          .Case<math::AbsIOp>([&](auto) { return make<LLVM::AbsOp>(result, x[0], /*is_int_min_poison=*/false); })
          .Case<math::CountLeadingZerosOp>([&](auto) { return make<LLVM::CountLeadingZerosOp>(result, x[0], false); })
          .Case<math::CtPopOp>([&](auto) { return intrinsic("llvm.ctpop"); })
          .Default([&](Operation *) { return machine.floatOp(*this, op, x); });
  return value;
}

} // namespace tilewise::gpu
