// cpu-expand-math: math functions on scalars and vectors -> arithmetic.
#include "target/cpu/MathFunctions.h"
#include "target/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

struct ExpandMath : PassWrapper<ExpandMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMath)

  ExpandMath() = default;
  explicit ExpandMath(const Machine &machine) : machine(machine) {}

  StringRef getArgument() const final { return "cpu-expand-math"; }
  StringRef getDescription() const final { return "Expand math functions into arithmetic"; }

  void runOnOperation() override {
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa_and_present<math::MathDialect>(op->getDialect()))
        work.push_back(op);
    });
    for (Operation *op : work)
      expand(op);
  }

  void expand(Operation *op) {
    Type type = op->getResult(0).getType();
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element)
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    bool narrow = element.getWidth() < 32;
    SmallVector<Value> operands(op->getOperands());
    Type wide = type;
    if (narrow) {
      auto vector = dyn_cast<VectorType>(type);
      wide = vector ? Type(VectorType::get(vector.getShape(), b.getF32Type())) : b.getF32Type();
      for (Value &operand : operands)
        operand = b.create<arith::ExtFOp>(loc, wide, operand);
    }
    MathLanes lanes{b, loc, wide, machine.hasFma};
    Value result = expandMathFunction(lanes, op, operands);
    if (!result) { // An instruction, or the stage's verifier names it.
      return;
    }
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
