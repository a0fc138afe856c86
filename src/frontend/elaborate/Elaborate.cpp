// Functions: binding parameters, calls, names, and errors with their chain of calls.
#include "frontend/elaborate/Elaborate.h"

#include "frontend/builtins/Stdlib.h"
#include "frontend/python/Visits.h"
#include "frontend/syntax/Parser.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/Support/SaveAndRestore.h"

namespace tilewise::frontend {

Result<void> Elaborator::elaborateKernel(const FunctionValue &kernel,
                                         llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> parameters) {
  if (!parseBody(*kernel.definition, diagnostics_))
    return kernelFailure("");
  Frame frame;
  frame.function = &kernel;
  for (const auto &[name, value] : parameters) {
    const auto *declared = llvm::find_if(kernel.definition->parameters,
                                         [&, name = name](const ast::Parameter &one) { return one.name == name; });
    bool isKnown = declared != kernel.definition->parameters.end();
    frame.scope.insert({name, Variable{value, isKnown ? declared->loc : kernel.definition->loc}});
  }
  frame_ = &frame;
  sema_->onWarning = [this](std::string message) { diagnostics_.warning(place_, std::move(message)); };
  Result<void> done = runToEnd(kernel.definition->body, nullptr);
  sema_->onWarning = nullptr;
  frame_ = nullptr;
  if (!done)
    return done;
  if (!frame.returned.isNone()) {
    diagnostics_.error(frame.returnedAt,
                       "the kernel '" + kernel.name + "' returns a value; a kernel gives its results through tl.store");
    return kernelFailure("");
  }
  return {};
}

Result<Operand> Elaborator::evaluateWith(const FunctionValue &function,
                                         llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> names,
                                         const ast::Expr &expr) {
  Frame frame;
  frame.function = &function;
  for (const auto &[name, value] : names)
    frame.scope.insert({name, Variable{value, expr.loc}});
  frame_ = &frame;
  sema_->onWarning = [this](std::string message) { diagnostics_.warning(place_, std::move(message)); };
  Result<Operand> result = evaluate(expr);
  sema_->onWarning = nullptr;
  frame_ = nullptr;
  return result;
}

// What a kernel prints while it is compiled has no place: programs read it as their output.
void Elaborator::note(std::string message) { diagnostics_.note(SourceLoc(), std::move(message)); }

Failure Elaborator::reportAs(MessageCode code, SourceLoc loc, std::string message) {
  if (quiet_ || isStopped_)
    return kernelFailure("");
  // An error inside the standard library is shown at the user's line that called it.
  const Frame *frame = frame_;
  SourceLoc inner;
  while (frame && frame->caller && loc.file == &stdlib::source()) {
    if (!inner)
      inner = loc;
    loc = frame->callSite.loc;
    frame = frame->caller;
  }
  // The same mistake in a helper, reached through another call, says nothing new.
  if (!reported_
           .insert((loc.file ? loc.file->path().str() : "") + ":" + std::to_string(loc.line) + ":" +
                   std::to_string(loc.column) + ":" + message)
           .second)
    return kernelFailure("");
  Diagnostic &error = diagnostics_.error(loc, std::move(message));
  error.code = code;
  if (budget_.visits)
    budget_.visits->fail(loc, about_);
  if (inner)
    error.notes.push_back({Severity::Note, inner, "inside the standard library", {}, MessageCode::Library});
  // A long chain, as of a recursion, is told by its ends.
  constexpr unsigned kShown = 5;
  unsigned depth = 0;
  for (const Frame *one = frame; one && one->caller; one = one->caller)
    ++depth;
  for (const Frame *one = frame; one && one->caller; one = one->caller)
    for (const auto &[name, place] : one->runtimeConstexprs)
      error.notes.push_back({Severity::Note,
                             place,
                             "the parameter '" + name.str() + "' of '" + one->function->name +
                                 "' is tl.constexpr, but is given a runtime value here",
                             {}});
  for (unsigned i = 0; frame && frame->caller; frame = frame->caller, ++i) {
    if (i == kShown && depth > 2 * kShown)
      error.notes.push_back(
          {Severity::Note, frame->callSite.loc, "... and " + std::to_string(depth - 2 * kShown) + " more calls", {}});
    if (i >= kShown && i < depth - std::min(depth, kShown) && depth > 2 * kShown)
      continue;
    error.notes.push_back({Severity::Note,
                           frame->callSite.loc,
                           "'" + frame->function->name + "' was called from here",
                           {},
                           MessageCode::Call});
  }
  if (diagnostics_.errorCount() >= budget_.errors) {
    isStopped_ = true;
    diagnostics_.last().notes.push_back(
        {Severity::Note, loc, "stopping after " + std::to_string(budget_.errors) + " errors", {}});
  }
  return kernelFailure("");
}

Failure Elaborator::reportOfText(SourceLoc loc, std::string message, bool isOfNone) {
  llvm::SaveAndRestore about(about_, isOfNone ? Visits::About::None : Visits::About::Text);
  return report(loc, std::move(message));
}

Failure Elaborator::reportTest(SourceLoc loc, const Operand &test, Failure failure) {
  if (!test.isRuntime() || !test.value().type.isBlock())
    return reportFailure(loc, std::move(failure));
  Failure reported = reportOfText(loc, std::move(failure.message));
  explain(loc);
  return reported;
}

void Elaborator::setPlace(SourceLoc loc) {
  if (loc)
    place_ = loc;
  if (!sema_)
    return;
  sema_->sink().setProvenance({place_, frame_ && frame_->caller ? &frame_->callSite : nullptr});
}

std::vector<std::pair<std::string, Operand>> Elaborator::locals() {
  std::vector<std::pair<std::string, Operand>> names;
  for (const auto &[name, variable] : frame_->scope)
    if (!variable.isPoisoned)
      names.emplace_back(name.str(), variable.value);
  return names;
}

Result<Operand> Elaborator::resolveName(llvm::StringRef name, SourceLoc loc) {
  if (auto found = frame_->scope.find(name); found != frame_->scope.end()) {
    if (found->second.isPoisoned || isSpoiled(found->second.value))
      return kernelFailure("");
    return found->second.value;
  }
  bool python = isPython();
  // A name that the function assigns is its own, as in Python: no global of that name stands in.
  auto gone = frame_->gone.find(name);
  bool isOwn = gone != frame_->gone.end();
  if (Environment *outside = frame_->function->environment; outside && !isOwn) {
    auto outer = outside->lookup(name, python ? LookupUse::Default : LookupUse::Kernel);
    if (!outer) {
      // A global may only happen to have the name: the program's `height` where the kernel's
      // parameter is `h`.
      Failure failure = outer.takeFailure();
      failure.message += abbreviated(name);
      return reportFailure(loc, std::move(failure));
    }
    if (*outer)
      return std::move(**outer);
  }
  if (auto builtin = isOwn ? std::nullopt : pythonName(name, python))
    return *builtin;
  if (!frame_->missing.insert(name).second)
    return kernelFailure("");
  std::vector<std::string> candidates;
  if (frame_->function->environment)
    candidates = frame_->function->environment->names();
  for (const auto &[local, variable] : frame_->scope)
    candidates.push_back(local.str());
  std::string pythons = python ? "" : pythonOnlyHint(name);
  Failure failure = pythons.empty() ? reportAs(MessageCode::UndefinedName, loc,
                                               "'" + name.str() + "' is not defined" + nearlyDefined(name, candidates))
                                    : notInLanguage(loc, pythons);
  if (isOwn && diagnostics_.hasErrors())
    diagnostics_.last().notes.insert(
        diagnostics_.last().notes.begin(),
        {Severity::Note, gone->second, "'" + name.str() + "' is assigned only inside a branch or loop", {}});
  return failure;
}

Result<Operand> Elaborator::defaultOf(const FunctionValue &function, const ast::Parameter &parameter, SourceLoc loc) {
  EnvironmentEvaluator evaluator(
      budget_,
      [&](llvm::StringRef name) -> Result<std::optional<Operand>> {
        for (const auto &[known, value] : function.captured)
          if (known == name)
            return std::optional<Operand>(value);
        return function.environment->lookup(name, LookupUse::Default);
      },
      function.environment);
  auto value = evaluator.evaluate(*parameter.defaultValue);
  if (value)
    return value;
  return report(loc, "the default of '" + parameter.name.str() + "' cannot be evaluated: " + value.failure().message);
}

static bool isPythonFunction(const FunctionValue &function) { return function.kind != FunctionValue::Kind::Jit; }

Result<void> Elaborator::bindParameters(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                        SourceLoc loc, Frame &frame) {
  llvm::ArrayRef<ast::Parameter> parameters =
      function.lambda ? function.lambda->parameters : function.definition->parameters;
  llvm::SmallVector<std::optional<Operand>> bound(parameters.size());
  llvm::SmallVector<SourceLoc> places(parameters.size(), loc);
  Elements rest;
  Entries named;
  bool takesAnyName =
      !parameters.empty() && parameters.back().kind == ast::ParameterKind::KwArgs && isPythonFunction(function);
  size_t position = 0;
  for (const Argument &argument : arguments) {
    size_t at = position;
    if (argument.keyword.empty()) {
      if (position < parameters.size() && parameters[position].kind == ast::ParameterKind::VarArgs) {
        rest.push_back(argument.value);
        continue;
      }
      if (position >= parameters.size() || parameters[position].kind == ast::ParameterKind::KeywordOnly ||
          parameters[position].kind == ast::ParameterKind::KwArgs)
        return withSignature(
            report(argument.loc ? argument.loc : loc,
                   "'" + function.name + "' takes " + std::to_string(position) +
                       (position == 1 ? " positional argument, got more" : " positional arguments, got more")),
            function);
      ++position;
    } else {
      at = llvm::find_if(parameters,
                         [&](const ast::Parameter &p) {
                           return p.name == argument.keyword && p.kind != ast::ParameterKind::VarArgs &&
                                  p.kind != ast::ParameterKind::KwArgs;
                         }) -
           parameters.begin();
      if (at == parameters.size() && takesAnyName) {
        named.emplace_back(Operand::ofString(argument.keyword.str()), argument.value);
        continue;
      }
      if (at == parameters.size()) {
        std::vector<std::string> names;
        for (const ast::Parameter &parameter : parameters)
          names.push_back(parameter.name.str());
        return withSignature(report(argument.loc, "'" + function.name + "' has no parameter '" +
                                                      argument.keyword.str() + "'" +
                                                      didYouMean(argument.keyword, names)),
                             function);
      }
      if (bound[at])
        return report(argument.loc, "'" + function.name + "' got '" + argument.keyword.str() + "' twice");
    }
    bound[at] = argument.value;
    if (argument.loc)
      places[at] = argument.loc;
  }
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (parameter.kind == ast::ParameterKind::VarArgs) {
      bound[i] = Operand::ofTuple(std::move(rest));
    } else if (parameter.kind == ast::ParameterKind::KwArgs && takesAnyName) {
      bound[i] = Operand::ofDict(std::move(named));
    } else if (parameter.kind == ast::ParameterKind::KwArgs) {
      return notInLanguage(parameter.loc, "'**" + parameter.name.str() +
                                              "' parameters are not part of the kernel language; name each parameter");
    } else if (!bound[i]) {
      if (!parameter.defaultValue)
        return withSignature(
            report(loc, "'" + function.name + "' is missing its argument '" + parameter.name.str() + "'"), function);
      TILEWISE_TRY(bound[i], defaultOf(function, parameter, loc));
    }
    // Upstream lets it pass, and so do kernels that rely on that; what needs the constant will
    // complain.
    if (ast::isConstexprAnnotation(parameter.annotation) && bound[i]->holdsRuntime())
      frame.runtimeConstexprs.emplace_back(parameter.name, places[i]);
    frame.scope[parameter.name] = Variable{std::move(*bound[i]), parameter.loc};
  }
  return {};
}

/// A function that upstream would not inline takes no blocks.
Result<void> Elaborator::checkNoinline(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                       SourceLoc loc) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (argument.value.isRuntime() && argument.value.value().type.isBlock())
      return report(argument.loc ? argument.loc : loc,
                    "'" + function.name + "' is marked noinline, but was called with a non-scalar argument of type " +
                        argument.value.kindText() + "; drop noinline=True");
  return {};
}

Result<Operand> Elaborator::callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                         SourceLoc loc) {
  if (!loc)
    loc = place_;
  // Kernels cannot call functions of the host, while Python code that runs for them can.
  if (function.kind == FunctionValue::Kind::Host && frame_ && !isPython())
    return report(loc, "'" + function.name +
                           "' is a plain Python function, which runs only in interpreter mode; use tl.device_print to "
                           "print, or decorate it with @triton.jit");
  if (!function.definition && !function.lambda)
    return report(loc, "the text of '" + function.name + "' is not known, so it cannot be called here");
  if (function.kind == FunctionValue::Kind::Jit && !sema_)
    return report(loc, "'" + function.name + "' cannot be called outside a kernel");
  if (function.isNoinline)
    TILEWISE_CHECK(checkNoinline(function, arguments, loc));
  if (callDepth_ >= budget_.callDepth)
    return report(loc, "calls are nested more than " + std::to_string(budget_.callDepth) + " deep; does '" +
                           function.name + "' call itself without an end?");
  if (function.definition && !parseBody(*function.definition, diagnostics_))
    return kernelFailure("");

  Frame frame;
  frame.function = &function;
  frame.caller = frame_;
  frame.callSite = {loc, frame_ && frame_->caller ? &frame_->callSite : nullptr};
  for (const auto &[name, value] : function.captured)
    frame.scope[name] = Variable{value, loc};
  TILEWISE_CHECK(bindParameters(function, arguments, loc, frame));
  // Names that comprehensions of the caller bind are the caller's alone.
  auto outerNames = std::exchange(comprehensionNames_, {});
  frame_ = &frame;
  ++callDepth_;
  Result<void> done;
  if (function.lambda) {
    auto value = evaluate(*function.lambda->body);
    if (value)
      frame.returned = std::move(*value);
    else
      done = value.takeFailure();
  } else {
    done = runToEnd(function.definition->body, nullptr);
  }
  --callDepth_;
  frame_ = frame.caller;
  comprehensionNames_ = std::move(outerNames);
  if (!done)
    return done.takeFailure();
  setPlace(loc);
  return std::move(frame.returned);
}

Result<Operand> callWhileCompiling(Budget &budget, const FunctionValue &function, llvm::ArrayRef<Argument> arguments) {
  // Module-level code can call through functions back into module-level code: the depth is shared
  // by all.
  if (budget.callDepth == 0)
    return kernelFailure("calls are nested too deep; does '" + function.name + "' call itself without an end?");
  --budget.callDepth;
  Diagnostics diagnostics;
  Elaborator elaborator(budget, diagnostics);
  auto result = elaborator.callFunction(function, arguments, {});
  ++budget.callDepth;
  if (result || !result.failure().message.empty())
    return result;
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error)
      return kernelFailure(diagnostic.message + (diagnostic.loc.file ? " (" + diagnostic.loc.file->path().str() + ":" +
                                                                           std::to_string(diagnostic.loc.line) + ")"
                                                                     : ""),
                           diagnostic.code);
  return kernelFailure("'" + function.name + "' cannot be evaluated");
}

} // namespace tilewise::frontend
