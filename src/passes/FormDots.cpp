// tile-form-dots: a sum of products over two matrices that were broadcast against each other
// becomes a dot.
//
//     sum(a[:, :, None] * b[None, :, :], axis=1)    a: [M, K], b: [K, N]    =>    dot(a, b)
//
// It is how a product of matrices is spelled where nobody thought of tl.dot. Taken literally it
// makes M * K * N products in registers: a GPU's thread spilled 12 KB for 128 x 32 x 32. The sum's
// stated bound is the dot's, whose precision is `ieee`.
#include "ir/Tile.h"
#include "passes/Passes.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_FORMDOTS
#include "passes/Passes.h.inc"

namespace {

/// What tl.dot takes at least along each dimension; smaller sums stay as they are.
constexpr int64_t kLeast = 16;

bool addsFloats(ReduceOp reduce) {
  Block &combine = reduce.getCombine().front();
  auto yield = combine.getTerminator();
  auto sum = yield->getNumOperands() == 1 ? yield->getOperand(0).getDefiningOp<arith::AddFOp>() : arith::AddFOp();
  return sum && sum->getBlock() == &combine && isa<BlockArgument>(sum.getLhs()) && isa<BlockArgument>(sum.getRhs()) &&
         sum.getLhs() != sum.getRhs();
}

/// A factor of the product: the block before it was broadcast along one dimension.
struct Factor {
  Value block;          ///< Of rank 3, with extent 1 along `missing`.
  unsigned missing = 0; ///< The dimension that only the other factor has.
};

std::optional<Factor> factorOf(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return std::nullopt;
  ArrayRef<int64_t> from = shapeOf(broadcast.getSource().getType()), to = shapeOf(broadcast.getType());
  std::optional<unsigned> missing;
  for (unsigned dim = 0; dim < to.size(); ++dim)
    if (from[dim] != to[dim]) {
      if (missing)
        return std::nullopt;
      missing = dim;
    }
  return missing ? std::optional<Factor>({broadcast.getSource(), *missing}) : std::nullopt;
}

/// The factor without the dimension that it lacks.
Value matrixOf(RewriterBase &rewriter, Location loc, const Factor &factor) {
  auto expand = factor.block.getDefiningOp<ExpandDimsOp>();
  if (expand && expand.getAxis() == factor.missing)
    return expand.getSource();
  SmallVector<int64_t> shape(shapeOf(factor.block.getType()));
  shape.erase(shape.begin() + factor.missing);
  return rewriter.create<ReshapeOp>(loc, RankedTensorType::get(shape, elementTypeOf(factor.block.getType())),
                                    factor.block);
}

Value transposed(RewriterBase &rewriter, Location loc, Value matrix) {
  ArrayRef<int64_t> shape = shapeOf(matrix.getType());
  return rewriter.create<PermuteOp>(loc, RankedTensorType::get({shape[1], shape[0]}, elementTypeOf(matrix.getType())),
                                    matrix, ArrayRef<int32_t>{1, 0});
}

/// Two matrices that were widened from f16: their products are exact in f32, which a dot of the
/// narrow ones promises. One of bf16 may lose denormals.
void narrow(Value &a, Value &b) {
  auto wideA = a.getDefiningOp<arith::ExtFOp>(), wideB = b.getDefiningOp<arith::ExtFOp>();
  if (!wideA || !wideB)
    return;
  if (!elementTypeOf(wideA.getIn().getType()).isF16() || !elementTypeOf(wideB.getIn().getType()).isF16() ||
      !elementTypeOf(a.getType()).isF32())
    return;
  a = wideA.getIn();
  b = wideB.getIn();
}

void formDot(IRRewriter &rewriter, ReduceOp reduce) {
  if (reduce.getSources().size() != 1 || !addsFloats(reduce))
    return;
  auto product = reduce.getSources().front().getDefiningOp<arith::MulFOp>();
  auto type = dyn_cast_or_null<RankedTensorType>(product ? product.getType() : Type());
  if (!type || type.getRank() != 3 || !product->hasOneUse() ||
      !(type.getElementType().isF32() || type.getElementType().isF64()) ||
      llvm::any_of(type.getShape(), [](int64_t extent) { return extent < kLeast; }))
    return;
  std::optional<Factor> left = factorOf(product.getLhs()), right = factorOf(product.getRhs());
  unsigned k = reduce.getAxis();
  if (!left || !right || left->missing == right->missing || left->missing == k || right->missing == k)
    return;
  // The result's rows come first in the product.
  if (left->missing < right->missing)
    std::swap(left, right);
  unsigned rows = right->missing, columns = left->missing;
  rewriter.setInsertionPoint(reduce);
  Location loc = reduce.getLoc();
  Value a = matrixOf(rewriter, loc, *left), b = matrixOf(rewriter, loc, *right);
  narrow(a, b);
  if (k < rows)
    a = transposed(rewriter, loc, a);
  if (columns < k)
    b = transposed(rewriter, loc, b);
  Type sums = reduce.getResult(0).getType();
  Value zero = rewriter.create<arith::ConstantOp>(loc, rewriter.getZeroAttr(sums));
  rewriter.replaceOpWithNewOp<DotOp>(reduce, sums, a, b, zero, Precision::ieee);
}

struct FormDots : impl::FormDotsBase<FormDots> {
  void runOnOperation() override {
    SmallVector<ReduceOp> sums;
    getOperation().walk([&](ReduceOp reduce) { sums.push_back(reduce); });
    IRRewriter rewriter(&getContext());
    for (ReduceOp reduce : sums)
      formDot(rewriter, reduce);
  }
};

} // namespace

} // namespace tilewise::tile
