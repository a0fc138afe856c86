// Simple statements of a kernel: running them in order, going on after an error, assignment,
// return.
#include "frontend/builtins/BlockAccess.h"
#include "frontend/elaborate/Elaborate.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

bool Elaborator::canGoOn(const Failure &failure) const {
  // A failure with a message has not been reported: it is not about one statement.
  return failure.kind == ErrorKind::Kernel && failure.message.empty() && !isStopped_ && !frame_->isOver &&
         !isPython() && budget_.steps != 0;
}

void Elaborator::poison(const ast::Stmt &statement) {
  ast::Stmt *one = const_cast<ast::Stmt *>(&statement);
  for (llvm::StringRef name : assignedNames(ast::StmtList(one))) {
    Variable &variable = frame_->scope[name];
    variable.isPoisoned = true;
    variable.isConstexpr = false;
    variable.assigned = statement.loc;
  }
}

Result<Elaborator::Flow> Elaborator::run(ast::StmtList statements, const Pending *pending) {
  bool hasFailed = false;
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &statement = *statements[i];
    auto flow = runOne(statement, statements.drop_front(i + 1), pending);
    if (!flow) {
      if (!canGoOn(flow.failure()) || llvm::isa<ast::Return>(statement))
        return flow;
      hasFailed = true;
      poison(statement);
    } else if (*flow != Flow::Next) {
      return hasFailed ? Result<Flow>(kernelFailure("")) : flow;
    }
  }
  return hasFailed ? Result<Flow>(kernelFailure("")) : Result<Flow>(Flow::Next);
}

Result<Elaborator::Flow> Elaborator::runOne(const ast::Stmt &statement, ast::StmtList rest, const Pending *pending) {
  TILEWISE_CHECK(spend(statement.loc));
  if (auto *branch = llvm::dyn_cast<ast::If>(&statement))
    return runIf(*branch, rest, pending);
  if (auto *leave = llvm::dyn_cast<ast::Return>(&statement)) {
    if (frame_->loopDepth && !isPython())
      return report(statement.loc,
                    "Cannot have `return` statements inside `while` or `for` statements in triton; set a "
                    "variable and test it after the loop");
    if (frame_->withDepth && !isPython())
      return notInLanguage(statement.loc, "'return' inside a 'with' is not part of the kernel language; set a variable "
                                          "and return it after the 'with'");
    frame_->fellOffEnd = false;
    TILEWISE_TRY(frame_->returned, returnValue(*leave));
    if (!frame_->returned.isNone())
      frame_->returnedAt = statement.loc;
    return Flow::Returned;
  }
  if (isPython())
    return runPython(statement);
  if (auto *loop = llvm::dyn_cast<ast::For>(&statement))
    return runFor(*loop, rest, pending);
  TILEWISE_CHECK(runSimple(statement));
  return Flow::Next;
}

Result<void> Elaborator::runToEnd(ast::StmtList statements, const Pending *pending) {
  frame_->returned = Operand::none();
  frame_->fellOffEnd = true;
  while (true) {
    TILEWISE_TRY(Flow flow, run(statements, pending));
    if (flow == Flow::Returned || !pending)
      return {};
    const Pending after{pending->rest, pending->outer};
    if (pending->loop) {
      TILEWISE_TRY(flow, runUnrolled(*pending->loop, pending->values, &after));
      if (flow == Flow::Returned)
        return {};
    }
    statements = after.rest;
    pending = after.outer;
  }
}

Result<Operand> Elaborator::returnValue(const ast::Return &statement) {
  // Compile-time values stay so: where two returns differ, they are made runtime values when the
  // branches meet.
  return evaluateOptional(statement.value);
}

/// What a rejected statement is called, and the way round it.
static std::string rejection(ast::StmtKind kind) {
  switch (kind) {
  case ast::StmtKind::FunctionDef:
    return "a nested function is not part of the kernel language; move it to module level and decorate it with "
           "@triton.jit";
  case ast::StmtKind::ClassDef:
    return "'class' is not part of the kernel language; define it at module level with @triton.aggregate";
  case ast::StmtKind::Match:
    return "'match' is not part of the kernel language; write if, elif and else";
  case ast::StmtKind::Try:
    return "'try' is not part of the kernel language: nothing in a kernel raises; test with if";
  case ast::StmtKind::Raise:
    return "'raise' is not part of the kernel language; use tl.static_assert or tl.device_assert";
  case ast::StmtKind::Import:
  case ast::StmtKind::ImportFrom:
    return "'import' is not part of the kernel language; import at module level";
  case ast::StmtKind::Global:
  case ast::StmtKind::Nonlocal:
    return "'global' and 'nonlocal' are not part of the kernel language; pass the value as an argument";
  case ast::StmtKind::Delete:
    return "'del' is not part of the kernel language; leave the name alone";
  case ast::StmtKind::Break:
    return "'break' is not part of the kernel language; write a while loop with the condition in its test";
  case ast::StmtKind::Continue:
    return "'continue' is not part of the kernel language; put what follows under an if";
  default:
    return "this statement is not part of the kernel language";
  }
}

Result<void> Elaborator::runExpression(const ast::Expr &expr) {
  TILEWISE_TRY(Operand value, evaluate(expr));
  if (value.isRecord(*blockPointerClass()))
    return report(expr.loc, "The result of tl.advance is not being used: a block pointer does not move itself; "
                            "write p = tl.advance(p, ...)");
  auto *call = llvm::dyn_cast<ast::Call>(&expr);
  if (!call)
    return {};
  // @triton.must_use_result. The callee is a name or an attribute, so asking for it again has no
  // effect.
  if (!llvm::isa<ast::Name, ast::Attribute>(call->callee))
    return {};
  ++quiet_;
  auto callee = evaluate(*call->callee);
  --quiet_;
  if (!callee)
    return {};
  const Operand &function = callee->isMethod() ? callee->method().function : *callee;
  if (function.isFunction() && function.function()->mustUseResult)
    return report(expr.loc, "The result of " + frame_->function->definition->module->text(*call->callee).str() +
                                " is not being used" + (function.function()->mustUseResult->empty() ? "" : ". ") +
                                *function.function()->mustUseResult);
  return {};
}

Result<void> Elaborator::runSimple(const ast::Stmt &statement) {
  switch (statement.kind) {
  case ast::StmtKind::Pass:
    return {};
  case ast::StmtKind::ExprStmt:
    return runExpression(*llvm::cast<ast::ExprStmt>(statement).value);
  case ast::StmtKind::Assign: {
    const auto &assignment = llvm::cast<ast::Assign>(statement);
    if (assignment.targets.size() != 1)
      return notInLanguage(assignment.targets[1]->loc,
                           "'a = b = value' is not part of the kernel language; write two assignments");
    TILEWISE_TRY(Operand value, evaluate(*assignment.value));
    return assign(*assignment.targets.front(), value);
  }
  case ast::StmtKind::AnnAssign:
    return assignAnnotated(llvm::cast<ast::AnnAssign>(statement));
  case ast::StmtKind::AugAssign:
    return assignAugmented(llvm::cast<ast::AugAssign>(statement));
  case ast::StmtKind::Assert:
    return runAssert(llvm::cast<ast::Assert>(statement));
  case ast::StmtKind::While:
    return runWhile(llvm::cast<ast::While>(statement));
  case ast::StmtKind::With:
    return runWith(llvm::cast<ast::With>(statement));
  default:
    return notInLanguage(statement.loc, rejection(statement.kind));
  }
}

Result<void> Elaborator::runAssert(const ast::Assert &statement) {
  // As tl.device_assert: checked only in debug builds.
  TILEWISE_TRY(Operand test, evaluate(*statement.test));
  TILEWISE_TRY(Operand message,
               statement.message ? evaluate(*statement.message) : Result<Operand>(Operand::ofString("")));
  setPlace(statement.loc);
  auto done = sema_->deviceAssert(test, message, Operand::none());
  return done ? Result<void>() : Result<void>(reportFailure(statement.test->loc, done.takeFailure()));
}

Result<Operand> Elaborator::decayed(const Operand &value, SourceLoc loc) {
  if (value.isNumber()) {
    setPlace(loc);
    auto scalar = sema_->toValue(value);
    if (!scalar)
      return reportFailure(loc, scalar.takeFailure());
    return Operand(*scalar);
  }
  if (!value.isSequence())
    return value;
  Elements elements;
  for (const Operand &element : value.elements()) {
    TILEWISE_TRY(Operand one, decayed(element, loc));
    elements.push_back(std::move(one));
  }
  return value.withElements(std::move(elements));
}

Result<void> Elaborator::assignName(const ast::Name &target, Operand value) {
  bool isConstexpr = false;
  auto *declared = llvm::find(frame_->declaredConstexpr, target.id);
  if (declared != frame_->declaredConstexpr.end()) {
    frame_->declaredConstexpr.erase(declared);
    // As upstream has it: the annotation asks that numbers stay numbers, and cannot do more.
    if (value.holdsRuntime())
      diagnostics_.warning(target.loc, "'" + target.id.str() + "' is annotated tl.constexpr but gets a runtime " +
                                           value.kindText() + "; it is a runtime variable");
    isConstexpr = true;
  } else if (!inConstexprFunction()) {
    // A plain assignment makes numbers runtime scalars, also those inside tuples.
    TILEWISE_TRY(value, decayed(value, target.loc));
  }
  Variable &variable = frame_->scope[target.id];
  variable.isConstexpr = isConstexpr;
  variable.isPoisoned = false;
  variable.value = std::move(value);
  variable.assigned = target.loc;
  return {};
}

Failure Elaborator::refuseElement(const ast::Subscript &target) {
  TILEWISE_TRY(Operand container, evaluate(*target.value));
  const bool isBlock = container.isRuntime() && !container.value().type.element.isPointer();
  return notInLanguage(target.loc, std::string("assignment to an element of ") + (container.isSequence() ? "a " : "") +
                                       container.kindText() + " is not part of the kernel language; " +
                                       (container.isSequence() ? "give each element a name, or make a new list"
                                        : isBlock              ? "choose per element with tl.where(...)"
                                                               : "memory is written by tl.store"));
}

Result<void> Elaborator::assign(const ast::Expr &target, const Operand &value) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target))
    return assignName(*name, value);
  ast::ExprList items;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    items = tuple->items;
  else if (auto *list = llvm::dyn_cast<ast::List>(&target))
    items = list->items;
  else if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&target)) {
    TILEWISE_TRY(Operand object, evaluate(*attribute->value));
    if (object.isRecord())
      return setField(object, attribute->attr, value, attribute->attrLoc);
    return notInLanguage(
        target.loc, "assignment to an attribute is not part of the kernel language; of an aggregate, make a new one");
  } else if (auto *element = llvm::dyn_cast<ast::Subscript>(&target))
    return refuseElement(*element);
  else if (llvm::isa<ast::Starred>(target))
    return report(target.loc, "starred assignment targets are not supported; name each element");
  else
    return report(target.loc, "this cannot be assigned to");
  for (const ast::Expr *item : items)
    if (llvm::isa<ast::Starred>(item))
      return report(item->loc, "starred assignment targets are not supported; name each element");
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
    if (!known->second.isPoisoned && (!known->second.isConstexpr || known->second.assigned != name->loc))
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
  if (auto *element = llvm::dyn_cast<ast::Subscript>(statement.target))
    return refuseElement(*element);
  auto *name = llvm::dyn_cast<ast::Name>(statement.target);
  if (!name)
    return notInLanguage(statement.target->loc, "assignment to an attribute is not part of the kernel language");
  TILEWISE_TRY(Operand left, evaluate(*name));
  TILEWISE_TRY(Operand right, evaluate(*statement.value));
  TILEWISE_TRY(Operand result, binaryAt(statement.op, left, name->loc, right, statement.value->loc, statement.opLoc));
  return assignName(*name, std::move(result));
}

} // namespace tilewise::frontend
