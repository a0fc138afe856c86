// cpu-order-programs: the steps of the accesses along each axis of the grid, and the order that
// follows from them.
#include "target/cpu/plan/WalkOrder.h"
#include "passes/AccessInference.h"
#include "target/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_ORDERPROGRAMS
#include "target/cpu/Passes.h.inc"

namespace {

/// How far a step along one axis moves an access.
struct Stride {
  bool moves = false;
  size_t factors = 0;      ///< Arguments that are multiplied.
  int64_t coefficient = 0; ///< Counts when there are none.
};

bool isSmaller(const Stride &a, const Stride &b) {
  if (a.factors != b.factors)
    return a.factors < b.factors;
  return a.factors == 0 && a.coefficient < b.coefficient;
}

/// The expression with the scalars looked into that the access inference takes as they are, down to
/// program ids and arguments.
tile::ScalarExpr expand(Value value) {
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return tile::ScalarExpr(constant.getSExtValue());
  if (!op || isa<RankedTensorType>(value.getType()))
    return tile::ScalarExpr(value);
  switch (tile::arithmeticOf(op)) {
  case tile::Arithmetic::Widening:
    return expand(op->getOperand(0));
  case tile::Arithmetic::Product:
    return expand(op->getOperand(0)) * expand(op->getOperand(1));
  case tile::Arithmetic::Sum:
    return expand(op->getOperand(0)) + expand(op->getOperand(1));
  case tile::Arithmetic::Difference:
    return expand(op->getOperand(0)) - expand(op->getOperand(1));
  default:
    return tile::ScalarExpr(value);
  }
}

/// Whether the value is the same in all programs; region arguments are not followed.
bool isFixed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return tile::isFunctionArgument(value);
  return tile::isSameInLaunch(op) ||
         (tile::isElementwise(op) && op->getNumOperands() > 0 && llvm::all_of(op->getOperands(), isFixed));
}

std::optional<std::array<Stride, 3>> stridesOf(const tile::AffineForm &address) {
  if (!address.isAffine() || !address.pointer)
    return std::nullopt;
  tile::ScalarExpr base;
  for (const tile::ScalarTerm &term : address.base->terms()) {
    tile::ScalarExpr product(term.coefficient);
    for (Value factor : term.factors)
      product = product * expand(factor);
    base += product;
  }
  Value pointer = address.pointer;
  while (auto add = pointer.getDefiningOp<tile::PtrAddOp>()) {
    if (isa<RankedTensorType>(add.getType()))
      return std::nullopt;
    base += expand(add.getOffset());
    pointer = add.getPointer();
  }
  if (!isFixed(pointer))
    return std::nullopt;
  std::array<Stride, 3> strides;
  for (const tile::ScalarTerm &term : base.terms()) {
    int axis = -1;
    size_t others = 0;
    for (Value factor : term.factors) {
      auto id = factor.getDefiningOp<tile::ProgramIdOp>();
      if ((id && axis >= 0) || (!id && !isFixed(factor)))
        return std::nullopt;
      if (id)
        axis = int(id.getAxis());
      else
        ++others;
    }
    if (axis < 0)
      continue;
    Stride stride{true, others, std::abs(term.coefficient)};
    if (!strides[axis].moves || isSmaller(strides[axis], stride))
      strides[axis] = stride;
  }
  return strides;
}

} // namespace

static std::array<int, 3> walkOrder(func::FuncOp kernel, tile::AccessInference &inference) {
  std::array<int, 3> order{0, 1, 2};
  bool isFree = true;
  SmallVector<std::array<Stride, 3>> accesses;
  auto take = [&](const tile::AffineForm &address) {
    if (auto strides = stridesOf(address))
      accesses.push_back(*strides);
  };
  kernel.walk([&](Operation *op) {
    auto access = dyn_cast<tile::MemoryAccess>(op);
    const bool isPlain = access && !access.isAtomic();
    if (isa<tile::DotOp, tile::TellsPeople>(op) || (tile::changesMemory(op) && !isPlain))
      isFree = false;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      isFree &= !load.getIsVolatile();
    if (isPlain)
      take(inference.access(access).address);
  });
  if (!isFree)
    return order;
  auto shouldSwap = [&](int first, int second) {
    bool some = false;
    for (const auto &strides : accesses) {
      if (!strides[first].moves || !strides[second].moves)
        continue;
      if (isSmaller(strides[first], strides[second]))
        return false;
      some |= isSmaller(strides[second], strides[first]);
    }
    return some;
  };
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 2; ++i)
      if (shouldSwap(order[i], order[i + 1]))
        std::swap(order[i], order[i + 1]);
  return order;
}

namespace {

struct OrderPrograms : impl::OrderProgramsBase<OrderPrograms> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    markAllAnalysesPreserved();
    auto &inference = getChildAnalysis<tile::AccessInference>(kernel);
    std::array<int, 3> found = walkOrder(kernel, inference);
    if (SmallVector<int64_t> order(found.begin(), found.end()); !llvm::is_sorted(order))
      getOperation()->setAttr(kProgramOrderAttr, Builder(&getContext()).getDenseI64ArrayAttr(order));
  }
};

} // namespace

} // namespace tilewise::cpu
