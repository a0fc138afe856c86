// Dicts, comprehensions and lambdas.
#include "frontend/python/Evaluate.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

/// Sets a key of a dict, in the place that it has already or at the end.
static Result<void> setEntry(Entries &entries, Operand key, Operand value) {
  for (auto &[known, held] : entries) {
    TILEWISE_TRY(Operand same, constantCompare(CompareOperator::Eq, known, key));
    if (same.boolean()) {
      held = std::move(value);
      return {};
    }
  }
  entries.emplace_back(std::move(key), std::move(value));
  return {};
}

Result<Operand> Evaluator::evaluateDict(const ast::Dict &expr) {
  if (!isPython())
    return notInLanguage(expr.loc, "dicts are not part of the kernel language; write a tuple");
  Entries entries;
  for (const ast::DictItem &item : expr.items) {
    TILEWISE_TRY(Operand value, evaluate(*item.value));
    if (!item.key) {
      if (!value.isDict())
        return report(item.value->loc, "'**' inside a dict needs a dict, got " + value.kindText());
      for (const auto &[key, inner] : value.entries()) {
        TILEWISE_CHECK(spend(item.value->loc));
        TILEWISE_CHECK(setEntry(entries, key, inner));
      }
      continue;
    }
    TILEWISE_TRY(Operand key, evaluate(*item.key));
    auto done = setEntry(entries, std::move(key), std::move(value));
    if (!done)
      return reportFailure(item.key->loc, done.takeFailure());
  }
  return Operand::ofDict(std::move(entries));
}

Result<Elements> Evaluator::itemsOf(const Operand &iterable, SourceLoc loc) {
  if (iterable.isSequence())
    return iterable.elements();
  Elements items;
  if (iterable.isDict())
    for (const auto &[key, value] : iterable.entries())
      items.push_back(key);
  else if (iterable.isString() && isPython())
    for (char c : iterable.string())
      items.push_back(Operand::ofString(std::string(1, c)));
  else
    return report(loc, "expected a tuple or a list, got " + std::string(iterable.isRuntime() ? "a runtime " : "") +
                           iterable.kindText());
  return items;
}

/// Binds the names of a comprehension's target to one item.
static Result<void> bindTarget(const ast::Expr &target, const Operand &item,
                               std::vector<std::pair<llvm::StringRef, Operand>> &names) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&target)) {
    names.emplace_back(name->id, item);
    return {};
  }
  ast::ExprList parts;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&target))
    parts = tuple->items;
  else if (auto *list = llvm::dyn_cast<ast::List>(&target))
    parts = list->items;
  if (parts.empty() || !item.isSequence() || item.elements().size() != parts.size())
    return kernelFailure("cannot unpack " + item.kindText() + " here");
  for (auto [part, element] : llvm::zip(parts, item.elements()))
    TILEWISE_CHECK(bindTarget(*part, element, names));
  return {};
}

Result<void> Evaluator::comprehensionClauses(const ast::Comprehension &expr, size_t at, Elements &keys,
                                             Elements &values) {
  if (at == expr.clauses.size()) {
    TILEWISE_TRY(Operand element, evaluate(*expr.element));
    keys.push_back(std::move(element));
    if (expr.value) {
      TILEWISE_TRY(Operand value, evaluate(*expr.value));
      values.push_back(std::move(value));
    }
    return {};
  }
  const ast::ComprehensionClause &clause = expr.clauses[at];
  TILEWISE_TRY(Operand source, evaluate(*clause.iter));
  TILEWISE_TRY(Elements items, itemsOf(source, clause.iter->loc));
  for (const Operand &item : items) {
    TILEWISE_CHECK(spend(clause.loc));
    size_t outer = comprehensionNames_.size();
    auto one = [&]() -> Result<void> {
      if (auto bound = bindTarget(*clause.target, item, comprehensionNames_); !bound)
        return reportFailure(clause.target->loc, bound.takeFailure());
      for (const ast::Expr *condition : clause.conditions) {
        TILEWISE_TRY(Operand test, evaluate(*condition));
        auto truth = constantTruth(test);
        if (!truth)
          return reportFailure(condition->loc, truth.takeFailure());
        if (!*truth)
          return {};
      }
      return comprehensionClauses(expr, at + 1, keys, values);
    }();
    comprehensionNames_.resize(outer);
    if (!one)
      return one;
  }
  return {};
}

Result<Operand> Evaluator::evaluateComprehension(const ast::Comprehension &expr) {
  if (!isPython() && (expr.comprehensionKind != ast::ComprehensionKind::List || expr.clauses.size() != 1))
    return notInLanguage(
        expr.loc,
        (expr.comprehensionKind == ast::ComprehensionKind::Set         ? "set comprehensions are"
         : expr.comprehensionKind == ast::ComprehensionKind::Dict      ? "dict comprehensions are"
         : expr.comprehensionKind == ast::ComprehensionKind::Generator ? "generator expressions are"
                                                                       : "comprehensions with two 'for' are") +
            std::string(" not part of the kernel language: only list comprehensions with one 'for' are; "
                        "write [f(x) for x in values]"));
  if (!isPython() && !llvm::isa<ast::Name>(expr.clauses.front().target))
    return report(expr.clauses.front().target->loc, "a comprehension of the kernel language binds one name");
  Elements keys, values;
  TILEWISE_CHECK(comprehensionClauses(expr, 0, keys, values));
  if (expr.comprehensionKind != ast::ComprehensionKind::Dict)
    return Operand::ofList(std::move(keys));
  Entries entries;
  for (auto [key, value] : llvm::zip(keys, values)) {
    TILEWISE_CHECK(spend(expr.loc, entries.size()));
    if (auto done = setEntry(entries, key, value); !done)
      return reportFailure(expr.loc, done.takeFailure());
  }
  return Operand::ofDict(std::move(entries));
}

Result<Operand> Evaluator::evaluateLambda(const ast::Lambda &expr) {
  if (!isPython() || !environment())
    return notInLanguage(expr.loc, "'lambda' is not part of the kernel language; write a function with @triton.jit");
  // Each holds a copy of what it can see: the price bounds how many can hold one another.
  TILEWISE_CHECK(spend(expr.loc, 2000));
  auto function = std::make_shared<FunctionValue>();
  function->name = "<lambda>";
  function->kind = FunctionValue::Kind::Constexpr;
  function->lambda = &expr;
  function->environment = environment();
  function->captured = locals();
  for (const auto &[name, value] : comprehensionNames_)
    function->captured.emplace_back(name.str(), value);
  return Operand::ofFunction(std::move(function));
}

} // namespace tilewise::frontend
