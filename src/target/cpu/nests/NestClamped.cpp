// Loads from clamped offsets, as of image filters at the border: vectors, but for the few lanes
// that are held back.
//
//     j = min(max(x + dx, 0), w - 1)        lanes that are neighbours: one straight vector
//     v = load(row + j)                     else: lane by lane
//
// What cpu-split-clamps leaves to clamp is a block that reaches over the border, and of its vectors
// only the outermost do. Each is asked: one comparison and a branch that is nearly always taken,
// where a gather of 16 lanes takes some twenty times as long. Clamped addresses step by one element
// or stand still, so the first lane and the last say it of all, and they are scalars; the addresses
// in between are computed behind the branch. Of others every lane is compared.
#include "passes/Warn.h"
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::cpu {

static bool isClamp(Operation *op) {
  const tile::Arithmetic arithmetic = tile::arithmeticOf(op);
  return arithmetic == tile::Arithmetic::Smallest || arithmetic == tile::Arithmetic::Largest;
}

bool NestEmitter::isClamped(Value pointer) {
  return tile::isComputedFrom(pointer, [&](Operation *op) {
    return isClamp(op) && isBlock(op->getResult(0)) && llvm::any_of(op->getOperands(), [&](Value operand) {
             const tile::AffineForm &form = k_.inference.form(operand);
             return form.isAffine() && !form.isUniform();
           });
  });
}

namespace {

/// How much a lane is above the one before it.
struct Step {
  int64_t least, most;
};

} // namespace

static std::optional<Step> stepOf(Value lanes) {
  if (lanes.getDefiningOp<vector::SplatOp>())
    return Step{0, 0};
  if (DenseIntElementsAttr numbers; matchPattern(lanes, m_Constant(&numbers))) {
    SmallVector<int64_t> values = llvm::map_to_vector(numbers, [](const APInt &x) { return x.getSExtValue(); });
    Step step{INT32_MAX, INT32_MIN};
    for (size_t lane = 1; lane < values.size(); ++lane)
      step = {std::min(step.least, values[lane] - values[lane - 1]),
              std::max(step.most, values[lane] - values[lane - 1])};
    return step;
  }
  using tile::Arithmetic;
  Operation *op = lanes.getDefiningOp();
  const Arithmetic arithmetic = op ? tile::arithmeticOf(op) : Arithmetic::Other;
  if (arithmetic == Arithmetic::Other)
    return std::nullopt;
  std::optional<Step> x = stepOf(op->getOperand(0)), y = stepOf(op->getOperands().back());
  if (!x || !y)
    return std::nullopt;
  if (arithmetic == Arithmetic::Widening)
    return x;
  if (arithmetic == Arithmetic::Sum)
    return Step{x->least + y->least, x->most + y->most};
  if (arithmetic == Arithmetic::Difference)
    return Step{x->least - y->most, x->most - y->least};
  if (isClamp(op))
    return Step{std::min(x->least, y->least), std::max(x->most, y->most)};
  DenseIntElementsAttr factor;
  if (!matchPattern(op->getOperand(1), m_Constant(&factor)) || !factor.isSplat())
    return std::nullopt;
  const int64_t by = factor.getSplatValue<APInt>().getSExtValue();
  return Step{std::min(x->least * by, x->most * by), std::max(x->least * by, x->most * by)};
}

/// One lane of what stepOf understands, by scalar arithmetic.
static Value laneOf(OpBuilder &b, Location loc, Value lanes, int64_t lane) {
  if (auto splat = lanes.getDefiningOp<vector::SplatOp>())
    return splat.getInput();
  if (DenseIntElementsAttr numbers; matchPattern(lanes, m_Constant(&numbers)))
    return b.create<arith::ConstantOp>(loc,
                                       b.getIntegerAttr(numbers.getElementType(), numbers.getValues<APInt>()[lane]));
  Operation *op = lanes.getDefiningOp();
  SmallVector<Value, 2> operands;
  for (Value operand : op->getOperands())
    operands.push_back(laneOf(b, loc, operand, lane));
  OperationState state(loc, op->getName(), operands, cast<VectorType>(lanes.getType()).getElementType(),
                       op->getAttrs());
  return b.create(state)->getResult(0);
}

Value NestEmitter::loadNeighbours(Location loc, Type element, Value addresses, Value mask, Value other) {
  const int64_t bytes = storageBytes(element);
  Value first, all;
  if (std::optional<Step> step = stepOf(addresses); step && step->least >= 0 && step->most <= bytes) {
    first = laneOf(b_, loc, addresses, 0);
    Value apart = b_.create<arith::SubIOp>(loc, laneOf(b_, loc, addresses, lanes_ - 1), first);
    all = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, apart, k_.i64(loc, (lanes_ - 1) * bytes));
  } else {
    VectorType type = vectorType(b_.getI64Type(), lanes_);
    first = b_.create<vector::ExtractOp>(loc, addresses, ArrayRef<int64_t>{0});
    SmallVector<int64_t> steps;
    for (int64_t lane = 0; lane < lanes_; ++lane)
      steps.push_back(lane * bytes);
    Value neighbours = b_.create<arith::AddIOp>(
        loc, b_.create<vector::SplatOp>(loc, type, first),
        b_.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(steps))));
    Value same = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, addresses, neighbours);
    all = b_.create<vector::ReductionOp>(loc, vector::CombiningKind::AND, same);
  }
  auto branch = b_.create<scf::IfOp>(loc, TypeRange(vectorType(element, lanes_)), all, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  Value pointer = b_.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b_.getContext()), first);
  b_.create<scf::YieldOp>(loc, loadLanes(loc, element, pointer, k_.i64(loc, bytes), mask, other));
  b_.setInsertionPointToStart(branch.elseBlock());
  b_.create<scf::YieldOp>(loc, loadLanes(loc, element, addresses, {}, mask, other));
  return branch.getResult(0);
}

} // namespace tilewise::cpu
