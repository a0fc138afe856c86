// Access inference, part two: divisibility, contiguity, constancy and sign, where a form is not
// known or says less.
#include "passes/AccessInferenceState.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tilewise::tile {

namespace {

// Zero is divisible by everything; no use for more than this is known.
constexpr int64_t kMaxDivisibility = int64_t(1) << 32;
// Values visited for one question. Real kernels need a few dozen; where values are used twice at
// every step, paths double with each.
constexpr int kMaxVisits = 512;

int64_t powerOfTwoIn(int64_t value) {
  return value == 0 ? kMaxDivisibility
                    : std::min<int64_t>(int64_t(1) << llvm::countr_zero(uint64_t(value)), kMaxDivisibility);
}
// Both are powers of two of at most 2^32, so that the product fits.
int64_t product(int64_t a, int64_t b) {
  return std::min(a >= kMaxDivisibility || b >= kMaxDivisibility ? kMaxDivisibility : a * b, kMaxDivisibility);
}

int64_t pointeeBytes(Type type) {
  auto pointer = dyn_cast<PtrType>(elementTypeOf(type));
  return pointer ? bytesOf(pointer.getPointee()) : 1;
}

/// Powers of two that divide a value, found by walking up from it. Around a loop a carried value is
/// divisible by what divides both its start and what is yielded under the assumption of just that,
/// so a value met again while it is being looked at gives no limit.
class Divisors {
public:
  Divisors(AccessInference &inference, AccessInference::State &state) : inference_(inference), state_(state) {}

  /// Of every element; of pointers, in bytes.
  int64_t of(Value value) {
    if (auto known = state_.divisors.find(value); known != state_.divisors.end())
      return known->second;
    // An element's address is a multiple of its size.
    int64_t least = pointeeBytes(value.getType());
    if (++visits_ > kMaxVisits)
      return least;
    int64_t divisor = std::max(least, find(value));
    // Found under an assumption about a loop it may not hold outside of it.
    if (active_.empty())
      state_.divisors[value] = divisor;
    return divisor;
  }

  /// Of a form's first element.
  int64_t ofFirst(const AffineForm &form) {
    if (!form.base)
      return 1;
    if (!form.pointer)
      return ofExpr(*form.base);
    return std::min(ofLeaf(form.pointer), product(ofExpr(*form.base), pointeeBytes(form.pointer.getType())));
  }

  int64_t ofExpr(const ScalarExpr &expr) {
    int64_t divisor = powerOfTwoIn(expr.constant());
    for (const ScalarTerm &term : expr.terms()) {
      int64_t ofTerm = powerOfTwoIn(term.coefficient);
      for (Value factor : term.factors)
        ofTerm = product(ofTerm, ofLeaf(factor));
      divisor = std::min(divisor, ofTerm);
    }
    return divisor;
  }

private:
  /// Of a scalar, or of the first element of a carried block.
  int64_t ofLeaf(Value value) {
    const CarriedBlock *carried = isa<RankedTensorType>(value.getType()) ? inference_.carried(value) : nullptr;
    if (!carried)
      return of(value);
    if (!active_.insert(carried).second)
      return kMaxDivisibility;
    int64_t divisor = std::min(ofFirst(carried->init), ofFirst(carried->next));
    active_.erase(carried);
    return divisor;
  }

  int64_t least(ValueRange values) {
    int64_t divisor = kMaxDivisibility;
    for (Value value : values)
      divisor = std::min(divisor, of(value));
    return divisor;
  }

  int64_t find(Value value) {
    auto assumed = state_.assumedDivisors.find(value);
    return std::max(derive(value), assumed == state_.assumedDivisors.end() ? 1 : assumed->second);
  }

  int64_t derive(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())) {
        auto divisor = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), TileDialect::kDivisibilityAttr);
        return divisor ? std::min(divisor.getValue().getSExtValue(), kMaxDivisibility) : 1;
      }
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
          loop && argument == loop.getInductionVar())
        return least({loop.getLowerBound(), loop.getStep()});
    }
    if (auto sources = regionSourcesOf(value)) {
      if (!active_.insert(sources->key).second)
        return kMaxDivisibility;
      int64_t divisor = least(sources->values);
      active_.erase(sources->key);
      return divisor;
    }
    Operation *op = value.getDefiningOp();
    if (!op)
      return 1;
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case([&](arith::ConstantOp op) -> int64_t {
          llvm::APInt constant;
          return matchPattern(op.getResult(), m_ConstantInt(&constant)) ? powerOfTwoIn(constant.getSExtValue()) : 1;
        })
        .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, RemSOp,
              RemUOp>([&](Operation *op) { return least(op->getOperands()); })
        .Case([&](arith::SelectOp op) { return least({op.getTrueValue(), op.getFalseValue()}); })
        .Case([&](arith::MulIOp op) { return product(of(op.getLhs()), of(op.getRhs())); })
        .Case([&](arith::AndIOp op) { return std::max(of(op.getLhs()), of(op.getRhs())); })
        .Case([&](PtrAddOp op) {
          return std::min(of(op.getPointer()), product(of(op.getOffset()), pointeeBytes(op.getType())));
        })
        .Case([&](ShlOp op) -> int64_t {
          llvm::APInt amount;
          bool known = matchPattern(op.getRhs(), m_ConstantInt(&amount)) && amount.ult(32);
          return product(of(op.getLhs()), known ? int64_t(1) << amount.getZExtValue() : 1);
        })
        // Powers of two stay divisors when high bits go or come.
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, SplatOp, ExpandDimsOp, BroadcastOp>(
            [&](Operation *op) { return of(op->getOperand(0)); })
        // What is promised of a block is promised of its runs, not of every element: see FactsOf.
        .Case([&](HintOp op) {
          bool scalar = op.getDivisibility() && !isa<RankedTensorType>(value.getType());
          return std::max(of(op.getSource()), scalar ? powerOfTwoIn(op.getDivisibility()->front()) : 1);
        })
        .Default(int64_t(1));
  }

  AccessInference &inference_;
  AccessInference::State &state_;
  llvm::SmallPtrSet<const void *, 4> active_;
  int visits_ = 0;
};

/// Whether no element is below zero; around loops as Divisors does it.
struct Signs {
  const llvm::DenseSet<Value> &assumed;
  /// Known to be above zero; null: none are.
  const llvm::DenseSet<Value> *positives = nullptr;
  llvm::SmallPtrSet<const void *, 4> active = {};
  int visits = 0;

  bool nonNegative(Value value);
  bool positive(Value value);
};

/// What extents are made of: products, and quotients that are rounded up.
bool Signs::positive(Value value) {
  if (++visits > kMaxVisits)
    return false;
  if (positives && positives->contains(value))
    return true;
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isStrictlyPositive();
  auto isConstant = [&](Value other) { return matchPattern(other, m_ConstantInt(&constant)); };
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto all = [&] { return llvm::all_of(op->getOperands(), [&](Value operand) { return positive(operand); }); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::MulIOp, arith::MinSIOp>([&](Operation *) { return all(); })
      .Case([&](arith::AddIOp op) {
        return (positive(op.getLhs()) && nonNegative(op.getRhs())) ||
               (nonNegative(op.getLhs()) && positive(op.getRhs()));
      })
      .Case<HintOp, arith::ExtSIOp>([&](Operation *op) { return positive(op->getOperand(0)); })
      // (x + c) / d is above zero where x is and c is at least d - 1.
      .Case([&](DivSOp op) {
        auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
        if (!sum || !isConstant(op.getRhs()) || !constant.isStrictlyPositive())
          return false;
        const int64_t divisor = constant.getSExtValue();
        return isConstant(sum.getRhs()) && constant.getSExtValue() >= divisor - 1 && positive(sum.getLhs());
      })
      .Default(false);
}

bool Signs::nonNegative(Value value) {
  if (++visits > kMaxVisits)
    return false;
  if (assumed.contains(value) || (positives && positives->contains(value)))
    return true;
  auto one = [&](Value operand) { return nonNegative(operand); };
  auto all = [&](ValueRange values) { return llvm::all_of(values, one); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return one(loop.getLowerBound());
  }
  if (auto sources = regionSourcesOf(value)) {
    if (!active.insert(sources->key).second)
      return true;
    bool result = all(sources->values);
    active.erase(sources->key);
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  llvm::APInt constant;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp op) {
        return matchPattern(op.getResult(), m_ConstantInt(&constant)) && constant.isNonNegative();
      })
      .Case<ProgramIdOp, NumProgramsOp, arith::ExtUIOp>([](Operation *) { return true; })
      .Case([&](RangeOp op) { return int32_t(op.getStart()) >= 0; })
      .Case<arith::AddIOp, arith::MulIOp, arith::MinSIOp>([&](Operation *op) { return all(op->getOperands()); })
      .Case<SplatOp, ExpandDimsOp, BroadcastOp, HintOp, arith::ExtSIOp>(
          [&](Operation *op) { return one(op->getOperand(0)); })
      .Case<arith::AndIOp, arith::MaxSIOp>(
          [&](Operation *op) { return one(op->getOperand(0)) || one(op->getOperand(1)); })
      .Case([&](arith::SelectOp op) { return all({op.getTrueValue(), op.getFalseValue()}); })
      // The remainder has the dividend's sign; a quotient by zero is all ones, so the divisor must
      // be above zero.
      .Case([&](RemSOp op) { return one(op.getLhs()); })
      .Case([&](DivSOp op) { return positive(op.getRhs()) && one(op.getLhs()); })
      .Default(false);
}

int64_t runLength(const DimFacts &dim) { return std::max(dim.contiguity, dim.constancy); }

/// Adds what was found in another way. The first elements of longer runs are first elements of
/// shorter ones, when the lengths nest.
void learn(DimFacts &dim, const DimFacts &more) {
  int64_t mine = runLength(dim), theirs = runLength(more);
  bool nest = std::max(mine, theirs) % std::min(mine, theirs) == 0;
  if (nest || theirs > mine)
    dim.divisibility = std::max(nest ? dim.divisibility : 1, more.divisibility);
  dim.contiguity = std::max(dim.contiguity, more.contiguity);
  dim.constancy = std::max(dim.constancy, more.constancy);
}

/// The divisibility of the first elements of shorter runs of `length`; `bytes` is what neighbours
/// in a contiguous run differ by.
int64_t divisibilityOfRuns(const DimFacts &dim, int64_t length, int64_t bytes) {
  bool counts = dim.contiguity > length;
  return counts ? std::min(dim.divisibility, product(powerOfTwoIn(length), bytes)) : dim.divisibility;
}

class FactsOf {
public:
  FactsOf(AccessInference &inference, AccessInference::State &state) : inference_(inference), state_(state) {}

  Facts of(Value value) {
    Facts facts;
    facts.divisibility = Divisors(inference_, state_).of(value);
    ArrayRef<int64_t> shape = shapeOf(value.getType());
    if (shape.empty())
      return facts;
    const AffineForm &form = inference_.form(value);
    for (auto [extent, stride] : llvm::zip_equal(shape, form.strides)) {
      DimFacts dim;
      if (stride && stride->isZero())
        dim.constancy = extent;
      if (stride && stride->isConstant(1))
        dim.contiguity = extent;
      dim.divisibility = facts.divisibility;
      facts.dims.push_back(dim);
    }
    if (form.isAffine())
      refineByForm(facts, form, value.getType());
    // The form does not know what was promised on the way to it.
    if (const CarriedBlock *carried = inference_.carried(value))
      refineByRegion(facts, value, *carried);
    else if (Operation *op = value.getDefiningOp())
      refineByOp(facts, op);
    return facts;
  }

private:
  void refineByForm(Facts &facts, const AffineForm &form, Type type) {
    int64_t bytes = pointeeBytes(type);
    int64_t first = Divisors(inference_, state_).ofFirst(form);
    for (auto [d, dim] : llvm::enumerate(facts.dims)) {
      int64_t divisor = first;
      for (auto [e, stride] : llvm::enumerate(form.strides))
        if (e != d || runLength(dim) == 1)
          divisor = std::min(divisor, product(inference_.divisibility(*stride), bytes));
      dim.divisibility = std::max(dim.divisibility, divisor);
    }
  }

  /// A carried block moves by the same distance in all elements: what divides that and its start
  /// divides it always. Without a loop it is one of its sources.
  void refineByRegion(Facts &facts, Value value, const CarriedBlock &carried) {
    SmallVector<Value, 2> sources = regionSourcesOf(value)->values;
    int64_t bytes = pointeeBytes(value.getType()), ofStep = kMaxDivisibility;
    Facts known = inference_.facts(sources.front());
    if (Value argument = carried.argument) {
      ScalarExpr step = *carried.next.base;
      if (carried.next.pointer ? carried.next.pointer != argument : !isSumWith(step, argument))
        return;
      ofStep = product(inference_.divisibility(carried.next.pointer ? step : step - ScalarExpr(argument)), bytes);
    } else if (sources.size() == 2) {
      const Facts &second = inference_.facts(sources[1]);
      for (auto [dim, other] : llvm::zip_equal(known.dims, second.dims)) {
        DimFacts both{std::gcd(dim.contiguity, other.contiguity), std::gcd(dim.constancy, other.constancy)};
        both.divisibility = std::min(divisibilityOfRuns(dim, runLength(both), bytes),
                                     divisibilityOfRuns(other, runLength(both), bytes));
        dim = both;
      }
    }
    for (auto [dim, before] : llvm::zip_equal(facts.dims, known.dims)) {
      before.divisibility = std::min(before.divisibility, ofStep);
      learn(dim, before);
    }
  }

  /// leaf + what does not depend on it.
  static bool isSumWith(const ScalarExpr &expr, Value leaf) {
    return llvm::all_of((expr - ScalarExpr(leaf)).terms(),
                        [&](const ScalarTerm &term) { return !llvm::is_contained(term.factors, leaf); });
  }

  static void learnAll(Facts &facts, ArrayRef<DimFacts> more) {
    for (auto [dim, other] : llvm::zip_equal(facts.dims, more))
      learn(dim, other);
  }

  void refineByOp(Facts &facts, Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<arith::ExtSIOp>([&](Operation *op) { learnAll(facts, inference_.facts(op->getOperand(0)).dims); })
        .Case([&](arith::ExtUIOp op) {
          if (inference_.isNonNegative(op.getIn()))
            learnAll(facts, inference_.facts(op.getIn()).dims);
        })
        .Case([&](HintOp op) { refineByHints(facts, op); })
        .Case([&](PermuteOp op) {
          const Facts &source = inference_.facts(op.getSource());
          for (auto [dim, from] : llvm::zip_equal(facts.dims, op.getOrder()))
            learn(dim, source.dims[from]);
        })
        .Case<arith::AddIOp, PtrAddOp>([&](Operation *op) { refineBySum(facts, op->getOperand(0), op->getOperand(1)); })
        .Case([&](arith::MulIOp op) {
          // What stays in both factors stays in the product.
          Facts left = inference_.facts(op.getLhs()), right = inference_.facts(op.getRhs());
          for (auto [dim, a, b] : llvm::zip_equal(facts.dims, left.dims, right.dims))
            learn(dim, {1, std::gcd(a.constancy, b.constancy), facts.divisibility});
        })
        .Case<RemSOp, RemUOp>(
            [&](Operation *op) { refineByQuotient(facts, op->getOperand(0), op->getOperand(1), true); })
        .Case<DivSOp, DivUOp>(
            [&](Operation *op) { refineByQuotient(facts, op->getOperand(0), op->getOperand(1), false); })
        .Case([&](ExpandDimsOp op) {
          SmallVector<DimFacts, 2> dims = inference_.facts(op.getSource()).dims;
          dims.insert(dims.begin() + op.getAxis(), facts.dims[op.getAxis()]);
          learnAll(facts, dims);
        })
        .Case([&](BroadcastOp op) {
          ArrayRef<int64_t> from = shapeOf(op.getSource().getType()), to = shapeOf(op.getType());
          const Facts &source = inference_.facts(op.getSource());
          for (auto [d, dim] : llvm::enumerate(facts.dims))
            if (from[d] == to[d])
              learn(dim, source.dims[d]);
        });
  }

  /// Promises made one around the other belong together: in `max_contiguous(multiple_of(x, 64),
  /// 64)` it is the runs of 64 elements that start at multiples of 64. Of a divisibility alone,
  /// when no runs are known, it is not clear what is meant, and nothing is taken.
  void refineByHints(Facts &facts, HintOp op) {
    SmallVector<DimFacts, 2> promised(facts.dims.size());
    Value source = op;
    while (auto hint = source.getDefiningOp<HintOp>()) {
      auto take = [&](std::optional<ArrayRef<int64_t>> numbers, int64_t DimFacts::*fact) {
        for (auto [d, number] : llvm::enumerate(numbers.value_or(ArrayRef<int64_t>())))
          promised[d].*fact = std::max(promised[d].*fact, powerOfTwoIn(number));
      };
      take(hint.getDivisibility(), &DimFacts::divisibility);
      take(hint.getContiguity(), &DimFacts::contiguity);
      take(hint.getConstancy(), &DimFacts::constancy);
      source = hint.getSource();
    }
    learnAll(facts, inference_.facts(source).dims);
    for (auto [dim, more, extent] : llvm::zip_equal(facts.dims, promised, shapeOf(op.getType()))) {
      more.contiguity = std::gcd(more.contiguity, extent);
      more.constancy = std::gcd(more.constancy, extent);
      if (runLength(more) > 1)
        learn(dim, more);
      else if (runLength(dim) > 1)
        dim.divisibility = std::max(dim.divisibility, more.divisibility);
    }
  }

  void refineBySum(Facts &facts, Value lhs, Value rhs) {
    Facts left = inference_.facts(lhs), right = inference_.facts(rhs);
    int64_t bytes = pointeeBytes(lhs.getType());
    for (auto [dim, a, b] : llvm::zip_equal(facts.dims, left.dims, right.dims)) {
      b.divisibility = product(b.divisibility, bytes);
      DimFacts sum;
      sum.constancy = std::gcd(a.constancy, b.constancy);
      sum.contiguity = std::max(std::gcd(a.contiguity, b.constancy), std::gcd(a.constancy, b.contiguity));
      int64_t length = runLength(sum);
      sum.divisibility = std::max(facts.divisibility,
                                  std::min(divisibilityOfRuns(a, length, bytes), divisibilityOfRuns(b, length, bytes)));
      learn(dim, sum);
    }
  }

  /// x % m counts up, and x // m stays, over runs that start at a multiple of a length which
  /// divides m: 6 7 | 8 9 10 11 | 12 13 with m = 4 gives remainders 2 3 | 0 1 2 3 | 0 1 and
  /// quotients 1 1 | 2 2 2 2 | 3 3.
  void refineByQuotient(Facts &facts, Value dividend, Value divisor, bool remainder) {
    if (!inference_.isNonNegative(dividend))
      return;
    Facts left = inference_.facts(dividend), right = inference_.facts(divisor);
    for (auto [dim, a, m] : llvm::zip_equal(facts.dims, left.dims, right.dims)) {
      int64_t length = std::min({powerOfTwoIn(std::gcd(a.contiguity, m.constancy)), a.divisibility, m.divisibility});
      if (length == 1)
        continue;
      DimFacts result;
      (remainder ? result.contiguity : result.constancy) = length;
      result.divisibility = facts.divisibility;
      if (remainder)
        result.divisibility = std::max(facts.divisibility, std::min(divisibilityOfRuns(a, length, 1), m.divisibility));
      learn(dim, result);
    }
  }

  AccessInference &inference_;
  AccessInference::State &state_;
};

} // namespace

int64_t bytesOf(Type element) {
  if (isa<PtrType>(element))
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

const Facts &AccessInference::facts(Value value) {
  if (auto known = state_->facts.find(value); known != state_->facts.end())
    return *known->second;
  auto facts = std::make_unique<Facts>(FactsOf(*this, *state_).of(value));
  return *(state_->facts[value] = std::move(facts));
}

int64_t AccessInference::divisibility(const ScalarExpr &expr) { return Divisors(*this, *state_).ofExpr(expr); }

bool AccessInference::isNonNegative(Value value) { return Signs{state_->assumedNonNegative}.nonNegative(value); }

bool AccessInference::isNonNegative(Value value, const llvm::DenseSet<Value> &positive) {
  return Signs{state_->assumedNonNegative, &positive}.nonNegative(value);
}

} // namespace tilewise::tile
