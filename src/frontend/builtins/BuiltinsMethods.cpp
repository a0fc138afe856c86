// Methods of Python's strings, lists and dicts, and the format mini-language, for code that runs
// while compiling.
#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

Result<Elements> sortedElements(CallContext &context, Elements items, const Operand &key, bool reverse);

static Result<Operand> text(std::string value) { return Operand::ofString(std::move(value)); }

static Result<Operand> upper(CallContext &, Arguments a) { return text(llvm::StringRef(a[0].string()).upper()); }
static Result<Operand> lower(CallContext &, Arguments a) { return text(llvm::StringRef(a[0].string()).lower()); }

template <bool left, bool right> static Result<Operand> strip(CallContext &, Arguments a) {
  llvm::StringRef value = a[0].string(), set = " \t\n\r\f\v";
  if (!a[1].isNone()) {
    TILEWISE_CHECK(stringArgument(a[1], "strip()'s characters"));
    set = a[1].string();
  }
  if (left)
    value = value.ltrim(set);
  if (right)
    value = value.rtrim(set);
  return text(value.str());
}

template <bool atEnd> static Result<Operand> hasAffix(CallContext &, Arguments a) {
  Elements candidates = a[1].isSequence() ? a[1].elements() : Elements{a[1]};
  for (const Operand &one : candidates) {
    TILEWISE_TRY(std::string affix, stringArgument(one, atEnd ? "endswith()'s suffix" : "startswith()'s prefix"));
    llvm::StringRef value = a[0].string();
    if (atEnd ? value.ends_with(affix) : value.starts_with(affix))
      return Operand::ofBool(true);
  }
  return Operand::ofBool(false);
}

static Result<Operand> split(CallContext &, Arguments a) {
  llvm::SmallVector<llvm::StringRef> pieces;
  if (a[1].isNone()) {
    llvm::SplitString(a[0].string(), pieces, " \t\n\r\f\v");
  } else {
    TILEWISE_CHECK(stringArgument(a[1], "split()'s separator"));
    if (a[1].string().empty())
      return kernelFailure("split()'s separator must not be empty");
    TILEWISE_TRY(int64_t most, intArgument(a[2], "split()'s maxsplit"));
    llvm::StringRef(a[0].string()).split(pieces, a[1].string(), most < 0 ? -1 : int(std::min<int64_t>(most, 1 << 20)));
  }
  Elements result;
  for (llvm::StringRef piece : pieces)
    result.push_back(Operand::ofString(piece.str()));
  return Operand::ofList(std::move(result));
}

static Result<Operand> join(CallContext &, Arguments a) {
  if (!a[1].isSequence())
    return kernelFailure("join() takes a list of strings, got " + a[1].kindText());
  std::string result;
  for (auto [i, one] : llvm::enumerate(a[1].elements())) {
    TILEWISE_TRY(std::string piece, stringArgument(one, "join()'s element"));
    result += (i ? a[0].string() : "") + piece;
    if (result.size() > kMaxSequence)
      return kernelFailure("a compile-time string grew beyond " + std::to_string(kMaxSequence) + " characters");
  }
  return text(std::move(result));
}

static Result<Operand> replace(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string from, stringArgument(a[1], "replace()'s old"));
  TILEWISE_TRY(std::string to, stringArgument(a[2], "replace()'s new"));
  if (from.empty())
    return kernelFailure("replace()'s old must not be empty");
  std::string result;
  llvm::StringRef rest = a[0].string();
  for (size_t at; (at = rest.find(from)) != llvm::StringRef::npos; rest = rest.drop_front(at + from.size())) {
    result += rest.take_front(at).str() + to;
    if (result.size() > kMaxSequence)
      return kernelFailure("a compile-time string grew beyond " + std::to_string(kMaxSequence) + " characters");
  }
  return text(result + rest.str());
}

static Result<Operand> findText(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string piece, stringArgument(a[1], "find()'s argument"));
  size_t at = a[0].string().find(piece);
  return Operand::ofInt(at == std::string::npos ? -1 : int64_t(at));
}

static Result<Operand> countText(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string piece, stringArgument(a[1], "count()'s argument"));
  return Operand::ofInt(piece.empty() ? int64_t(a[0].string().size() + 1)
                                      : int64_t(llvm::StringRef(a[0].string()).count(piece)));
}

static Result<Operand> isDigit(CallContext &, Arguments a) {
  llvm::StringRef value = a[0].string();
  return Operand::ofBool(!value.empty() && llvm::all_of(value, llvm::isDigit));
}

static Failure circle() { return kernelFailure("a list or dict cannot hold itself"); }
static Failure tooLong() {
  return kernelFailure("a compile-time sequence grew beyond " + std::to_string(kMaxSequence) + " elements");
}

static Result<Operand> append(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  if (wouldCloseCircle(a[0], a[1]))
    return circle();
  if (a[0].elements().size() >= kMaxSequence || a[1].extent().depth >= kMaxDepth)
    return tooLong();
  a[0].mutableElements().push_back(a[1]);
  return Operand::none();
}

static Result<Operand> extend(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  if (!a[1].isSequence())
    return kernelFailure("extend() takes a tuple or a list, got " + a[1].kindText());
  Elements more = a[1].elements();
  for (const Operand &one : more)
    if (wouldCloseCircle(a[0], one))
      return circle();
  if (a[0].elements().size() + more.size() > kMaxSequence)
    return tooLong();
  llvm::append_range(a[0].mutableElements(), more);
  return Operand::none();
}

static Result<Operand> insert(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  TILEWISE_TRY(int64_t at, intArgument(a[1], "insert()'s index"));
  if (wouldCloseCircle(a[0], a[2]))
    return circle();
  Elements &list = a[0].mutableElements();
  if (list.size() >= kMaxSequence)
    return tooLong();
  auto size = int64_t(list.size());
  at = std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  list.insert(list.begin() + at, a[2]);
  return Operand::none();
}

static Result<Operand> pop(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  TILEWISE_TRY(int64_t at, intArgument(a[1], "pop()'s index"));
  Elements &list = a[0].mutableElements();
  auto size = int64_t(list.size());
  if (at < -size || at >= size)
    return kernelFailure("pop() from a list of " + std::to_string(size) + " elements at index " + std::to_string(at));
  at = at < 0 ? at + size : at;
  Operand result = list[size_t(at)];
  list.erase(list.begin() + at);
  return result;
}

static Result<int64_t> indexIn(const Operand &list, const Operand &item) {
  for (auto [i, one] : llvm::enumerate(list.elements())) {
    TILEWISE_TRY(Operand same, constantCompare(CompareOperator::Eq, one, item));
    if (same.boolean())
      return int64_t(i);
  }
  return -1;
}

static Result<Operand> indexOf(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t at, indexIn(a[0], a[1]));
  if (at < 0)
    return kernelFailure(a[1].repr() + " is not in the " + a[0].kindText());
  return Operand::ofInt(at);
}

static Result<Operand> countOf(CallContext &, Arguments a) {
  int64_t count = 0;
  for (const Operand &one : a[0].elements()) {
    TILEWISE_TRY(Operand same, constantCompare(CompareOperator::Eq, one, a[1]));
    count += same.boolean();
  }
  return Operand::ofInt(count);
}

static Result<Operand> removeItem(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  TILEWISE_TRY(int64_t at, indexIn(a[0], a[1]));
  if (at < 0)
    return kernelFailure(a[1].repr() + " is not in the list");
  a[0].mutableElements().erase(a[0].mutableElements().begin() + at);
  return Operand::none();
}

static Result<Operand> reverseList(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  std::reverse(a[0].mutableElements().begin(), a[0].mutableElements().end());
  return Operand::none();
}

static Result<Operand> sortList(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  TILEWISE_TRY(bool reverse, boolArgument(a[2], "sort()'s reverse"));
  TILEWISE_TRY(Elements items, sortedElements(context, a[0].elements(), a[1], reverse));
  a[0].mutableElements() = std::move(items);
  return Operand::none();
}

static Result<Operand> clearList(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  a[0].mutableElements().clear();
  return Operand::none();
}

static Result<Operand> copyOf(CallContext &, Arguments a) {
  return a[0].isDict() ? Operand::ofDict(a[0].entries()) : Operand::ofList(a[0].elements());
}

static Result<Operand *> entryOf(const Operand &dict, const Operand &key) {
  for (auto &[known, value] : dict.mutableEntries()) {
    TILEWISE_TRY(Operand same, constantCompare(CompareOperator::Eq, known, key));
    if (same.boolean())
      return &value;
  }
  return static_cast<Operand *>(nullptr);
}

static Result<Operand> get(CallContext &, Arguments a) {
  TILEWISE_TRY(Operand * found, entryOf(a[0], a[1]));
  return found ? *found : a[2];
}

static Result<Operand> keys(CallContext &, Arguments a) {
  Elements result;
  for (const auto &entry : a[0].entries())
    result.push_back(entry.first);
  return Operand::ofList(std::move(result));
}

static Result<Operand> values(CallContext &, Arguments a) {
  Elements result;
  for (const auto &entry : a[0].entries())
    result.push_back(entry.second);
  return Operand::ofList(std::move(result));
}

static Result<Operand> items(CallContext &, Arguments a) {
  Elements result;
  for (const auto &[key, value] : a[0].entries())
    result.push_back(Operand::ofTuple({key, value}));
  return Operand::ofList(std::move(result));
}

static Result<Operand> update(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.mayChange(a[0]));
  if (!a[1].isDict())
    return kernelFailure("update() takes a dict, got " + a[1].kindText());
  Entries more = a[1].entries();
  if (a[0].entries().size() + more.size() > 2000)
    return tooLong();
  for (auto &[key, value] : more) {
    if (wouldCloseCircle(a[0], value))
      return circle();
    TILEWISE_TRY(Operand * found, entryOf(a[0], key));
    if (found)
      *found = value;
    else
      a[0].mutableEntries().emplace_back(key, value);
  }
  return Operand::none();
}

static constexpr unsigned kPure = Builtin::CompileTime;

static constexpr Builtin kRows[] = {
    {"str.upper", "self", kPure, upper},
    {"str.lower", "self", kPure, lower},
    {"str.strip", "self, chars=None", kPure, strip<true, true>},
    {"str.lstrip", "self, chars=None", kPure, strip<true, false>},
    {"str.rstrip", "self, chars=None", kPure, strip<false, true>},
    {"str.startswith", "self, prefix", kPure, hasAffix<false>},
    {"str.endswith", "self, suffix", kPure, hasAffix<true>},
    {"str.split", "self, sep=None, maxsplit=-1", kPure, split},
    {"str.join", "self, iterable", kPure, join},
    {"str.replace", "self, old, new", kPure, replace},
    {"str.find", "self, sub", kPure, findText},
    {"str.count", "self, sub", kPure, countText},
    {"str.isdigit", "self", kPure, isDigit},
    {"list.append", "self, object", kPure, append},
    {"list.extend", "self, iterable", kPure, extend},
    {"list.insert", "self, index, object", kPure, insert},
    {"list.pop", "self, index=-1", kPure, pop},
    {"list.index", "self, value", kPure, indexOf},
    {"list.count", "self, value", kPure, countOf},
    {"list.remove", "self, value", kPure, removeItem},
    {"list.reverse", "self", kPure, reverseList},
    {"list.sort", "self, key=None, reverse=False", kPure, sortList},
    {"list.clear", "self", kPure, clearList},
    {"list.copy", "self", kPure, copyOf},
    {"tuple.index", "self, value", kPure, indexOf},
    {"tuple.count", "self, value", kPure, countOf},
    {"dict.get", "self, key, default=None", kPure, get},
    {"dict.keys", "self", kPure, keys},
    {"dict.values", "self", kPure, values},
    {"dict.items", "self", kPure, items},
    {"dict.update", "self, other", kPure, update},
    {"dict.copy", "self", kPure, copyOf},
};

llvm::ArrayRef<Builtin> methodBuiltins() { return kRows; }

} // namespace tilewise::frontend
