// Calls: evaluating arguments, binding them to the parameters of a builtin, and calling whatever
// the callee is.
#include "frontend/python/Evaluate.h"

#include "frontend/values/Format.h"
#include "support/Try.h"

#include "llvm/ADT/Twine.h"

namespace tilewise::frontend {

Result<llvm::SmallVector<Argument>> Evaluator::evaluateArguments(const ast::Call &call) {
  llvm::SmallVector<Argument> arguments;
  for (const ast::Expr *arg : call.args) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(arg)) {
      TILEWISE_TRY(Operand spread, evaluate(*starred->value));
      TILEWISE_TRY(Elements items, itemsOf(spread, arg->loc));
      for (const Operand &item : items)
        arguments.push_back({item, arg->loc, {}});
      continue;
    }
    TILEWISE_TRY(Operand value, evaluate(*arg));
    arguments.push_back({std::move(value), arg->loc, {}});
  }
  for (const ast::Keyword &keyword : call.keywords) {
    if (keyword.name.empty() && !isPython())
      return notInLanguage(keyword.loc, "'**' arguments are not part of the kernel language; write each as name=value");
    TILEWISE_TRY(Operand value, evaluate(*keyword.value));
    if (keyword.name.empty()) {
      if (!value.isDict())
        return report(keyword.loc, "'**' needs a dict, got " + value.kindText());
      for (const auto &[key, item] : value.entries()) {
        if (!key.isString())
          return report(keyword.loc, "the names of arguments are strings, got " + key.kindText());
        arguments.push_back({item, keyword.value->loc, keywordNames_.emplace_back(key.string())});
      }
      continue;
    }
    // Upstream's own way to hand its builder on, in code that runs while compiling.
    if (keyword.name == "_semantic" || keyword.name == "_builder" || keyword.name == "_generator")
      continue;
    arguments.push_back({std::move(value), keyword.value->loc, keyword.name});
  }
  return arguments;
}

Result<Operand> Evaluator::call(const Operand &callee, llvm::ArrayRef<Operand> arguments) {
  llvm::SmallVector<Argument> list;
  for (const Operand &argument : arguments)
    list.push_back({argument, {}, {}});
  return callOperand(callee, std::move(list), {});
}

Result<Operand> Evaluator::callOperand(const Operand &callee, llvm::SmallVector<Argument> arguments, SourceLoc loc) {
  if (callee.isMethod()) {
    arguments.insert(arguments.begin(), Argument{callee.method().self, loc, {}});
    return callOperand(callee.method().function, std::move(arguments), loc);
  }
  if (callee.isBuiltin() && callee.builtin()->is("tl.aggregate_replace"))
    return replaceFields(arguments, loc);
  if (callee.isBuiltin() && (callee.builtin()->is("getattr") || callee.builtin()->is("hasattr")))
    return callGetattr(callee.builtin()->is("hasattr"), arguments, loc);
  if (callee.isBuiltin() && callee.builtin()->is("str.format"))
    return callFormat(arguments, loc);
  if (callee.isBuiltin())
    return callBuiltin(*callee.builtin(), arguments, loc);
  if (callee.isClass())
    return construct(callee.classValue(), arguments, loc);
  if (callee.isRecord()) {
    if (const Operand *method = callee.record().kind->attribute("__call__")) {
      arguments.insert(arguments.begin(), Argument{callee, loc, {}});
      return callOperand(*method, std::move(arguments), loc);
    }
  }
  if (callee.isFunction())
    return callFunction(*callee.function(), arguments, loc);
  if (callee.isHostObject()) {
    llvm::SmallVector<Operand> positional;
    std::vector<std::pair<std::string, Operand>> keywords;
    for (Argument &argument : arguments) {
      if (argument.value.holdsRuntime())
        return report(argument.loc, callee.kindText() +
                                        " runs on the host and takes compile-time values, got a runtime " +
                                        argument.value.kindText());
      if (argument.keyword.empty())
        positional.push_back(argument.value);
      else
        keywords.emplace_back(argument.keyword.str(), argument.value);
    }
    auto result = callee.hostObject()->environment->call(*callee.hostObject(), positional, keywords);
    return result ? std::move(result) : Result<Operand>(reportFailure(loc, result.takeFailure()));
  }
  if (callee.isType()) {
    // tl.float32(x) is tl.cast(x, tl.float32).
    arguments.push_back({callee, loc, "dtype"});
    return callBuiltin(*findBuiltin("tl.cast"), arguments, loc);
  }
  return report(loc,
                callee.kindText() + " cannot be called" + (callee.isSequence() ? "; write [i] for an element" : ""));
}

/// "; write tl.store(pointer, value, mask=None)"
static std::string signatureHint(const Builtin &builtin) {
  return ("; write " + builtin.name() + "(" + builtin.parameters + ")").str();
}

Result<Operand> Evaluator::callGetattr(bool onlyAsks, llvm::ArrayRef<Argument> arguments, SourceLoc loc) {
  llvm::StringRef function = onlyAsks ? "hasattr" : "getattr";
  if (arguments.size() < 2 || arguments.size() > (onlyAsks ? 2 : 3) || !arguments[1].value.isString())
    return report(loc, function.str() + "() takes an object and a compile-time string");
  const Operand &object = arguments[0].value;
  if (onlyAsks || arguments.size() == 3) {
    // A probe must leave no message behind: only what can be asked without reporting.
    ++quiet_;
    auto found = attributeOf(object, arguments[1].value.string(), loc, loc);
    --quiet_;
    if (onlyAsks)
      return Operand::ofBool(bool(found));
    return found ? std::move(found) : Result<Operand>(arguments[2].value);
  }
  return attributeOf(object, arguments[1].value.string(), loc, arguments[1].loc);
}

/// `"{} {0} {name!r} {x:>8}".format(...)`; arguments[0] is the text.
Result<Operand> Evaluator::callFormat(llvm::ArrayRef<Argument> arguments, SourceLoc loc) {
  llvm::StringRef rest = arguments.front().value.string();
  std::string text;
  unsigned next = 0;
  while (!rest.empty()) {
    size_t brace = std::min(rest.find_first_of("{}"), rest.size());
    text += rest.take_front(brace);
    rest = rest.drop_front(brace);
    if (rest.size() > 1 && rest[0] == rest[1]) {
      text += rest.front();
      rest = rest.drop_front(2);
      continue;
    }
    if (rest.empty())
      break;
    size_t end = rest.find('}');
    if (rest.front() == '}' || end == llvm::StringRef::npos)
      return report(loc, std::string("format() met a single '") + rest.front() + "'; write it twice to mean it");
    auto [field, spec] = rest.slice(1, end).split(':');
    auto [name, conversion] = field.split('!');
    rest = rest.drop_front(end + 1);
    unsigned index = next;
    bool isIndex = name.empty() || !name.getAsInteger(10, index);
    if (name.empty())
      ++next;
    unsigned position = 0;
    const Argument *found = nullptr;
    for (const Argument &argument : arguments.drop_front())
      if (isIndex ? argument.keyword.empty() && position++ == index : argument.keyword == name)
        found = &argument;
    if (!found)
      return report(loc, "format() has no argument for '{" + field.str() + "}'");
    if (found->value.holdsRuntime())
      return report(found->loc, "format() takes compile-time values, got a runtime " + found->value.kindText());
    auto formatted = formatValue(
        conversion == "r" || conversion == "a" ? Operand::ofString(found->value.repr()) : found->value, spec);
    if (!formatted)
      return reportFailure(found->loc, formatted.takeFailure());
    text += *formatted;
  }
  return Operand::ofString(std::move(text));
}

Result<Operand> Evaluator::callBuiltin(const Builtin &builtin, llvm::ArrayRef<Argument> arguments, SourceLoc loc) {
  if (onBuiltin)
    onBuiltin(builtin);
  std::string name = builtin.name().str();
  if (builtin.name().starts_with("tl.tensor."))
    name = "." + builtin.lastName().str();
  llvm::ArrayRef<BuiltinParameter> parameters = parametersOf(builtin);
  llvm::SmallVector<std::optional<Operand>> bound(parameters.size());
  llvm::SmallVector<SourceLoc> places(parameters.size(), loc);
  Elements rest;
  size_t position = 0;
  for (const Argument &argument : arguments) {
    size_t at = position;
    if (argument.keyword.empty()) {
      if (position < parameters.size() && parameters[position].isRest) {
        rest.push_back(argument.value);
        continue;
      }
      if (position >= parameters.size() || parameters[position].keywordOnly)
        return report(argument.loc, name + " takes at most " + std::to_string(position) + " positional arguments" +
                                        signatureHint(builtin));
      ++position;
    } else {
      at = llvm::find_if(parameters, [&](const BuiltinParameter &p) { return p.name == argument.keyword; }) -
           parameters.begin();
      if (at == parameters.size()) {
        std::vector<std::string> names;
        for (const BuiltinParameter &parameter : parameters)
          names.push_back(parameter.name.str());
        std::string hint = didYouMean(argument.keyword, names);
        return report(argument.loc, name + " has no parameter '" + argument.keyword.str() + "'" +
                                        (hint.empty() ? signatureHint(builtin) : hint));
      }
      if (bound[at])
        return report(argument.loc, name + " got '" + argument.keyword.str() + "' twice");
    }
    bound[at] = argument.value;
    if (argument.loc)
      places[at] = argument.loc;
  }
  llvm::SmallVector<Operand> values;
  for (auto [parameter, value] : llvm::zip(parameters, bound)) {
    if (parameter.isRest)
      values.push_back(value && value->isSequence() ? *value
                                                    : Operand::ofTuple(value ? Elements{*value} : std::move(rest)));
    else if (value)
      values.push_back(std::move(*value));
    else if (parameter.defaultValue)
      values.push_back(*parameter.defaultValue);
    else
      return report(loc, name + " is missing its argument '" + parameter.name.str() + "'" + signatureHint(builtin));
  }
  if (!sema_ && !(builtin.flags & Builtin::CompileTime))
    return report(loc, name + " can be called only inside a kernel");
  setPlace(loc);
  auto result = builtin.apply(*this, values);
  if (result)
    return result;
  int blamed = sema_ ? sema_->takeBlamedArgument() : -1;
  SourceLoc place = blamed >= 0 && size_t(blamed) < places.size() ? places[size_t(blamed)] : loc;
  return reportFailure(place, result.takeFailure());
}

} // namespace tilewise::frontend
