// Access inference around loops and choices: blocks that are carried with their strides unchanged.
#include "passes/AccessInferenceState.h"

using namespace mlir;

namespace tilewise::tile {

std::optional<RegionSources> regionSourcesOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  Operation *op = result ? result.getOwner() : value.getParentBlock()->getParentOp();
  unsigned index = result ? result.getResultNumber() : cast<BlockArgument>(value).getArgNumber();
  if (auto loop = dyn_cast_if_present<scf::ForOp>(op)) {
    if (!result && value == loop.getInductionVar())
      return std::nullopt;
    index -= result ? 0 : loop.getNumInductionVars();
    return RegionSources{loop.getRegionIterArg(index).getAsOpaquePointer(),
                         {loop.getInitArgs()[index], loop.getYieldedValues()[index]}};
  }
  if (auto loop = dyn_cast_if_present<scf::WhileOp>(op)) {
    if (!result && value.getParentBlock() == loop.getBeforeBody())
      return RegionSources{value.getAsOpaquePointer(), {loop.getInits()[index], loop.getYieldOp().getOperand(index)}};
    return RegionSources{value.getAsOpaquePointer(), {loop.getConditionOp().getArgs()[index]}};
  }
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op)) {
    bool uniform =
        !isa<RankedTensorType>(select.getCondition().getType()) || select.getCondition().getDefiningOp<SplatOp>();
    if (!uniform || !isa<RankedTensorType>(value.getType()))
      return std::nullopt;
    return RegionSources{value.getAsOpaquePointer(), {select.getTrueValue(), select.getFalseValue()}};
  }
  if (auto branch = dyn_cast_if_present<scf::IfOp>(op); branch && result)
    return RegionSources{value.getAsOpaquePointer(),
                         {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)}};
  return std::nullopt;
}

namespace {

/// Bools are no numbers that a stride could lead through.
bool canBeCarried(Type type) {
  Type element = elementTypeOf(type);
  return isa<RankedTensorType>(type) && (isa<PtrType>(element) || (element.isIntOrIndex() && !element.isInteger(1)));
}

/// Made by widening integers that were computed: where those wrapped around, the form, which counts
/// in 64 bits, does not.
bool widensComputed(Value value, llvm::SmallPtrSetImpl<Operation *> &seen, bool isWidened = false) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()) || isa<PtrType>(elementTypeOf(value.getType())) ||
      !seen.insert(op).second)
    return false;
  const bool computes = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, ShlOp>(op);
  if (computes && isWidened)
    return true;
  const bool widens = isa<arith::ExtSIOp, arith::ExtUIOp>(op);
  if (!computes && !widens && !isa<MovesElements>(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return widensComputed(operand, seen, isWidened || widens); });
}

/// Whether somebody wants the number itself: not only addresses and masks, which promise that their
/// offsets do not wrap around.
bool isWantedAsNumber(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<PtrAddOp, arith::CmpIOp>(user))
      return false;
    if (auto loop = isa<scf::YieldOp>(user) ? dyn_cast<scf::ForOp>(user->getParentOp()) : scf::ForOp())
      return seen.insert(user).second && (isWantedAsNumber(loop.getRegionIterArg(use.getOperandNumber()), seen) ||
                                          isWantedAsNumber(loop.getResult(use.getOperandNumber()), seen));
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, ShlOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             MovesElements>(user))
      return true;
    return seen.insert(user).second && isWantedAsNumber(user->getResult(0), seen);
  });
}

class RegionForms {
public:
  RegionForms(AccessInference &inference, AccessInference::State &state) : inference_(inference), state_(state) {}

  /// Forms of all carried blocks of a loop at once. Assume of each what its initial value has; look
  /// at what is yielded; drop what does not hold and start over. Each round drops something, so
  /// this ends.
  void ofLoop(ValueRange inits, ValueRange arguments, ValueRange yielded, scf::WhileOp test, ResultRange results) {
    size_t count = arguments.size();
    std::vector<AffineForm> assumed(count), next(count);
    for (size_t i = 0; i < count; ++i)
      assumed[i] =
          isExact({inits[i], yielded[i]}, arguments[i]) && (test || isExact({inits[i], yielded[i]}, results[i]))
              ? formOf(inits[i])
              : unknownForm(inits[i].getType());
    size_t mark = state_.log.size();
    for (bool stable = false; !stable;) {
      state_.forgetSince(mark);
      for (size_t i = 0; i < count; ++i)
        rememberAs(arguments[i], assumed[i]);
      if (test)
        passOn(test);
      stable = true;
      for (size_t i = 0; i < count; ++i) {
        next[i] = formOf(yielded[i]);
        stable &= agree(assumed[i], next[i]);
      }
    }
    for (size_t i = 0; i < count; ++i) {
      CarriedBlock carried{arguments[i], formOf(inits[i]), next[i]};
      rememberCarried(arguments[i], assumed[i], carried);
      if (!test) {
        rememberAs(results[i], assumed[i]);
        rememberCarried(results[i], assumed[i], carried);
      }
    }
  }

  /// A branch, or a select of whole blocks.
  void ofChoice(Operation *op) {
    for (OpResult result : op->getResults()) {
      SmallVector<Value, 2> sources = regionSourcesOf(result)->values;
      if (!isExact({sources[0], sources[1]}, result)) {
        rememberAs(result, unknownForm(result.getType()));
        continue;
      }
      CarriedBlock carried{{}, formOf(sources[0]), formOf(sources[1])};
      AffineForm both = carried.init;
      agree(both, carried.next);
      rememberAs(result, both);
      rememberCarried(result, both, carried);
    }
  }

private:
  /// Whether the forms of `sources` tell the number that `block` has, as far as anybody wants to
  /// know it.
  static bool isExact(std::initializer_list<Value> sources, Value block) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    return llvm::none_of(sources, [&](Value source) { return widensComputed(source, seen); }) ||
           (seen.clear(), !isWantedAsNumber(block, seen));
  }

  AffineForm formOf(Value value) {
    return canBeCarried(value.getType()) ? inference_.form(value) : unknownForm(value.getType());
  }

  /// Drops from `form` what `other` does not have; false when that was something.
  static bool agree(AffineForm &form, const AffineForm &other) {
    bool same = true;
    for (auto [mine, theirs] : llvm::zip_equal(form.strides, other.strides))
      if (mine && mine != theirs) {
        mine.reset();
        same = false;
      }
    if (form.base && !other.base) {
      form.base.reset();
      same = false;
    }
    return same;
  }

  /// What the test of a while loop hands to the body and to the code behind the loop. Scalars of
  /// the test's region are not seen there.
  void passOn(scf::WhileOp loop) {
    for (auto [index, value] : llvm::enumerate(loop.getConditionOp().getArgs())) {
      AffineForm form = formOf(value), seen = form;
      for (auto &stride : seen.strides)
        if (stride && llvm::any_of(stride->terms(), [&](const ScalarTerm &term) {
              return llvm::any_of(
                  term.factors, [&](Value factor) { return loop->isAncestor(factor.getParentBlock()->getParentOp()); });
            }))
          stride.reset();
      for (Value target : {Value(loop.getAfterArguments()[index]), Value(loop->getResult(index))}) {
        rememberAs(target, seen);
        rememberCarried(target, seen, {{}, form, form});
      }
    }
  }

  void rememberAs(Value value, const AffineForm &like) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    AffineForm form = like.isAffine() ? leafForm(value) : AffineForm();
    form.strides = like.strides;
    state_.remember(value, std::move(form));
  }

  void rememberCarried(Value value, const AffineForm &like, const CarriedBlock &carried) {
    if (canBeCarried(value.getType()) && like.isAffine())
      state_.carried[value] = std::make_unique<CarriedBlock>(carried);
  }

  AccessInference &inference_;
  AccessInference::State &state_;
};

} // namespace

void inferRegion(AccessInference &inference, AccessInference::State &state, Operation *op) {
  RegionForms forms(inference, state);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    forms.ofLoop(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), {}, loop->getResults());
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    forms.ofLoop(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands(), loop, loop->getResults());
  else
    forms.ofChoice(op);
}

} // namespace tilewise::tile
