// `for` and `while`: loops of the kernel with their carried variables, and loops unrolled at
// compile time.
#include "frontend/elaborate/Elaborate.h"
#include "frontend/sema/NumberTypes.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tilewise::frontend {

/// The variables that a loop body assigns and that existed before it, with their values at the
/// loop's start.
struct Elaborator::Carried {
  llvm::SmallVector<std::pair<llvm::StringRef, Operand>> variables;
  llvm::SmallVector<Value> initial;
};

Result<Elaborator::Carried> Elaborator::collectCarried(ast::StmtList body, llvm::StringRef loopVariable) {
  Carried carried;
  for (llvm::StringRef name : assignedNames(body)) {
    auto found = frame_->scope.find(name);
    if (name == loopVariable || found == frame_->scope.end() || found->second.isPoisoned)
      continue;
    if (auto done = flatten(found->second.value, carried.initial); !done)
      return reportFailure(found->second.assigned, done.takeFailure());
    carried.variables.emplace_back(name, found->second.value);
  }
  return carried;
}

void Elaborator::bindCarried(const Carried &carried, llvm::ArrayRef<Value> values) {
  for (const auto &[name, model] : carried.variables)
    frame_->scope[name].value = rebuild(model, values);
}

static bool isInteger(const Operand &operand) {
  return operand.isInt() || (operand.isRuntime() && operand.value().type.element.isInt());
}
static bool isFloat(const Operand &operand) {
  return operand.isFloat() || (operand.isRuntime() && operand.value().type.element.isFloat());
}

static std::string countOfElements(const Operand &sequence) {
  const size_t count = sequence.elements().size();
  return count == 0 ? "no elements" : std::to_string(count) + (count == 1 ? " element" : " elements");
}

Result<llvm::SmallVector<Value>> Elaborator::carriedYields(const Carried &carried) {
  llvm::SmallVector<Value> yields;
  for (const auto &[name, before] : carried.variables) {
    const Variable &now = frame_->scope[name];
    if (now.isPoisoned)
      return kernelFailure("");
    if (before.isSequence() && now.value.isSequence() && before.elements().size() != now.value.elements().size())
      return reportOfText(now.assigned, "'" + name.str() + "' has " + countOfElements(before) +
                                            " before the loop but " + countOfElements(now.value) +
                                            " after an iteration; a loop carries a fixed number of values: unroll it "
                                            "with tl.static_range, or store what each iteration gives");
    if (!canMerge(before, now.value)) {
      const bool startsAsInt = isInteger(before) && isFloat(now.value);
      std::string message = "loop-carried variable '" + name.str() + "' has type " + describe(before) +
                            " before the loop but " + describe(now.value) + " after an iteration; ";
      if (startsAsInt)
        return reportOfText(now.assigned, message + (before.isRuntime() && before.value().type.isBlock()
                                                         ? "start it as a block of floats, with tl.float32"
                                                         : "start it as a float, as in '" + name.str() + " = 0.0'"));
      return report(now.assigned, message + "make both one type, with .to(...) if need be");
    }
    if (auto done = flatten(now.value, yields); !done)
      return reportFailure(now.assigned, done.takeFailure());
  }
  return yields;
}

/// Reads a keyword of tl.range that is for the engine's scheduler, without effect on meaning:
/// nothing when it is no such keyword, false when its value is not what it should be.
static std::optional<bool> readLoopOption(const Argument &argument, OpSink::LoopOptions &options) {
  std::optional<int64_t> *number = llvm::StringSwitch<std::optional<int64_t> *>(argument.keyword)
                                       .Case("num_stages", &options.numStages)
                                       .Case("loop_unroll_factor", &options.unrollFactor)
                                       .Default(nullptr);
  if (number) {
    *number = argument.value.asInt64();
    return *number || argument.value.isNone();
  }
  bool *flag = llvm::StringSwitch<bool *>(argument.keyword)
                   .Case("disallow_acc_multi_buffer", &options.disallowAccMultiBuffer)
                   .Case("flatten", &options.flatten)
                   .Case("warp_specialize", &options.warpSpecialize)
                   .Case("disable_licm", &options.disableLicm)
                   .Default(nullptr);
  if (!flag)
    return std::nullopt;
  if (argument.value.isRuntime())
    return false;
  auto truth = constantTruth(argument.value);
  *flag = truth && *truth;
  return bool(truth);
}

Result<Elaborator::Flow> Elaborator::runFor(const ast::For &statement, ast::StmtList rest, const Pending *pending) {
  if (!statement.orelse.empty())
    return notInLanguage(statement.orelse.front()->loc,
                         "'else' of a loop is not part of the kernel language; write it after the loop");
  auto *target = llvm::dyn_cast<ast::Name>(statement.target);
  if (!target)
    return report(statement.target->loc,
                  "a loop of the kernel language has one name as its variable; write 'for i in range(n)', and "
                  "take what else changes from i inside");
  auto *call = llvm::dyn_cast<ast::Call>(statement.iter);
  llvm::StringRef kind;
  if (call) {
    TILEWISE_TRY(Operand callee, evaluate(*call->callee));
    if (callee.isBuiltin())
      kind = callee.builtin()->name();
  }
  if (!call) {
    TILEWISE_TRY(Operand values, evaluate(*statement.iter));
    if (values.isRuntime())
      return reportFailure(statement.iter->loc,
                           kernelFailure("'for' does not run over the elements of " + values.kindText() +
                                         "; an operation takes all of them at once, and tl.sum, tl.max or tl.reduce "
                                         "make one of them"));
  }
  if (kind != "range" && kind != "tl.range" && kind != "tl.static_range")
    return report(statement.iter->loc,
                  "'for' runs over range(...), tl.range(...) or tl.static_range(...); to run over a tuple, write "
                  "'for i in tl.static_range(len(values))' and use values[i]");
  OpSink::LoopOptions options;
  TILEWISE_TRY(llvm::SmallVector<Argument> bounds, loopBounds(*call, kind, options));
  if (kind != "tl.static_range") {
    TILEWISE_CHECK(runRange(statement, target->id, bounds, options));
    return Flow::Next;
  }
  TILEWISE_TRY(Elements values, staticValues(bounds, statement.loc));
  Pending after{rest, pending};
  return runUnrolled(statement, values, &after);
}

Result<llvm::SmallVector<Argument>> Elaborator::loopBounds(const ast::Call &call, llvm::StringRef kind,
                                                           OpSink::LoopOptions &options) {
  TILEWISE_TRY(llvm::SmallVector<Argument> arguments, evaluateArguments(call));
  llvm::SmallVector<Argument> bounds;
  for (const Argument &argument : arguments) {
    if (argument.keyword.empty())
      bounds.push_back(argument);
    else if (std::optional<bool> isOption =
                 kind != "tl.static_range" ? readLoopOption(argument, options) : std::nullopt) {
      if (!*isOption)
        return report(
            argument.loc,
            kind.str() + "'s " + argument.keyword.str() + " must be a compile-time " +
                (argument.keyword == "num_stages" || argument.keyword == "loop_unroll_factor" ? "int" : "bool") +
                ", got " + argument.value.kindText());
    } else if (argument.keyword == "step" && bounds.size() == 2)
      bounds.push_back(argument);
    else
      return report(argument.loc, kind.str() + " has no parameter '" + argument.keyword.str() + "'");
  }
  if (kind == "range")
    options = {}; // Upstream takes them here too, and only reads tl.range's.
  if (bounds.empty() || bounds.size() > 3)
    return report(call.loc, kind.str() + " takes one to three bounds, got " + std::to_string(bounds.size()));
  if (bounds.size() == 1)
    bounds.insert(bounds.begin(), Argument{Operand::ofInt(0), call.loc, {}});
  if (bounds.size() == 2)
    bounds.push_back(Argument{Operand::ofInt(1), call.loc, {}});
  return bounds;
}

Result<Elements> Elaborator::staticValues(llvm::ArrayRef<Argument> bounds, SourceLoc loc) {
  int64_t numbers[3];
  for (int i : {0, 1, 2}) {
    std::optional<int64_t> number = bounds[i].value.asInt64();
    if (!number)
      return reportFailure(bounds[i].loc,
                           kernelFailure("tl.static_range takes compile-time ints, got " +
                                         (bounds[i].value.isRuntime()
                                              ? "a runtime " + bounds[i].value.kindText() +
                                                    "; mark what it comes from as tl.constexpr, or write range(...)"
                                              : bounds[i].value.kindText())));
    numbers[i] = *number;
  }
  if (numbers[2] == 0)
    return report(bounds[2].loc, "tl.static_range's step must not be 0");
  Elements values;
  for (int64_t i = numbers[0]; numbers[2] > 0 ? i < numbers[1] : i > numbers[1];) {
    TILEWISE_CHECK(spend(loc));
    values.push_back(Operand::ofInt(i));
    if (llvm::AddOverflow(i, numbers[2], i))
      break;
  }
  return values;
}

Result<Elaborator::Flow> Elaborator::runUnrolled(const ast::For &statement, llvm::ArrayRef<Operand> values,
                                                 const Pending *after) {
  const auto &target = llvm::cast<ast::Name>(*statement.target);
  for (auto [i, value] : llvm::enumerate(values)) {
    // The variable is a compile-time value, without decay.
    frame_->scope[target.id] = Variable{value, target.loc};
    Pending rounds{after->rest, after->outer, &statement, values.drop_front(i + 1)};
    // After an error the next round would only say the same again.
    TILEWISE_TRY(Flow flow, run(statement.body, &rounds));
    if (flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

bool Elaborator::isReadAfterLoop(llvm::StringRef name) {
  const ast::FunctionDef *definition = frame_->function->definition;
  auto [known, isNew] = readAfterLoop_.try_emplace(definition);
  if (isNew)
    known->second = namesReadAfterLoops(definition->body);
  return known->second.contains(name);
}

/// A loop over a range: it counts from `begin` to `end` in steps of `step`, all of type `counter`.
///
/// A negative step counts the distance travelled upwards:
///
///     for i in range(start, end, -2)     ==>     for j in range(0, start - end, 2): i = start - j
struct Elaborator::CountedLoop {
  const ast::For &statement;
  llvm::StringRef target;
  Value begin, end, step;
  DType variable, counter;
  std::optional<Value> start; ///< Where the variable starts that counts down.
};

Result<Elaborator::CountedLoop> Elaborator::countedLoop(const ast::For &statement, llvm::StringRef target,
                                                        llvm::ArrayRef<Argument> bounds) {
  setPlace(bounds[0].loc);
  auto range = sema_->loopRange(bounds[0].value, bounds[1].value, bounds[2].value);
  if (!range)
    return reportFailure(bounds[std::max(0, sema_->takeBlamedArgument())].loc, range.takeFailure());
  CountedLoop loop{statement,   target,          range->start,   range->end,
                   range->step, range->variable, range->counter, std::nullopt};
  const Operand &step = bounds[2].value;
  setPlace(statement.loc);
  if (step.isInt() && step.integer().isNegative()) {
    loop.start = loop.begin;
    loop.end = sema_->sink().binary(BinaryOp::SubInt, loop.begin, loop.end);
    TILEWISE_TRY(Operand magnitude, constantUnary(UnaryOperator::Minus, step));
    TILEWISE_TRY(loop.step, sema_->numberAs(magnitude, loop.counter));
    loop.begin = sema_->zeros(loop.counter);
  }
  return loop;
}

/// What the loop's variable is where the loop has counted to `count`.
Result<Value> Elaborator::loopVariable(const CountedLoop &loop, const Value &count) {
  return sema_->cast(loop.start ? sema_->sink().binary(BinaryOp::SubInt, *loop.start, count) : count, loop.variable);
}

Result<void> Elaborator::runRange(const ast::For &statement, llvm::StringRef target, llvm::ArrayRef<Argument> bounds,
                                  const OpSink::LoopOptions &options) {
  TILEWISE_TRY(CountedLoop loop, countedLoop(statement, target, bounds));
  OpSink &sink = sema_->sink();
  if (auto begin = sink.known(loop.begin), end = sink.known(loop.end), step = sink.known(loop.step);
      begin && end && step)
    return runRounds(loop, begin->getSExtValue(), end->getSExtValue(), step->getSExtValue());
  TILEWISE_CHECK(emitCountedLoop(loop, options));
  return isReadAfterLoop(target) ? keepLastValue(loop) : Result<void>();
}

/// A sink that executes runs the body here, once per round.
Result<void> Elaborator::runRounds(const CountedLoop &loop, int64_t begin, int64_t end, int64_t step) {
  llvm::SaveAndRestore depth(frame_->loopDepth, frame_->loopDepth + 1);
  for (int64_t i = begin; i < end; i += step) {
    llvm::APInt count(loop.counter.bits(), uint64_t(i), /*isSigned=*/true);
    TILEWISE_TRY(Value variable, loopVariable(loop, sema_->sink().constantInt(loop.counter, count)));
    frame_->scope[loop.target] = Variable{Operand(variable), loop.statement.target->loc};
    TILEWISE_CHECK(run(loop.statement.body, nullptr));
  }
  return {};
}

Result<void> Elaborator::emitCountedLoop(const CountedLoop &loop, const OpSink::LoopOptions &options) {
  OpSink &sink = sema_->sink();
  const ast::For &statement = loop.statement;
  Scope before = frame_->scope;
  TILEWISE_TRY(Carried carried, collectCarried(statement.body, loop.target));
  llvm::SmallVector<Type> types{Type(loop.counter)};
  for (const Value &value : carried.initial)
    types.push_back(value.type);
  setPlace(statement.loc);
  llvm::SmallVector<Value> arguments = openRegion(types);
  auto body = [&]() -> Result<llvm::SmallVector<Value>> {
    llvm::SaveAndRestore depth(frame_->loopDepth, frame_->loopDepth + 1);
    TILEWISE_TRY(Value variable, loopVariable(loop, arguments.front()));
    frame_->scope[loop.target] = Variable{Operand(variable), statement.target->loc};
    bindCarried(carried, llvm::ArrayRef<Value>(arguments).drop_front());
    TILEWISE_CHECK(run(statement.body, nullptr));
    setPlace(statement.loc);
    return carriedYields(carried);
  }();
  OpSink::Region *region = closeRegion();
  if (!body) {
    frame_->scope = std::move(before);
    return body.takeFailure();
  }
  llvm::SmallVector<Value> results =
      sink.forLoop(loop.begin, loop.end, loop.step, carried.initial, region, *body, options);
  leaveScope(std::move(before));
  bindCarried(carried, results);
  return {};
}

/// After the loop the variable keeps the value of the last round, as in Python: that of
/// begin + (rounds - 1) * step, and of begin itself without a round.
Result<void> Elaborator::keepLastValue(const CountedLoop &loop) {
  OpSink &sink = sema_->sink();
  setPlace(loop.statement.loc);
  Value distance = sink.binary(BinaryOp::SubInt, loop.end, loop.begin);
  Value one = sink.constantInt(loop.counter, llvm::APInt(loop.counter.bits(), 1));
  Value last = sink.binary(BinaryOp::DivS, sink.binary(BinaryOp::SubInt, distance, one), loop.step);
  Value none = sink.compare(CompareOp::LtS, distance, one);
  Value offset = sink.binary(BinaryOp::MulInt, last, loop.step);
  offset = sink.select(none, sema_->zeros(loop.counter), offset);
  TILEWISE_TRY(Value kept, loopVariable(loop, sink.binary(BinaryOp::AddInt, loop.begin, offset)));
  frame_->scope[loop.target] = Variable{Operand(kept), loop.statement.target->loc};
  return {};
}

Result<void> Elaborator::runWhile(const ast::While &statement) {
  if (!statement.orelse.empty())
    return notInLanguage(statement.orelse.front()->loc,
                         "'else' of a loop is not part of the kernel language; write it after the loop");
  if (bindsNames(*statement.test))
    return report(statement.test->loc, "':=' cannot stand in the test of a while; assign inside the loop");
  return sema_->sink().executes() ? runRoundsOf(statement) : emitWhile(statement);
}

Result<Value> Elaborator::conditionOf(const ast::While &statement, const Operand &test) {
  setPlace(statement.test->loc);
  if (test.isRuntime())
    return sema_->toCondition(test, "'while'");
  TILEWISE_TRY(bool truth, constantTruth(test));
  return sema_->numberAs(Operand::ofBool(truth), Scalar::Int1);
}

Result<void> Elaborator::runRoundsOf(const ast::While &statement) {
  auto isTrue = [&](const Operand &test) -> Result<bool> {
    if (!test.isRuntime())
      return constantTruth(test);
    TILEWISE_TRY(Value condition, conditionOf(statement, test));
    return !sema_->sink().known(condition)->isZero();
  };
  while (true) {
    TILEWISE_TRY(Operand test, evaluate(*statement.test));
    auto truth = isTrue(test);
    if (!truth)
      return reportFailure(statement.test->loc, truth.takeFailure());
    if (!*truth)
      return {};
    TILEWISE_CHECK(spend(statement.loc));
    ++frame_->loopDepth;
    auto flow = run(statement.body, nullptr);
    --frame_->loopDepth;
    if (!flow)
      return flow.takeFailure();
  }
}

Result<void> Elaborator::emitWhile(const ast::While &statement) {
  setPlace(statement.loc);
  TILEWISE_TRY(Carried carried, collectCarried(statement.body, {}));
  ++frame_->loopDepth;
  llvm::SmallVector<Type> types;
  for (const Value &value : carried.initial)
    types.push_back(value.type);
  Scope before = frame_->scope;

  // The test, over the variables as the body left them.
  llvm::SmallVector<Value> arguments = openRegion(types);
  bindCarried(carried, arguments);
  auto condition = [&]() -> Result<Value> {
    TILEWISE_TRY(Operand test, evaluate(*statement.test));
    auto value = conditionOf(statement, test);
    return value ? std::move(value) : Result<Value>(reportTest(statement.test->loc, test, value.takeFailure()));
  }();
  OpSink::Region *testRegion = closeRegion();
  if (!condition) {
    --frame_->loopDepth;
    frame_->scope = std::move(before);
    return condition.takeFailure();
  }

  frame_->scope = before;
  arguments = openRegion(types);
  bindCarried(carried, arguments);
  auto body = [&]() -> Result<llvm::SmallVector<Value>> {
    TILEWISE_TRY(Flow flow, run(statement.body, nullptr));
    (void)flow;
    setPlace(statement.loc);
    return carriedYields(carried);
  }();
  OpSink::Region *bodyRegion = closeRegion();
  --frame_->loopDepth;
  if (!body) {
    frame_->scope = std::move(before);
    return body.takeFailure();
  }
  llvm::SmallVector<Value> results =
      sema_->sink().whileLoop(carried.initial, testRegion, *condition, bodyRegion, *body);
  leaveScope(std::move(before));
  bindCarried(carried, results);
  return {};
}

} // namespace tilewise::frontend
