// Expressions of a syntax tree -> operands: names, literals, operators, attributes, subscripts.
#include "frontend/Evaluate.h"

#include "frontend/ConstantMath.h"
#include "frontend/Library.h"
#include "frontend/Try.h"

namespace tilewise::frontend {

Result<void> Evaluator::spend(SourceLoc loc) {
  if (budget_.steps-- == 0) {
    budget_.steps = 0;
    return report(
        loc,
        "compiling this kernel takes too many steps; is a tl.static_range too long, or a recursion without an end?");
  }
  return {};
}

Result<Operand> Evaluator::evaluate(const ast::Expr &expr) {
  TILEWISE_CHECK(spend(expr.loc));
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
    return report(expr.loc, "sets are not part of the kernel language; write a tuple");
  case ast::ExprKind::Lambda:
    return report(expr.loc, "'lambda' is not part of the kernel language; write a function with @triton.jit");
  case ast::ExprKind::Starred:
    return report(expr.loc, "'*' can only stand before an argument of a call");
  case ast::ExprKind::Await:
  case ast::ExprKind::Yield:
    return report(expr.loc, "'await' and 'yield' are not part of the kernel language");
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
    return report(expr.loc, "bytes are not part of the kernel language; write a string");
  case ast::ConstantKind::Ellipsis:
    return report(expr.loc, "'...' is not part of the kernel language");
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
    if (value.isRuntime())
      return report(part.value->loc, "an f-string takes compile-time values, got a runtime " + value.kindText());
    text += part.conversion == 'r' || part.conversion == 'a' ? value.repr() : value.str();
  }
  return Operand::ofString(std::move(text));
}

static UnaryOperator operatorOf(ast::UnaryOpKind op) { return UnaryOperator(op); }
static BinaryOperator operatorOf(ast::BinOpKind op) { return BinaryOperator(op); }
static CompareOperator operatorOf(ast::CompareOpKind op) { return CompareOperator(op); }
static_assert(int(ast::UnaryOpKind::Minus) == int(UnaryOperator::Minus) &&
              int(ast::BinOpKind::BitXor) == int(BinaryOperator::BitXor) &&
              int(ast::CompareOpKind::NotIn) == int(CompareOperator::NotIn) &&
              int(ast::BinOpKind::Pow) == int(BinaryOperator::Pow));

Result<Operand> Evaluator::evaluateUnary(const ast::UnaryOp &expr) {
  TILEWISE_TRY(Operand operand, evaluate(*expr.operand));
  setPlace(expr.loc);
  auto result = sema_ ? sema_->unary(operatorOf(expr.op), operand) : constantUnary(operatorOf(expr.op), operand);
  return result ? std::move(result) : Result<Operand>(reportFailure(expr.loc, result.takeFailure()));
}

Result<Operand> Evaluator::binaryAt(ast::BinOpKind op, const Operand &left, SourceLoc leftLoc, const Operand &right,
                                    SourceLoc rightLoc, SourceLoc opLoc) {
  setPlace(leftLoc);
  auto result = sema_ ? sema_->binary(operatorOf(op), left, right) : constantBinary(operatorOf(op), left, right);
  if (result)
    return result;
  int blamed = sema_ ? sema_->takeBlamedArgument() : -1;
  return reportFailure(blamed == 0 ? leftLoc : blamed == 1 ? rightLoc : opLoc, result.takeFailure());
}

Result<Operand> Evaluator::evaluateBinary(const ast::BinOp &expr) {
  TILEWISE_TRY(Operand left, evaluate(*expr.left));
  TILEWISE_TRY(Operand right, evaluate(*expr.right));
  return binaryAt(expr.op, left, expr.left->loc, right, expr.right->loc, expr.opLoc);
}

Result<Operand> Evaluator::evaluateBool(const ast::BoolOp &expr) {
  bool isAnd = expr.op == ast::BoolOpKind::And;
  TILEWISE_TRY(Operand result, evaluate(*expr.values.front()));
  for (const ast::Expr *next : expr.values.drop_front()) {
    // Compile-time values end the chain as Python would; runtime ones never do.
    if (!result.isRuntime()) {
      auto truth = constantTruth(result);
      if (!truth)
        return reportFailure(expr.opLoc, truth.takeFailure());
      if (*truth != isAnd)
        return result;
      TILEWISE_TRY(result, evaluate(*next));
      continue;
    }
    TILEWISE_TRY(Operand right, evaluate(*next));
    setPlace(expr.loc);
    auto combined = sema_->logical(isAnd, result, right);
    if (!combined)
      return reportFailure(sema_->takeBlamedArgument() == 1 ? next->loc : expr.loc, combined.takeFailure());
    result = std::move(*combined);
  }
  return result;
}

Result<Operand> Evaluator::evaluateCompare(const ast::Compare &expr) {
  if (expr.ops.size() > 1)
    return report(expr.opLocs[1], "chained comparisons are not part of the kernel language; write (a < b) & (b < c)");
  TILEWISE_TRY(Operand left, evaluate(*expr.left));
  TILEWISE_TRY(Operand right, evaluate(*expr.rights.front()));
  setPlace(expr.loc);
  CompareOperator op = operatorOf(expr.ops.front());
  auto result = sema_ ? sema_->compare(op, left, right) : constantCompare(op, left, right);
  if (result)
    return result;
  int blamed = sema_ ? sema_->takeBlamedArgument() : -1;
  return reportFailure(blamed == 0   ? expr.left->loc
                       : blamed == 1 ? expr.rights.front()->loc
                                     : expr.opLocs.front(),
                       result.takeFailure());
}

/// What a tensor tells of itself; nothing when there is no such attribute.
static std::optional<Operand> tensorAttribute(const Operand &tensor, llvm::StringRef name) {
  const Type &type = tensor.value().type;
  if (name == "dtype")
    return Operand::ofType(type.element);
  if (name == "type")
    return Operand::ofType(type);
  if (name == "shape" || name == "numel") {
    Elements extents;
    for (int64_t extent : type.shape)
      extents.push_back(Operand::ofInt(extent));
    return name == "shape" ? Operand::ofTuple(std::move(extents)) : Operand::ofInt(type.numElements());
  }
  if (std::optional<Operand> method = tensorMethod(name))
    return Operand::ofMethod(tensor, std::move(*method));
  return std::nullopt;
}

static std::vector<std::string> tensorAttributeNames() {
  std::vector<std::string> names{"dtype", "type", "shape", "numel", "to", "T"};
  for (llvm::ArrayRef<Builtin> family : builtinFamilies())
    for (const Builtin &row : family)
      if (row.flags & Builtin::Method)
        names.push_back(row.lastName().str());
  for (const std::string &name : libraryNames())
    if (isLibraryMethod(name))
      names.push_back(name);
  return names;
}

static Result<Operand> recordAttribute(const Operand &object, llvm::StringRef name) {
  const Record &record = object.record();
  if (const Operand *field = record.field(name))
    return *field;
  std::vector<std::string> names = record.kind->fields;
  for (const auto &[known, value] : record.kind->attributes) {
    if (known == name)
      return value.isFunction() || value.isBuiltin() ? Operand::ofMethod(object, value) : value;
    names.push_back(known);
  }
  return kernelFailure(object.kindText() + " has no attribute '" + name.str() + "'" + didYouMean(name, names));
}

Result<Operand> Evaluator::evaluateAttribute(const ast::Attribute &expr) {
  TILEWISE_TRY(Operand object, evaluate(*expr.value));
  if (object.isRuntime()) {
    if (auto found = tensorAttribute(object, expr.attr))
      return *found;
    if (expr.attr == "T") {
      setPlace(expr.loc);
      auto transposed = sema_->permute(object.value(), {1, 0});
      return transposed ? Result<Operand>(Operand(*transposed))
                        : Result<Operand>(reportFailure(expr.attrLoc, transposed.takeFailure()));
    }
    auto inLanguage = moduleAttribute("triton.language", expr.attr);
    if (!inLanguage && llvm::StringRef(inLanguage.failure().message).ends_with("is not supported yet"))
      return report(expr.attrLoc, "the method ." + expr.attr.str() + " is not supported yet");
    return report(expr.attrLoc, "a tensor has no attribute '" + expr.attr.str() + "'" +
                                    didYouMean(expr.attr, tensorAttributeNames()));
  }
  Result<Operand> result = [&]() -> Result<Operand> {
    if (object.isModule())
      return moduleAttribute(object.moduleName(), expr.attr);
    if (object.isType())
      return typeAttribute(object.type(), expr.attr);
    if (object.isHostObject())
      return object.hostObject()->environment->getAttribute(*object.hostObject(), expr.attr);
    if (object.isRecord())
      return recordAttribute(object, expr.attr);
    if (expr.attr == "value") // constexpr.value
      return object;
    return kernelFailure(object.kindText() + " has no attribute '" + expr.attr.str() + "'");
  }();
  return result ? std::move(result) : Result<Operand>(reportFailure(expr.attrLoc, result.takeFailure()));
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
  setPlace(expr.loc);
  Result<Operand> result = [&]() -> Result<Operand> {
    if (!container.isRuntime())
      return constantSubscript(container, index);
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
      if (!inner.isSequence())
        return report(item->loc, "'*' needs a tuple or a list, got " + inner.kindText());
      elements.insert(elements.end(), inner.elements().begin(), inner.elements().end());
      continue;
    }
    TILEWISE_TRY(Operand element, evaluate(*item));
    elements.push_back(std::move(element));
  }
  return isList ? Operand::ofList(std::move(elements)) : Operand::ofTuple(std::move(elements));
}

Result<Operand> Evaluator::evaluateDict(const ast::Dict &expr) {
  if (sema_)
    return report(expr.loc, "dicts are not part of the kernel language; write a tuple");
  Entries entries;
  for (const ast::DictItem &item : expr.items) {
    if (!item.key)
      return report(item.value->loc, "'**' inside a dict is not supported here");
    TILEWISE_TRY(Operand key, evaluate(*item.key));
    TILEWISE_TRY(Operand value, evaluate(*item.value));
    entries.emplace_back(std::move(key), std::move(value));
  }
  return Operand::ofDict(std::move(entries));
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

Result<Operand> Evaluator::evaluateComprehension(const ast::Comprehension &expr) {
  if (expr.comprehensionKind != ast::ComprehensionKind::List || expr.clauses.size() != 1)
    return report(expr.loc, "only list comprehensions with one 'for' are part of the kernel language");
  const ast::ComprehensionClause &clause = expr.clauses.front();
  auto *target = llvm::dyn_cast<ast::Name>(clause.target);
  if (!target)
    return report(clause.target->loc, "a comprehension binds one name");
  TILEWISE_TRY(Operand source, evaluate(*clause.iter));
  if (!source.isSequence())
    return report(clause.iter->loc, "a comprehension runs over a tuple or a list, got " + source.kindText());
  Elements elements;
  for (const Operand &item : source.elements()) {
    comprehensionNames_.emplace_back(target->id, item);
    auto one = [&]() -> Result<std::optional<Operand>> {
      for (const ast::Expr *condition : clause.conditions) {
        TILEWISE_TRY(Operand test, evaluate(*condition));
        auto truth = constantTruth(test);
        if (!truth)
          return reportFailure(condition->loc, truth.takeFailure());
        if (!*truth)
          return std::optional<Operand>();
      }
      TILEWISE_TRY(Operand element, evaluate(*expr.element));
      return std::optional<Operand>(std::move(element));
    }();
    comprehensionNames_.pop_back();
    if (!one)
      return one.takeFailure();
    if (*one)
      elements.push_back(std::move(**one));
  }
  return Operand::ofList(std::move(elements));
}

std::optional<Operand> pythonName(llvm::StringRef name) {
  if (const Builtin *builtin = findPythonBuiltin(name))
    return Operand::ofBuiltin(builtin);
  return std::nullopt;
}

Result<Operand> EnvironmentEvaluator::resolveName(llvm::StringRef name, SourceLoc loc) {
  TILEWISE_TRY(std::optional<Operand> value, lookup_(name));
  if (value)
    return std::move(*value);
  if (auto builtin = pythonName(name))
    return *builtin;
  return report(loc, "the name '" + name.str() + "' is not defined");
}

Result<void> EnvironmentEvaluator::assignName(const ast::Name &, Operand) {
  return kernelFailure("':=' cannot be used here");
}

Result<Operand> EnvironmentEvaluator::callFunction(const FunctionValue &function, llvm::ArrayRef<Argument>, SourceLoc) {
  return kernelFailure("'" + function.name + "' cannot be called outside a kernel");
}

Result<Operand> EnvironmentEvaluator::runtimeIfExp(const ast::IfExp &, const Operand &) {
  return internalFailure("a runtime value outside a kernel");
}

} // namespace tilewise::frontend
