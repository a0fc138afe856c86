// Functions and simple statements: binding parameters, scopes, assignment, return.
#include "frontend/Elaborate.h"

#include "frontend/BlockAccess.h"
#include "frontend/ConstantMath.h"
#include "frontend/Library.h"
#include "frontend/Parser.h"
#include "frontend/Try.h"

namespace tilewise::frontend {

Result<void> Elaborator::elaborateKernel(const FunctionValue &kernel,
                                         llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> parameters) {
  if (!parseBody(*kernel.definition, diagnostics_))
    return kernelFailure("");
  Frame frame;
  frame.function = &kernel;
  for (const auto &[name, value] : parameters)
    frame.scope.insert({name, Variable{value, kernel.definition->loc}});
  frame_ = &frame;
  sema_->onWarning = [this](std::string message) { diagnostics_.warning(place_, std::move(message)); };
  Result<void> done = runToEnd(kernel.definition->body, nullptr);
  sema_->onWarning = nullptr;
  frame_ = nullptr;
  if (!done)
    return done;
  if (!frame.returned.isNone()) {
    diagnostics_.error(kernel.definition->nameLoc,
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

void Elaborator::note(std::string message) { diagnostics_.note(place_, std::move(message)); }

Failure Elaborator::report(SourceLoc loc, std::string message) {
  // An error inside the standard library is shown at the user's line that called it.
  const Frame *frame = frame_;
  SourceLoc inner;
  while (frame && frame->caller && loc.file == &librarySource()) {
    if (!inner)
      inner = loc;
    loc = frame->callSite.loc;
    frame = frame->caller;
  }
  Diagnostic &error = diagnostics_.error(loc, std::move(message));
  if (inner)
    error.notes.push_back({Severity::Note, inner, "inside the standard library", {}});
  for (; frame && frame->caller; frame = frame->caller)
    error.notes.push_back(
        {Severity::Note, frame->callSite.loc, "'" + frame->function->name + "' was called from here", {}});
  return kernelFailure("");
}

void Elaborator::setPlace(SourceLoc loc) {
  if (loc)
    place_ = loc;
  sema_->sink().setProvenance({place_, frame_ && frame_->caller ? &frame_->callSite : nullptr});
}

Result<Operand> Elaborator::resolveName(llvm::StringRef name, SourceLoc loc) {
  if (auto found = frame_->scope.find(name); found != frame_->scope.end())
    return found->second.value;
  auto outer =
      frame_->function->environment->lookup(name, inConstexprFunction() ? LookupUse::Default : LookupUse::Kernel);
  if (!outer)
    return reportFailure(loc, outer.takeFailure());
  if (*outer)
    return std::move(**outer);
  if (auto builtin = pythonName(name))
    return *builtin;
  std::vector<std::string> candidates = frame_->function->environment->names();
  for (const auto &[local, variable] : frame_->scope)
    candidates.push_back(local.str());
  Failure failure = report(loc, "'" + name.str() + "' is not defined" + didYouMean(name, candidates));
  if (auto gone = frame_->gone.find(name); gone != frame_->gone.end())
    diagnostics_.last().notes.insert(
        diagnostics_.last().notes.begin(),
        {Severity::Note, gone->second, "'" + name.str() + "' is assigned only inside a branch or loop", {}});
  return failure;
}

Result<Operand> Elaborator::defaultOf(const FunctionValue &function, const ast::Parameter &parameter, SourceLoc loc) {
  EnvironmentEvaluator evaluator(
      budget_, [&](llvm::StringRef name) { return function.environment->lookup(name, LookupUse::Default); });
  auto value = evaluator.evaluate(*parameter.defaultValue);
  if (value)
    return value;
  return report(loc, "the default of '" + parameter.name.str() + "' cannot be evaluated: " + value.failure().message);
}

Result<void> Elaborator::bindParameters(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                        SourceLoc loc, Frame &frame) {
  llvm::ArrayRef<ast::Parameter> parameters = function.definition->parameters;
  llvm::SmallVector<std::optional<Operand>> bound(parameters.size());
  llvm::SmallVector<SourceLoc> places(parameters.size(), loc);
  Elements rest;
  size_t position = 0;
  for (const Argument &argument : arguments) {
    size_t at = position;
    if (argument.keyword.empty()) {
      if (position < parameters.size() && parameters[position].kind == ast::ParameterKind::VarArgs) {
        rest.push_back(argument.value);
        continue;
      }
      if (position >= parameters.size() || parameters[position].kind == ast::ParameterKind::KeywordOnly)
        return report(argument.loc ? argument.loc : loc,
                      "'" + function.name + "' takes " + std::to_string(position) + " positional arguments, got more");
      ++position;
    } else {
      at = llvm::find_if(parameters, [&](const ast::Parameter &p) { return p.name == argument.keyword; }) -
           parameters.begin();
      if (at == parameters.size()) {
        std::vector<std::string> names;
        for (const ast::Parameter &parameter : parameters)
          names.push_back(parameter.name.str());
        return report(argument.loc, "'" + function.name + "' has no parameter '" + argument.keyword.str() + "'" +
                                        didYouMean(argument.keyword, names));
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
    } else if (parameter.kind == ast::ParameterKind::KwArgs) {
      return report(parameter.loc, "'**" + parameter.name.str() + "' parameters are not part of the kernel language");
    } else if (!bound[i]) {
      if (!parameter.defaultValue)
        return report(loc, "'" + function.name + "' lacks its argument '" + parameter.name.str() + "'");
      TILEWISE_TRY(bound[i], defaultOf(function, parameter, loc));
    }
    if (ast::isConstexprAnnotation(parameter.annotation) && bound[i]->holdsRuntime())
      return report(places[i], "the parameter '" + parameter.name.str() + "' of '" + function.name +
                                   "' is tl.constexpr, got a runtime " + bound[i]->kindText());
    frame.scope.insert({parameter.name, Variable{std::move(*bound[i]), parameter.loc}});
  }
  return {};
}

Result<Operand> Elaborator::callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                         SourceLoc loc) {
  if (!loc)
    loc = place_;
  if (function.kind == FunctionValue::Kind::Host)
    return report(loc, "'" + function.name +
                           "' is a host function and cannot be called in a kernel; decorate it with @triton.jit");
  if (function.kind == FunctionValue::Kind::Constexpr)
    for (const Argument &argument : arguments)
      if (argument.value.holdsRuntime())
        return report(argument.loc ? argument.loc : loc,
                      "'" + function.name + "' runs at compile time and takes compile-time values, got a runtime " +
                          argument.value.kindText());
  if (callDepth_ >= budget_.callDepth)
    return report(loc, "calls are nested more than " + std::to_string(budget_.callDepth) + " deep; does '" +
                           function.name + "' call itself without an end?");
  if (!parseBody(*function.definition, diagnostics_))
    return kernelFailure("");

  Frame frame;
  frame.function = &function;
  frame.caller = frame_;
  frame.callSite = {loc, frame_->caller ? &frame_->callSite : nullptr};
  TILEWISE_CHECK(bindParameters(function, arguments, loc, frame));
  frame_ = &frame;
  ++callDepth_;
  Result<void> done = runToEnd(function.definition->body, nullptr);
  --callDepth_;
  frame_ = frame.caller;
  if (!done)
    return done.takeFailure();
  setPlace(loc);
  return std::move(frame.returned);
}

Result<Elaborator::Flow> Elaborator::run(ast::StmtList statements, const Pending *pending) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &statement = *statements[i];
    TILEWISE_CHECK(spend(statement.loc));
    if (auto *branch = llvm::dyn_cast<ast::If>(&statement)) {
      TILEWISE_TRY(Flow flow, runIf(*branch, statements.drop_front(i + 1), pending));
      if (flow == Flow::Returned)
        return flow;
      continue;
    }
    if (auto *leave = llvm::dyn_cast<ast::Return>(&statement)) {
      if (frame_->loopDepth)
        return report(
            statement.loc,
            "'return' inside a loop is not part of the kernel language; set a variable and test it after the loop");
      TILEWISE_TRY(frame_->returned, returnValue(*leave));
      return Flow::Returned;
    }
    TILEWISE_CHECK(runSimple(statement));
  }
  return Flow::Next;
}

Result<void> Elaborator::runToEnd(ast::StmtList statements, const Pending *pending) {
  frame_->returned = Operand::none();
  while (true) {
    TILEWISE_TRY(Flow flow, run(statements, pending));
    if (flow == Flow::Returned || !pending)
      return {};
    statements = pending->rest;
    pending = pending->outer;
  }
}

Result<Operand> Elaborator::returnValue(const ast::Return &statement) {
  if (!statement.value)
    return Operand::none();
  TILEWISE_TRY(Operand value, evaluate(*statement.value));
  if (inConstexprFunction())
    return value;
  // A jit function gives back runtime values: its numbers become scalars, also inside tuples.
  setPlace(statement.value->loc);
  llvm::SmallVector<Value> scalars;
  if (auto done = flatten(value, scalars); !done)
    return reportFailure(statement.value->loc, done.takeFailure());
  llvm::ArrayRef<Value> next = scalars;
  return rebuild(value, next);
}

static llvm::StringRef statementName(ast::StmtKind kind) {
  switch (kind) {
  case ast::StmtKind::FunctionDef:
    return "a nested function";
  case ast::StmtKind::ClassDef:
    return "'class'";
  case ast::StmtKind::With:
    return "'with'";
  case ast::StmtKind::Match:
    return "'match'";
  case ast::StmtKind::Try:
    return "'try'";
  case ast::StmtKind::Raise:
    return "'raise'";
  case ast::StmtKind::Import:
  case ast::StmtKind::ImportFrom:
    return "'import'";
  case ast::StmtKind::Global:
  case ast::StmtKind::Nonlocal:
    return "'global' or 'nonlocal'";
  case ast::StmtKind::Delete:
    return "'del'";
  case ast::StmtKind::Break:
    return "'break'";
  case ast::StmtKind::Continue:
    return "'continue'";
  default:
    return "this statement";
  }
}

Result<void> Elaborator::runSimple(const ast::Stmt &statement) {
  switch (statement.kind) {
  case ast::StmtKind::Pass:
    return {};
  case ast::StmtKind::ExprStmt: {
    TILEWISE_TRY(Operand ignored, evaluate(*llvm::cast<ast::ExprStmt>(statement).value));
    if (ignored.isRecord(*blockPointerClass()))
      return report(statement.loc, "The result of tl.advance is not being used: a block pointer does not move itself; "
                                   "write p = tl.advance(p, ...)");
    return {};
  }
  case ast::StmtKind::Assign: {
    const auto &assignment = llvm::cast<ast::Assign>(statement);
    if (assignment.targets.size() != 1)
      return report(assignment.targets[1]->loc,
                    "'a = b = value' is not part of the kernel language; write two assignments");
    TILEWISE_TRY(Operand value, evaluate(*assignment.value));
    return assign(*assignment.targets.front(), value);
  }
  case ast::StmtKind::AnnAssign:
    return assignAnnotated(llvm::cast<ast::AnnAssign>(statement));
  case ast::StmtKind::AugAssign:
    return assignAugmented(llvm::cast<ast::AugAssign>(statement));
  case ast::StmtKind::Assert: {
    // As tl.device_assert: checked only in debug builds.
    const auto &assertion = llvm::cast<ast::Assert>(statement);
    TILEWISE_TRY(Operand test, evaluate(*assertion.test));
    Operand message = Operand::ofString("");
    if (assertion.message) {
      TILEWISE_TRY(message, evaluate(*assertion.message));
    }
    setPlace(statement.loc);
    auto done = sema_->deviceAssert(test, message, Operand::none());
    return done ? Result<void>() : Result<void>(reportFailure(assertion.test->loc, done.takeFailure()));
  }
  case ast::StmtKind::For:
    return runFor(llvm::cast<ast::For>(statement));
  case ast::StmtKind::While:
    return runWhile(llvm::cast<ast::While>(statement));
  default:
    return report(statement.loc, statementName(statement.kind).str() + " is not part of the kernel language");
  }
}

Result<void> Elaborator::assignName(const ast::Name &target, Operand value) {
  Variable &variable = frame_->scope[target.id];
  if (variable.isConstexpr)
    return report(target.loc, "'" + target.id.str() + "' is tl.constexpr and cannot be assigned again");
  auto *declared = llvm::find(frame_->declaredConstexpr, target.id);
  if (declared != frame_->declaredConstexpr.end()) {
    frame_->declaredConstexpr.erase(declared);
    if (value.holdsRuntime())
      return report(target.loc, "'" + target.id.str() + "' is tl.constexpr, got a runtime " + value.kindText());
    variable.isConstexpr = true;
  } else if (value.isNumber() && !inConstexprFunction()) {
    // A plain assignment makes a number a runtime scalar.
    setPlace(target.loc);
    auto scalar = sema_->toValue(value);
    if (!scalar)
      return reportFailure(target.loc, scalar.takeFailure());
    value = Operand(*scalar);
  }
  variable.value = std::move(value);
  variable.assigned = target.loc;
  return {};
}

Result<void> Elaborator::assign(const ast::Expr &target, const Operand &value) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target))
    return assignName(*name, value);
  ast::ExprList items;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    items = tuple->items;
  else if (auto *list = llvm::dyn_cast<ast::List>(&target))
    items = list->items;
  else if (llvm::isa<ast::Attribute, ast::Subscript>(target))
    return report(
        target.loc,
        "assignment to an attribute or an element is not part of the kernel language; memory is written by tl.store");
  else
    return report(target.loc, "this cannot be assigned to");
  if (!value.isSequence())
    return report(target.loc, "cannot unpack " + value.kindText() + " into " + std::to_string(items.size()) + " names");
  const Elements &elements = value.elements();
  if (elements.size() != items.size())
    return report(target.loc, elements.size() > items.size()
                                  ? "too many values to unpack (expected " + std::to_string(items.size()) + ", got " +
                                        std::to_string(elements.size()) + ")"
                                  : "not enough values to unpack (expected " + std::to_string(items.size()) + ", got " +
                                        std::to_string(elements.size()) + ")");
  for (auto [item, element] : llvm::zip(items, elements))
    TILEWISE_CHECK(assign(*item, element));
  return {};
}

Result<void> Elaborator::assignAnnotated(const ast::AnnAssign &statement) {
  auto *name = llvm::dyn_cast<ast::Name>(statement.target);
  if (!name)
    return report(statement.target->loc, "only a name can be annotated");
  if (!ast::isConstexprAnnotation(statement.annotation)) {
    if (!statement.value)
      return {};
    TILEWISE_TRY(Operand value, evaluate(*statement.value));
    return assignName(*name, std::move(value));
  }
  // Unrolled loops pass the same declaration again and again; any other second one is a mistake.
  auto known = frame_->scope.find(name->id);
  if (known != frame_->scope.end()) {
    if (!known->second.isConstexpr || known->second.assigned != name->loc)
      return report(name->loc, "'" + name->id.str() + "' is already defined: a tl.constexpr variable is assigned once");
    known->second.isConstexpr = false;
  }
  frame_->declaredConstexpr.push_back(name->id);
  if (!statement.value)
    return {};
  TILEWISE_TRY(Operand value, evaluate(*statement.value));
  return assignName(*name, std::move(value));
}

Result<void> Elaborator::assignAugmented(const ast::AugAssign &statement) {
  auto *name = llvm::dyn_cast<ast::Name>(statement.target);
  if (!name)
    return report(
        statement.target->loc,
        "assignment to an attribute or an element is not part of the kernel language; memory is written by tl.store");
  TILEWISE_TRY(Operand left, evaluate(*name));
  TILEWISE_TRY(Operand right, evaluate(*statement.value));
  TILEWISE_TRY(Operand result, binaryAt(statement.op, left, name->loc, right, statement.value->loc, statement.opLoc));
  return assignName(*name, std::move(result));
}

} // namespace tilewise::frontend
