// -Wmask-mismatch: a mask that bounds other offsets than those it is used with.
//
//     tl.load(x + at + 1, mask=at < n)                     reads x[n]
//     tl.load(x + at - 1, mask=at < n)                     reads x[-1] in program 0
//     tl.load(x + pid * BLOCK + i, mask=i < n)             the same lanes in every program
//     tl.load(x + at, mask=at <= n)                        reads x[n]
//
// Each of these can be meant: x may have n + 1 elements, or its pointer may be moved. So it is off
// unless asked for, as `tilewise check` does, and integers are left out of the first: rows[at + 1]
// is how a table of row starts is read.
#include "passes/Warn.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::tile {

namespace {

class Finder {
public:
  Finder(func::FuncOp kernel, AccessInference &inference) : kernel_(kernel), inference_(inference) {}

  void run() {
    kernel_.walk([&](MemoryAccess op) {
      const StructuredAccess &access = inference_.access(op);
      if (access.mask && access.address.base && !access.shape.empty() && isArgument(access.address.pointer))
        check(op, access);
    });
  }

private:
  /// i < gap, cut in two: i < extent - origin.
  struct Walk {
    ScalarExpr origin, extent;
  };
  static Walk walkOf(const ScalarExpr &gap) {
    Walk walk{{}, gap.constant()};
    for (const ScalarTerm &term : gap.terms()) {
      ScalarExpr product(std::abs(term.coefficient));
      for (Value factor : term.factors)
        product = product * ScalarExpr(factor);
      (term.coefficient < 0 ? walk.origin : walk.extent) += product;
    }
    return walk;
  }

  /// The name of the argument n where the extent is n and a constant.
  std::optional<StringRef> argumentOf(const ScalarExpr &extent) {
    if (extent.terms().size() != 1 || extent.terms()[0].coefficient != 1 || extent.terms()[0].factors.size() != 1)
      return std::nullopt;
    auto argument = dyn_cast<BlockArgument>(extent.terms()[0].factors[0]);
    if (!argument || argument.getOwner()->getParentOp() != kernel_)
      return std::nullopt;
    auto name = kernel_.getArgAttrOfType<StringAttr>(argument.getArgNumber(), TileDialect::kNameAttr);
    return name ? name.getValue() : StringRef("n");
  }

  bool isArgument(Value pointer) {
    auto argument = dyn_cast_or_null<BlockArgument>(pointer);
    return argument && argument.getOwner()->getParentOp() == kernel_;
  }

  /// Of the program id alone, times a constant that whole blocks make up.
  static bool isWholeBlocks(const ScalarTerm &term, int64_t block) {
    return term.factors.size() == 1 && term.factors[0].getDefiningOp<ProgramIdOp>() && term.coefficient % block == 0;
  }

  /// x of the comparisons x <= n, of an argument n, that a mask is made of.
  static bool hasOrEqual(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
      return hasOrEqual(both.getLhs()) || hasOrEqual(both.getRhs());
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    return compare &&
           ((compare.getPredicate() == arith::CmpIPredicate::sle && compare.getRhs().getDefiningOp<SplatOp>()) ||
            (compare.getPredicate() == arith::CmpIPredicate::sge && compare.getLhs().getDefiningOp<SplatOp>()));
  }

  void check(MemoryAccess op, const StructuredAccess &access) {
    for (auto [d, found] : llvm::enumerate(access.address.strides)) {
      const DimBounds &bounds = access.mask->dims[d];
      if (!found || !found->isConstant(1) || bounds.uppers.size() != 1)
        continue;
      const Bound &upper = bounds.uppers.front();
      if (upper.divisor != 1 || upper.exprs.size() != 1)
        continue;
      const Walk walk = walkOf(lookInto(upper.exprs.front()));
      const std::optional<StringRef> n = argumentOf(walk.extent);
      if (!n)
        continue;
      const ScalarExpr base = lookInto(*access.address.base);
      if (walk.origin.isZero())
        checkLocal(op, base, access.shape[d], *n);
      else
        checkShift(op, access, base - walk.origin, walk.extent.constant(), bounds.lowers.empty(), *n);
    }
  }

  void checkLocal(MemoryAccess op, const ScalarExpr &base, int64_t block, StringRef n) {
    if (llvm::any_of(base.terms(), [&](const ScalarTerm &term) { return isWholeBlocks(term, block); }))
      report(
          op,
          "this " + op.getVerb() +
              " goes on by whole blocks with the program id, but its mask compares places inside a block with '" + n +
              "': the same lanes in every program; compare the whole offset, as in program_id * BLOCK + arange < " + n);
  }

  /// The access goes `shift` beyond the walk that the mask ends at n + `slack`.
  void checkShift(MemoryAccess op, const StructuredAccess &access, const ScalarExpr &shift, int64_t slack,
                  bool hasNoLower, StringRef n) {
    if (!shift.isConstant() || !access.mask->isUnderstood() || !access.mask->conditions.empty())
      return;
    const int64_t first = shift.constant();
    if (first < 0 && hasNoLower && access.mask->positives.empty())
      return report(op, "this " + op.getVerb() + " begins " + elements(-first) +
                            " before the tensor in the first program: its mask has no lower bound; write mask=(offsets "
                            ">= 0) & (offsets < " +
                            n + ")");
    if (first + slack <= 0 || !isa<FloatType>(access.element))
      return;
    if (first != 0)
      report(op, "this " + op.getVerb() + " goes " + elements(first + slack) + " beyond '" + n +
                     "', where its mask ends: the mask compares other offsets than those of the address; write "
                     "mask=offsets + " +
                     Twine(first) + " < " + n);
    else if (hasOrEqual(op.getMask()))
      report(op, "the mask of this " + op.getVerb() + " holds at '" + n + "' itself, one beyond the last of " + n +
                     " elements; write < in place of <=");
  }

  static std::string elements(int64_t count) { return std::to_string(count) + (count == 1 ? " element" : " elements"); }

  void report(MemoryAccess op, const Twine &message) { warn(op, Warning::MaskMismatch, message); }

  func::FuncOp kernel_;
  AccessInference &inference_;
};

} // namespace

void warnMaskMismatch(func::FuncOp kernel, AccessInference &inference) { Finder(kernel, inference).run(); }

} // namespace tilewise::tile
