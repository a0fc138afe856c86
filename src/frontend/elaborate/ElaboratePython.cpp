// Statements of functions that run while compiling, with Python's meaning, and a kernel's `with`.
#include "frontend/elaborate/Elaborate.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

Result<Elaborator::Flow> Elaborator::runPython(const ast::Stmt &statement) {
  switch (statement.kind) {
  case ast::StmtKind::Pass:
  case ast::StmtKind::Global:
  case ast::StmtKind::Nonlocal:
    return Flow::Next;
  case ast::StmtKind::Break:
    return Flow::Broke;
  case ast::StmtKind::Continue:
    return Flow::Continued;
  case ast::StmtKind::ExprStmt: {
    TILEWISE_TRY(Operand ignored, evaluate(*llvm::cast<ast::ExprStmt>(statement).value));
    (void)ignored;
    return Flow::Next;
  }
  case ast::StmtKind::Assign: {
    const auto &assignment = llvm::cast<ast::Assign>(statement);
    TILEWISE_TRY(Operand value, evaluate(*assignment.value));
    for (const ast::Expr *target : assignment.targets)
      TILEWISE_CHECK(assignPython(*target, value));
    return Flow::Next;
  }
  case ast::StmtKind::AnnAssign: {
    const auto &assignment = llvm::cast<ast::AnnAssign>(statement);
    if (!assignment.value)
      return Flow::Next;
    TILEWISE_TRY(Operand value, evaluate(*assignment.value));
    TILEWISE_CHECK(assignPython(*assignment.target, value));
    return Flow::Next;
  }
  case ast::StmtKind::AugAssign: {
    const auto &assignment = llvm::cast<ast::AugAssign>(statement);
    TILEWISE_TRY(Operand left, evaluate(*assignment.target));
    TILEWISE_TRY(Operand right, evaluate(*assignment.value));
    TILEWISE_TRY(Operand result,
                 binaryAt(assignment.op, left, assignment.target->loc, right, assignment.value->loc, assignment.opLoc));
    TILEWISE_TRY(result, checkExtent(std::move(result), statement.loc));
    TILEWISE_CHECK(assignPython(*assignment.target, result));
    return Flow::Next;
  }
  case ast::StmtKind::Assert: {
    const auto &assertion = llvm::cast<ast::Assert>(statement);
    TILEWISE_TRY(Operand test, evaluate(*assertion.test));
    auto truth = constantTruth(test);
    if (!truth)
      return reportFailure(assertion.test->loc, truth.takeFailure());
    if (*truth)
      return Flow::Next;
    TILEWISE_TRY(Operand message, evaluateOptional(assertion.message));
    return report(statement.loc, "assertion failed" + (message.isNone() ? "" : ": " + message.str()));
  }
  case ast::StmtKind::Raise: {
    const auto &raise = llvm::cast<ast::Raise>(statement);
    std::string what = raise.exception ? ast::lastName(raise.exception).str() : "an exception";
    if (auto *call = llvm::dyn_cast_or_null<ast::Call>(raise.exception); call && !call->args.empty()) {
      auto message = evaluate(*call->args.front());
      if (message)
        what += ": " + message->str();
    }
    return report(statement.loc, "raised " + what);
  }
  case ast::StmtKind::For:
    return runPythonLoop(llvm::cast<ast::For>(statement));
  case ast::StmtKind::While:
    return runPythonWhile(llvm::cast<ast::While>(statement));
  case ast::StmtKind::FunctionDef:
    TILEWISE_CHECK(defineNested(llvm::cast<ast::FunctionDef>(statement)));
    return Flow::Next;
  case ast::StmtKind::Try:
    return runTry(llvm::cast<ast::Try>(statement));
  case ast::StmtKind::Import:
    for (const ast::Alias &alias : llvm::cast<ast::Import>(statement).names) {
      llvm::StringRef dotted = alias.asName.empty() ? alias.name.split('.').first : alias.name;
      std::optional<std::string> module = knownModule(dotted);
      if (!module)
        return report(statement.loc, "the module '" + dotted.str() + "' is not available while compiling");
      frame_->scope[alias.asName.empty() ? dotted : alias.asName] = Variable{Operand::ofModule(*module), alias.loc};
    }
    return Flow::Next;
  default:
    return report(statement.loc,
                  "this statement cannot run while compiling; keep to assignments, if, for, while and return");
  }
}

Result<void> Elaborator::assignPython(const ast::Expr &target, const Operand &value) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target))
    return assignName(*name, value);
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&target)) {
    TILEWISE_TRY(Operand object, evaluate(*attribute->value));
    if (!object.isRecord())
      return report(target.loc, "the attributes of " + object.kindText() + " cannot be assigned");
    return setField(object, attribute->attr, value, attribute->attrLoc);
  }
  if (auto *subscript = llvm::dyn_cast<ast::Subscript>(&target))
    return assignElement(*subscript, value);
  return unpackInto(target, value);
}

Result<void> Elaborator::assignElement(const ast::Subscript &target, const Operand &value) {
  TILEWISE_TRY(Operand container, evaluate(*target.value));
  TILEWISE_TRY(Operand index, evaluate(*target.index));
  if (!container.isList() && !container.isDict())
    return report(target.loc, "the elements of " + container.kindText() + " cannot be assigned");
  if (auto may = mayChange(container); !may)
    return reportFailure(target.loc, may.takeFailure());
  if (wouldCloseCircle(container, value))
    return report(target.loc, "a list or dict cannot hold itself");
  TILEWISE_CHECK(spend(target.loc, value.extent().parts));
  if (container.isList()) {
    std::optional<int64_t> at = index.asInt64();
    int64_t size = int64_t(container.elements().size());
    if (at && *at < 0)
      *at += size;
    if (!at || *at < 0 || *at >= size)
      return report(target.index->loc,
                    "index " + index.str() + " is outside a list of " + std::to_string(size) + " elements");
    container.mutableElements()[size_t(*at)] = value;
    return {};
  }
  for (auto &[key, held] : container.mutableEntries()) {
    auto same = constantCompare(CompareOperator::Eq, key, index);
    if (!same)
      return reportFailure(target.index->loc, same.takeFailure());
    TILEWISE_CHECK(spend(target.loc));
    if (same->boolean()) {
      held = value;
      return {};
    }
  }
  container.mutableEntries().emplace_back(index, value);
  return {};
}

Result<void> Elaborator::unpackInto(const ast::Expr &target, const Operand &value) {
  ast::ExprList items;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    items = tuple->items;
  else if (auto *list = llvm::dyn_cast<ast::List>(&target))
    items = list->items;
  else
    return report(target.loc, "this cannot be assigned to");
  TILEWISE_TRY(Elements values, itemsOf(value, target.loc));
  auto *star = llvm::find_if(items, [](const ast::Expr *item) { return llvm::isa<ast::Starred>(item); });
  if (star == items.end() ? values.size() != items.size() : values.size() + 1 < items.size())
    return report(target.loc, (values.size() > items.size() ? "too many values to unpack (expected "
                                                            : "not enough values to unpack (expected ") +
                                  std::to_string(items.size()) + ", got " + std::to_string(values.size()) + ")");
  size_t taken = 0;
  for (const ast::Expr *item : items) {
    auto *starred = llvm::dyn_cast<ast::Starred>(item);
    if (!starred) {
      TILEWISE_CHECK(assignPython(*item, values[taken++]));
      continue;
    }
    size_t count = values.size() - (items.size() - 1);
    Elements middle(values.begin() + ptrdiff_t(taken), values.begin() + ptrdiff_t(taken + count));
    taken += count;
    TILEWISE_CHECK(assignPython(*starred->value, Operand::ofList(std::move(middle))));
  }
  return {};
}

Result<Elaborator::Flow> Elaborator::runPythonLoop(const ast::For &statement) {
  TILEWISE_TRY(Operand iterable, evaluate(*statement.iter));
  // A copy: the body may change the list.
  TILEWISE_TRY(Elements items, itemsOf(iterable, statement.iter->loc));
  for (const Operand &item : items) {
    TILEWISE_CHECK(spend(statement.loc));
    TILEWISE_CHECK(assignPython(*statement.target, item));
    TILEWISE_TRY(Flow flow, run(statement.body, nullptr));
    if (flow == Flow::Returned)
      return flow;
    if (flow == Flow::Broke)
      return Flow::Next;
  }
  return run(statement.orelse, nullptr);
}

Result<Elaborator::Flow> Elaborator::runPythonWhile(const ast::While &statement) {
  while (true) {
    TILEWISE_CHECK(spend(statement.loc));
    TILEWISE_TRY(Operand test, evaluate(*statement.test));
    auto truth = constantTruth(test);
    if (!truth)
      return reportFailure(statement.test->loc, truth.takeFailure());
    if (!*truth)
      return run(statement.orelse, nullptr);
    TILEWISE_TRY(Flow flow, run(statement.body, nullptr));
    if (flow == Flow::Returned)
      return flow;
    if (flow == Flow::Broke)
      return Flow::Next;
  }
}

/// What cannot be evaluated counts as what a handler catches.
Result<Elaborator::Flow> Elaborator::runTry(const ast::Try &statement) {
  ++quiet_;
  auto flow = run(statement.body, nullptr);
  --quiet_;
  if (!flow && flow.failure().kind != ErrorKind::Internal && budget_.steps != 0 && !statement.handlers.empty())
    flow = run(statement.handlers.front().body, nullptr);
  else if (flow && *flow == Flow::Next)
    flow = run(statement.orelse, nullptr);
  if (!flow)
    return flow.failure().message.empty() ? report(statement.loc, "the body of this 'try' cannot be evaluated")
                                          : flow.takeFailure();
  TILEWISE_TRY(Flow last, run(statement.finalbody, nullptr));
  return last == Flow::Next ? flow : Result<Flow>(last);
}

Result<void> Elaborator::defineNested(const ast::FunctionDef &definition) {
  TILEWISE_CHECK(spend(definition.loc, 2000));
  auto function = std::make_shared<FunctionValue>();
  function->name = definition.name.str();
  function->kind = FunctionValue::Kind::Constexpr;
  function->definition = const_cast<ast::FunctionDef *>(&definition);
  function->environment = frame_->function->environment;
  function->captured = locals();
  frame_->scope[definition.name] = Variable{Operand::ofFunction(std::move(function)), definition.loc};
  return {};
}

Result<void> Elaborator::runWith(const ast::With &statement) {
  if (containsReturn(statement.body))
    return notInLanguage(statement.loc,
                         "'return' inside a 'with' is not part of the kernel language; set a variable and return it "
                         "after the 'with'");
  llvm::SmallVector<Operand> managers;
  for (const ast::WithItem &item : statement.items) {
    TILEWISE_TRY(Operand manager, evaluate(*item.context));
    if (!manager.isRecord() ||
        (manager.record().kind->maker != RecordClass::Maker::None &&
         !(manager.record().kind->attribute("__enter__") && manager.record().kind->attribute("__exit__"))))
      return report(item.context->loc,
                    "'with' needs an aggregate that has __enter__ and __exit__, got " + manager.kindText());
    managers.push_back(std::move(manager));
  }
  for (auto [manager, item] : llvm::zip(managers, statement.items)) {
    TILEWISE_TRY(std::optional<Operand> entered, callSpecial(manager, "__enter__", {}, item.context->loc));
    if (item.target)
      TILEWISE_CHECK(assign(*item.target, entered ? *entered : Operand::none()));
  }
  ++frame_->withDepth;
  auto flow = run(statement.body, nullptr);
  --frame_->withDepth;
  if (!flow)
    return flow.takeFailure();
  Operand none[3];
  for (const Operand &manager : llvm::reverse(managers)) {
    TILEWISE_TRY(std::optional<Operand> left, callSpecial(manager, "__exit__", none, statement.loc));
    (void)left;
  }
  return {};
}

} // namespace tilewise::frontend
