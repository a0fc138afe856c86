// cpu-split-clamps: a kernel that clamps offsets, as image filters do at the border, gets a second
// body without the clamps, for the programs whose blocks lie inside.
//
//     j = min(max(x + dx, 0), w - 1)        if (first + dx >= 0 and first + 31 + dx <= w - 1)
//     v = load(row + j)                =>     v = load(row + x + dx)      straight vector loads
//                                           else
//                                             v = load(row + j)           lane by lane
//
// A clamped offset is no box, so its loads are executed lane by lane. But only programs at the
// border need the clamp: of the 16 x 256 blocks of a picture of 4096 x 4096, one in seven. Whether
// a block is inside is one comparison of scalars for each clamp: the least or the largest element
// of an affine block against the limit.
#include "passes/AccessInference.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/Pulls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_SPLITCLAMPS
#include "target/cpu/Passes.h.inc"

namespace {

/// A min or max that is its operand `plain` in every lane while `margin` is at least 0.
struct Clamp {
  Operation *op;
  Value plain;
  tile::ScalarExpr margin;
};

class Finder {
public:
  explicit Finder(func::FuncOp kernel) : inference_(kernel) {
    for (Operation &op : kernel.getBody().front())
      if (std::optional<Clamp> clamp = clampAt(&op))
        if (servesAnAddress(op.getResult(0)))
          clamps.push_back(std::move(*clamp));
  }

  SmallVector<Clamp> clamps; ///< In order.

private:
  /// The block without the clamps found so far.
  Value withoutClamps(Value value) {
    for (const Clamp &clamp : clamps)
      if (clamp.op->getResult(0) == value)
        return withoutClamps(clamp.plain);
    return value;
  }

  std::optional<Clamp> clampAt(Operation *op) {
    using tile::Arithmetic;
    const Arithmetic arithmetic = tile::arithmeticOf(op);
    const bool isMin = arithmetic == Arithmetic::Smallest;
    if ((!isMin && arithmetic != Arithmetic::Largest) || !isBlock(op->getResult(0)))
      return std::nullopt;
    for (unsigned i : {0u, 1u}) {
      Value plain = op->getOperand(i);
      const tile::AffineForm &form = inference_.form(withoutClamps(plain));
      const tile::AffineForm &limit = inference_.form(op->getOperand(1 - i));
      if (!form.isAffine() || form.isUniform() || !limit.isUniform())
        continue;
      std::optional<tile::ScalarExpr> end = extreme(form, op->getResult(0).getType(), isMin);
      if (!end)
        continue;
      // Looked into: `h - 1` is most often computed after the first clamp, h itself before it.
      return Clamp{op, plain, tile::lookInto(isMin ? *limit.base - *end : *end - *limit.base)};
    }
    return std::nullopt;
  }

  /// The largest element of an affine block, or the least.
  static std::optional<tile::ScalarExpr> extreme(const tile::AffineForm &form, Type type, bool largest) {
    tile::ScalarExpr end = *form.base;
    for (auto [stride, extent] : llvm::zip(form.strides, cast<RankedTensorType>(type).getShape())) {
      if (!stride->isConstant())
        return std::nullopt;
      const int64_t across = stride->constant() * (extent - 1);
      if ((across > 0) == largest)
        end += tile::ScalarExpr(across);
    }
    return end;
  }

  /// Whether a load's address is computed from it, and is no box so far.
  bool servesAnAddress(Value value) {
    SmallVector<Value> open = {value};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!open.empty())
      for (Operation *user : open.pop_back_val().getUsers()) {
        if (!seen.insert(user).second)
          continue;
        if (auto load = dyn_cast<tile::LoadOp>(user)) {
          if (!inference_.form(load.getPointer()).isAffine())
            return true;
        } else if (user->getNumResults() == 1 && isMemoryEffectFree(user)) {
          open.push_back(user->getResult(0));
        }
      }
    return false;
  }

  tile::AccessInference inference_;
};

/// Everything from `first` to the block's end, twice: without the clamps where they change nothing.
void split(func::FuncOp kernel, ArrayRef<Clamp> clamps) {
  Operation *first = clamps.front().op;
  OpBuilder b(first);
  Location loc = first->getLoc();
  Value isInside, zero = b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(0));
  for (const Clamp &clamp : clamps) {
    Value margin = tile::materialize(b, loc, clamp.margin, b.getI64Type());
    Value holds = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, margin, zero);
    isInside = isInside ? b.create<arith::AndIOp>(loc, isInside, holds).getResult() : holds;
  }
  auto branch = b.create<scf::IfOp>(loc, isInside, /*withElse=*/true);
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> rest;
  for (Operation &op : llvm::make_range(std::next(branch->getIterator()), std::prev(body.end())))
    rest.push_back(&op);
  IRMapping mapping;
  b.setInsertionPointToStart(branch.thenBlock());
  for (Operation *op : rest) {
    const Clamp *clamp = llvm::find_if(clamps, [&](const Clamp &one) { return one.op == op; });
    if (clamp != clamps.end())
      mapping.map(op->getResult(0), mapping.lookupOrDefault(clamp->plain));
    else
      b.clone(*op, mapping);
  }
  for (Operation *op : rest)
    op->moveBefore(branch.elseBlock()->getTerminator());
}

struct SplitClamps : impl::SplitClampsBase<SplitClamps> {
  void runOnOperation() override {
    SmallVector<Clamp> clamps = Finder(getOperation()).clamps;
    if (clamps.empty())
      return;
    // A margin is computed before the first of them: one of later scalars is left as it is.
    DominanceInfo dominance(getOperation());
    llvm::erase_if(clamps, [&](const Clamp &clamp) {
      return llvm::any_of(clamp.margin.terms(), [&](const tile::ScalarTerm &term) {
        return llvm::any_of(term.factors, [&](Value factor) {
          return isa<RankedTensorType>(factor.getType()) || !dominance.properlyDominates(factor, clamps.front().op);
        });
      });
    });
    if (!clamps.empty())
      split(getOperation(), clamps);
  }
};

} // namespace

} // namespace tilewise::cpu
