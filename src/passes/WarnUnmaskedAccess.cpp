// -Wunmasked-access: a walk over a runtime extent in blocks, whose last block nothing holds inside
// the tensor.
//
// That a kernel has no mask proves nothing: its author may know that the block size divides the
// extent. So there must be a sign in the kernel that the extent is a runtime value which the block
// size may not divide:
//
//     x = tl.load(p + at)                      another access masks the same walk `at`
//     tl.store(q + at, x, mask=at < n)
//
//     for k in range(0, K, BLOCK):             the walk goes with a loop up to a runtime bound that BLOCK is not known to divide
//         x = tl.load(p + k + tl.arange(0, BLOCK))
//
//     def kernel(p, q, n, BLOCK: ...):         the walk goes with the program id, and no integer argument is ever looked at
//
// An access inside a runtime `if` is left alone: the condition may be the proof.
#include "passes/Warn.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::tile {

namespace {

/// Blocks of `extent` elements that start at `origin`, and the access whose mask ends them.
struct MaskedWalk {
  int64_t extent;
  ScalarExpr origin;
  Operation *access;
};

bool isProgramId(Operation *op) { return isa<ProgramIdOp>(op); }

/// Whether every term of `part` is in `whole`, and there is one.
bool contains(const ScalarExpr &whole, const ScalarExpr &part) {
  return !part.terms().empty() && llvm::all_of(part.terms(), [&](const ScalarTerm &wanted) {
    return llvm::any_of(whole.terms(), [&](const ScalarTerm &term) {
      return term.coefficient == wanted.coefficient && term.similar(wanted);
    });
  });
}

class Finder {
public:
  Finder(func::FuncOp kernel, AccessInference &inference) : kernel_(kernel), inference_(inference) {}

  void run() {
    // A kernel that uses one of its integers may know its extents by it.
    bool usesAny = false;
    for (BlockArgument argument : kernel_.getArguments())
      if (isa<IntegerType>(argument.getType())) {
        usesAny |= !argument.use_empty();
        unused_ = unused_ ? unused_ : argument;
      }
    if (usesAny)
      unused_ = {};
    forEachAccess([&](Operation *op, const StructuredAccess &access) { collectWalks(op, access); });
    forEachAccess([&](Operation *op, const StructuredAccess &access) {
      if (!access.mask && !access.shape.empty() && !op->getParentOfType<scf::IfOp>())
        check(op, access);
    });
  }

private:
  void forEachAccess(llvm::function_ref<void(Operation *, const StructuredAccess &)> visit) {
    kernel_.walk([&](MemoryAccess op) {
      if (!op.isAtomic())
        visit(op, inference_.access(op));
    });
  }

  /// i < n - origin, and origin goes with the program id: a walk in blocks.
  void collectWalks(Operation *op, const StructuredAccess &access) {
    if (!access.mask)
      return;
    for (auto [d, dim] : llvm::enumerate(access.mask->dims))
      for (const Bound &upper : dim.uppers) {
        if (upper.divisor != 1 || upper.exprs.size() != 1)
          continue;
        ScalarExpr origin, gap = lookInto(upper.exprs.front());
        for (const ScalarTerm &term : gap.terms())
          if (term.coefficient < 0) {
            ScalarExpr product(-term.coefficient);
            for (Value factor : term.factors)
              product = product * ScalarExpr(factor);
            origin += product;
          }
        if (goesWithProgram(origin))
          walks_.push_back({access.shape[d], origin, op});
      }
  }

  bool goesWithProgram(const ScalarExpr &expr) {
    return llvm::any_of(expr.terms(), [](const ScalarTerm &term) {
      return llvm::any_of(term.factors, [](Value factor) { return isComputedFrom(factor, isProgramId); });
    });
  }

  void check(Operation *op, const StructuredAccess &access) {
    if (!access.address.base)
      return;
    ScalarExpr base = wholeBase(access.address);
    for (auto [d, found] : llvm::enumerate(access.address.strides)) {
      if (!found || found->isZero())
        continue;
      ScalarExpr stride = lookInto(*found);
      int64_t extent = access.shape[d];
      for (const MaskedWalk &walk : walks_)
        if (walk.extent == extent && contains(base, walk.origin * stride)) {
          report(op).attachNote(walk.access->getLoc()) << "an access over the same range is masked here";
          return;
        }
      if (scf::ForOp loop = loopOfWalk(op, access.address, base, stride, extent)) {
        report(op).attachNote(loop.getLoc())
            << "this loop goes up to a runtime value that " << extent << " is not known to divide";
        return;
      }
      if (unused_ && walksByProgram(base, stride, extent)) {
        auto name = kernel_.getArgAttrOfType<StringAttr>(unused_.getArgNumber(), TileDialect::kNameAttr);
        report(op).attachNote(unused_.getLoc())
            << "the argument '" << (name ? name.getValue() : "?") << "' is never used; is it the extent?";
        return;
      }
    }
  }

  InFlightDiagnostic report(Operation *op) {
    return warn(op, Warning::UnmaskedAccess,
                "this " + cast<MemoryAccess>(op).getVerb() +
                    " has no mask, and nothing proves that its last block ends inside the tensor; write "
                    "mask=offsets < n, or run with TILEWISE_CHECKED=1 to have every access checked");
  }

  /// The base with what it was before the loops that carry the pointers, and with what moved the
  /// scalar pointer before.
  ScalarExpr wholeBase(const AffineForm &address) {
    ScalarExpr base = lookInto(*address.base);
    Value pointer = address.pointer;
    while (pointer) {
      if (auto moved = pointer.getDefiningOp<PtrAddOp>(); moved && !isa<RankedTensorType>(pointer.getType())) {
        base += lookInto(moved.getOffset());
        pointer = moved.getPointer();
        continue;
      }
      const CarriedBlock *carried = isa<RankedTensorType>(pointer.getType()) ? inference_.carried(pointer) : nullptr;
      if (!carried || !carried->init.base)
        break;
      base += lookInto(*carried->init.base);
      pointer = carried->init.pointer;
    }
    return base;
  }

  /// Whether the base has a term program id * (a multiple of the extent) * stride: whole blocks,
  /// program by program.
  bool walksByProgram(const ScalarExpr &base, const ScalarExpr &stride, int64_t extent) {
    bool found = false;
    kernel_.walk([&](ProgramIdOp id) {
      ScalarExpr step = stride * ScalarExpr(id.getResult());
      found |= step.terms().size() == 1 && llvm::any_of(base.terms(), [&](const ScalarTerm &term) {
                 return term.similar(step.terms()[0]) && term.coefficient % (step.terms()[0].coefficient * extent) == 0;
               });
    });
    return found;
  }

  /// The loop with which the access goes on by one block per iteration, up to a bound that the
  /// block may not divide.
  scf::ForOp loopOfWalk(Operation *op, const AffineForm &address, const ScalarExpr &base, const ScalarExpr &stride,
                        int64_t extent) {
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
      ScalarExpr advance = stride * ScalarExpr(extent);
      bool byPointer = false;
      if (address.pointer && isa<RankedTensorType>(address.pointer.getType()))
        if (const CarriedBlock *carried = inference_.carried(address.pointer))
          byPointer = carried->argument && Value(carried->argument).getParentBlock() == loop.getBody() &&
                      carried->next.pointer == carried->argument && carried->next.base &&
                      lookInto(*carried->next.base) == advance;
      llvm::APInt step;
      bool hasStep = matchPattern(loop.getStep(), m_ConstantInt(&step));
      ScalarExpr counter(Value(loop.getInductionVar()));
      bool byBlocks = hasStep && step == uint64_t(extent) && contains(base, counter * stride);
      bool byCount = hasStep && step.isOne() && contains(base, counter * advance);
      if ((byPointer || byBlocks || byCount) && isRagged(loop, extent))
        return loop;
    }
    return {};
  }

  /// range(0, K, BLOCK) and range(cdiv(K, BLOCK)), with a runtime K that BLOCK is not known to
  /// divide.
  bool isRagged(scf::ForOp loop, int64_t extent) {
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
      if (matchPattern(bound, m_Constant()))
        continue;
      llvm::APInt step, divisor;
      bool inElements = matchPattern(loop.getStep(), m_ConstantInt(&step)) && step == uint64_t(extent);
      if (inElements && inference_.facts(bound).divisibility % extent != 0)
        return true;
      auto quotient = bound.getDefiningOp<IntegerDivision>();
      if (quotient && quotient.givesQuotient() && matchPattern(quotient->getOperand(1), m_ConstantInt(&divisor)) &&
          divisor == uint64_t(extent) && !isKnownMultiple(quotient->getOperand(0), extent))
        return true;
    }
    return false;
  }

  /// Of `K` or of the `K + BLOCK - 1` inside a cdiv.
  bool isKnownMultiple(Value value, int64_t extent) {
    llvm::APInt added;
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      if (matchPattern(sum.getRhs(), m_ConstantInt(&added)) && added == uint64_t(extent - 1))
        return inference_.facts(sum.getLhs()).divisibility % extent == 0;
    return inference_.facts(value).divisibility % extent == 0;
  }

  func::FuncOp kernel_;
  AccessInference &inference_;
  BlockArgument unused_;
  std::vector<MaskedWalk> walks_;
};

} // namespace

void warnUnmaskedAccess(func::FuncOp kernel, AccessInference &inference) { Finder(kernel, inference).run(); }

} // namespace tilewise::tile
