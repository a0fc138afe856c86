// Access inference, part one: the affine form of every integer and pointer value; what regions
// carry is in CarriedBlocks.cpp.
#include "passes/AccessInferenceState.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::tile {

bool AffineForm::isAffine() const {
  return base && llvm::all_of(strides, [](const auto &stride) { return stride.has_value(); });
}

bool AffineForm::isUniform() const {
  return base && llvm::all_of(strides, [](const auto &stride) { return stride && stride->isZero(); });
}

AffineForm unknownForm(Type type) {
  AffineForm form;
  for (int64_t extent : shapeOf(type))
    form.strides.push_back(extent == 1 ? std::optional<ScalarExpr>(0) : std::nullopt);
  return form;
}

AffineForm leafForm(Value value) {
  Type element = elementTypeOf(value.getType());
  if (isa<PtrType>(element))
    return {value, ScalarExpr(0), {}};
  return element.isIntOrIndex() ? AffineForm{{}, ScalarExpr(value), {}} : AffineForm();
}

namespace {

using Expr = std::optional<ScalarExpr>;

// Products of long sums grow fast, and an address of more than 16 terms is no longer cheaper than
// the gather it replaces.
constexpr size_t kMaxTerms = 16;

Expr bounded(ScalarExpr expr) { return expr.terms().size() > kMaxTerms ? Expr() : Expr(std::move(expr)); }
Expr add(const Expr &a, const Expr &b) { return a && b ? bounded(*a + *b) : Expr(); }
Expr subtract(const Expr &a, const Expr &b) { return a && b ? bounded(*a - *b) : Expr(); }
Expr multiply(const Expr &a, const Expr &b) { return a && b ? bounded(*a * *b) : Expr(); }

using Combine = llvm::function_ref<Expr(const Expr &, const Expr &)>;

AffineForm combine(const AffineForm &a, const AffineForm &b, Combine op) {
  AffineForm form{a.pointer, op(a.base, b.base), {}};
  for (auto [left, right] : llvm::zip_equal(a.strides, b.strides))
    form.strides.push_back(op(left, right));
  return form;
}

AffineForm scale(const AffineForm &form, const ScalarExpr &factor) {
  AffineForm scaled{{}, multiply(form.base, factor), {}};
  for (const Expr &stride : form.strides)
    scaled.strides.push_back(multiply(stride, factor));
  return scaled;
}

AffineForm multiply(const AffineForm &a, const AffineForm &b) {
  if (a.isUniform())
    return scale(b, *a.base);
  if (b.isUniform())
    return scale(a, *b.base);
  AffineForm product{{}, multiply(a.base, b.base), {}};
  // Both vary: only along a dimension in which neither does is the product's stride one number.
  for (auto [left, right] : llvm::zip_equal(a.strides, b.strides)) {
    bool constant = left && right && left->isZero() && right->isZero();
    product.strides.push_back(constant ? Expr(ScalarExpr(0)) : Expr());
  }
  return product;
}

AffineForm uniform(Type type, AffineForm scalar) {
  scalar.strides.assign(shapeOf(type).size(), ScalarExpr(0));
  return scalar;
}

AffineForm ofConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return uniform(op.getType(), {{}, ScalarExpr(integer.getValue().getSExtValue()), {}});
  return isa<ElementsAttr>(op.getValue()) && !isa<SplatElementsAttr>(op.getValue()) ? unknownForm(op.getType())
                                                                                    : uniform(op.getType(), {});
}

/// Both shapes count the same elements in row-major order, so each is made of factors of the
/// other's extents, last ones first: from [8, 4] to [2, 16] the 16 is made of the 4 and of the 8's
/// lower 4, the 2 of the 8's upper 2. A dimension made of several factors has one stride when each
/// factor goes on where the one below it ends.
AffineForm reshape(const AffineForm &form, Type from, Type to) {
  if (form.isUniform())
    return uniform(to, form);
  AffineForm result{form.pointer, form.base, {}};
  ArrayRef<int64_t> source = shapeOf(from);
  size_t at = source.size();
  int64_t left = 1, taken = 1; // Of the extent source[at].
  for (int64_t extent : llvm::reverse(shapeOf(to))) {
    Expr stride = ScalarExpr(0);
    for (int64_t made = 1; made < extent;) {
      while (left == 1) {
        left = source[--at];
        taken = 1;
      }
      int64_t factor = std::min(left, extent / made);
      if (left % factor != 0 || (extent / made) % factor != 0)
        return unknownForm(to);
      Expr step = multiply(form.strides[at], ScalarExpr(taken));
      if (made == 1)
        stride = step;
      else if (stride && step != multiply(stride, ScalarExpr(made)))
        stride.reset();
      made *= factor;
      left /= factor;
      taken *= factor;
    }
    result.strides.push_back(stride);
  }
  std::reverse(result.strides.begin(), result.strides.end());
  return result;
}

/// An op without a rule of its own: constant along a dimension in which all its operands are.
AffineForm ofElementwise(AccessInference &inference, Operation *op, Type type) {
  AffineForm form = unknownForm(type);
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    bool constant = llvm::all_of(op->getOperands(), [&, dim = dim](Value operand) {
      const AffineForm &input = inference.form(operand);
      return input.strides.empty() || (input.strides[dim] && input.strides[dim]->isZero());
    });
    if (constant)
      stride = ScalarExpr(0);
  }
  return form;
}

AffineForm ofOp(AccessInference &inference, Operation *op, Type type) {
  auto form = [&](Value value) -> const AffineForm & { return inference.form(value); };
  return llvm::TypeSwitch<Operation *, AffineForm>(op)
      .Case([&](arith::ConstantOp op) { return ofConstant(op); })
      .Case([&](RangeOp op) {
        return AffineForm{{}, ScalarExpr(int32_t(op.getStart())), {ScalarExpr(shapeOf(type)[0] == 1 ? 0 : 1)}};
      })
      .Case([&](SplatOp op) { return uniform(type, form(op.getSource())); })
      .Case([&](ReshapeOp op) { return reshape(form(op.getSource()), op.getSource().getType(), type); })
      .Case([&](MovesElements op) {
        const AffineForm &source = form(op.getSource());
        AffineForm result{source.pointer, source.base, {}};
        result.strides.assign(shapeOf(type).size(), Expr(ScalarExpr(0)));
        for (auto [stride, dim] : llvm::zip_equal(source.strides, *op.getResultDims()))
          if (dim >= 0) // Else its extent is 1.
            result.strides[size_t(dim)] = stride;
        return result;
      })
      .Case([&](arith::AddIOp op) { return combine(form(op.getLhs()), form(op.getRhs()), add); })
      .Case([&](arith::SubIOp op) { return combine(form(op.getLhs()), form(op.getRhs()), subtract); })
      .Case([&](arith::MulIOp op) { return multiply(form(op.getLhs()), form(op.getRhs())); })
      .Case([&](PtrAddOp op) { return combine(form(op.getPointer()), form(op.getOffset()), add); })
      .Case([&](ShlOp op) {
        const AffineForm &amount = form(op.getRhs());
        int64_t width = elementTypeOf(type).getIntOrFloatBitWidth();
        if (!amount.isUniform() || !amount.base->isConstant() ||
            uint64_t(amount.base->constant()) >= uint64_t(width - 1))
          return ofElementwise(inference, op, type);
        return scale(form(op.getLhs()), ScalarExpr(int64_t(1) << amount.base->constant()));
      })
      .Case([&](arith::ExtSIOp op) {
        // An extended bool is 0 or -1, which is not what a bool as a number is elsewhere.
        return elementTypeOf(op.getIn().getType()).isInteger(1) ? ofElementwise(inference, op, type) : form(op.getIn());
      })
      .Case([&](arith::ExtUIOp op) {
        return inference.isNonNegative(op.getIn()) ? form(op.getIn()) : ofElementwise(inference, op, type);
      })
      .Default([&](Operation *op) {
        bool elementwise = isElementwise(op) || isLoad(op);
        return elementwise ? ofElementwise(inference, op, type) : unknownForm(type);
      });
}

} // namespace

const AffineForm &AccessInference::form(Value value) {
  if (auto found = state_->forms.find(value); found != state_->forms.end())
    return *found->second;
  if (!isa<RankedTensorType>(value.getType())) {
    llvm::APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return state_->remember(value, {{}, ScalarExpr(constant.getSExtValue()), {}});
    return state_->remember(value, leafForm(value));
  }
  if (regionSourcesOf(value)) {
    Operation *defining = value.getDefiningOp();
    inferRegion(*this, *state_, defining ? defining : value.getParentBlock()->getParentOp());
    return *state_->forms.find(value)->second;
  }
  if (Operation *op = value.getDefiningOp())
    return state_->remember(value, ofOp(*this, op, value.getType()));
  return state_->remember(value, unknownForm(value.getType()));
}

const CarriedBlock *AccessInference::carried(Value value) {
  form(value);
  auto found = state_->carried.find(value);
  return found == state_->carried.end() ? nullptr : found->second.get();
}

} // namespace tilewise::tile
