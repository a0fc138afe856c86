// Asks the front end again with other arguments: see Blame.h.
#include "frontend/Blame.h"

#include "frontend/python/FileEnvironment.h"
#include "frontend/values/Type.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tilewise::frontend {

// A third of a second; a kernel of a hundred lines takes about a thousand steps.
static constexpr uint64_t kMaxSteps = 200'000;
// Reading the file again costs too, and is not counted in steps.
static constexpr unsigned kMaxTries = 300;
// How many arguments may be wrong in different ways.
static constexpr unsigned kMaxRounds = 4;

using Arguments = std::vector<ArgumentSpec>;
using Changes = std::vector<Blame::Change>;

static ArgumentSpec ofType(std::string text) { return {std::move(text), false, 1}; }
static ArgumentSpec constant(std::string text) { return {std::move(text), true, 1}; }

/// Numbers near a constant, and those that block sizes have.
static void addNumbers(int64_t value, std::vector<ArgumentSpec> &others) {
  llvm::SmallVector<int64_t> numbers;
  if (value > 0 && value < (int64_t(1) << 40)) {
    const auto above = int64_t(llvm::PowerOf2Ceil(uint64_t(value)));
    numbers.append({above, above / 2, above * 2});
  }
  numbers.append({16, 32, 64, 128, 1024, 1});
  for (auto [i, number] : llvm::enumerate(numbers))
    if (number > 0 && number != value && !llvm::is_contained(llvm::ArrayRef(numbers).take_front(i), number))
      others.push_back(constant(std::to_string(number)));
}

static bool isString(llvm::StringRef text) { return text.starts_with("'") || text.starts_with("\""); }

static std::vector<ArgumentSpec> otherConstants(llvm::StringRef text) {
  std::vector<ArgumentSpec> others;
  int64_t value = 0;
  double number = 0;
  if (text == "True" || text == "False")
    others.push_back(constant(text == "True" ? "False" : "True"));
  else if (!text.getAsInteger(10, value))
    addNumbers(value, others);
  else if (text == "None" || !text.getAsDouble(number))
    addNumbers(0, others);
  else if (isString(text) && !text.drop_front().drop_back().getAsInteger(10, value))
    others.push_back(constant(std::to_string(value)));
  else if (!text.starts_with("tl."))
    addNumbers(0, others);
  if (text == "None" || text.starts_with("tl.") || isString(text))
    for (const char *type : {"tl.float32", "tl.int32", "tl.float16"})
      if (text != type)
        others.push_back(constant(type));
  return others;
}

/// A tensor or descriptor of another element; nothing for what is neither.
static std::optional<ArgumentSpec> withElement(const ArgumentSpec &given, llvm::StringRef element) {
  if (given.isConstant)
    return std::nullopt;
  if (auto descriptor = parseDescriptor(given.text); descriptor && *descriptor) {
    (*descriptor)->element = element.str();
    return ofType((*descriptor)->str());
  }
  std::optional<DType> type = parseDType(given.text);
  return type && type->isPointer() ? std::optional(ofType("*" + element.str())) : std::nullopt;
}

/// What a caller may have meant instead, likeliest first.
static std::vector<ArgumentSpec> alternatives(const ArgumentSpec &given, bool isConstexpr) {
  if (given.isConstant && isConstexpr)
    return otherConstants(given.text);
  // A one, or what is no argument of a kernel, as a string, where a number was meant; None or a
  // list where a tensor was.
  const bool isNumber = given.isConstant && (llvm::all_of(given.text, llvm::isDigit) || isString(given.text));
  std::vector<ArgumentSpec> tensors, numbers;
  for (const char *element : {"fp32", "i32", "fp16", "u8"})
    tensors.push_back(withElement(given, element).value_or(ofType(std::string("*") + element)));
  for (const char *number : {"i32", "fp32"})
    numbers.push_back(ofType(number));
  const bool tensorsFirst = given.isConstant ? !isNumber : withElement(given, "fp32").has_value();
  std::vector<ArgumentSpec> others = tensorsFirst ? tensors : numbers;
  llvm::append_range(others, tensorsFirst ? numbers : tensors);
  // A tensor where its descriptor was meant, and the other way round. Blocks of 16 have the 16
  // bytes that a descriptor's rows need.
  if (std::optional<DType> type = given.isConstant ? std::nullopt : parseDType(given.text); type && type->isPointer()) {
    for (int64_t rank : {2, 1, 3})
      others.push_back(
          ofType(DescriptorSpec{llvm::StringRef(given.text).ltrim("*k").str(), std::vector<int64_t>(rank, 16)}.str()));
  } else if (tensorsFirst && !given.isConstant) {
    others.push_back(ofType("*" + (*parseDescriptor(given.text))->element));
  }
  llvm::erase_if(others, [&](const ArgumentSpec &other) { return other.text == given.text; });
  return others;
}

namespace {

/// What the front end made of some arguments.
struct Outcome {
  size_t errors = SIZE_MAX;
  uint64_t steps = 0; ///< To the first error.
  uint32_t line = 0, column = 0;

  bool isFine() const { return errors == 0; }
  /// Fewer errors, or one that comes later: what was in its way is gone.
  bool isBetterThan(const Outcome &other) const {
    return errors < other.errors || (errors == other.errors && steps > other.steps);
  }
  /// The same expression is refused for another reason: `tl.load(x, mask=at < n)` for x, not for n
  /// any more.
  bool isOtherThan(const Outcome &other) const {
    return errors == other.errors && steps == other.steps && (line != other.line || column != other.column);
  }
};

class Search {
public:
  Search(const EmitRequest &request, llvm::ArrayRef<LaunchedParameter> parameters, mlir::MLIRContext &context)
      : request_(request), context_(context) {
    for (auto [i, given] : llvm::enumerate(request.arguments)) {
      const LaunchedParameter *parameter = i < parameters.size() ? &parameters[i] : nullptr;
      if (!parameter || !parameter->isFixed)
        others_.push_back(alternatives(given, parameter ? parameter->isConstexpr : given.isConstant));
      else if (given.isConstant && !parameter->type.empty())
        others_.push_back({ofType(parameter->type)});
      else
        others_.emplace_back();
    }
  }

  Blame run() {
    const Arguments given = request_.arguments;
    furthest_ = ask(given);
    failed_ = visits_.failed;
    if (visits_.refused)
      return {{}, false, visits_.refused};
    if (!failed_ || furthest_.isFine() || visits_.about == Visits::About::Text)
      return {}; // Before any statement, as in a text that cannot be read; or about no argument.
    if (visits_.about == Visits::About::None)
      for (auto [spec, others] : llvm::zip(given, others_))
        if (!spec.isConstant || spec.text != "None")
          others.clear();
    if (Changes alone = tryAlone(given); !alone.empty())
      return {std::move(alone), false, {}};
    if (Changes together = tryTensors(given); !together.empty())
      return {withoutNeedless(given, std::move(together)), true, {}};
    if (Changes steps = tryInSteps(given); !steps.empty())
      return {withoutNeedless(given, std::move(steps)), true, {}};
    return {};
  }

private:
  /// Fine only where the place that was refused is compiled.
  Outcome ask(const Arguments &arguments) {
    if (tries_++ == kMaxTries || steps_ == 0)
      isOver_ = true;
    if (isOver_)
      return Outcome();
    EmitRequest other = request_;
    other.arguments = arguments;
    other.maxSteps = steps_;
    visits_ = {};
    other.visits = &visits_;
    Diagnostics diagnostics;
    const bool isFine = bool(emitTile(other, context_, diagnostics));
    steps_ -= std::min(steps_, visits_.steps);
    if (!isFine) {
      const auto first =
          llvm::find_if(diagnostics.all(), [](const Diagnostic &one) { return one.severity == Severity::Error; });
      return {diagnostics.errorCount(), visits_.stepsToFailure, first->loc.line, first->loc.column};
    }
    return !failed_ || visits_.places.contains(*failed_) ? Outcome{0, 0, 0, 0} : Outcome();
  }

  static Arguments changed(Arguments arguments, llvm::ArrayRef<Blame::Change> changes) {
    for (const Blame::Change &change : changes)
      arguments[change.argument] = change.instead;
    return arguments;
  }

  /// Every argument that helps by its own change; on the way, the single change that gets the
  /// furthest.
  Changes tryAlone(const Arguments &from) {
    Changes alone;
    for (auto [i, others] : llvm::enumerate(others_))
      for (const ArgumentSpec &other : others) {
        const Outcome outcome = ask(changed(from, {{i, other}}));
        if (outcome.isFine()) {
          alone.push_back({i, other});
          break;
        }
        if (outcome.isBetterThan(furthest_) || (!best_ && outcome.isOtherThan(furthest_))) {
          furthest_ = outcome;
          best_ = Blame::Change{i, other};
        }
      }
    return alone;
  }

  /// All tensors, or two of one type, of another type.
  Changes tryTensors(const Arguments &given) {
    llvm::SmallVector<size_t> tensors;
    for (auto [i, spec] : llvm::enumerate(given))
      if (!others_[i].empty() && withElement(spec, "fp32"))
        tensors.push_back(i);
    auto tryAs = [&](llvm::ArrayRef<size_t> which) {
      for (const char *element : {"fp32", "i32", "fp16"}) {
        Changes changes;
        for (size_t i : which)
          if (ArgumentSpec other = *withElement(given[i], element); other.text != given[i].text)
            changes.push_back({i, std::move(other)});
        if (changes.size() > 1 && ask(changed(given, changes)).isFine())
          return changes;
      }
      return Changes();
    };
    if (Changes all = tryAs(tensors); !all.empty())
      return all;
    for (size_t first = 0; first < tensors.size(); ++first)
      for (size_t second = first + 1; second < tensors.size() && !isOver_; ++second)
        if (given[tensors[first]].text == given[tensors[second]].text)
          if (Changes two = tryAs({tensors[first], tensors[second]}); !two.empty())
            return two;
    return {};
  }

  /// From the best single change on, one more at a time.
  Changes tryInSteps(const Arguments &given) {
    Changes kept;
    for (unsigned round = 1; best_ && round < kMaxRounds && !isOver_; ++round) {
      llvm::erase_if(kept, [&](const Blame::Change &change) { return change.argument == best_->argument; });
      kept.push_back(*std::exchange(best_, std::nullopt));
      if (Changes last = tryAlone(changed(given, kept)); !last.empty()) {
        kept.push_back(last.front());
        return kept;
      }
    }
    return {};
  }

  /// The changes that are all needed.
  Changes withoutNeedless(const Arguments &given, Changes changes) {
    for (size_t i = changes.size(); i-- > 0 && changes.size() > 1;) {
      Changes fewer = changes;
      fewer.erase(fewer.begin() + ptrdiff_t(i));
      if (ask(changed(given, fewer)).isFine())
        changes = std::move(fewer);
    }
    llvm::sort(changes, [](const Blame::Change &a, const Blame::Change &b) { return a.argument < b.argument; });
    return changes;
  }

  const EmitRequest &request_;
  mlir::MLIRContext &context_;
  std::vector<std::vector<ArgumentSpec>> others_; ///< Per argument.
  Visits visits_;
  std::optional<size_t> failed_;
  Outcome furthest_;
  std::optional<Blame::Change> best_;
  uint64_t steps_ = kMaxSteps;
  unsigned tries_ = 0;
  bool isOver_ = false;
};

} // namespace

Blame blameArguments(const EmitRequest &request, llvm::ArrayRef<LaunchedParameter> parameters,
                     mlir::MLIRContext &context) {
  return Search(request, parameters, context).run();
}

/// "a pointer to i32", "a number of type fp32", "100", "an object of type 'Foo'"
static std::string describe(const ArgumentSpec &spec, Environment *environment) {
  llvm::StringRef text = spec.text;
  // Objects of the host go by names that nobody has seen.
  if (spec.isConstant && environment && llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    if (auto value = evaluateLiteral(text, environment); value && (value->isHostObject() || value->isDict()))
      return value->isDict() ? "a dict" : value->hostObject()->description;
  if (spec.isConstant)
    return text.starts_with("(") || text.starts_with("[") ? "a tuple" : text.str();
  if (text.starts_with("tensordesc"))
    return "a descriptor of " + text.substr(strlen("tensordesc<")).drop_back().str();
  if (text.consume_front("*k"))
    return "a pointer to const " + text.str() + " (read-only memory, which no kernel may write)";
  if (!text.consume_front("*"))
    return "a number of type " + text.str();
  return "a pointer to " + text.str();
}

/// A part of a tuple goes by the name of the parameter that the tuple was given to.
static std::string nameOf(size_t argument, const EmitRequest &request, llvm::ArrayRef<LaunchedParameter> parameters) {
  if (argument < parameters.size())
    return "'" + parameters[argument].name + "'";
  const std::string part = partNameOf(argument - parameters.size());
  for (auto [parameter, spec] : llvm::zip(parameters, request.arguments))
    for (size_t at = spec.text.find(part); spec.isConstant && at != std::string::npos;
         at = spec.text.find(part, at + 1))
      if (at + part.size() == spec.text.size() || !llvm::isDigit(spec.text[at + part.size()]))
        return "'" + parameter.name + "', part " + part.substr(strlen("__part")) + ",";
  return "'" + part + "'";
}

std::string describeBlame(const Blame &blame, const EmitRequest &request,
                          llvm::ArrayRef<LaunchedParameter> parameters) {
  if (blame.refused)
    return "argument " + nameOf(*blame.refused, request, parameters) + " is " +
           describe(request.arguments[*blame.refused], request.environment) + ", which no kernel can take";
  std::string found, instead;
  for (const Blame::Change &change : blame.changes) {
    const std::string name = nameOf(change.argument, request, parameters);
    found += (found.empty() ? "argument " : " and argument ") + name + " is " +
             describe(request.arguments[change.argument], request.environment);
    instead += (instead.empty() ? "" : blame.isTogether ? " and " : " or ") + describe(change.instead, nullptr);
    if (blame.changes.size() > 1)
      instead += " for " + llvm::StringRef(name).rtrim(',').str();
  }
  return found + "; the kernel compiles with " + instead;
}

} // namespace tilewise::frontend
