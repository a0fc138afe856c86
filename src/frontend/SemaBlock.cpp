// Sema: dot, reduce, scan.
#include "frontend/Sema.h"
#include "frontend/Try.h"

namespace tilewise::frontend {

/// What a dot of this element type may accumulate in: the first is the default.
static llvm::SmallVector<Scalar, 2> accumulatorTypes(DType element) {
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

Result<Value> Sema::dot(const Value &a, const Value &b, const Operand &acc, DotPrecision precision,
                        std::optional<DType> outType) {
  for (int i : {0, 1}) {
    const Value &side = i ? b : a;
    if (side.type.rank() == 3)
      return fail("tl.dot of blocks of rank 3 is not supported yet, got shape " + shapeText(side.type.shape), i);
    if (side.type.rank() != 2)
      return fail("tl.dot needs both operands of rank 2, got shape " + shapeText(side.type.shape), i);
  }
  DType element = a.type.element;
  if (element != b.type.element)
    return fail("tl.dot needs both operands of one dtype, got " + element.str() + " and " + b.type.element.str() +
                    "; cast one with .to(...)",
                1);
  llvm::SmallVector<Scalar, 2> allowed =
      element.isPointer() ? llvm::SmallVector<Scalar, 2>{} : accumulatorTypes(element);
  if (allowed.empty())
    return fail("tl.dot takes int8, fp8, fp16, bf16, fp32 or fp64, got " + element.str(), 0);
  if (a.type.shape[1] != b.type.shape[0])
    return fail("tl.dot needs the inner dimensions to match, got " + shapeText(a.type.shape) + " and " +
                    shapeText(b.type.shape),
                1);

  int64_t shape[] = {a.type.shape[0], b.type.shape[1]};
  DType result = outType ? *outType : acc.isRuntime() ? acc.value().type.element : DType(allowed.front());
  if (!llvm::any_of(allowed, [&](Scalar scalar) { return result.is(scalar); }))
    return fail("tl.dot of " + element.str() + " accumulates in " + DType(allowed.front()).str() + ", got " +
                    result.str(),
                outType ? -1 : 2);
  Type type(result, shape);
  if (acc.isNone() || (acc.isNumber() && acc.asDouble() == 0))
    return sink_.dot(a, b, zeros(type), precision);
  if (!acc.isRuntime() || acc.value().type != type)
    return fail("tl.dot needs an accumulator of " + type.str() + ", got " + acc.kindText(), 2);
  return sink_.dot(a, b, acc.value(), precision);
}

Result<void> Sema::checkBlocks(llvm::ArrayRef<Value> sources, llvm::StringRef what) {
  if (sources.empty())
    return fail(what.str() + " needs at least one block");
  for (const Value &source : sources) {
    if (!source.type.isBlock())
      return fail(what.str() + " needs a block, got the scalar " + source.type.str(), 0);
    if (source.type.shape != sources.front().type.shape)
      return fail(what.str() + " needs blocks of one shape, got " + sources.front().type.str() + " and " +
                      source.type.str(),
                  0);
  }
  return {};
}

Result<unsigned> Sema::checkAxis(int64_t axis, const Type &type) {
  int64_t at = axis < 0 ? axis + int64_t(type.rank()) : axis;
  if (at < 0 || at >= int64_t(type.rank()))
    return fail(
        "axis " + std::to_string(axis) + " is outside rank " + std::to_string(type.rank()) + " of " + type.str(), 1);
  return unsigned(at);
}

Result<llvm::SmallVector<Value>> Sema::reduce(llvm::ArrayRef<Value> sources, std::optional<int64_t> axis, bool keepDims,
                                              OpSink::Combine combine) {
  TILEWISE_CHECK(checkBlocks(sources, "a reduction"));
  llvm::SmallVector<Value> values(sources.begin(), sources.end());
  auto along = [&](unsigned at) -> Result<void> {
    auto reduced = sink_.reduce(values, at, combine);
    if (!reduced)
      return kernelFailure("");
    values = std::move(*reduced);
    return {};
  };
  llvm::SmallVector<int64_t> reducedAxes;
  if (axis) {
    TILEWISE_TRY(unsigned at, checkAxis(*axis, sources.front().type));
    TILEWISE_CHECK(along(at));
    reducedAxes.push_back(at);
  } else {
    // The order of elements is free, so all axes one after the other mean the same as the flattened block.
    for (size_t i = sources.front().type.rank(); i-- > 0;) {
      TILEWISE_CHECK(along(unsigned(i)));
      reducedAxes.push_back(int64_t(i));
    }
  }
  if (keepDims)
    for (Value &value : values) {
      TILEWISE_TRY(value, expandDims(value, reducedAxes));
    }
  return values;
}

Result<llvm::SmallVector<Value>> Sema::scan(llvm::ArrayRef<Value> sources, int64_t axis, bool reverse,
                                            OpSink::Combine combine) {
  TILEWISE_CHECK(checkBlocks(sources, "a scan"));
  TILEWISE_TRY(unsigned at, checkAxis(axis, sources.front().type));
  auto scanned = sink_.scan(sources, at, reverse, combine);
  if (!scanned)
    return kernelFailure("");
  return std::move(*scanned);
}

} // namespace tilewise::frontend
