// Sema: moving elements of blocks: reshape, permute, join, split, gather, histogram.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

Result<Value> Sema::reshape(const Value &value, llvm::ArrayRef<int64_t> shape) {
  TILEWISE_CHECK(checkShape(shape));
  if (Type(value.type.element, shape).numElements() != value.type.numElements())
    return fail("cannot reshape " + value.type.str() + " to " + shapeText(shape) + ": the number of elements differs");
  if (llvm::ArrayRef<int64_t>(value.type.shape) == shape)
    return value;
  if (!value.type.isBlock())
    return sink_.splat(value, shape);
  if (!shape.empty())
    return sink_.reshape(value, shape);
  // One element as a scalar: along axes of extent 1 nothing is combined, so any function will do.
  Value current = value;
  while (current.type.isBlock()) {
    auto first = [](llvm::ArrayRef<Value> pair) { return std::optional<llvm::SmallVector<Value>>({pair[0]}); };
    auto reduced = sink_.reduce(current, 0, first);
    current = reduced->front();
  }
  return current;
}

Result<Value> Sema::permute(const Value &value, llvm::ArrayRef<int64_t> order) {
  int64_t rank = int64_t(value.type.rank());
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<bool> seen(value.type.rank());
  for (int64_t dim : order) {
    int64_t at = dim < 0 ? dim + rank : dim;
    if (at < 0 || at >= rank || seen[size_t(at)])
      return fail("a permutation of " + value.type.str() + " names each of its " + std::to_string(rank) +
                  " dimensions once, got " + shapeText(order));
    seen[size_t(at)] = true;
    dims.push_back(at);
  }
  if (dims.size() != value.type.rank())
    return fail("a permutation of " + value.type.str() + " names each of its " + std::to_string(rank) +
                " dimensions once, got " + shapeText(order));
  return rank == 0 ? value : sink_.permute(value, dims);
}

Result<Value> Sema::join(const Operand &a, const Operand &b) {
  TILEWISE_TRY(Value x, toValue(a));
  TILEWISE_TRY(Value y, toValue(b));
  if (x.type.element != y.type.element)
    return fail("tl.join needs both sides of one dtype, got " + x.type.str() + " and " + y.type.str(), 1);
  Value *both[] = {&x, &y};
  TILEWISE_CHECK(broadcastAll(both));
  return sink_.join(x, y);
}

Result<Sema::Pair> Sema::split(const Value &value) {
  if (!value.type.isBlock() || value.type.shape.back() != 2)
    return fail("tl.split needs a last dimension of 2, got " + value.type.str(), 0);
  auto [a, b] = sink_.split(value);
  return Pair{a, b};
}

Result<Value> Sema::gather(const Value &source, const Value &indices, int64_t axis) {
  if (!source.type.isBlock() || !indices.type.element.isInt() || source.type.rank() != indices.type.rank())
    return fail("tl.gather needs a block and int indices of its rank, got " + source.type.str() + " and " +
                indices.type.str());
  TILEWISE_TRY(unsigned at, checkAxis(axis, source.type));
  for (size_t d = 0; d < source.type.rank(); ++d)
    if (d != at && source.type.shape[d] != indices.type.shape[d])
      return fail("tl.gather needs equal extents off its axis, got " + source.type.str() + " and " + indices.type.str(),
                  1);
  return sink_.gather(source, indices, at);
}

Result<Value> Sema::histogram(const Value &source, int64_t bins, const Operand &mask) {
  if (source.type.rank() != 1)
    return fail("histogram only supports 1D input, got " + source.type.str(), 0);
  if (!source.type.element.isInt() || source.type.element.bits() != 32)
    return fail("histogram only supports 32-bit integer input, but got " + source.type.element.str() +
                    "; cast with .to(tl.int32)",
                0);
  TILEWISE_CHECK(checkShape(bins));
  if (mask.isNone())
    return sink_.histogram(source, nullptr, bins);
  TILEWISE_TRY(Value lanes, checkMask(mask, 2));
  TILEWISE_TRY(lanes, broadcastTo(lanes, source.type.shape));
  return sink_.histogram(source, &lanes, bins);
}

} // namespace tilewise::frontend
