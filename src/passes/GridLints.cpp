// Program ids, and the stores that go with them -> warnings about grids.
#include "passes/GridLints.h"

#include "passes/AccessInference.h"

using namespace mlir;

namespace tilewise::tile {

/// What a kernel may share its work out by without a program id: a counter in memory, the hardware.
static bool sharesOtherwise(Operation *op) { return isAtomic(op) || isa<InlineAsmOp, ExternCallOp>(op); }

/// The first op that asks for each axis.
static std::array<ProgramIdOp, 3> askedAxes(func::FuncOp kernel) {
  std::array<ProgramIdOp, 3> asked;
  kernel.walk([&](ProgramIdOp op) {
    if (ProgramIdOp &first = asked[op.getAxis()]; !first)
      first = op;
  });
  return asked;
}

namespace {

/// Stores to one row of neighbouring elements whose first moves by `step` with the program id, so
/// that neighbours share some of them.
class Overlaps {
public:
  Overlaps(func::FuncOp kernel, const std::array<ProgramIdOp, 3> &ids) : inference_(kernel), ids_(ids) {}

  /// What a branch may leave out is not looked at.
  std::optional<GridLint> of(StoreOp store) {
    const StructuredAccess &access = inference_.access(store);
    if (access.shape.size() != 1 || !access.address.isAffine() || store->getParentOfType<scf::IfOp>())
      return std::nullopt;
    if (!access.address.strides[0]->isConstant(1))
      return std::nullopt;
    const ScalarExpr place = placeOf(access.address);
    for (ProgramIdOp id : ids_) {
      const std::optional<int64_t> factor = id ? stepOf(place, id) : std::nullopt;
      if (!factor || *factor == 0)
        continue;
      const std::optional<int64_t> stored = storedBy(access, id, *factor);
      if (const int64_t step = std::abs(*factor); stored && step < *stored)
        return lint(store, id.getAxis(), step, *stored, access.shape[0]);
    }
    return std::nullopt;
  }

private:
  static GridLint lint(StoreOp store, unsigned axis, int64_t step, int64_t stored, int64_t extent) {
    const std::string elements = std::to_string(stored);
    return {uint8_t(1u << axis),
            0,
            Warning::OverlappingStore,
            store.getLoc(),
            "neighbouring programs store to the same addresses: a block has " + elements +
                " elements, but the next program begins " + std::to_string(step) +
                (step == 1 ? " element" : " elements") + " further",
            "write tl.program_id(" + std::to_string(axis) + ") * " + elements + " + tl.arange(0, " +
                std::to_string(extent) + ")"};
  }

  /// Down to the kernel's scalars, with one value for a program id however often it is asked for.
  ScalarExpr simplified(const ScalarExpr &sum) const {
    const ScalarExpr detailed = lookInto(sum);
    ScalarExpr result(detailed.constant());
    for (const ScalarTerm &term : detailed.terms()) {
      ScalarExpr product(term.coefficient);
      for (Value factor : term.factors) {
        if (auto id = factor.getDefiningOp<ProgramIdOp>())
          factor = ProgramIdOp(ids_[id.getAxis()]).getResult();
        product = product * ScalarExpr(factor);
      }
      result += product;
    }
    return result;
  }

  /// The place of a row's first element, from the kernel's argument on.
  ScalarExpr placeOf(const AffineForm &address) const {
    ScalarExpr place = *address.base;
    for (auto add = address.pointer.getDefiningOp<PtrAddOp>(); add; add = add.getPointer().getDefiningOp<PtrAddOp>())
      place += add.getOffset();
    return simplified(place);
  }

  /// The factor of the program id in a sum; nothing where it is a part of another product, too.
  static std::optional<int64_t> stepOf(const ScalarExpr &sum, Value id) {
    int64_t step = 0;
    for (const ScalarTerm &term : sum.terms())
      if (llvm::is_contained(term.factors, id)) {
        if (term.factors.size() != 1)
          return std::nullopt;
        step = term.coefficient;
      }
    return step;
  }

  /// Where the row begins or ends by a bound of its mask: `otherwise` where the bound moves against
  /// the program, as in `at < n` of `at = id * step + ...`, and so is met at the tensor's end
  /// alone. Nothing where it may be anywhere.
  std::optional<int64_t> limitOf(const Bound &bound, Value id, int64_t step, int64_t otherwise) const {
    if (bound.exprs.size() != 1 || bound.divisor != 1)
      return std::nullopt;
    const ScalarExpr limit = simplified(bound.exprs.front());
    if (limit.isConstant())
      return limit.constant();
    return stepOf(limit, id) == -step ? std::optional(otherwise) : std::nullopt;
  }

  /// How many elements a program stores that is not at the tensor's border, by the block's extent
  /// and the mask; nothing where that is known at run time only.
  std::optional<int64_t> storedBy(const StructuredAccess &access, Value id, int64_t step) const {
    int64_t begin = 0, end = access.shape[0];
    if (!access.mask)
      return end;
    const MaskForm &mask = *access.mask;
    if (!mask.isUnderstood() || !mask.conditions.empty() || !mask.positives.empty())
      return std::nullopt;
    for (const Bound &lower : mask.dims[0].lowers) {
      std::optional<int64_t> limit = limitOf(lower, id, step, 0);
      if (!limit)
        return std::nullopt;
      begin = std::max(begin, *limit);
    }
    for (const Bound &upper : mask.dims[0].uppers) {
      std::optional<int64_t> limit = limitOf(upper, id, step, access.shape[0]);
      if (!limit)
        return std::nullopt;
      end = std::min(end, *limit);
    }
    return end - begin;
  }

  AccessInference inference_;
  const std::array<ProgramIdOp, 3> &ids_;
};

} // namespace

std::vector<GridLint> findGridLints(func::FuncOp kernel, const WarningSet &on) {
  std::vector<GridLint> lints;
  std::array<ProgramIdOp, 3> asked = askedAxes(kernel);
  if (on.has(Warning::LaunchGrid)) {
    // A kernel that stores nothing, as one that only prints, does no work twice.
    bool stores = false, isShared = false;
    kernel.walk([&](Operation *op) {
      stores |= isStore(op);
      isShared |= sharesOtherwise(op);
    });
    for (unsigned axis = 0; axis < asked.size(); ++axis) {
      const std::string id = "tl.program_id(" + std::to_string(axis) + ")";
      if (asked[axis] && axis > 0)
        lints.push_back({0, uint8_t(axis), Warning::LaunchGrid, asked[axis].getLoc(),
                         id + " is always 0: the launch's grid has no dimension " + std::to_string(axis),
                         "give the grid " + std::to_string(axis + 1) + " dimensions"});
      else if (!asked[axis] && stores && !isShared)
        lints.push_back({uint8_t(1u << axis), 0, Warning::LaunchGrid, kernel.getLoc(),
                         "the launch's grid has several programs along dimension " + std::to_string(axis) +
                             ", and all of them do the same: the kernel never asks for " + id,
                         "let each program handle a block of its own, or launch one"});
    }
  }
  if (on.has(Warning::OverlappingStore)) {
    Overlaps overlaps(kernel, asked);
    kernel.walk([&](StoreOp store) {
      if (std::optional<GridLint> lint = overlaps.of(store))
        lints.push_back(std::move(*lint));
    });
  }
  return lints;
}

} // namespace tilewise::tile
