// Sema: dot, of matrices or of batches of them.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

/// What a dot of this element type may accumulate in: the first is the default. Empty for types
/// that have no dot.
static llvm::SmallVector<Scalar, 2> accumulatorTypes(DType element) {
  if (element.isPointer())
    return {};
  switch (element.scalar()) {
  case Scalar::Int8:
    return {Scalar::Int32};
  case Scalar::Fp64:
    return {Scalar::Fp64};
  case Scalar::Fp16:
    return {Scalar::Fp32, Scalar::Fp16};
  case Scalar::Fp32:
  case Scalar::Bf16:
    return {Scalar::Fp32};
  default:
    return element.isFp8() ? llvm::SmallVector<Scalar, 2>{Scalar::Fp32, Scalar::Fp16} : llvm::SmallVector<Scalar, 2>{};
  }
}

/// The least depth that the tensor cores of a GPU have an instruction for.
static int64_t leastDepth(DType element) {
  return element.bits() == 8 ? 32 : element.bits() == 16 ? 16 : element.bits() == 32 ? 8 : 4;
}

Result<void> Sema::checkDotTypes(DType a, DType b) {
  for (int i : {0, 1}) {
    DType side = i ? b : a;
    if (side.is(Scalar::UInt8))
      return fail("tl.dot of ints takes int8: only int8 supported! Got " + side.str() + "; cast with .to(tl.int8)", i);
    if (accumulatorTypes(side).empty())
      return fail("tl.dot takes int8, fp8, fp16, bf16, fp32 or fp64: Unsupported " + std::string(i ? "rhs" : "lhs") +
                      " dtype " + side.str(),
                  i);
  }
  if (a != b && !(a.isFp8() && b.isFp8()))
    return fail("tl.dot needs both operands of one dtype: Both operands must be same dtype. Got " + a.str() + " and " +
                    b.str() + "; cast one with .to(...)",
                1);
  return {};
}

Result<void> Sema::checkDotShapes(const Type &a, const Type &b) {
  for (int i : {0, 1}) {
    const Type &side = i ? b : a;
    if (side.rank() < 2)
      return fail(
          "tl.dot needs both operands of rank 2, or more with batches first, got shape " + shapeText(side.shape), i);
  }
  if (a.rank() != b.rank())
    return fail("tl.dot needs operands of one rank: Both inputs must be either 2D or 3D; (lhs: " + shapeText(a.shape) +
                    " vs rhs: " + shapeText(b.shape) + ")",
                1);
  size_t rank = a.rank();
  for (size_t d = 0; d + 2 < rank; ++d)
    if (a.shape[d] != b.shape[d])
      return fail("tl.dot needs equal batches, got " + shapeText(a.shape) + " and " + shapeText(b.shape), 1);
  if (a.shape[rank - 1] != b.shape[rank - 2])
    return fail("tl.dot needs the inner dimensions to match, got " + shapeText(a.shape) + " and " + shapeText(b.shape),
                1);
  if (int64_t least = leastDepth(a.element); facts.isCuda() && a.shape[rank - 1] < least)
    return fail("Input shapes should have M >= 1, N >= 1 and K >= " + std::to_string(least) + " for tl.dot of " +
                a.element.str() + " on an NVIDIA GPU, got " + shapeText(a.shape) + " and " + shapeText(b.shape));
  return {};
}

Result<Value> Sema::dot(const Value &left, const Value &right, const Operand &acc, const DotOptions &options) {
  TILEWISE_CHECK(checkDotTypes(left.type.element, right.type.element));
  TILEWISE_CHECK(checkDotShapes(left.type, right.type));
  Value a = left, b = right;
  DType element = a.type.element;
  // A format that tile IR has no type for is computed in one that holds it.
  if (a.type.element.is(Scalar::Fp8E4B15) || b.type.element.is(Scalar::Fp8E4B15))
    for (Value *side : {&a, &b}) {
      TILEWISE_TRY(*side, cast(*side, Scalar::Fp16));
    }

  size_t rank = a.type.rank();
  int64_t depth = a.type.shape[rank - 1];
  if (options.maxImprecise && element.isFp8() && *options.maxImprecise > depth)
    return fail("max_num_imprecise_acc (" + std::to_string(*options.maxImprecise) + ") must be <= K (" +
                std::to_string(depth) + ")");
  // An engine may add products of 8-bit floats in fewer bits than fp32 has, unless it is told after
  // how many to leave that. Each 8-bit float fits into fp16, whose products are added in fp32.
  if (options.maxImprecise && a.type.element.isFp8() && b.type.element.isFp8() && *options.maxImprecise < depth)
    for (Value *side : {&a, &b}) {
      TILEWISE_TRY(*side, cast(*side, Scalar::Fp16));
    }
  llvm::SmallVector<int64_t, 4> shape(a.type.shape.begin(), a.type.shape.end());
  shape.back() = b.type.shape[rank - 1];

  llvm::SmallVector<Scalar, 2> allowed = accumulatorTypes(element);
  if (options.outType && options.outType->is(Scalar::Bf16))
    return fail("out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with "
                "`.to(tl.bfloat16)`");
  // Where the operands leave no choice, out_dtype has nothing to say, and its usual default is no
  // mistake.
  DType result = allowed.size() == 1 ? DType(allowed.front())
                 : options.outType   ? *options.outType
                 : acc.isRuntime()   ? acc.value().type.element
                                     : DType(allowed.front());
  if (!llvm::any_of(allowed, [&](Scalar scalar) { return result.is(scalar); }))
    return fail("tl.dot of " + element.str() + " accumulates in " + DType(allowed.front()).str() + ", got " +
                    result.str(),
                options.outType ? -1 : 2);
  Type type(result, shape);
  Value sum;
  if (acc.isNone() || (acc.isNumber() && acc.asDouble() == 0)) {
    sum = zeros(type);
  } else {
    if (!acc.isRuntime())
      return fail("tl.dot needs an accumulator of " + type.str() + ", got " + acc.kindText(), 2);
    if (llvm::ArrayRef<int64_t>(acc.value().type.shape) != llvm::ArrayRef<int64_t>(shape))
      return fail(
          "tl.dot: expected accumulator shape " + shapeText(shape) + ", got " + shapeText(acc.value().type.shape), 2);
    if (acc.value().type.element != result)
      return fail("tl.dot: expected accumulator dtype " + result.str() + ", got " + acc.value().type.element.str() +
                      (allowed.size() > 1
                           ? "; pass out_dtype=" + acc.value().type.element.str() + " to use this accumulator dtype"
                           : "; cast it with .to(...)"),
                  2);
    sum = acc.value();
  }
  if (rank <= 3)
    return sink_.dot(a, b, sum, options.precision);
  // Several batch dimensions are one.
  auto flat = [&](const Value &value) {
    const auto &extents = value.type.shape;
    int64_t batch = 1;
    for (int64_t extent : llvm::ArrayRef<int64_t>(extents).drop_back(2))
      batch *= extent;
    return sink_.reshape(value, {batch, extents[rank - 2], extents[rank - 1]});
  };
  return sink_.reshape(sink_.dot(flat(a), flat(b), flat(sum), options.precision), shape);
}

} // namespace tilewise::frontend
