// `if` and the ternary: one branch at compile time, or both in regions whose differing variables
// become results.
#include "frontend/elaborate/Elaborate.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/SmallVectorExtras.h"

namespace tilewise::frontend {

Result<Elaborator::Flow> Elaborator::runIf(const ast::If &statement, ast::StmtList rest, const Pending *pending) {
  TILEWISE_TRY(Operand test, evaluate(*statement.test));
  Pending after{rest, pending};
  std::optional<bool> taken;
  Value condition;
  if (!test.isRuntime()) {
    auto truth = constantTruth(test);
    if (!truth)
      return reportFailure(statement.test->loc, truth.takeFailure());
    taken = *truth;
  } else {
    setPlace(statement.test->loc);
    auto scalar = sema_->toCondition(test, "'if'");
    if (!scalar)
      return reportTest(statement.test->loc, test, scalar.takeFailure());
    condition = std::move(*scalar);
    if (auto known = sema_->sink().known(condition))
      taken = !known->isZero();
  }
  if (taken)
    return run(*taken ? statement.body : statement.orelse, &after);

  if (!containsReturn(statement.body) && !containsReturn(statement.orelse)) {
    TILEWISE_CHECK(runtimeIf(statement, condition));
    return Flow::Next;
  }
  if (frame_->loopDepth || frame_->withDepth)
    return report(statement.loc, "Cannot have `return` statements inside `while` or `for` statements in triton; set a "
                                 "variable and test it after "
                                 "the loop");
  if (auto done = runtimeIfWithReturn(statement, condition, after); !done) {
    // What follows the `if` has been elaborated inside its branches.
    frame_->isOver = true;
    return done.takeFailure();
  }
  return Flow::Returned;
}

void Elaborator::leaveScope(Scope before) {
  for (const auto &[name, variable] : frame_->scope)
    if (before.find(name) == before.end())
      frame_->gone[name] = variable.assigned;
  frame_->scope = std::move(before);
}

Result<void> Elaborator::runtimeIf(const ast::If &statement, const Value &condition) {
  OpSink &sink = sema_->sink();
  Scope before = frame_->scope;
  OpSink::Region *regions[2];
  Scope scopes[2];
  bool hasFailed = false;
  for (int side : {0, 1}) {
    frame_->scope = before;
    openRegion({});
    Result<Flow> done = run(side == 0 ? statement.body : statement.orelse, nullptr);
    regions[side] = closeRegion();
    hasFailed |= !done;
    if (!done && !canGoOn(done.failure())) {
      frame_->scope = std::move(before);
      return done.takeFailure();
    }
    scopes[side] = std::move(frame_->scope);
  }
  frame_->scope = before;
  if (hasFailed)
    return kernelFailure("");

  // Numbers that must become values are made before the `if`, where both branches can see them.
  setPlace(statement.loc);
  llvm::SmallVector<Value> yields[2];
  llvm::SmallVector<std::pair<llvm::StringRef, Operand>> merged;
  Scope after;
  for (auto &[name, yes] : scopes[0]) {
    auto found = scopes[1].find(name);
    if (found == scopes[1].end()) {
      frame_->gone[name] = yes.assigned;
      continue;
    }
    Variable &no = found->second;
    after.insert({name, yes});
    if (yes.isPoisoned || no.isPoisoned) {
      after[name].isPoisoned = true;
      continue;
    }
    if (identical(yes.value, no.value))
      continue;
    if (!canMerge(yes.value, no.value))
      return report(yes.assigned == before.lookup(name).assigned ? no.assigned : yes.assigned,
                    "Mismatched type for " + name.str() + " between the branches of an if: " + describe(yes.value) +
                        " if the test is true, " + describe(no.value) + " if it is false; cast one side with .to(...)");
    for (int side : {0, 1})
      if (auto done = flatten(side == 0 ? yes.value : no.value, yields[side]); !done)
        return reportFailure(yes.assigned, done.takeFailure());
    merged.emplace_back(name, yes.value);
  }
  for (auto &[name, no] : scopes[1])
    if (scopes[0].find(name) == scopes[0].end())
      frame_->gone[name] = no.assigned;
  frame_->scope = std::move(after);

  llvm::SmallVector<Value> results = sink.ifElse(condition, regions[0], yields[0], regions[1], yields[1]);
  llvm::ArrayRef<Value> next = results;
  for (auto &[name, model] : merged)
    frame_->scope[name].value = rebuild(model, next);
  return {};
}

Result<void> Elaborator::runtimeIfWithReturn(const ast::If &statement, const Value &condition, const Pending &after) {
  OpSink &sink = sema_->sink();
  Scope before = frame_->scope;
  OpSink::Region *regions[2];
  Operand returned[2];
  bool fellOffEnd[2];
  std::optional<Failure> failure;
  for (int side : {0, 1}) {
    frame_->scope = before;
    openRegion({});
    Result<void> done = runToEnd(side == 0 ? statement.body : statement.orelse, &after);
    regions[side] = closeRegion();
    if (!done) {
      failure = done.takeFailure();
      if (!canGoOn(*failure) && !frame_->isOver)
        break;
      frame_->isOver = false;
    }
    returned[side] = frame_->returned;
    fellOffEnd[side] = frame_->fellOffEnd;
  }
  if (failure) {
    frame_->scope = std::move(before);
    return std::move(*failure);
  }
  frame_->scope = std::move(before);
  frame_->fellOffEnd = fellOffEnd[0] && fellOffEnd[1];
  setPlace(statement.loc);
  llvm::SmallVector<Value> yields[2];
  const int filled = fellOffEnd[0] ? 0 : 1; // If only one of them fell off the end.
  if (fellOffEnd[0] != fellOffEnd[1]) {
    TILEWISE_CHECK(flatten(returned[1 - filled], yields[1 - filled]));
    yields[filled] = zerosLike(yields[1 - filled]);
  }
  if (yields[filled].empty() && !canMerge(returned[0], returned[1]))
    return report(statement.loc, "Return type mismatch: '" + frame_->function->name + "' returns " +
                                     describe(returned[0]) + " if the test of this if is true, " +
                                     describe(returned[1]) + " if it is false");
  if (identical(returned[0], returned[1])) {
    sink.ifElse(condition, regions[0], {}, regions[1], {});
    frame_->returned = std::move(returned[0]);
    return {};
  }
  if (yields[filled].empty())
    for (int side : {0, 1})
      TILEWISE_CHECK(flatten(returned[side], yields[side]));
  llvm::SmallVector<Value> results = sink.ifElse(condition, regions[0], yields[0], regions[1], yields[1]);
  llvm::ArrayRef<Value> next = results;
  frame_->returned = rebuild(returned[1 - filled], next);
  return {};
}

/// What a function gives on a path that comes to its end, where others return `values`. There is
/// no pointer to nothing.
llvm::SmallVector<Value> Elaborator::zerosLike(llvm::ArrayRef<Value> values) {
  if (llvm::any_of(values, [](const Value &value) { return value.type.element.isPointer(); }))
    return {};
  return llvm::map_to_vector(values, [&](const Value &value) { return sema_->zeros(value.type); });
}

Result<Operand> Elaborator::runtimeIfExp(const ast::IfExp &expr, const Operand &test) {
  OpSink &sink = sema_->sink();
  setPlace(expr.test->loc);
  auto condition = sema_->toCondition(test, "'x if test else y'");
  if (!condition)
    return reportTest(expr.test->loc, test, condition.takeFailure());
  if (auto known = sink.known(*condition))
    return evaluate(known->isZero() ? *expr.orelse : *expr.body);
  OpSink::Region *regions[2];
  Operand values[2];
  llvm::SmallVector<Value> yields[2];
  for (int side : {0, 1}) {
    const ast::Expr &branch = side == 0 ? *expr.body : *expr.orelse;
    if (bindsNames(branch))
      return report(branch.loc, "':=' cannot stand in a side of a runtime 'x if test else y'; write an if statement");
    openRegion({});
    Result<Operand> value = evaluate(branch);
    if (value && !value->isSequence()) {
      values[side] = std::move(*value);
      if (auto done = flatten(values[side], yields[side]); !done)
        value = reportFailure(branch.loc, done.takeFailure());
    } else if (value) {
      value =
          report(branch.loc, "a runtime 'x if test else y' cannot choose between tuples; write an if statement that "
                             "assigns each element");
    }
    regions[side] = closeRegion();
    if (!value)
      return value.takeFailure();
  }
  setPlace(expr.loc);
  if (!canMerge(values[0], values[1]))
    return report(expr.loc, "Ternary expression with dynamic condition has inconsistent types, got " +
                                describe(values[0]) + " and " + describe(values[1]) + "; cast one side with .to(...)");
  llvm::SmallVector<Value> results = sink.ifElse(*condition, regions[0], yields[0], regions[1], yields[1]);
  llvm::ArrayRef<Value> next = results;
  return rebuild(values[0], next);
}

} // namespace tilewise::frontend
