// -Wmask-other: what a masked load gives off its mask disturbs the reduction or dot that uses it.
//
// The elements off the mask are followed from the load: a number (`other`, or 0), a number shifted
// by something not known, or lost track of.
//
//     x = tl.load(p + at, mask=at < n)                    0
//     m = tl.max(x, 0)                                    0 is not neutral for max: a row of negative numbers gets 0
//     x = tl.load(p + at, mask=at < n, other=-inf)        -inf
//     e = tl.exp(x - m)                                   -inf - m = -inf, exp of it = 0
//     s = tl.sum(e, 0)                                    0 is neutral for the sum
//     d = tl.load(p + at, mask=at < n, other=0.0) - mean  shifted
//     v = tl.sum(d * d, 0)                                whatever it is, it is not 0
//
// A number is neutral when combining it with some samples gives them back: the combine region is
// run on them.
#include "passes/Warn.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;

namespace tilewise::tile {

namespace {

/// The elements off the mask of one load, at some later value.
struct OffMask {
  enum Kind { Lost, Number, Shifted } kind = Lost;
  double number = 0;

  static OffMask of(double number) { return {Number, number}; }
  bool is(double wanted) const { return kind == Number && number == wanted; }
};

/// The number of a constant, or of a block of one number.
std::optional<double> numberOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<MovesElements, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>(op))
      break;
    value = op->getOperand(0);
  }
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValueAsDouble();
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return number.getValue().getBitWidth() == 1 ? double(number.getValue().getZExtValue())
                                                : double(number.getValue().getSExtValue());
  return std::nullopt;
}

/// A region of scalar arithmetic, run on numbers; nothing when it holds an op without a rule here.
class CombineRunner {
public:
  explicit CombineRunner(Block &body) : body_(body) {}

  std::optional<double> run(ArrayRef<double> left, ArrayRef<double> right) {
    values_.clear();
    for (auto [argument, number] : llvm::zip(body_.getArguments(), llvm::concat<const double>(left, right)))
      values_[argument] = number;
    for (Operation &op : body_.without_terminator())
      if (!runOp(op))
        return std::nullopt;
    return read(body_.getTerminator()->getOperand(0));
  }

private:
  std::optional<double> read(Value value) {
    if (auto known = values_.find(value); known != values_.end())
      return known->second;
    return numberOf(value);
  }

  bool runOp(Operation &op) {
    SmallVector<double> x;
    for (Value operand : op.getOperands()) {
      std::optional<double> number = read(operand);
      if (!number)
        return false;
      x.push_back(*number);
    }
    std::optional<double> result = apply(op, x);
    if (result)
      values_[op.getResult(0)] = *result;
    return result.has_value();
  }

  static std::optional<double> apply(Operation &op, ArrayRef<double> x) {
    switch (arithmeticOf(&op)) {
    case Arithmetic::Sum:
      return x[0] + x[1];
    case Arithmetic::Product:
      return x[0] * x[1];
    case Arithmetic::Largest:
      return std::fmax(x[0], x[1]);
    case Arithmetic::Smallest:
      return std::fmin(x[0], x[1]);
    case Arithmetic::Widening:
      return x[0];
    default:
      break;
    }
    if (op.hasTrait<OpTrait::ConstantLike>())
      return numberOf(op.getResult(0));
    if (isa<arith::SelectOp>(op))
      return x[0] != 0 ? x[1] : x[2];
    if (isa<arith::TruncFOp>(op))
      return x[0];
    bool isBool = op.getResult(0).getType().isInteger(1);
    if (isBool && isa<arith::AndIOp>(op))
      return x[0] * x[1];
    if (isBool && isa<arith::OrIOp>(op))
      return std::fmax(x[0], x[1]);
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return compareFloats(compare.getPredicate(), x[0], x[1]);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return compareInts(compare.getPredicate(), x[0], x[1]);
    return std::nullopt;
  }

  static std::optional<double> compareFloats(arith::CmpFPredicate predicate, double a, double b) {
    using P = arith::CmpFPredicate;
    switch (predicate) {
    case P::OGT:
    case P::UGT:
      return a > b;
    case P::OLT:
    case P::ULT:
      return a < b;
    case P::OGE:
    case P::UGE:
      return a >= b;
    case P::OLE:
    case P::ULE:
      return a <= b;
    case P::OEQ:
    case P::UEQ:
      return a == b;
    case P::ONE:
    case P::UNE:
      return a != b;
    default:
      return std::nullopt;
    }
  }

  static std::optional<double> compareInts(arith::CmpIPredicate predicate, double a, double b) {
    using P = arith::CmpIPredicate;
    switch (predicate) {
    case P::sgt:
      return a > b;
    case P::slt:
      return a < b;
    case P::sge:
      return a >= b;
    case P::sle:
      return a <= b;
    case P::eq:
      return a == b;
    case P::ne:
      return a != b;
    default:
      return std::nullopt;
    }
  }

  Block &body_;
  llvm::DenseMap<Value, double> values_;
};

/// Whether the number changes nothing when it is combined with others; nothing when that cannot be
/// told.
std::optional<bool> isNeutral(ReduceOp reduce, double number) {
  CombineRunner runner(reduce.getCombine().front());
  size_t count = reduce.getSources().size();
  for (double sample : {-7.0, -1.0, 2.0, 5.0}) {
    // The first source is looked at; the others are positions, the samples' before the number's.
    SmallVector<double> left(count, 0.0), right(count, 1.0);
    left[0] = sample;
    right[0] = number;
    std::optional<double> result = runner.run(left, right);
    if (!result)
      return std::nullopt;
    if (*result != sample)
      return false;
  }
  return true;
}

class Follower {
public:
  Follower(LoadOp load, AccessInference &inference) : load_(load), access_(inference.access(load)) {}

  void run() {
    OffMask start = OffMask::of(0);
    if (load_.getOther()) {
      std::optional<double> other = numberOf(load_.getOther());
      if (!other)
        return;
      start = OffMask::of(*other);
    }
    known_[load_.getResult()] = start;
    // In program order: operands are known before their users. Loops and branches are not followed
    // through.
    for (Operation *op = load_->getNextNode(); op && !warned_; op = op->getNextNode())
      visit(op);
  }

private:
  OffMask at(Value value) const {
    auto known = known_.find(value);
    return known == known_.end() ? OffMask() : known->second;
  }

  void visit(Operation *op) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return known_.contains(operand); }))
      return;
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return checkReduce(reduce);
    if (auto dot = dyn_cast<DotOp>(op))
      return checkDot(dot);
    if (op->getNumResults() != 1)
      return;
    OffMask result = apply(op);
    if (result.kind != OffMask::Lost)
      known_[op->getResult(0)] = result;
  }

  /// Elementwise ops of one shape.
  OffMask apply(Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::SIToFPOp>(op))
      return at(op->getOperand(0));
    if (isa<arith::AddFOp, arith::SubFOp>(op)) {
      OffMask left = at(op->getOperand(0)), right = at(op->getOperand(1));
      if (left.kind == OffMask::Number && std::isinf(left.number) && right.kind == OffMask::Lost)
        return left;
      // A sum with another masked value is that value's business.
      bool isShift = (left.kind == OffMask::Lost) != (right.kind == OffMask::Lost);
      Value by = op->getOperand(left.kind == OffMask::Lost ? 0 : 1);
      if (!isShift || !isOneNumberPerRow(by))
        return {};
      return {OffMask::Shifted, 0};
    }
    if (isa<arith::MulFOp>(op)) {
      OffMask left = at(op->getOperand(0)), right = at(op->getOperand(1));
      if (left.is(0) || right.is(0))
        return OffMask::of(0);
      return left.kind == OffMask::Shifted && right.kind == OffMask::Shifted ? left : OffMask();
    }
    if (isa<arith::DivFOp>(op) && at(op->getOperand(0)).is(0))
      return OffMask::of(0);
    if (isExponential(op)) {
      OffMask power = at(op->getOperand(0));
      if (power.kind != OffMask::Number)
        return power;
      return OffMask::of(isa<math::ExpOp>(op) ? std::exp(power.number) : std::exp2(power.number));
    }
    return {};
  }

  /// A mean or a maximum: the same number in every element of the reduced axis, and not a constant.
  static bool isOneNumberPerRow(Value value) {
    return !numberOf(value) && isa_and_present<SplatOp, BroadcastOp>(value.getDefiningOp());
  }

  bool isMaskedAlong(unsigned axis) const {
    return access_.mask && axis < access_.mask->dims.size() &&
           !(access_.mask->dims[axis].lowers.empty() && access_.mask->dims[axis].uppers.empty());
  }

  void checkReduce(ReduceOp reduce) {
    OffMask off = at(reduce.getSources().front());
    if (off.kind == OffMask::Lost || !isMaskedAlong(reduce.getAxis()))
      return;
    // An int that was given on purpose is a choice among values that the kernel knows, as 0 for a
    // maximum of lengths.
    bool isInt = elementTypeOf(load_.getType()).isInteger();
    if (isInt && load_.getOther())
      return;
    if (off.kind == OffMask::Shifted) {
      // Only of sums is it known that what is not 0 disturbs them.
      if (isNeutral(reduce, 0) == true)
        report(reduce, off, 0);
      return;
    }
    if (isNeutral(reduce, off.number) != false)
      return;
    for (double candidate : {0.0, 1.0, double(-INFINITY), double(INFINITY)})
      if (isNeutral(reduce, candidate) == true)
        return report(reduce, off, candidate);
  }

  void checkDot(DotOp dot) {
    for (auto [operand, axis] : {std::pair(dot.getA(), -1), std::pair(dot.getB(), -2)}) {
      OffMask off = at(operand);
      unsigned inner = unsigned(int(shapeOf(operand.getType()).size()) + axis);
      if (off.kind == OffMask::Lost || off.is(0) || !isMaskedAlong(inner))
        continue;
      return report(dot, off, 0);
    }
  }

  static std::string textOf(double number) {
    if (std::isinf(number))
      return number > 0 ? "float('inf')" : "-float('inf')";
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", number);
    return text;
  }

  void report(Operation *user, OffMask off, double neutral) {
    warned_ = true;
    std::string found = off.kind == OffMask::Shifted ? "not 0" : textOf(off.number), wayOut;
    double start = at(load_.getResult()).number;
    if (off.kind == OffMask::Shifted || off.number != start)
      wayOut = "put tl.where(mask, x, " + textOf(neutral) + ") around them";
    else if (elementTypeOf(load_.getType()).isInteger() && std::isinf(neutral))
      wayOut = std::string("give other= a number that is ") + (neutral > 0 ? "above" : "below") + " every element";
    else
      wayOut = "give other=" + textOf(neutral);
    warn(load_, Warning::MaskOther,
         llvm::Twine("the masked-off elements of this load are ") + found + " where they are " +
             (isa<DotOp>(user) ? "multiplied" : "reduced") + ", which changes the result; " + wayOut)
            .attachNote(user->getLoc())
        << (isa<DotOp>(user) ? "the dot is here" : "the reduction is here");
  }

  LoadOp load_;
  const StructuredAccess &access_;
  llvm::DenseMap<Value, OffMask> known_;
  bool warned_ = false;
};

} // namespace

void warnMaskOther(func::FuncOp kernel, AccessInference &inference) {
  kernel.walk([&](LoadOp load) {
    if (load.getMask() && isa<RankedTensorType>(load.getType()))
      Follower(load, inference).run();
  });
}

} // namespace tilewise::tile
