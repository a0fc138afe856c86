// Sema: program ids and new blocks.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

#include "llvm/Support/MathExtras.h"

namespace tilewise::frontend {

static std::optional<unsigned> axisOf(const Operand &axis) {
  std::optional<int64_t> value = axis.asInt64();
  return value && *value >= 0 && *value <= 2 ? std::optional<unsigned>(unsigned(*value)) : std::nullopt;
}

Result<Value> Sema::programId(const Operand &axis) {
  if (auto number = axisOf(axis))
    return sink_.programId(*number);
  return fail("program_id axis must be 0, 1, or 2 but got " + axis.repr(), 0);
}

Result<Value> Sema::numPrograms(const Operand &axis) {
  if (auto number = axisOf(axis))
    return sink_.numPrograms(*number);
  return fail("num_programs axis must be 0, 1, or 2 but got " + axis.repr(), 0);
}

Result<Value> Sema::arange(const Operand &start, const Operand &end) {
  for (int i : {0, 1}) {
    const Operand &bound = i ? end : start;
    if (!bound.isInt() && !bound.isBool())
      return fail("tl.arange's arguments must be of type tl.constexpr: compile-time ints, got " +
                      std::string(bound.isRuntime() ? "a runtime " : "") + bound.kindText(),
                  i);
  }
  std::optional<int64_t> first = start.asInt64(), last = end.asInt64();
  if (!first || !last || *first < 0 || *last > INT32_MAX)
    return fail("tl.arange's arguments must fit in int32 and not be negative, got " + start.repr() + " and " +
                end.repr());
  if (*last <= *first)
    return fail("tl.arange's end must be greater than its start, got " + start.repr() + " and " + end.repr(), 1);
  int64_t length = *last - *first;
  if (!llvm::isPowerOf2_64(uint64_t(length)))
    return fail("arange's range must be a power of 2; got a length of " + std::to_string(length) +
                    ", use the next power of two, " + std::to_string(llvm::PowerOf2Ceil(uint64_t(length))) +
                    ", and a mask",
                1);
  TILEWISE_CHECK(checkShape(length));
  return sink_.range(int32_t(*first), int32_t(*last));
}

Result<Value> Sema::full(llvm::ArrayRef<int64_t> shape, const Operand &value, DType type) {
  TILEWISE_CHECK(checkShape(shape));
  if (type.isPointer() || type.isVoid())
    return fail("tl.full makes blocks of numbers, got dtype " + type.str());
  Value scalar;
  if (value.isNumber()) {
    TILEWISE_TRY(scalar, numberAs(value, type));
  } else {
    TILEWISE_TRY(scalar, toValue(value));
    if (scalar.type.isBlock())
      return fail("tl.full takes a number or a scalar as its value, got " + value.kindText());
    TILEWISE_TRY(scalar, cast(scalar, type));
  }
  return shape.empty() ? scalar : sink_.splat(scalar, shape);
}

} // namespace tilewise::frontend
