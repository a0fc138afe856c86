// Expressions of a syntax tree -> operands: names, literals, operators, subscripts.
#include "frontend/python/Evaluate.h"

#include "frontend/python/Visits.h"
#include "frontend/values/ConstantMath.h"
#include "frontend/values/Format.h"
#include "support/Try.h"

#include "llvm/ADT/Twine.h"

namespace tilewise::frontend {

const CompileFacts &Evaluator::facts() {
  static const CompileFacts unknown;
  Environment *outside = environment();
  return sema_ ? sema_->facts : outside ? outside->facts : unknown;
}

Result<void> Evaluator::spend(SourceLoc loc, uint64_t steps) {
  if (budget_.steps < steps) {
    budget_.steps = 0;
    return report(
        loc,
        "compiling this kernel takes too many steps; is a tl.static_range too long, or a recursion without an end?");
  }
  budget_.steps -= steps;
  if (budget_.visits)
    budget_.visits->come(loc, steps);
  return {};
}

Result<Operand> Evaluator::checkExtent(Operand value, SourceLoc loc) {
  if (value.isString()) {
    TILEWISE_CHECK(spend(loc, value.string().size() / 16));
    return value;
  }
  if (!value.isSequence() && !value.isDict() && !value.isRecord() && !value.isSlice() && !value.isMethod())
    return value;
  Operand::Extent extent = value.extent();
  if (extent.depth > kMaxDepth)
    return report(loc, "a compile-time value is nested more than " + std::to_string(kMaxDepth) + " deep");
  if (extent.parts > kMaxParts)
    return report(loc, "a compile-time value has more than " + std::to_string(kMaxParts) + " parts");
  if (value.isSequence())
    TILEWISE_CHECK(spend(loc, value.elements().size()));
  return value;
}

Result<Operand> Evaluator::evaluate(const ast::Expr &expr) {
  TILEWISE_CHECK(spend(expr.loc));
  if (expr.kind == ast::ExprKind::Name || expr.kind == ast::ExprKind::Constant)
    return evaluateKind(expr);
  if (budget_.nesting == 0)
    return report(expr.loc, "expressions and calls are nested too deep");
  --budget_.nesting;
  auto value = evaluateKind(expr);
  ++budget_.nesting;
  if (!value)
    return value;
  return checkExtent(std::move(*value), expr.loc);
}

Result<Operand> Evaluator::evaluateKind(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::ExprKind::Name: {
    llvm::StringRef id = llvm::cast<ast::Name>(expr).id;
    for (const auto &[name, value] : llvm::reverse(comprehensionNames_))
      if (name == id)
        return value;
    return resolveName(id, expr.loc);
  }
  case ast::ExprKind::Constant:
    return evaluateConstant(llvm::cast<ast::Constant>(expr));
  case ast::ExprKind::FString:
    return evaluateFString(llvm::cast<ast::FString>(expr).parts);
  case ast::ExprKind::UnaryOp:
    return evaluateUnary(llvm::cast<ast::UnaryOp>(expr));
  case ast::ExprKind::BinOp:
    return evaluateBinary(llvm::cast<ast::BinOp>(expr));
  case ast::ExprKind::BoolOp:
    return evaluateBool(llvm::cast<ast::BoolOp>(expr));
  case ast::ExprKind::Compare:
    return evaluateCompare(llvm::cast<ast::Compare>(expr));
  case ast::ExprKind::Call: {
    const auto &call = llvm::cast<ast::Call>(expr);
    TILEWISE_TRY(Operand callee, evaluate(*call.callee));
    // What no kernel can call is told before anything of its arguments.
    if (callee.isFunction() && callee.function()->kind == FunctionValue::Kind::Host && !isPython())
      return callFunction(*callee.function(), {}, expr.loc);
    if (callee.isHostObject() && !callee.hostObject()->environment->canCall()) {
      auto refused = callee.hostObject()->environment->call(*callee.hostObject(), {}, {});
      return refused ? std::move(refused) : Result<Operand>(reportFailure(expr.loc, refused.takeFailure()));
    }
    // The message of an assertion is evaluated only when it fails: it may speak of what exists only
    // then.
    if (callee.isBuiltin() && callee.builtin()->is("tl.static_assert") && call.args.size() == 2 &&
        call.keywords.empty()) {
      TILEWISE_TRY(Operand condition, evaluate(*call.args.front()));
      if (condition.isBool() && condition.boolean())
        return Operand::none();
    }
    TILEWISE_TRY(llvm::SmallVector<Argument> arguments, evaluateArguments(call));
    return callOperand(callee, std::move(arguments), expr.loc);
  }
  case ast::ExprKind::Attribute:
    return evaluateAttribute(llvm::cast<ast::Attribute>(expr));
  case ast::ExprKind::Subscript:
    return evaluateSubscript(llvm::cast<ast::Subscript>(expr));
  case ast::ExprKind::Slice:
    return evaluateSlice(llvm::cast<ast::Slice>(expr));
  case ast::ExprKind::Tuple:
    return evaluateItems(llvm::cast<ast::Tuple>(expr).items, /*isList=*/false);
  case ast::ExprKind::List:
    return evaluateItems(llvm::cast<ast::List>(expr).items, /*isList=*/true);
  case ast::ExprKind::Dict:
    return evaluateDict(llvm::cast<ast::Dict>(expr));
  case ast::ExprKind::IfExp:
    return evaluateIfExp(llvm::cast<ast::IfExp>(expr));
  case ast::ExprKind::NamedExpr:
    return evaluateNamed(llvm::cast<ast::NamedExpr>(expr));
  case ast::ExprKind::Comprehension:
    return evaluateComprehension(llvm::cast<ast::Comprehension>(expr));
  case ast::ExprKind::Set:
    if (isPython())
      return evaluateItems(llvm::cast<ast::Set>(expr).items, /*isList=*/true);
    return notInLanguage(expr.loc, "sets are not part of the kernel language; write a tuple");
  case ast::ExprKind::Lambda:
    return evaluateLambda(llvm::cast<ast::Lambda>(expr));
  case ast::ExprKind::Starred:
    return report(expr.loc, "'*' can only stand before an argument of a call");
  case ast::ExprKind::Await:
  case ast::ExprKind::Yield:
    return notInLanguage(expr.loc, "'await' and 'yield' are not part of the kernel language");
  }
  return internalFailure("an expression without a rule");
}

Result<Operand> Evaluator::evaluateConstant(const ast::Constant &expr) {
  switch (expr.constantKind) {
  case ast::ConstantKind::Int: {
    llvm::APInt value = expr.intValue();
    return Operand::ofInt(llvm::APSInt(value.sextOrTrunc(std::max(64u, value.getBitWidth())), /*isUnsigned=*/false));
  }
  case ast::ConstantKind::Float:
    return Operand::ofFloat(expr.floatValue);
  case ast::ConstantKind::Str:
    return Operand::ofString(expr.text.str());
  case ast::ConstantKind::True:
  case ast::ConstantKind::False:
    return Operand::ofBool(expr.constantKind == ast::ConstantKind::True);
  case ast::ConstantKind::None:
    return Operand::none();
  case ast::ConstantKind::Bytes:
    return notInLanguage(expr.loc, "bytes are not part of the kernel language; write a string");
  case ast::ConstantKind::Ellipsis:
    return notInLanguage(expr.loc, "'...' is not part of the kernel language; write out what it stands for");
  }
  return internalFailure("a literal without a rule");
}

Result<Operand> Evaluator::evaluateFString(llvm::ArrayRef<ast::FStringPart> parts) {
  std::string text;
  for (const ast::FStringPart &part : parts) {
    text += part.text;
    if (!part.value)
      continue;
    TILEWISE_TRY(Operand value, evaluate(*part.value));
    if (value.holdsRuntime() && !isPython())
      return report(part.value->loc, "an f-string takes compile-time values, got a runtime " + value.kindText() +
                                         "; print it with tl.device_print");
    if (part.conversion == 'r' || part.conversion == 'a')
      value = Operand::ofString(value.repr());
    std::string spec;
    if (part.hasSpec) {
      TILEWISE_TRY(Operand inner, evaluateFString(part.spec));
      spec = inner.string();
    }
    auto formatted = formatValue(value, spec);
    if (!formatted)
      return reportFailure(part.value->loc, formatted.takeFailure());
    text += *formatted;
  }
  return Operand::ofString(std::move(text));
}

Result<Operand> Evaluator::evaluateUnary(const ast::UnaryOp &expr) {
  TILEWISE_TRY(Operand operand, evaluate(*expr.operand));
  if (operand.isRecord()) {
    static constexpr llvm::StringLiteral kMethods[] = {"__invert__", "__not__", "__pos__", "__neg__"};
    TILEWISE_TRY(std::optional<Operand> own, callSpecial(operand, kMethods[int(expr.op)], {}, expr.loc));
    if (own)
      return std::move(*own);
  }
  setPlace(expr.loc);
  auto result = sema_ ? sema_->unary(expr.op, operand) : constantUnary(expr.op, operand);
  return result ? std::move(result) : Result<Operand>(reportFailure(expr.loc, result.takeFailure()));
}

Result<Operand> Evaluator::binaryAt(BinaryOperator op, const Operand &left, SourceLoc leftLoc, const Operand &right,
                                    SourceLoc rightLoc, SourceLoc opLoc) {
  if (left.isRecord() || right.isRecord()) {
    static constexpr llvm::StringLiteral kNames[] = {"add", "sub",    "mul",    "matmul", "truediv", "floordiv", "mod",
                                                     "pow", "lshift", "rshift", "and",    "or",      "xor"};
    std::string name = kNames[int(op)].str();
    return recordBinary("__" + name + "__", "__r" + name + "__", spelling(op), left, right, opLoc);
  }
  setPlace(leftLoc);
  auto result = sema_ ? sema_->binary(op, left, right) : constantBinary(op, left, right);
  if (result)
    return result;
  int blamed = sema_ ? sema_->takeBlamedArgument() : -1;
  SourceLoc loc = blamed == 0 ? leftLoc : blamed == 1 ? rightLoc : opLoc;
  if (left.isNone() || right.isNone())
    return reportOfText(loc, result.takeFailure().message, /*isOfNone=*/true);
  return reportFailure(loc, result.takeFailure());
}

Result<Operand> Evaluator::evaluateBinary(const ast::BinOp &expr) {
  TILEWISE_TRY(Operand left, evaluate(*expr.left));
  TILEWISE_TRY(Operand right, evaluate(*expr.right));
  return binaryAt(expr.op, left, expr.left->loc, right, expr.right->loc, expr.loc);
}

Result<Operand> Evaluator::evaluateBool(const ast::BoolOp &expr) {
  bool isAnd = expr.op == BoolOperator::And;
  // Compile-time values end the chain as Python would, and otherwise drop out of it; runtime ones
  // never end it.
  std::optional<Operand> result;
  Operand last;
  for (const ast::Expr *next : expr.values) {
    TILEWISE_TRY(last, evaluate(*next));
    if (!last.isRuntime()) {
      auto truth = constantTruth(last);
      if (!truth)
        return reportFailure(next->loc, truth.takeFailure());
      if (*truth != isAnd)
        return last;
      continue;
    }
    if (!sema_)
      return report(next->loc, "expected a compile-time value, got a runtime " + last.kindText());
    if (!result) {
      result = last;
      continue;
    }
    setPlace(expr.loc);
    auto combined = sema_->logical(isAnd, *result, last);
    if (!combined)
      return reportFailure(sema_->takeBlamedArgument() == 1 ? next->loc : expr.loc, combined.takeFailure());
    result = std::move(*combined);
  }
  return result ? std::move(*result) : std::move(last);
}

Result<Operand> Evaluator::compareAt(CompareOperator op, const Operand &left, SourceLoc leftLoc, const Operand &right,
                                     SourceLoc rightLoc, SourceLoc opLoc) {
  bool isIdentity = op == CompareOperator::Is || op == CompareOperator::IsNot;
  if ((left.isRecord() || right.isRecord()) && !isIdentity) {
    static constexpr llvm::StringLiteral kForward[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static constexpr llvm::StringLiteral kReflected[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    auto has = [](const Operand &side, const std::string &name) {
      return side.isRecord() && side.record().kind->attribute(name);
    };
    if (op <= CompareOperator::Ge) {
      std::string forward = "__" + kForward[int(op)].str() + "__", reflected = "__" + kReflected[int(op)].str() + "__";
      if (has(left, forward) || has(right, reflected))
        return recordBinary(forward, reflected, spelling(op), left, right, opLoc);
    }
  }
  setPlace(leftLoc);
  auto result = sema_ ? sema_->compare(op, left, right) : constantCompare(op, left, right);
  if (result)
    return result;
  int blamed = sema_ ? sema_->takeBlamedArgument() : -1;
  return reportFailure(blamed == 0 ? leftLoc : blamed == 1 ? rightLoc : opLoc, result.takeFailure());
}

Result<Operand> Evaluator::evaluateCompare(const ast::Compare &expr) {
  if (expr.ops.size() > 1 && !isPython())
    return notInLanguage(expr.opLocs[1],
                         "chained comparisons are not part of the kernel language; write (a < b) & (b < c)");
  TILEWISE_TRY(Operand left, evaluate(*expr.left));
  SourceLoc leftLoc = expr.left->loc;
  Operand result;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    TILEWISE_TRY(Operand right, evaluate(*expr.rights[i]));
    TILEWISE_TRY(result, compareAt(expr.ops[i], left, leftLoc, right, expr.rights[i]->loc,
                                   expr.ops.size() == 1 ? expr.loc : expr.opLocs[i]));
    if (i + 1 == expr.ops.size())
      break;
    auto truth = constantTruth(result);
    if (!truth)
      return reportFailure(expr.opLocs[i], truth.takeFailure());
    if (!*truth)
      break;
    left = std::move(right);
    leftLoc = expr.rights[i]->loc;
  }
  return result;
}

Result<Operand> Evaluator::evaluateSlice(const ast::Slice &expr) {
  TILEWISE_TRY(Operand lower, evaluateOptional(expr.lower));
  TILEWISE_TRY(Operand upper, evaluateOptional(expr.upper));
  TILEWISE_TRY(Operand step, evaluateOptional(expr.step));
  return Operand::ofSlice(std::move(lower), std::move(upper), std::move(step));
}

Result<Operand> Evaluator::evaluateSubscript(const ast::Subscript &expr) {
  TILEWISE_TRY(Operand container, evaluate(*expr.value));
  TILEWISE_TRY(Operand index, evaluate(*expr.index));
  if (container.isRecord()) {
    TILEWISE_TRY(std::optional<Operand> own, callSpecial(container, "__getitem__", {index}, expr.loc));
    if (own)
      return std::move(*own);
  }
  if (auto *member = llvm::dyn_cast<ast::Attribute>(expr.value);
      member && member->attr == "shape" && container.isTuple() && container.elements().empty())
    return reportOfText(expr.index->loc, "a scalar or a pointer has no dimensions; of memory, pass each extent as a "
                                         "parameter of its own");
  setPlace(expr.loc);
  Result<Operand> result = [&]() -> Result<Operand> {
    if (!container.isRuntime())
      return constantSubscript(container, index);
    if (!sema_)
      return kernelFailure("a tensor cannot be indexed outside a kernel");
    TILEWISE_TRY(Value value,
                 sema_->index(container.value(), index.isTuple() ? llvm::ArrayRef<Operand>(index.elements())
                                                                 : llvm::ArrayRef<Operand>(index)));
    return Operand(value);
  }();
  return result ? std::move(result) : Result<Operand>(reportFailure(expr.index->loc, result.takeFailure()));
}

Result<Operand> Evaluator::evaluateItems(ast::ExprList items, bool isList) {
  Elements elements;
  for (const ast::Expr *item : items) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(item)) {
      TILEWISE_TRY(Operand inner, evaluate(*starred->value));
      TILEWISE_TRY(Elements spread, itemsOf(inner, item->loc));
      llvm::append_range(elements, spread);
      continue;
    }
    TILEWISE_TRY(Operand element, evaluate(*item));
    elements.push_back(std::move(element));
  }
  return isList ? Operand::ofList(std::move(elements)) : Operand::ofTuple(std::move(elements));
}

Result<Operand> Evaluator::evaluateIfExp(const ast::IfExp &expr) {
  TILEWISE_TRY(Operand test, evaluate(*expr.test));
  if (test.isRuntime())
    return runtimeIfExp(expr, test);
  auto truth = constantTruth(test);
  if (!truth)
    return reportFailure(expr.test->loc, truth.takeFailure());
  return evaluate(*truth ? *expr.body : *expr.orelse);
}

Result<Operand> Evaluator::evaluateNamed(const ast::NamedExpr &expr) {
  TILEWISE_TRY(Operand value, evaluate(*expr.value));
  TILEWISE_CHECK(assignName(*expr.target, value));
  return evaluate(*expr.target);
}

std::optional<Operand> pythonName(llvm::StringRef name, bool isPython) {
  const Builtin *builtin = findPythonBuiltin(name);
  if (name == "print")
    builtin = findBuiltin(isPython ? "tl.static_print" : "tl.device_print");
  if (!builtin || (!isPython && (builtin->flags & Builtin::PythonOnly)))
    return std::nullopt;
  return Operand::ofBuiltin(builtin);
}

std::string pythonOnlyHint(llvm::StringRef name) {
  const Builtin *builtin = findPythonBuiltin(name);
  if (!builtin)
    return {};
  return bool(moduleAttribute("triton.language", name))
             ? "'" + name.str() + "' is Python's and not part of the kernel language; write tl." + name.str()
             : "'" + name.str() +
                   "' is Python's and not part of the kernel language; compute it in a function with "
                   "@triton.constexpr_function";
}

Result<Operand> EnvironmentEvaluator::resolveName(llvm::StringRef name, SourceLoc loc) {
  TILEWISE_TRY(std::optional<Operand> value, lookup_(name));
  if (value)
    return std::move(*value);
  if (auto builtin = pythonName(name, /*isPython=*/true))
    return *builtin;
  return reportAs(MessageCode::UndefinedName, loc, "the name '" + name.str() + "' is not defined");
}

Result<void> EnvironmentEvaluator::assignName(const ast::Name &, Operand) {
  return kernelFailure("':=' cannot be used here");
}

Result<Operand> EnvironmentEvaluator::callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                                   SourceLoc) {
  if (function.kind == FunctionValue::Kind::Jit)
    return kernelFailure("'" + function.name + "' cannot be called outside a kernel");
  return callWhileCompiling(budget_, function, arguments);
}

Result<Operand> EnvironmentEvaluator::runtimeIfExp(const ast::IfExp &, const Operand &) {
  return internalFailure("a runtime value outside a kernel");
}

} // namespace tilewise::frontend
