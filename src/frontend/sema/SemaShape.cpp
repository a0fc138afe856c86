// Sema: broadcasting and inserting dimensions.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace tilewise::frontend {

Result<llvm::SmallVector<int64_t, 4>> Sema::commonShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t, 4> result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    // Aligned at the right: missing leading extents are 1.
    int64_t x = i + a.size() < result.size() ? 1 : a[i + a.size() - result.size()];
    int64_t y = i + b.size() < result.size() ? 1 : b[i + b.size() - result.size()];
    if (x != y && x != 1 && y != 1)
      return fail("cannot broadcast shapes " + shapeText(a) + " and " + shapeText(b) + ": dimension " +
                  std::to_string(i) + " is " + std::to_string(x) + " against " + std::to_string(y));
    result[i] = x == 1 ? y : x;
  }
  return result;
}

Result<Value> Sema::broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape) {
  if (llvm::ArrayRef<int64_t>(value.type.shape) == shape)
    return value;
  if (!value.type.isBlock())
    return sink_.splat(value, shape);
  if (value.type.rank() != shape.size())
    return fail("cannot broadcast " + value.type.str() + " to " + shapeText(shape) +
                ": the ranks differ; insert dimensions with x[:, None]");
  for (auto [i, from, to] : llvm::enumerate(value.type.shape, shape))
    if (from != to && from != 1)
      return fail("cannot broadcast " + value.type.str() + " to " + shapeText(shape) + ": dimension " +
                  std::to_string(i) + " is " + std::to_string(from) + ", expected 1 or " + std::to_string(to));
  return sink_.broadcast(value, shape);
}

Result<void> Sema::broadcastAll(llvm::MutableArrayRef<Value *> values) {
  llvm::SmallVector<int64_t, 4> shape;
  for (Value *value : values) {
    TILEWISE_TRY(shape, commonShape(shape, value->type.shape));
  }
  TILEWISE_CHECK(checkShape(shape));
  for (Value *value : values) {
    while (value->type.isBlock() && value->type.rank() < shape.size())
      *value = sink_.expandDims(*value, 0);
    TILEWISE_TRY(*value, broadcastTo(*value, shape));
  }
  return {};
}

Result<Value> Sema::expandDims(const Value &value, llvm::ArrayRef<int64_t> axes) {
  int64_t rank = int64_t(value.type.rank() + axes.size());
  llvm::SmallVector<int64_t> sorted;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return fail("invalid axis " + std::to_string(axis) + ": the result has rank " + std::to_string(rank), 1);
    sorted.push_back(axis < 0 ? axis + rank : axis);
  }
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return fail("duplicate axes, normalized axes = " + shapeText(sorted), 1);
  if (sorted.empty())
    return value;
  if (!value.type.isBlock())
    return sink_.splat(value, llvm::SmallVector<int64_t>(axes.size(), 1));
  Value result = value;
  for (int64_t axis : sorted)
    result = sink_.expandDims(result, unsigned(axis));
  return result;
}

Result<Value> Sema::index(const Value &value, llvm::ArrayRef<Operand> indices) {
  llvm::SmallVector<int64_t> newAxes;
  size_t kept = 0;
  for (auto [i, item] : llvm::enumerate(indices)) {
    if (item.isNone())
      newAxes.push_back(int64_t(i));
    else if (item.isSlice() && item.slice().isFull())
      ++kept;
    else
      return fail("unsupported tensor index: expected ':' or None, got " + item.kindText() +
                  "; elements are reached through tl.load");
  }
  // A scalar's ':' stands for nothing: programs write `pointer[None, None, :]` or `flag[:, None]`
  // whether or not that is a block.
  if (!value.type.isBlock())
    std::iota(newAxes.begin(), newAxes.end(), 0);
  else if (kept > value.type.rank())
    return fail("the index has " + std::to_string(kept) + " ':' but " + value.type.str() + " has rank " +
                std::to_string(value.type.rank()));
  return expandDims(value, newAxes);
}

} // namespace tilewise::frontend
