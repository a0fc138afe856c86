// Access inference, part three: a mask as bounds per dimension, and loads and stores as strided boxes.
#include "passes/AccessInferenceState.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tilewise::tile {

bool MaskForm::hasLowers() const {
  return llvm::any_of(dims, [](const DimBounds &dim) { return !dim.lowers.empty(); });
}

int64_t StructuredAccess::vectorWidth(int64_t maxBytes) const {
  int64_t bytes = bytesOf(element);
  int64_t width = std::min({contiguity, alignment / bytes, maskConstancy, maxBytes / bytes});
  return width < 1 ? 1 : int64_t(llvm::bit_floor(uint64_t(width)));
}

namespace {

class MaskReader {
public:
  explicit MaskReader(AccessInference &inference) : inference_(inference) {}

  MaskForm read(Value mask) {
    MaskForm form;
    form.dims.resize(shapeOf(mask.getType()).size());
    if (form.dims.empty())
      form.conditions.push_back(mask);
    else if (!readConjunct(mask, form))
      form.remainder.push_back(mask);
    return form;
  }

private:
  /// Adds what `mask` says to `form`; false when nothing was understood and nothing added.
  bool readConjunct(Value mask, MaskForm &form) {
    Operation *op = mask.getDefiningOp();
    if (!op)
      return false;
    if (matchPattern(mask, m_One()))
      return true;
    if (matchPattern(mask, m_Zero())) {
      form.positives.push_back(ScalarExpr(0));
      return true;
    }
    if (auto both = dyn_cast<arith::AndIOp>(op)) {
      for (Value side : {both.getLhs(), both.getRhs()})
        if (!readConjunct(side, form))
          form.remainder.push_back(side);
      return true;
    }
    if (auto splat = dyn_cast<SplatOp>(op)) {
      form.conditions.push_back(splat.getSource());
      return true;
    }
    if (isa<ExpandDimsOp, BroadcastOp>(op))
      return readThroughShape(op, form);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return readComparison(compare, form);
    return false;
  }

  bool readThroughShape(Operation *op, MaskForm &form) {
    MaskForm source = read(op->getOperand(0));
    if (auto expand = dyn_cast<ExpandDimsOp>(op))
      source.dims.insert(source.dims.begin() + expand.getAxis(), DimBounds());
    // A remainder has the shape of the source; the op itself stands for it, and what was understood is said twice.
    if (!source.remainder.empty())
      form.remainder.push_back(op->getResult(0));
    for (auto [into, from] : llvm::zip_equal(form.dims, source.dims)) {
      llvm::append_range(into.lowers, from.lowers);
      llvm::append_range(into.uppers, from.uppers);
    }
    llvm::append_range(form.conditions, source.conditions);
    llvm::append_range(form.positives, source.positives);
    return true;
  }

  /// a < b  is  gap = b - a > 0, and gap = base + stride * i along the one dimension in which it varies.
  bool readComparison(arith::CmpIOp op, MaskForm &form) {
    using P = arith::CmpIPredicate;
    P predicate = op.getPredicate();
    bool isUnsigned = predicate == P::ult || predicate == P::ule || predicate == P::ugt || predicate == P::uge;
    if (predicate == P::eq || predicate == P::ne)
      return false;
    if (isUnsigned && !(inference_.isNonNegative(op.getLhs()) && inference_.isNonNegative(op.getRhs())))
      return false;
    bool swapped = predicate == P::sgt || predicate == P::sge || predicate == P::ugt || predicate == P::uge;
    bool orEqual = predicate == P::sle || predicate == P::sge || predicate == P::ule || predicate == P::uge;
    AffineForm smaller = inference_.form(swapped ? op.getRhs() : op.getLhs());
    AffineForm larger = inference_.form(swapped ? op.getLhs() : op.getRhs());
    if (!smaller.isAffine() || !larger.isAffine())
      return false;
    ScalarExpr base = *larger.base - *smaller.base + ScalarExpr(orEqual ? 1 : 0);
    std::optional<unsigned> varying;
    int64_t direction = 0;
    for (auto [d, strides] : llvm::enumerate(llvm::zip_equal(larger.strides, smaller.strides))) {
      ScalarExpr stride = *std::get<0>(strides) - *std::get<1>(strides);
      if (stride.isZero())
        continue;
      if (varying || !(stride.isConstant(1) || stride.isConstant(-1)))
        return false;
      varying = d;
      direction = stride.constant();
    }
    if (!varying)
      form.positives.push_back(base);
    else if (direction < 0)
      form.dims[*varying].uppers.push_back(base); // base - i > 0
    else
      form.dims[*varying].lowers.push_back(ScalarExpr(1) - base); // base + i > 0
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
      for (const ScalarExpr &bound : *list)
        access.maskConstancy = std::min(access.maskConstancy, inference.divisibility(bound));
  }
  return access;
}

} // namespace

MaskForm AccessInference::mask(Value mask) { return MaskReader(*this).read(mask); }

static const StructuredAccess &rememberAccess(AccessInference &inference, AccessInference::State &state, Operation *op,
                                              Value pointer, Value mask) {
  auto &slot = state.accesses[op];
  if (!slot)
    slot = std::make_unique<StructuredAccess>(describe(inference, op, pointer, mask));
  return *slot;
}

const StructuredAccess &AccessInference::access(LoadOp load) {
  return rememberAccess(*this, *state_, load, load.getPointer(), load.getMask());
}
const StructuredAccess &AccessInference::access(StoreOp store) {
  return rememberAccess(*this, *state_, store, store.getPointer(), store.getMask());
}

BlockArgument AccessInference::argumentOf(Value pointer) {
  llvm::SmallPtrSet<void *, 8> seen;
  SmallVector<Value> open = {pointer};
  BlockArgument found;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value.getAsOpaquePointer()).second)
      continue;
    if (auto at = loopPositionOf(value)) {
      open.push_back(at->loop.getInitArgs()[at->index]);
      open.push_back(at->loop.getYieldedValues()[at->index]);
      continue;
    }
    if (Operation *op = value.getDefiningOp()) {
      if (!isa<PtrAddOp, SplatOp, ExpandDimsOp, BroadcastOp>(op))
        return {};
      open.push_back(op->getOperand(0));
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()) || (found && found != argument))
      return {};
    found = argument;
  }
  return found;
}

AccessInference::AccessInference(Operation *) : state_(std::make_unique<State>()) {}
AccessInference::~AccessInference() = default;

} // namespace tilewise::tile
