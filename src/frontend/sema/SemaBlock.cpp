// Sema: assertions, reduce, scan.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

Result<void> Sema::deviceAssert(const Operand &condition, const Operand &message, const Operand &mask) {
  if (!message.isString())
    return fail("an assertion's message must be a compile-time string, got " + message.kindText(), 1);
  if (!facts.options.debug && !facts.isInterpreted)
    return {};
  TILEWISE_TRY(Value holds, toValue(condition));
  if (!holds.type.element.isInt())
    return fail("an assertion needs a bool, got " + condition.kindText(), 0);
  TILEWISE_TRY(holds, cast(holds, Scalar::Int1));
  if (mask.isNone()) {
    sink_.assertion(holds, message.string(), nullptr);
    return {};
  }
  TILEWISE_TRY(Value lanes, checkMask(mask, 2));
  Value *both[] = {&holds, &lanes};
  TILEWISE_CHECK(broadcastAll(both));
  sink_.assertion(holds, message.string(), &lanes);
  return {};
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
    const bool wasCombining = std::exchange(isCombining_, true);
    auto reduced = sink_.reduce(values, at, combine);
    isCombining_ = wasCombining;
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
    // The order of elements is free, so all axes one after the other mean the same as the flattened
    // block.
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
  const bool wasCombining = std::exchange(isCombining_, true);
  auto scanned = sink_.scan(sources, at, reverse, combine);
  isCombining_ = wasCombining;
  if (!scanned)
    return kernelFailure("");
  return std::move(*scanned);
}

} // namespace tilewise::frontend
