// Conversions of compile-time values, and looking into tuples, strings and dicts.
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilewise::frontend {

Result<Operand> constantToInt(const Operand &operand) {
  if (operand.isInt())
    return operand;
  if (operand.isBool())
    return Operand::ofInt(operand.boolean() ? 1 : 0);
  if (operand.isFloat()) {
    if (!std::isfinite(operand.floating()))
      return kernelFailure("int() cannot convert " + operand.repr());
    // A double's integer part has at most 1024 bits.
    llvm::APSInt result(1100, /*isUnsigned=*/false);
    bool isExact;
    llvm::APFloat(operand.floating()).convertToInteger(result, llvm::APFloat::rmTowardZero, &isExact);
    return Operand::ofInt(llvm::APSInt(result.trunc(std::max(64u, result.getSignificantBits())), /*isUnsigned=*/false));
  }
  if (operand.isString()) {
    llvm::StringRef text = llvm::StringRef(operand.string()).trim();
    llvm::APInt value;
    bool negative = text.consume_front("-");
    if (!negative)
      text.consume_front("+");
    if (!text.empty() && text.size() <= 4300 && llvm::all_of(text, llvm::isDigit) && !text.getAsInteger(10, value)) {
      llvm::APInt wide = value.zext(std::max(64u, value.getBitWidth() + 1));
      return Operand::ofInt(llvm::APSInt(negative ? -wide : wide, /*isUnsigned=*/false));
    }
  }
  return kernelFailure("int() cannot convert " + operand.repr());
}

Result<Operand> constantToFloat(const Operand &operand) {
  if (operand.isNumber())
    return Operand::ofFloat(operand.asDouble());
  if (operand.isString()) {
    std::string text = llvm::StringRef(operand.string()).trim().lower();
    llvm::StringRef body = text;
    bool negative = body.consume_front("-");
    if (!negative)
      body.consume_front("+");
    double value;
    if (body == "inf" || body == "infinity")
      value = INFINITY;
    else if (body == "nan")
      value = NAN;
    else if (body.getAsDouble(value))
      return kernelFailure("float() cannot convert " + operand.repr());
    return Operand::ofFloat(negative ? -value : value);
  }
  return kernelFailure("float() cannot convert " + operand.kindText());
}

Result<Operand> constantAbs(const Operand &operand) {
  if (operand.isFloat())
    return Operand::ofFloat(std::fabs(operand.floating()));
  if (operand.isInt() && operand.integer().isNegative())
    return constantUnary(UnaryOperator::Minus, operand);
  return constantUnary(UnaryOperator::Plus, operand);
}

/// Python's rule for the ends of a slice over `size` elements.
static Result<int64_t> clampIndex(const Operand &index, int64_t size, int64_t fallback, bool forward) {
  if (index.isNone())
    return fallback;
  std::optional<int64_t> value = index.asInt64();
  if (!value)
    return kernelFailure("a slice takes compile-time ints, got " + index.kindText());
  int64_t at = *value < 0 ? *value + size : *value;
  return std::clamp<int64_t>(at, forward ? 0 : -1, forward ? size : size - 1);
}

static Result<std::vector<int64_t>> sliceIndices(const Slice &slice, int64_t size) {
  std::optional<int64_t> step = slice.step.isNone() ? 1 : slice.step.asInt64();
  if (!step || *step == 0)
    return kernelFailure("a slice's step must be a compile-time int other than 0");
  bool forward = *step > 0;
  TILEWISE_TRY(int64_t lower, clampIndex(slice.lower, size, forward ? 0 : size - 1, forward));
  TILEWISE_TRY(int64_t upper, clampIndex(slice.upper, size, forward ? size : -1, forward));
  std::vector<int64_t> indices;
  for (int64_t i = lower; forward ? i < upper : i > upper; i += *step)
    indices.push_back(i);
  return indices;
}

Result<Operand> constantSubscript(const Operand &container, const Operand &index) {
  if (container.isDict()) {
    for (const auto &[key, value] : container.entries()) {
      TILEWISE_TRY(Operand same, constantCompare(CompareOperator::Eq, key, index));
      if (same.boolean())
        return value;
    }
    return kernelFailure("the dict has no key " + index.repr());
  }
  if (!container.isSequence() && !container.isString())
    return kernelFailure(container.kindText() + " cannot be indexed");
  int64_t size = int64_t(container.isString() ? container.string().size() : container.elements().size());
  if (index.isSlice()) {
    TILEWISE_TRY(std::vector<int64_t> indices, sliceIndices(index.slice(), size));
    if (container.isString()) {
      std::string text;
      for (int64_t i : indices)
        text += container.string()[size_t(i)];
      return Operand::ofString(std::move(text));
    }
    Elements elements;
    for (int64_t i : indices)
      elements.push_back(container.elements()[size_t(i)]);
    return container.isList() ? Operand::ofList(std::move(elements)) : Operand::ofTuple(std::move(elements));
  }
  if (index.isRuntime())
    return kernelFailure("the index of a tuple must be a compile-time int, got a runtime " + index.kindText());
  std::optional<int64_t> at = index.asInt64();
  if (!at)
    return kernelFailure("the index of a " + container.kindText() + " must be an int, got " + index.kindText());
  int64_t position = *at < 0 ? *at + size : *at;
  if (position < 0 || position >= size)
    return kernelFailure("index " + std::to_string(*at) + " is outside a " + container.kindText() + " of " +
                         std::to_string(size) + " elements");
  if (container.isString())
    return Operand::ofString(std::string(1, container.string()[size_t(position)]));
  return container.elements()[size_t(position)];
}

llvm::APFloat toAPFloat(const Operand &number, const llvm::fltSemantics &semantics) {
  if (number.isInt()) {
    llvm::APFloat result(semantics);
    result.convertFromAPInt(number.integer(), /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
    return result;
  }
  llvm::APFloat result(number.asDouble());
  bool losesInfo;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

} // namespace tilewise::frontend
