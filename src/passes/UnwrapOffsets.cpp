// tile-unwrap-offsets: a wrap or clamp of offsets that serves only lanes which nothing stores
// becomes a mask of the loads.
//
// The matmul tutorials read rows `(m % M)` so that a tile that sticks out over the last row reads
// something harmless; the result's rows past the end are not stored. The address is then no box.
// But a lane with m >= M is never *demanded*, and in the others m % M is m:
//
//     rows = m % M                                  rows = m
//     a = load(a_ptr + rows * s)             =>     a = load(a_ptr + rows * s, mask = m < M)
//     store(c_ptr + m * t, f(a), mask = m < M)      store(c_ptr + m * t, f(a), mask = m < M)
//
// Whether it is so is found by following what changes. The op's result changes in the lanes where
// `m < M` is false; ops that work element by element change in the same lanes; a dot changes in the
// same rows, or columns; and everything must end in stores whose mask says, among other things, `m
// < M`. Loads on the way get the mask, for in changed lanes their addresses mean nothing. Where a
// change reaches other lanes (a reduction over them, the depth of a dot) nothing is done.
//
// Three ops are such: x % n, select(x < n, x, anything) and min(x, n - 1). The remainder of a
// negative number is not positive, and x % n is x down to -n + 1: that no lane that is stored lies
// below is assumed, as it is of address arithmetic that it does not overflow.
#include "passes/AccessInference.h"
#include "passes/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_UNWRAPOFFSETS
#include "passes/Passes.h.inc"

namespace {

/// For each dimension of the wrapped block, the dimension of another block that it has become;
/// nothing for one that a reduction or a dot has summed over.
using Dims = SmallVector<std::optional<unsigned>, 2>;

/// The op to be replaced: its result is `plain` in the lanes where `mask` holds.
struct Wrap {
  Operation *op = nullptr;
  Value plain;
  MaskForm mask;
};

std::optional<Wrap> recognise(Operation *op, AccessInference &inference) {
  auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
  if (!type || !type.getElementType().isIntOrIndex() || type.getElementType().isInteger(1))
    return std::nullopt;
  auto withBox = [&](Value plain, std::optional<MaskForm> mask) -> std::optional<Wrap> {
    if (!mask || !mask->isUnderstood() || inference.form(op->getResult(0)).isAffine())
      return std::nullopt;
    return Wrap{op, plain, *mask};
  };
  if (auto division = dyn_cast<IntegerDivision>(op); division && !division.givesQuotient()) {
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    if (!division.isSigned() && !(inference.isNonNegative(dividend) && inference.isNonNegative(divisor)))
      return std::nullopt;
    return withBox(dividend, inference.less(dividend, divisor));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<RankedTensorType>(select.getCondition().getType()))
    return withBox(select.getTrueValue(), inference.mask(select.getCondition()));
  if (isa<arith::MinSIOp>(op))
    for (auto [plain, limit] :
         {std::pair(op->getOperand(0), op->getOperand(1)), std::pair(op->getOperand(1), op->getOperand(0))})
      if (inference.form(limit).isUniform())
        return withBox(plain, inference.less(plain, limit, /*orEqual=*/true));
  return std::nullopt;
}

/// Whether the upper bound `a` implies the upper bound `b`: each of its expressions is at most one
/// of b's, by a constant. For lower bounds: at least. That min(m, last) with last = M - 1 serves
/// lanes below M shows only when scalars are looked into.
bool isTighter(const Bound &a, const Bound &b, bool isUpper) {
  return a.divisor == b.divisor && llvm::all_of(a.exprs, [&](const ScalarExpr &mine) {
           return llvm::any_of(b.exprs, [&](const ScalarExpr &theirs) {
             ScalarExpr difference = lookInto(mine) - lookInto(theirs);
             return difference.isConstant() && (isUpper ? difference.constant() <= 0 : difference.constant() >= 0);
           });
         });
}

/// Follows the changes from a wrap to the stores.
class Changes {
public:
  Changes(const Wrap &wrap, AccessInference &inference) : wrap_(wrap), inference_(inference) {}

  /// Whether no change is ever stored; `loads` are then the loads with changed operands.
  bool vanish() {
    Dims dims;
    for (size_t d = 0; d < wrap_.mask.dims.size(); ++d)
      dims.push_back(unsigned(d));
    if (!reach(wrap_.op->getResult(0), dims))
      return false;
    while (!open_.empty()) {
      Value value = open_.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (!follow(use, Dims(dims_.find(value)->second)))
          return false;
    }
    return addressesChange_;
  }

  SmallVector<std::pair<LoadOp, Dims>> loads;

private:
  /// Notes that `value` changes, in the lanes that lie outside the mask along these dimensions.
  bool reach(Value value, const Dims &dims) {
    auto [entry, isNew] = dims_.try_emplace(value, dims);
    if (isNew)
      open_.push_back(value);
    return entry->second == dims;
  }
  bool reachAll(ValueRange values, const Dims &dims) {
    return llvm::all_of(values, [&](Value value) { return reach(value, dims); });
  }

  /// Whether the wrap's mask speaks of this dimension.
  bool matters(size_t dim) const {
    const DimBounds &bounds = wrap_.mask.dims[dim];
    return !bounds.lowers.empty() || !bounds.uppers.empty();
  }

  bool follow(OpOperand &use, const Dims &dims) {
    Operation *op = use.getOwner();
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (llvm::is_contained(dims, std::nullopt))
        return false;
      addressesChange_ |= use.get() == load.getPointer();
      if (llvm::none_of(loads, [&](const auto &known) { return known.first == load; }))
        loads.push_back({load, dims});
      return reach(load.getResult(), dims);
    }
    if (auto write = dyn_cast<MemoryAccess>(op))
      return use.get() != write.getMask() && isOff(write.getMask(), dims);
    if (auto moves = dyn_cast<MovesElements>(op))
      return followMove(moves, dims);
    if (auto dot = dyn_cast<DotOp>(op))
      return followDot(dot, use, dims);
    if (auto combines = dyn_cast<CombinesAlong>(op)) {
      const unsigned axis = combines.getAxis();
      Dims moved = dims;
      if (!sumOver(axis, moved))
        return false;
      for (auto &dim : moved)
        if (combines.dropsAxis() && dim && *dim > axis)
          --*dim;
      return reachAll(op->getResults(), moved);
    }
    if (handsOn(op))
      return followLoop(op, use, dims);
    return isElementwise(op) && reach(op->getResult(0), dims);
  }

  /// A dimension of extent 1 that is stretched or dropped must have had no bounds to speak of, or
  /// all of its copies would change alike.
  bool followMove(MovesElements op, const Dims &dims) {
    auto to = op.getResultDims();
    if (!to)
      return false;
    Dims moved = dims;
    for (auto [d, dim] : llvm::enumerate(moved)) {
      if (!dim)
        continue;
      const int at = (*to)[*dim];
      const bool isKept = at >= 0 && shapeOf(op->getResult(0).getType())[at] == shapeOf(op.getSource().getType())[*dim];
      if (matters(d) && !isKept)
        return false;
      dim = at < 0 ? std::nullopt : std::optional<unsigned>(at);
    }
    return reach(op->getResult(0), moved);
  }

  /// Lanes along `axis` come together: that must not carry a change from lanes outside the mask to
  /// lanes inside.
  bool sumOver(unsigned axis, Dims &dims) const {
    for (auto [d, dim] : llvm::enumerate(dims)) {
      if (dim != axis)
        continue;
      if (matters(d))
        return false;
      dim.reset();
    }
    return true;
  }

  bool followDot(DotOp dot, OpOperand &use, const Dims &dims) {
    unsigned rank = shapeOf(dot.getType()).size(), operand = use.getOperandNumber();
    Dims moved = dims;
    if (operand != 2 && !sumOver(operand == 0 ? rank - 1 : rank - 2, moved))
      return false;
    return reach(dot.getResult(), moved);
  }

  bool followLoop(Operation *op, OpOperand &use, const Dims &dims) {
    Operation *loop = op->hasTrait<OpTrait::IsTerminator>() ? op->getParentOp() : op;
    unsigned at = use.getOperandNumber();
    if (auto branch = dyn_cast<scf::IfOp>(loop))
      return reach(branch->getResult(at), dims);
    // What one iteration of a loop around the wrap hands to the next meets other offsets there.
    if (loop->isProperAncestor(wrap_.op))
      return false;
    if (auto forLoop = dyn_cast<scf::ForOp>(loop)) {
      if (op == loop)
        at -= forLoop.getNumControlOperands();
      return reach(forLoop.getRegionIterArg(at), dims) && reach(forLoop->getResult(at), dims);
    }
    auto whileLoop = dyn_cast<scf::WhileOp>(loop);
    if (!whileLoop)
      return false;
    if (!isa<scf::ConditionOp>(op))
      return reach(whileLoop.getBeforeArguments()[at], dims);
    return reach(whileLoop.getAfterArguments()[at - 1], dims) && reach(whileLoop->getResult(at - 1), dims);
  }

  /// Whether a mask is off in every changed lane: it contains all that the wrap's mask says.
  bool isOff(Value mask, const Dims &dims) {
    if (!mask || !isa<RankedTensorType>(mask.getType()))
      return false;
    MaskForm known = inference_.mask(mask);
    auto contains = [](ArrayRef<Bound> bounds, const Bound &bound, bool isUpper) {
      return llvm::any_of(bounds, [&](const Bound &candidate) { return isTighter(candidate, bound, isUpper); });
    };
    for (auto [bounds, dim] : llvm::zip_equal(wrap_.mask.dims, dims)) {
      for (const Bound &upper : bounds.uppers)
        if (!contains(known.dims[*dim].uppers, upper, true))
          return false;
      for (const Bound &lower : bounds.lowers)
        if (!contains(known.dims[*dim].lowers, lower, false))
          return false;
    }
    return llvm::all_of(wrap_.mask.conditions,
                        [&](Value condition) { return llvm::is_contained(known.conditions, condition); }) &&
           llvm::all_of(wrap_.mask.positives, [&](const ScalarExpr &positive) {
             return llvm::any_of(known.positives, [&](const ScalarExpr &other) {
               return (lookInto(other) - lookInto(positive)).isZero();
             });
           });
  }

  const Wrap &wrap_;
  AccessInference &inference_;
  llvm::DenseMap<Value, Dims> dims_;
  SmallVector<Value> open_;
  bool addressesChange_ = false;
};

/// The wrap's mask as a block, next to the wrap.
Value buildMask(OpBuilder &builder, Operation *wrap) {
  Location loc = wrap->getLoc();
  if (auto select = dyn_cast<arith::SelectOp>(wrap))
    return select.getCondition();
  bool isMin = isa<arith::MinSIOp>(wrap);
  return builder.create<arith::CmpIOp>(loc, isMin ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt,
                                       wrap->getOperand(0), wrap->getOperand(1));
}

/// The mask as a block of another shape, its dimensions going where `dims` says.
Value spread(OpBuilder &builder, Location loc, Value mask, const Dims &dims, ArrayRef<int64_t> shape) {
  SmallVector<int32_t> order;
  for (size_t d = 0; d < dims.size(); ++d)
    order.push_back(int32_t(d));
  llvm::sort(order, [&](int32_t a, int32_t b) { return *dims[a] < *dims[b]; });
  auto typeOf = [&](ArrayRef<int64_t> extents) { return RankedTensorType::get(extents, builder.getI1Type()); };
  SmallVector<int64_t> extents;
  for (int32_t dim : order)
    extents.push_back(shapeOf(mask.getType())[dim]);
  if (!llvm::is_sorted(order))
    mask = builder.create<PermuteOp>(loc, typeOf(extents), mask, order);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (!llvm::is_contained(dims, std::optional<unsigned>(d))) {
      extents.insert(extents.begin() + d, 1);
      mask = builder.create<ExpandDimsOp>(loc, typeOf(extents), mask, d);
    }
  return ArrayRef<int64_t>(extents) == shape ? mask : builder.create<BroadcastOp>(loc, typeOf(shape), mask);
}

struct UnwrapOffsets : impl::UnwrapOffsetsBase<UnwrapOffsets> {
  void runOnOperation() override {
    SmallVector<Operation *> candidates;
    getOperation().walk([&](Operation *op) {
      if (isa<RemSOp, RemUOp, arith::SelectOp, arith::MinSIOp>(op))
        candidates.push_back(op);
    });
    DominanceInfo dominance(getOperation());
    for (Operation *op : candidates) {
      // Anew for each: the one before may have changed the function.
      AccessInference inference(getOperation());
      std::optional<Wrap> wrap = recognise(op, inference);
      if (!wrap)
        continue;
      Changes changes(*wrap, inference);
      if (changes.vanish() && llvm::all_of(changes.loads, [&](const auto &load) {
            return dominance.properlyDominates(op, LoadOp(load.first).getOperation());
          }))
        replace(*wrap, changes.loads);
    }
  }

  static void replace(const Wrap &wrap, ArrayRef<std::pair<LoadOp, Dims>> loads) {
    OpBuilder builder(wrap.op);
    Value mask = buildMask(builder, wrap.op);
    for (auto [load, dims] : loads) {
      Value inside = spread(builder, wrap.op->getLoc(), mask, dims, shapeOf(load.getType()));
      if (load.getMask()) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(load);
        inside = builder.create<arith::AndIOp>(load.getLoc(), load.getMask(), inside);
      }
      load.getMaskMutable().assign(inside);
    }
    wrap.op->getResult(0).replaceAllUsesWith(wrap.plain);
    wrap.op->erase();
  }
};

} // namespace

} // namespace tilewise::tile
