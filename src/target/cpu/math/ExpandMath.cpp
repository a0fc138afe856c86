// cpu-expand-math: math functions on scalars and vectors -> arithmetic.
#include "ir/Tile.h"
#include "target/cpu/HostCalls.h"
#include "target/cpu/Passes.h"
#include "target/cpu/math/MathFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_EXPANDMATH
#include "target/cpu/Passes.h.inc"

namespace {

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  ExpandMath() = default;
  explicit ExpandMath(const Machine &machine) : machine(machine) {}

  void runOnOperation() override {
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa_and_present<math::MathDialect>(op->getDialect()) || tile::floatExtreme(op) || isa<arith::RemFOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work)
      expand(op);
  }

  /// The product is exact in f64. The sum is rounded to odd there (its last bit says whether
  /// anything was cut off), which makes the second rounding, to the narrow type, come out as if it
  /// were the only one.
  static Value exactFma(OpBuilder &b, math::FmaOp op) {
    Location loc = op.getLoc();
    Type type = op.getType(), f64 = b.getF64Type();
    if (auto vector = dyn_cast<VectorType>(type))
      f64 = VectorType::get(vector.getShape(), f64);
    MathLanes l{b, loc, f64, true};
    auto widen = [&](Value x) -> Value { return b.create<arith::ExtFOp>(loc, f64, x); };
    Value product = l.mul(widen(op.getA()), widen(op.getB())), addend = widen(op.getC());
    Value sum = l.add(product, addend), back = l.sub(sum, product);
    Value error = l.add(l.sub(product, l.sub(sum, back)), l.sub(addend, back)), zero = l.constant(0);
    Value inexact = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ONE, error, zero);
    Value raw = l.bits(sum);
    Value even = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, l.andI(raw, l.integer(1)), l.integer(0));
    // Towards the exact sum: away from zero when error and sum have one sign.
    Value outwards = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, l.less(error, zero), l.less(sum, zero));
    Value step = l.select(outwards, l.integer(1), l.integer(-1));
    Value odd = l.select(b.create<arith::AndIOp>(loc, inexact, even), l.addI(raw, step), raw);
    return b.create<arith::TruncFOp>(loc, type, l.fromBits(odd));
  }

  /// Libdevice names its functions as the dialect does, those of f32 with an `f` behind.
  Value callLibdeviceFor(OpBuilder &b, Operation *op, ArrayRef<Value> operands, Type type) const {
    const bool rounds = isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(op);
    if (isSelectable(op) && (machine.hasRound || !rounds))
      return {};
    auto symbol = llvm::TypeSwitch<Operation *, std::string>(op)
                      .Case<arith::RemFOp>([](auto) { return "fmod"; })
                      .Case<math::PowFOp>([](auto) { return "pow"; })
                      .Case<math::RoundEvenOp>([](auto) { return "rint"; })
                      .Default([](Operation *other) { return other->getName().stripDialect().str(); });
    if (getElementTypeOrSelf(type).isF32())
      symbol += 'f';
    return callLibdevice(b, op->getLoc(), symbol, operands, type);
  }

  /// The vector code of sine and cosine is good up to 2^20; a chunk with a larger number is the
  /// library's.
  Value expandWithin(MathLanes &l, Operation *op, ArrayRef<Value> operands) const {
    if (!isa<math::SinOp, math::CosOp>(op))
      return expandMathFunction(l, op, operands);
    Value beyond = l.less(l.constant(1 << 20), l.abs(operands[0]));
    if (isa<VectorType>(beyond.getType()))
      beyond = l.b.create<vector::ReductionOp>(l.loc, vector::CombiningKind::OR, beyond);
    auto branch = l.b.create<scf::IfOp>(l.loc, TypeRange(l.type), beyond, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToStart(branch.thenBlock());
    l.b.create<scf::YieldOp>(l.loc, callLibdeviceFor(l.b, op, operands, l.type));
    l.b.setInsertionPointToStart(branch.elseBlock());
    l.b.create<scf::YieldOp>(l.loc, expandMathFunction(l, op, operands));
    return branch.getResult(0);
  }

  void expand(Operation *op) {
    Type type = op->getResult(0).getType();
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element)
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    bool narrow = element.getWidth() < 32;
    if (auto fma = dyn_cast<math::FmaOp>(op); fma && (narrow || (element.isF32() && !machine.hasFma))) {
      fma.getResult().replaceAllUsesWith(exactFma(b, fma));
      return fma.erase();
    }
    SmallVector<Value> operands(op->getOperands());
    Type wide = type;
    if (narrow) {
      auto vector = dyn_cast<VectorType>(type);
      wide = vector ? Type(VectorType::get(vector.getShape(), b.getF32Type())) : b.getF32Type();
      for (Value &operand : operands)
        operand = b.create<arith::ExtFOp>(loc, wide, operand);
    }
    MathLanes lanes{b, loc, wide, machine.hasFma, machine.hasScale, machine.hasRange};
    Value result = expandWithin(lanes, op, operands);
    if (!result)
      result = callLibdeviceFor(b, op, operands, wide);
    if (!result) // An instruction, or the stage's verifier names it.
      return;
    if (narrow)
      result = b.create<arith::TruncFOp>(loc, type, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

  Machine machine;
};

} // namespace

std::unique_ptr<Pass> createExpandMathPass(const Machine &machine) { return std::make_unique<ExpandMath>(machine); }

} // namespace tilewise::cpu
