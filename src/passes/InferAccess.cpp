// tile-infer-access: what access inference knows, as text on each load and store.
#include "passes/AccessInference.h"
#include "passes/Passes.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_INFERACCESS
#include "passes/Passes.h.inc"

namespace {

class AccessWriter {
public:
  AccessWriter(llvm::raw_ostream &os, AsmState &names) : os_(os), names_(names) {}

  void write(const StructuredAccess &access) {
    writeAddress(access.address);
    if (access.mask)
      writeMask(*access.mask);
    if (access.contiguousDim)
      os_ << " contiguous " << access.contiguity << " along " << *access.contiguousDim;
    os_ << " align " << access.alignment << " vector " << access.vectorWidth(16);
    if (access.isStructured())
      os_ << " structured";
    else
      os_ << " not structured:" << (access.address.isAffine() ? "" : " address")
          << (access.mask && !access.mask->isUnderstood() ? " mask" : "");
  }

private:
  void writeAddress(const AffineForm &form) {
    os_ << "base ";
    if (form.base) {
      form.pointer.printAsOperand(os_, names_);
      if (!form.base->isZero()) {
        os_ << " + ";
        form.base->print(os_, names_);
      }
    } else {
      os_ << '?';
    }
    os_ << " strides [";
    llvm::interleaveComma(form.strides, os_, [&](const std::optional<ScalarExpr> &stride) {
      if (stride)
        stride->print(os_, names_);
      else
        os_ << '?';
    });
    os_ << ']';
  }

  void writeMask(const MaskForm &mask) {
    os_ << " bounds [";
    bool first = true;
    auto separate = [&] { os_ << (std::exchange(first, false) ? "" : ", "); };
    for (auto [d, dim] : llvm::enumerate(mask.dims)) {
      auto write = [&, d = d](const Bound &bound, const char *relation) {
        separate();
        if (bound.divisor != 1)
          os_ << bound.divisor << " * ";
        os_ << 'i' << d << relation;
        llvm::interleave(bound.exprs, os_, [&](const ScalarExpr &expr) { expr.print(os_, names_); }, " or ");
      };
      for (const Bound &lower : dim.lowers)
        write(lower, " >= ");
      for (const Bound &upper : dim.uppers)
        write(upper, " < ");
    }
    for (const ScalarExpr &positive : mask.positives) {
      separate();
      positive.print(os_, names_);
      os_ << " > 0";
    }
    for (Value condition : mask.conditions) {
      separate();
      condition.printAsOperand(os_, names_);
    }
    os_ << ']';
  }

  llvm::raw_ostream &os_;
  AsmState &names_;
};

struct InferAccess : impl::InferAccessBase<InferAccess> {
  void runOnOperation() override {
    AccessInference inference(getOperation());
    // Names as they stand when the whole module is printed.
    Operation *top = getOperation();
    while (Operation *parent = top->getParentOp())
      top = parent;
    AsmState names(top, OpPrintingFlags().useLocalScope());
    getOperation().walk([&](MemoryAccess op) {
      if (op.isAtomic())
        return;
      std::string text;
      llvm::raw_string_ostream os(text);
      AccessWriter(os, names).write(inference.access(op));
      op->setAttr("tile.access", StringAttr::get(op->getContext(), text));
    });
  }
};

} // namespace

} // namespace tilewise::tile
