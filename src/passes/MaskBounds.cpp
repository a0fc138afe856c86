// Access inference, part three: a mask as bounds per dimension, and loads and stores as strided
// boxes.
#include "passes/AccessInferenceState.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tilewise::tile {

int64_t StructuredAccess::vectorWidth(int64_t maxBytes) const {
  int64_t bytes = bytesOf(element);
  int64_t width = std::min({contiguity, alignment / bytes, maskConstancy, maxBytes / bytes});
  return width < 1 ? 1 : int64_t(llvm::bit_floor(uint64_t(width)));
}

namespace {

/// A comparison of which the sides are known: i < ceil(expr / divisor) or i >= ceil(expr / divisor)
/// along `dim`, or expr > 0 everywhere.
struct Gap {
  std::optional<unsigned> dim;
  bool isUpper = false;
  Bound bound;
};

/// smaller < larger  is  gap = larger - smaller > 0, and gap = base + stride * i along the one
/// dimension in which it varies.
std::optional<Gap> gapOf(const AffineForm &smaller, const AffineForm &larger, bool orEqual) {
  if (!smaller.isAffine() || !larger.isAffine())
    return std::nullopt;
  ScalarExpr base = *larger.base - *smaller.base + ScalarExpr(orEqual ? 1 : 0);
  Gap gap{{}, false, {{base}}};
  for (auto [d, strides] : llvm::enumerate(llvm::zip_equal(larger.strides, smaller.strides))) {
    ScalarExpr stride = *std::get<0>(strides) - *std::get<1>(strides);
    if (stride.isZero())
      continue;
    if (gap.dim || !stride.isConstant() || stride.constant() == INT64_MIN)
      return std::nullopt;
    gap.dim = d;
    gap.isUpper = stride.constant() < 0;
    // base - s * i > 0  is  s * i < base;  base + s * i > 0  is  s * i >= 1 - base.
    gap.bound = {{gap.isUpper ? base : ScalarExpr(1) - base}, std::abs(stride.constant())};
  }
  return gap;
}

void addTo(MaskForm &form, const Gap &gap) {
  if (!gap.dim)
    form.positives.push_back(gap.bound.exprs.front());
  else
    (gap.isUpper ? form.dims[*gap.dim].uppers : form.dims[*gap.dim].lowers).push_back(gap.bound);
}

class MaskReader {
public:
  explicit MaskReader(AccessInference &inference) : inference_(inference) {}

  MaskForm read(Value mask) {
    MaskForm form;
    form.dims.resize(shapeOf(mask.getType()).size());
    if (form.dims.empty())
      form.conditions.push_back(mask);
    else if (!readConjunct(mask, false, form))
      form.remainder.push_back(mask);
    return form;
  }

private:
  /// Adds what `mask`, or its opposite, says to `form`; false when nothing was understood and
  /// nothing added.
  bool readConjunct(Value mask, bool negated, MaskForm &form) {
    Operation *op = mask.getDefiningOp();
    if (!op)
      return false;
    if (negated ? matchPattern(mask, m_Zero()) : matchPattern(mask, m_One()))
      return true;
    if (negated ? matchPattern(mask, m_One()) : matchPattern(mask, m_Zero())) {
      form.positives.push_back(ScalarExpr(0));
      return true;
    }
    if (auto flip = dyn_cast<arith::XOrIOp>(op))
      for (auto [side, other] : {std::pair(flip.getLhs(), flip.getRhs()), std::pair(flip.getRhs(), flip.getLhs())})
        if (matchPattern(other, m_One()))
          return readConjunct(side, !negated, form);
    // not (a or b)  is  (not a) and (not b)
    if (negated ? isa<arith::OrIOp>(op) : isa<arith::AndIOp>(op))
      return readBoth(op->getOperand(0), op->getOperand(1), negated, form);
    if (negated ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op))
      return readEither(op->getOperand(0), op->getOperand(1), negated, form);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return readComparison(compare, negated, form);
    if (negated)
      return false;
    if (auto select = dyn_cast<arith::SelectOp>(op); select && matchPattern(select.getFalseValue(), m_Zero())) {
      Value condition = select.getCondition();
      if (shapeOf(condition.getType()).empty()) {
        form.conditions.push_back(condition);
        if (!readConjunct(select.getTrueValue(), false, form))
          form.remainder.push_back(select.getTrueValue());
        return true;
      }
      return readBoth(condition, select.getTrueValue(), false, form);
    }
    if (auto splat = dyn_cast<SplatOp>(op)) {
      form.conditions.push_back(splat.getSource());
      return true;
    }
    auto moves = dyn_cast<MovesElements>(op);
    return moves && readThroughShape(moves, form);
  }

  /// Of a conjunction either side may be understood without the other; of its negation, which is
  /// one of ors, both must be.
  bool readBoth(Value left, Value right, bool negated, MaskForm &form) {
    if (negated) {
      MaskForm both = form;
      if (!readConjunct(left, true, both) || !readConjunct(right, true, both) || both.remainder != form.remainder)
        return false;
      form = std::move(both);
      return true;
    }
    for (Value side : {left, right})
      if (!readConjunct(side, false, form))
        form.remainder.push_back(side);
    return true;
  }

  /// Two bounds of one dimension on one side are one: i < a or i < b is i < max(a, b).
  bool readEither(Value left, Value right, bool negated, MaskForm &form) {
    SmallVector<std::tuple<unsigned, bool, Bound>, 2> found;
    for (Value side : {left, right}) {
      MaskForm alone;
      alone.dims.resize(form.dims.size());
      if (!readConjunct(side, negated, alone) || !alone.isUnderstood() || !alone.conditions.empty() ||
          !alone.positives.empty())
        return false;
      size_t before = found.size();
      for (auto [d, dim] : llvm::enumerate(alone.dims)) {
        for (const Bound &upper : dim.uppers)
          found.push_back({unsigned(d), true, upper});
        for (const Bound &lower : dim.lowers)
          found.push_back({unsigned(d), false, lower});
      }
      if (found.size() != before + 1)
        return false;
    }
    auto [dim, isUpper, bound] = found[0];
    auto [otherDim, otherIsUpper, other] = found[1];
    if (dim != otherDim || isUpper != otherIsUpper || bound.divisor != other.divisor)
      return false;
    bound.exprs.append(other.exprs);
    (isUpper ? form.dims[dim].uppers : form.dims[dim].lowers).push_back(bound);
    return true;
  }

  bool readThroughShape(MovesElements op, MaskForm &form) {
    auto dims = op.getResultDims();
    MaskForm source = read(op.getSource());
    if (!dims)
      return false;
    // Bounds of a dimension that a reshape drops: its only index is 0.
    for (auto [bounds, dim] : llvm::zip_equal(source.dims, *dims))
      if (dim < 0 && !(bounds.lowers.empty() && bounds.uppers.empty()))
        return false;
    // A remainder has the shape of the source; the op itself stands for it, and what was understood
    // is said twice.
    if (!source.remainder.empty())
      form.remainder.push_back(op->getResult(0));
    for (auto [bounds, dim] : llvm::zip_equal(source.dims, *dims))
      if (dim >= 0) {
        llvm::append_range(form.dims[dim].lowers, bounds.lowers);
        llvm::append_range(form.dims[dim].uppers, bounds.uppers);
      }
    llvm::append_range(form.conditions, source.conditions);
    llvm::append_range(form.positives, source.positives);
    return true;
  }

  bool readComparison(arith::CmpIOp op, bool negated, MaskForm &form) {
    using P = arith::CmpIPredicate;
    P predicate = negated ? arith::invertPredicate(op.getPredicate()) : op.getPredicate();
    if (predicate == P::ne)
      return false;
    bool isUnsigned = predicate == P::ult || predicate == P::ule || predicate == P::ugt || predicate == P::uge;
    if (isUnsigned && !(inference_.isNonNegative(op.getLhs()) && inference_.isNonNegative(op.getRhs())))
      return false;
    bool swapped = predicate == P::sgt || predicate == P::sge || predicate == P::ugt || predicate == P::uge;
    bool orEqual =
        predicate == P::eq || predicate == P::sle || predicate == P::sge || predicate == P::ule || predicate == P::uge;
    const AffineForm &left = inference_.form(op.getLhs()), &right = inference_.form(op.getRhs());
    auto gap = swapped ? gapOf(right, left, orEqual) : gapOf(left, right, orEqual);
    if (!gap)
      return false;
    addTo(form, *gap);
    if (predicate == P::eq)
      addTo(form, *gapOf(right, left, orEqual));
    return true;
  }

  AccessInference &inference_;
};

StructuredAccess describe(AccessInference &inference, Operation *op, Value pointer, Value mask) {
  StructuredAccess access;
  access.op = op;
  access.shape.assign(shapeOf(pointer.getType()).begin(), shapeOf(pointer.getType()).end());
  access.element = cast<PtrType>(elementTypeOf(pointer.getType())).getPointee();
  access.address = inference.form(pointer);
  if (mask)
    access.mask = inference.mask(mask);

  const Facts &facts = inference.facts(pointer);
  access.alignment = facts.divisibility;
  for (auto [d, dim] : llvm::enumerate(facts.dims))
    if (dim.contiguity > 1) {
      access.contiguousDim = d;
      access.contiguity = dim.contiguity;
      access.alignment = dim.divisibility;
    }
  if (!access.contiguousDim)
    return access;
  access.maskConstancy = access.shape[*access.contiguousDim];
  if (access.mask && !access.mask->isUnderstood())
    access.maskConstancy = 1;
  if (access.mask) {
    const DimBounds &bounds = access.mask->dims[*access.contiguousDim];
    for (const auto *list : {&bounds.lowers, &bounds.uppers})
      for (const Bound &bound : *list)
        for (const ScalarExpr &expr : bound.exprs) {
          int64_t divisor = inference.divisibility(expr);
          access.maskConstancy =
              std::min(access.maskConstancy, divisor % bound.divisor == 0 ? divisor / bound.divisor : 1);
        }
  }
  return access;
}

} // namespace

MaskForm AccessInference::mask(Value mask) { return MaskReader(*this).read(mask); }

std::optional<MaskForm> AccessInference::less(Value smaller, Value larger, bool orEqual) {
  auto gap = gapOf(form(smaller), form(larger), orEqual);
  if (!gap)
    return std::nullopt;
  MaskForm result;
  result.dims.resize(shapeOf(smaller.getType()).size());
  addTo(result, *gap);
  return result;
}

const StructuredAccess &AccessInference::access(MemoryAccess op) {
  auto &slot = state_->accesses[op];
  if (!slot)
    slot = std::make_unique<StructuredAccess>(describe(*this, op, op.getPointer(), op.getMask()));
  return *slot;
}

AccessInference::AccessInference(Operation *function) : state_(std::make_unique<State>()) {
  readAssumptions(function, *state_);
}
AccessInference::~AccessInference() = default;

} // namespace tilewise::tile
