// From a load of a block to a box of a tensor, as a copy engine takes it.
#include "target/gpu/TensorBox.h"

#include "target/gpu/Gpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewise::gpu {

using tile::ScalarExpr;
using tile::ScalarTerm;

namespace {

/// What the engine counts strides and the tensor's place in.
constexpr int64_t kLine = 16;

bool isOfArguments(const ScalarTerm &term) { return llvm::all_of(term.factors, tile::isFunctionArgument); }
bool isOfArguments(const ScalarExpr &expr) {
  return llvm::all_of(expr.terms(), [](const ScalarTerm &term) { return isOfArguments(term); });
}

ScalarExpr exprOf(const ScalarTerm &term) {
  ScalarExpr expr(term.coefficient);
  for (Value factor : term.factors)
    expr = expr * ScalarExpr(factor);
  return expr;
}

/// term / divisor, when that is a product again.
std::optional<ScalarTerm> quotient(const ScalarTerm &term, const ScalarTerm &divisor) {
  if (term.coefficient % divisor.coefficient)
    return std::nullopt;
  ScalarTerm left{term.coefficient / divisor.coefficient, term.factors};
  for (Value factor : divisor.factors) {
    auto *found = llvm::find(left.factors, factor);
    if (found == left.factors.end())
      return std::nullopt;
    left.factors.erase(found);
  }
  return left;
}

class BoxFinder {
public:
  BoxFinder(tile::LoadOp load, unsigned minor, Value counter, tile::AccessInference &inference, std::string &why)
      : load_(load), minor_(minor), counter_(counter), inference_(inference), why_(why),
        bytes_(elementBytes(tile::elementTypeOf(load.getType()))) {}

  std::optional<TensorBox> find() {
    const tile::AffineForm &form = inference_.form(load_.getPointer());
    if (!form.isAffine())
      return refuse("its addresses are no box of a tensor");
    std::optional<ScalarExpr> minorStride = resolve(*form.strides[minor_]), stride = resolve(*form.strides[1 - minor_]);
    if (!minorStride || !minorStride->isConstant(1) || !stride || !isOfArguments(*stride) || stride->isZero())
      return refuse("its strides are not known at the launch");
    ScalarExpr offset = *form.base;
    std::optional<ScalarExpr> rest = resolvePointer(form.pointer, offset);
    if (!rest)
      return std::nullopt;
    box_.dims.resize(2);
    box_.dims[0].stride = ScalarExpr(1);
    box_.dims[1].stride = *stride;
    if (load_.getMask() && !readMask())
      return std::nullopt;
    for (TensorBox::Dim &dim : box_.dims)
      *rest += ScalarExpr(-1) * dim.at * dim.stride;
    if (!deal(*rest))
      return refuse("its place in the tensor is no sum of strides");
    return isFit() ? std::optional(std::move(box_)) : std::nullopt;
  }

private:
  std::nullopt_t refuse(const char *why) {
    why_ = why;
    return std::nullopt;
  }

  /// With what the loop carries told by the counter, and scalars by what they are made of.
  std::optional<ScalarExpr> resolve(const ScalarExpr &expr) {
    ScalarExpr sum(expr.constant());
    const ScalarExpr whole = tile::lookInto(expr);
    sum = ScalarExpr(whole.constant());
    for (const ScalarTerm &term : whole.terms()) {
      ScalarExpr product(term.coefficient);
      for (Value factor : term.factors) {
        std::optional<ScalarExpr> known = resolveFactor(factor);
        if (!known)
          return std::nullopt;
        product = product * *known;
      }
      sum += product;
    }
    return sum;
  }

  /// What an argument of our loop's body begins with and what an iteration adds; nothing for
  /// others.
  std::optional<std::pair<ScalarExpr, ScalarExpr>> carried(Value value) {
    if (isBlock(value.getType())) {
      const tile::CarriedBlock *block = inference_.carried(value);
      if (!block || block->argument != value || block->next.pointer || !block->init.base || !block->next.base)
        return std::nullopt;
      return std::pair(*block->init.base, *block->next.base - ScalarExpr(value));
    }
    auto argument = cast<BlockArgument>(value);
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    Value next = loop.getTiedLoopYieldedValue(argument)->get();
    return std::pair(ScalarExpr(loop.getTiedLoopInit(argument)->get()), tile::lookInto(next) - ScalarExpr(value));
  }

  std::optional<ScalarExpr> resolveFactor(Value factor) {
    auto argument = dyn_cast<BlockArgument>(factor);
    if (!counter_ || !argument || argument.getOwner() != load_->getBlock() || factor == counter_)
      return isBlock(factor.getType()) ? std::nullopt : std::optional(ScalarExpr(factor));
    if (auto loop = cast<scf::ForOp>(load_->getParentOp()); factor == loop.getInductionVar())
      return atIteration(ScalarExpr(loop.getLowerBound()), ScalarExpr(loop.getStep()));
    auto steps = carried(factor);
    return steps ? atIteration(steps->first, steps->second) : std::nullopt;
  }

  std::optional<ScalarExpr> atIteration(const ScalarExpr &init, const ScalarExpr &step) {
    std::optional<ScalarExpr> first = resolve(init);
    if (!first || !isInvariant(step))
      return std::nullopt;
    return *first + tile::lookInto(step) * ScalarExpr(counter_);
  }

  bool isInvariant(const ScalarExpr &expr) {
    Region *body = load_->getParentRegion();
    const ScalarExpr whole = tile::lookInto(expr);
    return llvm::all_of(whole.terms(), [&](const ScalarTerm &term) {
      return llvm::all_of(term.factors, [&](Value factor) { return !body->isAncestor(factor.getParentRegion()); });
    });
  }

  /// Down to the argument; the offset from there.
  std::optional<ScalarExpr> resolvePointer(Value pointer, const ScalarExpr &offset) {
    std::optional<ScalarExpr> sum = resolve(offset);
    while (sum && !tile::isFunctionArgument(pointer)) {
      std::optional<ScalarExpr> more;
      if (isBlock(pointer.getType())) {
        const tile::CarriedBlock *block = inference_.carried(pointer);
        auto argument = dyn_cast<BlockArgument>(pointer);
        if (!block || !argument || argument.getOwner() != load_->getBlock() || block->next.pointer != pointer ||
            !block->init.base || !block->next.base)
          return refuse("its pointers are carried in a way that is not followed");
        more = atIteration(*block->init.base, *block->next.base);
        pointer = block->init.pointer;
      } else if (auto add = pointer.getDefiningOp<tile::PtrAddOp>()) {
        more = resolve(ScalarExpr(add.getOffset()));
        pointer = add.getPointer();
      } else if (auto hint = pointer.getDefiningOp<tile::HintOp>()) {
        more = ScalarExpr(0);
        pointer = hint.getSource();
      } else {
        return refuse("its pointer is no argument of the kernel");
      }
      sum = more ? std::optional(*sum + *more) : std::nullopt;
    }
    if (!sum)
      return refuse("its offset from the argument is not known");
    box_.pointer = pointer;
    return sum;
  }

  bool readMask() {
    tile::MaskForm mask = inference_.mask(load_.getMask());
    if (!mask.isUnderstood()) {
      why_ = "its mask is no box";
      return false;
    }
    why_ = "its bounds are not known at the launch";
    for (unsigned dim : {0u, 1u})
      if (!readBounds(mask.dims[dim], box_.dims[dim == minor_ ? 0 : 1], tile::shapeOf(load_.getType())[dim]))
        return false;
    for (Value condition : mask.conditions)
      box_.conditions.push_back(condition);
    for (const ScalarExpr &expr : mask.positives) {
      std::optional<ScalarExpr> known = resolve(expr);
      if (!known)
        return false;
      box_.positives.push_back(*known);
    }
    return true;
  }

  bool readBounds(const tile::DimBounds &bounds, TensorBox::Dim &dim, int64_t extent) {
    for (const tile::Bound &bound : bounds.uppers) {
      std::optional<ScalarExpr> upper = plain(bound);
      if (!upper)
        return false;
      if (upper->isConstant() && upper->constant() >= extent)
        continue;
      if (dim.extents.empty())
        for (const ScalarTerm &term : upper->terms())
          if (!isOfArguments(term))
            dim.at += ScalarExpr(-1) * exprOf(term);
      dim.extents.push_back(*upper + dim.at);
      if (!isOfArguments(dim.extents.back()))
        return false;
    }
    // The engine ends a tensor below at 0.
    for (const tile::Bound &bound : bounds.lowers) {
      std::optional<ScalarExpr> lower = plain(bound);
      if (!lower || !((*lower + dim.at).isZero() || (lower->isConstant() && lower->constant() <= 0)))
        return false;
    }
    return true;
  }

  std::optional<ScalarExpr> plain(const tile::Bound &bound) {
    return bound.divisor == 1 && bound.exprs.size() == 1 ? resolve(bound.exprs[0]) : std::nullopt;
  }

  /// What is left of the offset, term by term.
  bool deal(const ScalarExpr &rest) {
    box_.offset = ScalarExpr(rest.constant());
    TensorBox::Dim &minor = box_.dims[0];
    for (const ScalarTerm &term : rest.terms()) {
      if (isOfArguments(term)) {
        box_.offset += exprOf(term);
        continue;
      }
      // The dimension's place is where its bound says; without one it takes what has its stride.
      if (const ScalarExpr &stride = box_.dims[1].stride; box_.dims[1].extents.empty() && dealTo(term, stride))
        continue;
      ScalarTerm ofLaunch{term.coefficient, {}}, ofProgram{1, {}};
      for (Value factor : term.factors)
        (tile::isFunctionArgument(factor) ? ofLaunch : ofProgram).factors.push_back(factor);
      if (ofLaunch.factors.empty() && minor.extents.empty()) {
        minor.at += exprOf(term);
        continue;
      }
      box_.dims.push_back({{}, exprOf(ofLaunch), exprOf(ofProgram)});
    }
    return true;
  }

  bool dealTo(const ScalarTerm &term, const ScalarExpr &stride) {
    ScalarTerm divisor{stride.constant(), {}};
    if (!stride.isConstant()) {
      if (stride.terms().size() != 1 || stride.constant() != 0)
        return false;
      divisor = stride.terms()[0];
    }
    std::optional<ScalarTerm> left = quotient(term, divisor);
    if (left)
      box_.dims[1].at += exprOf(*left);
    return left.has_value();
  }

  bool isFit() {
    auto isWhole = [&](const ScalarExpr &elements) {
      return elements.isZero() || inference_.divisibility(elements) * bytes_ % kLine == 0;
    };
    why_ = "addresses and strides are not known to be multiples of 16 bytes";
    if (inference_.facts(box_.pointer).divisibility % kLine || !isWhole(box_.offset))
      return false;
    for (const TensorBox::Dim &dim : llvm::drop_begin(box_.dims))
      if (!isWhole(dim.stride))
        return false;
    why_ = "its rows are not known to begin at multiples of 16 bytes in those of the tensor";
    if (!isWhole(box_.dims[0].at))
      return false;
    why_ = "its place in the tensor is not known to be at 0 or above";
    if (box_.dims.size() > TensorMap::kMostDims)
      return false;
    return findSizes();
  }

  /// The arguments that must be above zero for no place to be below it, as few as will do.
  bool findSizes() {
    llvm::DenseSet<Value> sizes;
    if (areNonNegative(sizes))
      return true;
    SmallVector<BlockArgument> all;
    for (BlockArgument argument : load_->getParentOfType<func::FuncOp>().getArguments())
      if (argument.getType().isIntOrIndex() && !argument.getType().isInteger(1)) {
        all.push_back(argument);
        sizes.insert(argument);
      }
    if (!areNonNegative(sizes))
      return false;
    for (BlockArgument argument : all) {
      sizes.erase(argument);
      if (areNonNegative(sizes))
        continue;
      sizes.insert(argument);
      box_.sizes.push_back(argument.getArgNumber());
    }
    return true;
  }

  bool areNonNegative(const llvm::DenseSet<Value> &sizes) {
    return llvm::all_of(
        box_.dims, [&](const TensorBox::Dim &dim) { return !dim.extents.empty() || isNonNegative(dim.at, sizes); });
  }

  bool isNonNegative(const ScalarExpr &expr, const llvm::DenseSet<Value> &sizes) {
    return expr.constant() >= 0 && llvm::all_of(expr.terms(), [&](const ScalarTerm &term) {
             return term.coefficient > 0 && llvm::all_of(term.factors, [&](Value factor) {
                      return factor == counter_ || inference_.isNonNegative(factor, sizes);
                    });
           });
  }

  tile::LoadOp load_;
  unsigned minor_;
  Value counter_;
  tile::AccessInference &inference_;
  std::string &why_;
  int64_t bytes_;
  TensorBox box_;
};

} // namespace

std::optional<TensorBox> boxOf(tile::LoadOp load, unsigned minor, Value counter, tile::AccessInference &inference,
                               std::string &why) {
  return BoxFinder(load, minor, counter, inference, why).find();
}

LaunchExpr launchExpr(const ScalarExpr &expr) {
  LaunchExpr result;
  result.constant = expr.constant();
  for (const ScalarTerm &term : expr.terms()) {
    LaunchExpr::Term product{term.coefficient, {}};
    for (Value factor : term.factors)
      product.parameters.push_back(cast<BlockArgument>(factor).getArgNumber());
    result.terms.push_back(std::move(product));
  }
  return result;
}

} // namespace tilewise::gpu
