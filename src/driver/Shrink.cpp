// Smaller kernels that still fail: by lines of a text, and by ops of a module.
#include "driver/Contexts.h"
#include "driver/Reproducer.h"
#include "ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

namespace tilewise {

using namespace mlir;

static size_t indentOf(llvm::StringRef line) { return line.size() - line.ltrim().size(); }

std::string shrinkText(std::string text, llvm::function_ref<bool(const std::string &)> interesting, unsigned tries) {
  llvm::SmallVector<llvm::StringRef> split;
  llvm::StringRef(text).split(split, '\n');
  std::vector<std::string> lines(split.begin(), split.end());
  auto joined = [](llvm::ArrayRef<std::string> lines) {
    std::string all;
    for (const std::string &line : lines)
      all += line + "\n";
    return all;
  };
  for (bool changed = true; changed && tries > 0;) {
    changed = false;
    for (size_t at = lines.size(); at-- > 0 && tries > 0;) {
      if (at >= lines.size())
        continue;
      size_t end = at + 1;
      while (end < lines.size() && !llvm::StringRef(lines[end]).trim().empty() &&
             indentOf(lines[end]) > indentOf(lines[at]))
        ++end;
      std::vector<std::string> fewer(lines.begin(), lines.begin() + ptrdiff_t(at));
      fewer.insert(fewer.end(), lines.begin() + ptrdiff_t(end), lines.end());
      --tries;
      if (!interesting(joined(fewer)))
        continue;
      lines = std::move(fewer);
      changed = true;
    }
  }
  return joined(lines);
}

static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text + "\n";
}

static bool isChangeable(Operation *op) {
  return !isa<ModuleOp, func::FuncOp>(op) && !op->hasTrait<OpTrait::IsTerminator>();
}

/// In a fixed order, so that an op of a module and of its copy have the same number.
static llvm::SmallVector<Operation *> opsOf(ModuleOp module) {
  llvm::SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isChangeable(op))
      ops.push_back(op);
  });
  return ops;
}

/// A zero of the type, or null where there is none.
static Value zeroFor(Value value, OpBuilder &builder) {
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return {};
  TypedAttr zero = cast<TypedAttr>(builder.getZeroAttr(element));
  if (auto block = dyn_cast<RankedTensorType>(type))
    zero = DenseElementsAttr::get(block, Attribute(zero));
  return builder.create<arith::ConstantOp>(value.getLoc(), zero);
}

/// What may be put in an op's place; each way is tried on a copy.
enum class Way { Erase, Zeros, FirstOperand, LastOperand, Body };

static bool apply(Operation *op, Way way) {
  OpBuilder builder(op);
  llvm::SmallVector<Value> instead;
  switch (way) {
  case Way::Erase:
    if (!op->use_empty())
      return false;
    break;
  case Way::Zeros:
    if (isa<arith::ConstantOp>(op) || op->getNumResults() == 0)
      return false;
    for (Value result : op->getResults()) {
      instead.push_back(zeroFor(result, builder));
      if (!instead.back())
        return false;
    }
    break;
  case Way::FirstOperand:
  case Way::LastOperand: {
    // An op that gives back what it takes; for a loop, what it starts with.
    auto loop = dyn_cast<scf::ForOp>(op);
    const OperandRange given = loop ? OperandRange(loop.getInitArgs()) : op->getOperands();
    if (op->getNumResults() == 0 || given.size() < op->getNumResults())
      return false;
    const size_t skip = way == Way::LastOperand ? given.size() - op->getNumResults() : 0;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      instead.push_back(given[unsigned(skip + i)]);
      if (instead.back().getType() != result.getType())
        return false;
    }
    break;
  }
  case Way::Body: {
    // One round of a loop, or a branch, without what is around it.
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return false;
    Block *body = &op->getRegion(0).front();
    Operation *last = body->getTerminator();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      body->getArgument(0).replaceAllUsesWith(loop.getLowerBound());
      for (auto [argument, start] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
        argument.replaceAllUsesWith(start);
    }
    llvm::append_range(instead, last->getOperands());
    op->getBlock()->getOperations().splice(op->getIterator(), body->getOperations(), body->begin(),
                                           last->getIterator());
    break;
  }
  }
  if (!instead.empty())
    op->replaceAllUsesWith(instead);
  op->erase();
  return true;
}

static void eraseDead(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    const llvm::SmallVector<Operation *> ops = opsOf(module);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op)) {
        op->erase();
        changed = true;
      }
  }
}

size_t countOps(llvm::StringRef tile) {
  ContextHandle context = takeContext();
  ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(tile, context.get());
  return module ? opsOf(*module).size() : 0;
}

std::string shrinkTile(std::string tile, llvm::function_ref<bool(const std::string &)> interesting, unsigned tries) {
  ContextHandle context = takeContext();
  ScopedDiagnosticHandler quiet(context.get(), [](mlir::Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(tile, context.get());
  if (!module)
    return tile;
  for (bool changed = true; changed && tries > 0;) {
    changed = false;
    for (Way way : {Way::Erase, Way::Body, Way::FirstOperand, Way::LastOperand, Way::Zeros})
      // From the end: what is stored goes first, then what it was made of.
      for (size_t at = opsOf(*module).size(); at-- > 0 && tries > 0;) {
        OwningOpRef<ModuleOp> copy = module->clone();
        llvm::SmallVector<Operation *> ops = opsOf(*copy);
        if (at >= ops.size() || !apply(ops[at], way))
          continue;
        eraseDead(*copy);
        std::string smaller = printed(*copy);
        --tries;
        // A pass that gives less than it took, or the same, would go on for ever.
        if (failed(verify(*copy)) || opsOf(*copy).size() > opsOf(*module).size() || smaller == tile ||
            !interesting(smaller))
          continue;
        changed |= opsOf(*copy).size() < opsOf(*module).size();
        module = std::move(copy);
        tile = std::move(smaller);
      }
  }
  return tile;
}

} // namespace tilewise
