// cpu-split-runs: kernels over flat indices, whose quotients and remainders tell rows from columns,
// get blocks of rows.
//
// A compiler that writes kernels, as PyTorch's does, numbers all elements of a tensor through and
// takes the number apart again:
//
//     x = pid * 1024 + range(1024)                        row = pid * 1024 + 512 * range(2)      [2]
//     b = load(bias + x // 512)                     =>    b   = load(bias + row // 512)          [2]
//     v = load(w + x % 512)                               v   = load(w + (row % 512)[:, None] + range(512)[None, :])
//     store(y + x, v + b)                                 store(y + row[:, None] + range(512)[None, :], v + b[:, None])
//
// Lane by lane, x // 512 is a division and bias a gather of 1024 elements. But over runs of 512
// elements the quotient stays and the remainder counts up (AccessInference.h, Facts): what stays is
// computed once to a run, and what counts up is a straight load. The kernel is written anew with a
// block [1024] as [2, 512]; what stays over a run is kept as [2]. On one core an embedding's rows
// of 512 floats are copied 13 times as fast so.
//
// Only kernels without loops, all of whose blocks have one dimension and one extent, and whose ops
// work element by element: those are what such compilers write.
#include "passes/AccessInference.h"
#include "target/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_SPLITRUNS
#include "target/cpu/Passes.h.inc"

namespace {

bool isBlock(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Shorter runs than a vector of the widest registers are not worth a row.
constexpr int64_t kShortestRun = 16;

/// What cpu-guard-assertions writes: whether any element is true, and an assertion behind that.
bool isAny(Operation *op) {
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (!reduce || op->getNumResults() != 1 || isBlock(op->getResult(0)))
    return false;
  Block &body = reduce.getCombine().front();
  return llvm::hasSingleElement(body.without_terminator()) && isa<arith::OrIOp>(body.front());
}
bool holdsAssertions(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && !branch.elseBlock() && llvm::all_of(branch.thenBlock()->without_terminator(), [](Operation &inner) {
           return isa<tile::AssertOp>(inner);
         });
}

/// The extent of all blocks; nothing where they differ, or where an op is not understood.
std::optional<int64_t> commonExtent(func::FuncOp kernel) {
  std::optional<int64_t> extent;
  for (Operation &op : kernel.getBody().front()) {
    if (op.getNumRegions() != 0 && !isAny(&op) && !holdsAssertions(&op))
      return std::nullopt;
    bool touchesBlocks = false;
    for (Value value : llvm::concat<Value>(llvm::to_vector(op.getOperands()), llvm::to_vector(op.getResults()))) {
      auto block = dyn_cast<RankedTensorType>(value.getType());
      if (!block)
        continue;
      touchesBlocks = true;
      if (block.getRank() != 1 || (extent && *extent != block.getDimSize(0)))
        return std::nullopt;
      extent = block.getDimSize(0);
    }
    bool isKnown = tile::isElementwise(&op) || isAny(&op) ||
                   isa<tile::RangeOp, tile::SplatOp, tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp>(op);
    if (auto load = dyn_cast<tile::LoadOp>(op))
      isKnown = !load.getIsVolatile();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      isKnown = !touchesBlocks || isa<SplatElementsAttr>(constant.getValue());
    if (touchesBlocks && !isKnown)
      return std::nullopt;
  }
  return extent;
}

/// How a value of the old kernel lies in the new one.
struct Split {
  Value row;           ///< [rows]: what each row starts with; null: the rest does not follow.
  Value full;          ///< [rows, length]; of what has a row, made when somebody asks for it.
  bool counts = false; ///< Along a row it counts up by one; else it stays.
};

class Splitter {
public:
  Splitter(func::FuncOp kernel, tile::AccessInference &inference, int64_t extent, int64_t length)
      : kernel_(kernel), inference_(inference), rows_(extent / length), length_(length), b_(kernel.getContext()) {}

  void run() {
    Block &body = kernel_.getBody().front();
    SmallVector<Operation *> old;
    for (Operation &op : body.without_terminator())
      old.push_back(&op);
    for (Operation *op : old) {
      b_.setInsertionPoint(op);
      if (llvm::any_of(op->getOperands(), isBlock) || llvm::any_of(op->getResults(), isBlock))
        split(op);
      else if (holdsAssertions(op))
        for (Operation &assertion : cast<scf::IfOp>(op).thenBlock()->without_terminator())
          numberThrough(&assertion);
    }
    for (Operation *op : llvm::reverse(old))
      if (llvm::any_of(op->getOperands(), isBlock) || llvm::any_of(op->getResults(), isBlock))
        op->erase();
  }

private:
  RankedTensorType rowType(Type element) { return RankedTensorType::get({rows_}, element); }
  RankedTensorType fullType(Type element) { return RankedTensorType::get({rows_, length_}, element); }
  static Type elementOf(Value value) { return tile::elementTypeOf(value.getType()); }

  /// A value that is the same along each row, as [rows].
  bool isRow(Value value) {
    if (!isBlock(value))
      return true;
    const Split &known = split_.find(value)->second;
    return known.row && !known.counts;
  }
  Value rowOf(Value value) { return isBlock(value) ? split_.find(value)->second.row : value; }

  Value widened(Value row) {
    Location loc = row.getLoc();
    Type element = elementOf(row);
    Value column = b_.create<tile::ExpandDimsOp>(loc, RankedTensorType::get({rows_, 1}, element), row, 1);
    return b_.create<tile::BroadcastOp>(loc, fullType(element), column);
  }

  /// 0, 1, 2, ... along each row, of i32 or i64: at the kernel's head, for all who count.
  Value counting(Location loc, Type element) {
    Value &known = counting_[element];
    if (known)
      return known;
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&kernel_.getBody().front());
    Value range = b_.create<tile::RangeOp>(loc, RankedTensorType::get({length_}, b_.getI32Type()), 0, length_);
    if (element.getIntOrFloatBitWidth() > 32)
      range = b_.create<arith::ExtSIOp>(loc, RankedTensorType::get({length_}, element), range);
    Value line = b_.create<tile::ExpandDimsOp>(loc, RankedTensorType::get({1, length_}, element), range, 0);
    return known = b_.create<tile::BroadcastOp>(loc, fullType(element), line);
  }

  Value fullOf(Value value) {
    if (!isBlock(value))
      return value;
    Split &known = split_.find(value)->second;
    if (known.full)
      return known.full;
    // Where its row was made, so that every user can have it.
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointAfterValue(known.row);
    Value full = widened(known.row);
    if (known.counts)
      full = b_.create<arith::AddIOp>(value.getLoc(), full, counting(value.getLoc(), elementOf(value)));
    return split_.find(value)->second.full = full;
  }

  void split(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tile::RangeOp range) {
          // start + length * range(rows), and on by one.
          Location loc = op->getLoc();
          auto type = rowType(b_.getI32Type());
          Value steps = b_.create<tile::RangeOp>(loc, type, 0, rows_);
          auto constant = [&](int64_t value) -> Value {
            return b_.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, int32_t(value)));
          };
          Value row = b_.create<arith::MulIOp>(loc, steps, constant(length_));
          if (range.getStart() != 0)
            row = b_.create<arith::AddIOp>(loc, row, constant(int32_t(range.getStart())));
          split_[range] = {row, {}, true};
        })
        .Case([&](tile::SplatOp splat) {
          split_[splat] = {
              b_.create<tile::SplatOp>(op->getLoc(), rowType(elementOf(splat)), splat.getSource()), {}, false};
        })
        .Case([&](arith::ConstantOp constant) {
          auto elements = cast<SplatElementsAttr>(constant.getValue());
          split_[constant] = {
              b_.create<arith::ConstantOp>(op->getLoc(), elements.resizeSplat(rowType(elementOf(constant)))),
              {},
              false};
        })
        .Case([&](tile::ReduceOp any) { splitAny(any); })
        .Default([&](Operation *) { splitElements(op); });
  }

  /// Any of a row that stays is any of its first.
  void splitAny(tile::ReduceOp any) {
    Value source = any.getSources().front();
    Value left = isRow(source) ? rowOf(source) : fullOf(source);
    while (isBlock(left)) {
      Type reduced = tile::blockOrScalar(tile::shapeOf(left.getType()).drop_back(), b_.getI1Type());
      auto made = b_.create<tile::ReduceOp>(any.getLoc(), TypeRange(reduced), ValueRange(left),
                                            tile::shapeOf(left.getType()).size() - 1);
      IRMapping mapping;
      any.getCombine().cloneInto(&made.getCombine(), mapping);
      left = made.getResult(0);
    }
    any.getResult(0).replaceAllUsesWith(left);
  }

  /// What an assertion tells names lanes as the kernel's author numbered them. Rows are widened
  /// here, where only a kernel that fails comes.
  void numberThrough(Operation *assertion) {
    b_.setInsertionPoint(assertion);
    for (OpOperand &operand : assertion->getOpOperands())
      if (Value value = operand.get(); isBlock(value)) {
        Value full = isRow(value) ? widened(rowOf(value)) : fullOf(value);
        operand.set(b_.create<tile::ReshapeOp>(assertion->getLoc(), value.getType(), full));
      }
  }

  void splitElements(Operation *op) {
    if (countsUp(op))
      return;
    const bool isOfRows = stays(op);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, isOfRows ? rowOf(operand) : fullOf(operand));
    Operation *made = b_.clone(*op, mapping);
    for (auto [result, now] : llvm::zip(op->getResults(), made->getResults())) {
      now.setType(isOfRows ? rowType(elementOf(result)) : fullType(elementOf(result)));
      split_[result] = isOfRows ? Split{now, {}, false} : Split{{}, now, false};
    }
  }

  /// Whether an op has one result for each row: all it takes stays over a row, or the quotient or
  /// comparison of what counts does.
  bool stays(Operation *op) {
    if (op->getNumResults() != 1 || tile::isAtomic(op)) // Each lane of an atomic counts.
      return false;
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return isRow(operand); }))
      return true;
    if (op->getNumOperands() != 2 || !isCounting(op->getOperand(0)) || !isRow(op->getOperand(1)))
      return false;
    if (auto division = dyn_cast<tile::IntegerDivision>(op); division && division.givesQuotient())
      return inference_.facts(op->getResult(0)).dims[0].constancy % length_ == 0;
    // Rows begin at multiples of their length: where the limit is one, too, none is cut by it.
    auto compare = dyn_cast<arith::CmpIOp>(op);
    using Predicate = arith::CmpIPredicate;
    return compare &&
           llvm::is_contained({Predicate::slt, Predicate::sge, Predicate::ult, Predicate::uge},
                              compare.getPredicate()) &&
           inference_.facts(compare.getLhs()).dims[0].divisibility % length_ == 0 &&
           inference_.facts(compare.getRhs()).divisibility % length_ == 0;
  }

  /// Sums of something that counts up and something that stays, and what keeps counting by its
  /// facts: computed for the start of each row.
  bool countsUp(Operation *op) {
    using tile::Arithmetic;
    const Arithmetic arithmetic = tile::arithmeticOf(op);
    auto division = dyn_cast<tile::IntegerDivision>(op);
    bool counts = false;
    if (arithmetic == Arithmetic::Sum || arithmetic == Arithmetic::Difference) {
      bool first = isCounting(op->getOperand(0)), second = isCounting(op->getOperand(1));
      counts =
          (first && isRow(op->getOperand(1))) || (second && isRow(op->getOperand(0)) && arithmetic == Arithmetic::Sum);
    } else if (arithmetic == Arithmetic::Widening) {
      counts = isCounting(op->getOperand(0)) && elementOf(op->getResult(0)).isInteger(64);
    } else if (division && !division.givesQuotient()) {
      counts = isCounting(op->getOperand(0)) && isRow(op->getOperand(1)) &&
               inference_.facts(op->getResult(0)).dims[0].contiguity % length_ == 0;
    }
    if (!counts)
      return false;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, rowOf(operand));
    Value row = b_.clone(*op, mapping)->getResult(0);
    row.setType(rowType(elementOf(op->getResult(0))));
    split_[op->getResult(0)] = {row, {}, true};
    return true;
  }

  bool isCounting(Value value) { return isBlock(value) && split_.find(value)->second.counts; }

  func::FuncOp kernel_;
  tile::AccessInference &inference_;
  int64_t rows_, length_;
  OpBuilder b_;
  llvm::DenseMap<Value, Split> split_;
  llvm::DenseMap<Type, Value> counting_;
};

struct SplitRuns : impl::SplitRunsBase<SplitRuns> {
  void runOnOperation() override {
    std::optional<int64_t> extent = commonExtent(getOperation());
    if (!extent)
      return;
    tile::AccessInference inference(getOperation());
    // The shortest runs of those long enough serve all of them.
    int64_t length = *extent;
    bool isWorth = false;
    auto shorten = [&](int64_t run) {
      if (run >= kShortestRun)
        length = std::min(length, run);
      return run >= kShortestRun;
    };
    for (Operation &op : getOperation().getBody().front()) {
      // What stays in the dividend stays in the quotient: only one that counts is taken apart.
      if (op.getNumOperands() != 2 || !isBlock(op.getOperand(0)) ||
          inference.facts(op.getOperand(0)).dims[0].contiguity < kShortestRun)
        continue;
      if (isa<tile::IntegerDivision>(op)) {
        const tile::DimFacts &facts = inference.facts(op.getResult(0)).dims[0];
        isWorth |= shorten(std::max(facts.constancy, facts.contiguity));
      } else if (isa<arith::CmpIOp>(op) && inference.form(op.getOperand(1)).isUniform()) {
        // A mask that cuts rows would keep what stays over them from being loaded once.
        shorten(inference.facts(op.getOperand(1)).divisibility);
      }
    }
    if (isWorth)
      Splitter(getOperation(), inference, *extent, length).run();
  }
};

} // namespace

} // namespace tilewise::cpu
