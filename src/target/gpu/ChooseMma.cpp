// gpu-choose-mma: says for each dot which matrix instruction multiplies it, in the attribute
// `gpu.mma`; a dot without one is multiplied by FMAs.
//
// Where the machine multiplies operands transposed, the dot becomes one of theirs,
//
//     dot(a, b, sums) => transpose(dot(transpose(b), transpose(a), transpose(sums)))
//
// and a loop that carries its sums carries them transposed. Transpositions move nothing: layouts
// follow from each other (gpu-assign-layouts).
#include "passes/AccessInference.h"
#include "passes/Warn.h"
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_CHOOSEMMA
#include "target/gpu/Passes.h.inc"

namespace {

/// `acc += dot(a, b)`: the dot adds to `acc` itself, which then needs no second block of sums.
void addInto(tile::DotOp dot) {
  // A narrow sum is rounded after each dot.
  if (!dot->hasOneUse() || tile::elementTypeOf(dot.getType()).getIntOrFloatBitWidth() < 32 ||
      !(matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero())))
    return;
  OpOperand &use = *dot->use_begin();
  Operation *sum = use.getOwner();
  if (tile::arithmeticOf(sum) != tile::Arithmetic::Sum || sum->getBlock() != dot->getBlock())
    return;
  dot.getAccMutable().assign(sum->getOperand(1 - use.getOperandNumber()));
  dot->moveBefore(sum);
  sum->getResult(0).replaceAllUsesWith(dot.getResult());
  sum->erase();
}

/// Whether an operand is loaded with neighbours in memory along this dimension.
bool isLoadedAlong(unsigned dim, Value operand, tile::AccessInference &inference) {
  while (auto permute = operand.getDefiningOp<tile::PermuteOp>()) {
    dim = permute.getOrder()[dim];
    operand = permute.getSource();
  }
  auto load = operand.getDefiningOp<tile::LoadOp>();
  return load && isBlock(load.getType()) && inference.access(load).contiguousDim == dim;
}

OperandWalks walksOf(tile::DotOp dot, tile::AccessInference &inference) {
  unsigned rank = tile::shapeOf(dot.getType()).size();
  return {isLoadedAlong(rank - 1, dot.getA(), inference), isLoadedAlong(rank - 2, dot.getB(), inference)};
}

/// The source of a transposition of a matrix; null for any other value.
Value transposedFrom(Value value) {
  auto permute = value.getDefiningOp<tile::PermuteOp>();
  return permute && llvm::equal(permute.getOrder(), ArrayRef<int32_t>{1, 0}) ? permute.getSource() : Value();
}

Value transpose(OpBuilder &builder, Value matrix) {
  if (Value source = transposedFrom(matrix))
    return source;
  ArrayRef<int64_t> shape = tile::shapeOf(matrix.getType());
  Type type = RankedTensorType::get({shape[1], shape[0]}, tile::elementTypeOf(matrix.getType()));
  return builder.create<tile::PermuteOp>(matrix.getLoc(), type, matrix, ArrayRef<int32_t>{1, 0});
}

/// dot(a, b, sums) => transpose(dot(transpose(b), transpose(a), transpose(sums)))
void transposeDot(tile::DotOp dot) {
  OpBuilder builder(dot);
  Value right = transpose(builder, dot.getA()), left = transpose(builder, dot.getB());
  Value sums = transpose(builder, dot.getAcc());
  auto made = cast<tile::DotOp>(builder.clone(*dot));
  made->setOperands({left, right, sums});
  made->getResult(0).setType(sums.getType());
  dot.replaceAllUsesWith(transpose(builder, made.getResult()));
  dot.erase();
}

/// A block that a loop carries only to transpose it, and transposes only to carry it on, is carried
/// transposed.
void carryTransposed(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value next = transposedFrom(yield.getOperand(index));
    Operation *user = argument.hasOneUse() ? *argument.user_begin() : nullptr;
    if (!next || !user || user->getNumResults() != 1 || transposedFrom(user->getResult(0)) != argument)
      continue;
    OpBuilder builder(loop);
    loop.getInitArgsMutable()[index].assign(transpose(builder, loop.getInitArgs()[index]));
    user->getResult(0).replaceAllUsesWith(argument);
    BlockArgument(argument).setType(next.getType());
    user->erase();
    yield.setOperand(index, next);
    OpResult result = loop->getResult(index);
    result.setType(next.getType());
    if (result.use_empty())
      continue;
    builder.setInsertionPointAfter(loop);
    Value back = transpose(builder, result);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
}

struct ChooseMma : impl::ChooseMmaBase<ChooseMma> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      getOperation().emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    SmallVector<tile::DotOp> dots, transposed;
    tile::AccessInference inference(kernel);
    kernel.walk([&](tile::DotOp dot) {
      dots.push_back(dot);
      MatrixChoice choice = target->matrixInstructionFor(dot, walksOf(dot, inference), numWarps);
      if (!choice.name.empty())
        dot->setAttr(GpuDialect::kMmaAttr, StringAttr::get(&getContext(), choice.name));
      if (choice.takesNarrow)
        dot->setAttr(GpuDialect::kTakesNarrowAttr, UnitAttr::get(&getContext()));
      if (choice.transposes)
        transposed.push_back(dot);
      if (!choice.why.empty() && tile::wantsPerf(dot))
        tile::warnPerf(dot,
                       "this dot is multiplied by " + (choice.name.empty() ? "FMAs" : choice.name) + ": " + choice.why);
    });
    llvm::for_each(dots, addInto);
    llvm::for_each(transposed, transposeDot);
    if (!transposed.empty())
      kernel.walk(carryTransposed);
  }
};

} // namespace

} // namespace tilewise::gpu
