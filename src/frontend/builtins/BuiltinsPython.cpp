// Python's own functions and its math module, for code that runs while compiling.
#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/values/ConstantMath.h"
#include "frontend/values/Format.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<Elements> listed(const Operand &operand, llvm::StringRef function) {
  if (operand.isSequence())
    return operand.elements();
  Elements items;
  if (operand.isDict())
    for (const auto &entry : operand.entries())
      items.push_back(entry.first);
  else if (operand.isString())
    for (char c : operand.string())
      items.push_back(Operand::ofString(std::string(1, c)));
  else
    return kernelFailure(function.str() + "() takes a tuple or a list, got " + operand.kindText());
  return items;
}

static Result<bool> isLess(const Operand &a, const Operand &b) {
  TILEWISE_TRY(Operand less, constantCompare(CompareOperator::Lt, a, b));
  return less.boolean();
}

/// Sorts by the keys; a comparison that fails ends the whole. Merging compares each pair at most
/// once per level, so it always ends.
static Result<void> mergeSort(std::vector<std::pair<Operand, Operand>> &items) {
  if (items.size() < 2)
    return {};
  size_t middle = items.size() / 2;
  std::vector<std::pair<Operand, Operand>> left(items.begin(), items.begin() + ptrdiff_t(middle)),
      right(items.begin() + ptrdiff_t(middle), items.end());
  TILEWISE_CHECK(mergeSort(left));
  TILEWISE_CHECK(mergeSort(right));
  size_t l = 0, r = 0;
  for (auto &slot : items) {
    bool takeRight = l == left.size();
    if (!takeRight && r < right.size()) {
      TILEWISE_TRY(takeRight, isLess(right[r].first, left[l].first));
    }
    slot = takeRight ? right[r++] : left[l++];
  }
  return {};
}

Result<Elements> sortedElements(CallContext &context, Elements items, const Operand &key, bool reverse) {
  std::vector<std::pair<Operand, Operand>> keyed;
  for (Operand &item : items) {
    Operand by = item;
    if (!key.isNone()) {
      TILEWISE_TRY(by, context.call(key, {item}));
    }
    keyed.emplace_back(std::move(by), std::move(item));
  }
  // Reversed before and after, so that equal elements keep their order.
  if (reverse)
    std::reverse(keyed.begin(), keyed.end());
  TILEWISE_CHECK(mergeSort(keyed));
  if (reverse)
    std::reverse(keyed.begin(), keyed.end());
  Elements result;
  for (auto &entry : keyed)
    result.push_back(std::move(entry.second));
  return result;
}

static Result<Operand> sorted(CallContext &context, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[0], "sorted"));
  TILEWISE_TRY(bool reverse, boolArgument(a[2], "sorted()'s reverse"));
  TILEWISE_TRY(items, sortedElements(context, std::move(items), a[1], reverse));
  return Operand::ofList(std::move(items));
}

static Result<Operand> sum(CallContext &, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[0], "sum"));
  Operand total = a[1];
  for (const Operand &item : items) {
    TILEWISE_TRY(total, constantBinary(BinaryOperator::Add, total, item));
  }
  return total;
}

template <bool isAll> static Result<Operand> allOrAny(CallContext &, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[0], isAll ? "all" : "any"));
  for (const Operand &item : items) {
    TILEWISE_TRY(bool truth, constantTruth(item));
    if (truth != isAll)
      return Operand::ofBool(!isAll);
  }
  return Operand::ofBool(isAll);
}

static Result<Operand> zip(CallContext &, Arguments a) {
  std::vector<Elements> lists;
  size_t shortest = a[0].elements().empty() ? 0 : SIZE_MAX;
  for (const Operand &one : a[0].elements()) {
    TILEWISE_TRY(Elements items, listed(one, "zip"));
    shortest = std::min(shortest, items.size());
    lists.push_back(std::move(items));
  }
  Elements result;
  for (size_t i = 0; i < shortest; ++i) {
    Elements row;
    for (const Elements &list : lists)
      row.push_back(list[i]);
    result.push_back(Operand::ofTuple(std::move(row)));
  }
  return Operand::ofList(std::move(result));
}

static Result<Operand> enumerate(CallContext &, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[0], "enumerate"));
  TILEWISE_TRY(int64_t start, intArgument(a[1], "enumerate()'s start"));
  Elements result;
  for (auto [i, item] : llvm::enumerate(items))
    result.push_back(Operand::ofTuple({Operand::ofInt(int64_t(uint64_t(start) + i)), item}));
  return Operand::ofList(std::move(result));
}

static Result<Operand> reversed(CallContext &, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[0], "reversed"));
  std::reverse(items.begin(), items.end());
  return Operand::ofList(std::move(items));
}

static Result<Operand> map(CallContext &context, Arguments a) {
  TILEWISE_TRY(Operand rows, zip(context, {a[1]}));
  Elements result;
  for (const Operand &row : rows.elements()) {
    TILEWISE_TRY(Operand one, context.call(a[0], row.elements()));
    result.push_back(std::move(one));
  }
  return Operand::ofList(std::move(result));
}

static Result<Operand> filter(CallContext &context, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[1], "filter"));
  Elements result;
  for (const Operand &item : items) {
    Operand kept = item;
    if (!a[0].isNone()) {
      TILEWISE_TRY(kept, context.call(a[0], {item}));
    }
    TILEWISE_TRY(bool truth, constantTruth(kept));
    if (truth)
      result.push_back(item);
  }
  return Operand::ofList(std::move(result));
}

static Result<Operand> divmod(CallContext &, Arguments a) {
  TILEWISE_TRY(Operand quotient, constantBinary(BinaryOperator::FloorDiv, a[0], a[1]));
  TILEWISE_TRY(Operand rest, constantBinary(BinaryOperator::Mod, a[0], a[1]));
  return Operand::ofTuple({std::move(quotient), std::move(rest)});
}

static Result<Operand> power(CallContext &, Arguments a) { return constantBinary(BinaryOperator::Pow, a[0], a[1]); }

static Result<Operand> round(CallContext &, Arguments a) {
  if (a[0].isInt() || a[0].isBool())
    return constantToInt(a[0]);
  if (!a[0].isFloat())
    return kernelFailure("round() takes a number, got " + a[0].kindText());
  if (a[1].isNone())
    return constantToInt(Operand::ofFloat(std::nearbyint(a[0].floating())));
  TILEWISE_TRY(int64_t digits, intArgument(a[1], "round()'s ndigits"));
  double scale = std::pow(10.0, double(digits));
  return Operand::ofFloat(std::nearbyint(a[0].floating() * scale) / scale);
}

/// The elements without repetition: what stands for a set here.
static Result<Operand> unique(CallContext &, Arguments a) {
  if (a[0].isNone())
    return Operand::ofList({});
  TILEWISE_TRY(Elements items, listed(a[0], "set"));
  if (items.size() > 2000)
    return kernelFailure("a compile-time set has at most 2000 elements");
  Elements result;
  for (const Operand &item : items) {
    bool known = false;
    for (const Operand &other : result) {
      TILEWISE_TRY(Operand same, constantCompare(CompareOperator::Eq, item, other));
      known |= same.boolean();
    }
    if (!known)
      result.push_back(item);
  }
  return Operand::ofList(std::move(result));
}

static Result<Operand> toDict(CallContext &, Arguments a) {
  if (a[0].isNone())
    return Operand::ofDict({});
  if (a[0].isDict())
    return Operand::ofDict(a[0].entries());
  TILEWISE_TRY(Elements items, listed(a[0], "dict"));
  Entries entries;
  for (const Operand &item : items) {
    if (!item.isSequence() || item.elements().size() != 2)
      return kernelFailure("dict() takes pairs, got " + item.kindText());
    entries.emplace_back(item.elements()[0], item.elements()[1]);
  }
  return Operand::ofDict(std::move(entries));
}

static Result<Operand> isCallable(CallContext &, Arguments a) {
  return Operand::ofBool(a[0].isFunction() || a[0].isBuiltin() || a[0].isMethod() || a[0].isClass());
}

static Result<Operand> reprOf(CallContext &, Arguments a) { return Operand::ofString(a[0].repr()); }

static Result<Operand> ordinal(CallContext &, Arguments a) {
  if (!a[0].isString() || a[0].string().size() != 1)
    return kernelFailure("ord() takes one character, got " + a[0].kindText());
  return Operand::ofInt(static_cast<unsigned char>(a[0].string()[0]));
}

static Result<Operand> character(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t code, intArgument(a[0], "chr()'s argument"));
  if (code < 0 || code > 127)
    return kernelFailure("chr() takes 0 to 127 here, got " + a[0].repr());
  return Operand::ofString(std::string(1, char(code)));
}

static Result<Operand> formatOf(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string spec, stringArgument(a[1], "format()'s spec"));
  TILEWISE_TRY(std::string text, formatValue(a[0], spec));
  return Operand::ofString(std::move(text));
}

static Result<Operand> notCallable(CallContext &, Arguments) {
  return kernelFailure("this is a value, not a function");
}
static Result<Operand> handledByTheCall(CallContext &, Arguments) {
  return internalFailure("a call that the evaluator makes itself");
}

/// A function over doubles, with Python's check of its domain.
template <double (*function)(double)> static Result<Operand> ofDouble(CallContext &, Arguments a) {
  if (a[0].isRuntime())
    return kernelFailure("functions of Python's math take compile-time numbers, got a runtime " + a[0].kindText() +
                         "; the language has its own, as tl.sqrt or tl.exp");
  TILEWISE_TRY(Operand x, constantToFloat(a[0]));
  double result = function(x.floating());
  if (std::isnan(result) && !std::isnan(x.floating()))
    return kernelFailure("a math function is not defined for " + a[0].repr());
  return Operand::ofFloat(result);
}

template <double (*function)(double)> static Result<Operand> toWhole(CallContext &, Arguments a) {
  if (a[0].isInt() || a[0].isBool())
    return constantToInt(a[0]);
  TILEWISE_TRY(Operand x, constantToFloat(a[0]));
  return constantToInt(Operand::ofFloat(function(x.floating())));
}

static Result<Operand> logarithm(CallContext &, Arguments a) {
  TILEWISE_TRY(Operand x, constantToFloat(a[0]));
  if (x.floating() <= 0)
    return kernelFailure("math.log is not defined for " + a[0].repr());
  if (a[1].isNone())
    return Operand::ofFloat(std::log(x.floating()));
  TILEWISE_TRY(Operand base, constantToFloat(a[1]));
  return Operand::ofFloat(std::log(x.floating()) / std::log(base.floating()));
}

template <double (*function)(double, double)> static Result<Operand> ofTwo(CallContext &, Arguments a) {
  TILEWISE_TRY(Operand x, constantToFloat(a[0]));
  TILEWISE_TRY(Operand y, constantToFloat(a[1]));
  return Operand::ofFloat(function(x.floating(), y.floating()));
}

static Result<Operand> isNan(CallContext &, Arguments a) {
  TILEWISE_TRY(Operand x, constantToFloat(a[0]));
  return Operand::ofBool(std::isnan(x.floating()));
}
static Result<Operand> isInf(CallContext &, Arguments a) {
  TILEWISE_TRY(Operand x, constantToFloat(a[0]));
  return Operand::ofBool(std::isinf(x.floating()));
}

static Result<Operand> greatestDivisor(CallContext &, Arguments a) {
  int64_t result = 0;
  for (const Operand &one : a[0].elements()) {
    TILEWISE_TRY(int64_t value, intArgument(one, "math.gcd's argument"));
    if (value == INT64_MIN)
      return kernelFailure("math.gcd's argument is too large");
    result = std::gcd(result, value);
  }
  return Operand::ofInt(result);
}

static Result<Operand> product(CallContext &, Arguments a) {
  TILEWISE_TRY(Elements items, listed(a[0], "math.prod"));
  Operand total = Operand::ofInt(1);
  for (const Operand &item : items) {
    TILEWISE_TRY(total, constantBinary(BinaryOperator::Mul, total, item));
  }
  return total;
}

static Result<Operand> integerRoot(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t value, intArgument(a[0], "math.isqrt's argument"));
  if (value < 0)
    return kernelFailure("math.isqrt is not defined for " + a[0].repr());
  auto root = int64_t(std::sqrt(double(value)));
  while (root > 0 && uint64_t(root) * uint64_t(root) > uint64_t(value))
    --root;
  while (uint64_t(root + 1) * uint64_t(root + 1) <= uint64_t(value))
    ++root;
  return Operand::ofInt(root);
}

static Result<Operand> hasBits(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t value, intArgument(a[0], "bit_length()'s int"));
  return Operand::ofInt(64 - llvm::countl_zero(value < 0 ? 0 - uint64_t(value) : uint64_t(value)));
}

template <CompareOperator op> static Result<Operand> compareTwo(CallContext &, Arguments a) {
  return constantCompare(op, a[0], a[1]);
}

/// Functions inside upstream's modules that kernels use all the same.
static Result<Operand> floorLog2(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t value, intArgument(a[0], "tl._log2's argument"));
  if (value <= 0)
    return kernelFailure("tl._log2 is not defined for " + a[0].repr());
  return Operand::ofInt(llvm::Log2_64(uint64_t(value)));
}
static Result<Operand> unwrapped(CallContext &, Arguments a) { return a[0]; }
static Result<Operand> intDtype(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t bits, intArgument(a[0], "tl.core.get_int_dtype's bitwidth"));
  TILEWISE_TRY(bool isSigned, boolArgument(a[1], "tl.core.get_int_dtype's signed"));
  std::optional<DType> type = parseDType((isSigned || bits == 1 ? "i" : "u") + std::to_string(bits));
  if (!type)
    return kernelFailure("there is no integer of " + std::to_string(bits) + " bits");
  return Operand::ofType(*type);
}

static constexpr unsigned kPython = Builtin::CompileTime | Builtin::PythonOnly;

static constexpr Builtin kRows[] = {
    {"sorted", "iterable, key=None, reverse=False", kPython, sorted},
    {"sum", "iterable, start=0", kPython, sum},
    {"all", "iterable", kPython, allOrAny<true>},
    {"any", "iterable", kPython, allOrAny<false>},
    {"zip", "*iterables", kPython, zip},
    {"enumerate", "iterable, start=0", kPython, enumerate},
    {"reversed", "sequence", kPython, reversed},
    {"map", "function, *iterables", kPython, map},
    {"filter", "function, iterable", kPython, filter},
    {"divmod", "x, y", kPython, divmod},
    {"pow", "base, exp", kPython, power},
    {"round", "number, ndigits=None", kPython, round},
    {"set", "iterable=None", kPython, unique},
    {"frozenset", "iterable=None", kPython, unique},
    {"dict", "iterable=None", kPython, toDict},
    {"callable", "object", kPython, isCallable},
    {"repr", "object", kPython, reprOf},
    {"ord", "c", kPython, ordinal},
    {"chr", "i", kPython, character},
    {"format", "value, spec=''", kPython, formatOf},
    {"NotImplemented", "*anything", Builtin::CompileTime, notCallable},
    {"str.format", "self, *values", Builtin::CompileTime, handledByTheCall},
    {"getattr", "object, name, *fallback", Builtin::CompileTime, handledByTheCall},
    {"hasattr", "object, name", Builtin::CompileTime, handledByTheCall},
    {"tl.aggregate_replace", "instance", Builtin::CompileTime, handledByTheCall},

    {"math.sqrt", "x", Builtin::CompileTime, ofDouble<std::sqrt>},
    {"math.exp", "x", Builtin::CompileTime, ofDouble<std::exp>},
    {"math.exp2", "x", Builtin::CompileTime, ofDouble<std::exp2>},
    {"math.log", "x, base=None", Builtin::CompileTime, logarithm},
    {"math.log2", "x", Builtin::CompileTime, ofDouble<std::log2>},
    {"math.log10", "x", Builtin::CompileTime, ofDouble<std::log10>},
    {"math.log1p", "x", Builtin::CompileTime, ofDouble<std::log1p>},
    {"math.sin", "x", Builtin::CompileTime, ofDouble<std::sin>},
    {"math.cos", "x", Builtin::CompileTime, ofDouble<std::cos>},
    {"math.tan", "x", Builtin::CompileTime, ofDouble<std::tan>},
    {"math.tanh", "x", Builtin::CompileTime, ofDouble<std::tanh>},
    {"math.erf", "x", Builtin::CompileTime, ofDouble<std::erf>},
    {"math.fabs", "x", Builtin::CompileTime, ofDouble<std::fabs>},
    {"math.ceil", "x", Builtin::CompileTime, toWhole<std::ceil>},
    {"math.floor", "x", Builtin::CompileTime, toWhole<std::floor>},
    {"math.trunc", "x", Builtin::CompileTime, toWhole<std::trunc>},
    {"math.pow", "x, y", Builtin::CompileTime, ofTwo<std::pow>},
    {"math.copysign", "x, y", Builtin::CompileTime, ofTwo<std::copysign>},
    {"math.fmod", "x, y", Builtin::CompileTime, ofTwo<std::fmod>},
    {"math.isnan", "x", Builtin::CompileTime, isNan},
    {"math.isinf", "x", Builtin::CompileTime, isInf},
    {"math.gcd", "*integers", Builtin::CompileTime, greatestDivisor},
    {"math.prod", "iterable", Builtin::CompileTime, product},
    {"math.isqrt", "n", Builtin::CompileTime, integerRoot},
    {"operator.eq", "a, b", kPython, compareTwo<CompareOperator::Eq>},
    {"operator.ne", "a, b", kPython, compareTwo<CompareOperator::Ne>},
    {"operator.lt", "a, b", kPython, compareTwo<CompareOperator::Lt>},
    {"operator.le", "a, b", kPython, compareTwo<CompareOperator::Le>},
    {"operator.gt", "a, b", kPython, compareTwo<CompareOperator::Gt>},
    {"operator.ge", "a, b", kPython, compareTwo<CompareOperator::Ge>},
    {"tl._log2", "i", Builtin::CompileTime, floorLog2},
    {"tl._unwrap_if_constexpr", "o", Builtin::CompileTime, unwrapped},
    {"tl.get_int_dtype", "bitwidth, signed", Builtin::CompileTime, intDtype},
    {"int.bit_length", "self", Builtin::CompileTime, hasBits},
};

llvm::ArrayRef<Builtin> pythonBuiltins() { return kRows; }

} // namespace tilewise::frontend
