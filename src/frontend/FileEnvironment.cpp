// Module-level names of a kernel file: finding the binding, and evaluating it.
#include "frontend/FileEnvironment.h"

#include "frontend/ConstantMath.h"
#include "frontend/HostFunctions.h"
#include "frontend/Parser.h"
#include "frontend/Try.h"

namespace tilewise::frontend {

static std::string placeText(SourceLoc loc) {
  return (loc.file ? loc.file->path().str() : std::string("?")) + ":" + std::to_string(loc.line) + ":" +
         std::to_string(loc.column);
}

Result<Operand> evaluateLiteral(llvm::StringRef text, Environment *environment, const llvm::StringMap<Operand> *parts) {
  SourceFile file("<literal>", text.str());
  Diagnostics diagnostics;
  std::unique_ptr<ast::Module> module = parseExpression(file, diagnostics);
  if (!module)
    return kernelFailure("cannot read '" + text.str() + "' as a literal" +
                         (diagnostics.all().empty() ? "" : ": " + diagnostics.all().front().message));
  Budget budget;
  EnvironmentEvaluator evaluator(budget, [&](llvm::StringRef name) -> Result<std::optional<Operand>> {
    if (name == "tl")
      return std::optional<Operand>(Operand::ofModule("triton.language"));
    if (name == "triton")
      return std::optional<Operand>(Operand::ofModule("triton"));
    if (parts)
      if (auto part = parts->find(name); part != parts->end())
        return std::optional<Operand>(part->second);
    if (environment)
      return environment->lookup(name, LookupUse::Default);
    return std::optional<Operand>();
  });
  return evaluator.evaluate(*llvm::cast<ast::ExprStmt>(module->body.front())->value);
}

FileEnvironment::FileEnvironment(ast::Module &module, llvm::StringMap<std::string> defines)
    : module_(module), defines_(std::move(defines)) {}

Operand FileEnvironment::opaque(const void *identity, const std::string &description) {
  return Operand::ofHostObject(
      std::make_shared<HostObject>(HostObject{this, const_cast<void *>(identity), description}));
}

Failure FileEnvironment::notEvaluable(llvm::StringRef name, SourceLoc loc, const std::string &why) {
  return kernelFailure("the module-level name '" + name.str() + "' (" + placeText(loc) +
                       ") cannot be evaluated: " + why + "; give it with --define " + name.str() + "=value");
}

std::vector<std::string> FileEnvironment::names() const {
  std::vector<std::string> result;
  for (const auto &define : defines_)
    result.push_back(define.first().str());
  for (const ast::FunctionDef *function : module_.functions())
    result.push_back(function->name.str());
  for (const ast::Stmt *statement : module_.body)
    if (auto *assign = llvm::dyn_cast<ast::Assign>(statement))
      for (const ast::Expr *target : assign->targets)
        if (auto *name = llvm::dyn_cast<ast::Name>(target))
          result.push_back(name->id.str());
  return result;
}

Result<std::optional<Operand>> FileEnvironment::find(llvm::StringRef name, LookupUse use) {
  if (auto given = defines_.find(name); given != defines_.end()) {
    TILEWISE_TRY(Operand value, evaluateLiteral(given->second));
    return std::optional<Operand>(std::move(value));
  }
  TILEWISE_TRY(std::optional<Bound> bound, valueAt(name, UINT32_MAX));
  if (!bound)
    return std::optional<Operand>();
  if (use == LookupUse::Kernel && needsConstexpr(bound->value) && !bound->isConstexpr)
    return globalIsNotConstexpr(name, bound->value);
  return std::optional<Operand>(std::move(bound->value));
}

Result<std::optional<FileEnvironment::Bound>> FileEnvironment::valueAt(llvm::StringRef name, uint32_t before) {
  if (depth_ > 100)
    return kernelFailure("module-level values depend on each other more than 100 deep");
  ++depth_;
  auto result = [&]() -> Result<std::optional<Bound>> {
    TILEWISE_TRY(std::optional<Site> site, siteIn(module_.body, name, before));
    if (site)
      return valueOf(*site, name);
    for (const ast::Unparsed *unparsed : module_.unparsed())
      if (unparsed->begin < before && unparsed->mayBind(name))
        return notEvaluable(name, unparsed->loc, unparsed->error->message);
    return std::optional<Bound>();
  }();
  --depth_;
  return result;
}

static bool bindsName(const ast::Expr *target, llvm::StringRef name) {
  if (auto *simple = llvm::dyn_cast<ast::Name>(target))
    return simple->id == name;
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    return llvm::any_of(tuple->items, [&](const ast::Expr *item) { return bindsName(item, name); });
  return false;
}

/// The name that `import a.b as c` binds: c; without `as`, a.
static llvm::StringRef boundName(const ast::Alias &alias, bool isFrom) {
  if (!alias.asName.empty())
    return alias.asName;
  return isFrom ? alias.name : alias.name.split('.').first;
}

/// Whether the statement, or one inside it, could bind the name.
static bool mayBind(const ast::Stmt *statement, llvm::StringRef name) {
  auto any = [&](ast::StmtList list) {
    return llvm::any_of(list, [&](const ast::Stmt *inner) { return mayBind(inner, name); });
  };
  switch (statement->kind) {
  case ast::StmtKind::FunctionDef:
    return llvm::cast<ast::FunctionDef>(statement)->name == name;
  case ast::StmtKind::ClassDef:
    return llvm::cast<ast::ClassDef>(statement)->name == name;
  case ast::StmtKind::Assign:
    return llvm::any_of(llvm::cast<ast::Assign>(statement)->targets,
                        [&](const ast::Expr *target) { return bindsName(target, name); });
  case ast::StmtKind::AugAssign:
    return bindsName(llvm::cast<ast::AugAssign>(statement)->target, name);
  case ast::StmtKind::AnnAssign:
    return llvm::cast<ast::AnnAssign>(statement)->value &&
           bindsName(llvm::cast<ast::AnnAssign>(statement)->target, name);
  case ast::StmtKind::Import:
    return llvm::any_of(llvm::cast<ast::Import>(statement)->names,
                        [&](const ast::Alias &alias) { return boundName(alias, false) == name; });
  case ast::StmtKind::ImportFrom: {
    const auto *from = llvm::cast<ast::ImportFrom>(statement);
    return llvm::any_of(from->names, [&](const ast::Alias &alias) {
      if (alias.name == "*")
        return knownModule(from->module) && bool(moduleAttribute(*knownModule(from->module), name));
      return boundName(alias, true) == name;
    });
  }
  case ast::StmtKind::If:
    return any(llvm::cast<ast::If>(statement)->body) || any(llvm::cast<ast::If>(statement)->orelse);
  case ast::StmtKind::Try: {
    const auto *attempt = llvm::cast<ast::Try>(statement);
    return any(attempt->body) || any(attempt->orelse) || any(attempt->finalbody) ||
           llvm::any_of(attempt->handlers, [&](const ast::ExceptHandler &handler) { return any(handler.body); });
  }
  case ast::StmtKind::For:
    return bindsName(llvm::cast<ast::For>(statement)->target, name) || any(llvm::cast<ast::For>(statement)->body);
  case ast::StmtKind::While:
    return any(llvm::cast<ast::While>(statement)->body);
  case ast::StmtKind::With:
    return any(llvm::cast<ast::With>(statement)->body);
  default:
    return false;
  }
}

Result<std::optional<FileEnvironment::Site>> FileEnvironment::siteIn(ast::StmtList statements, llvm::StringRef name,
                                                                     uint32_t before) {
  for (const ast::Stmt *statement : llvm::reverse(statements)) {
    if (statement->begin >= before || !mayBind(statement, name))
      continue;
    if (auto *branch = llvm::dyn_cast<ast::If>(statement)) {
      TILEWISE_TRY(std::optional<Site> site, siteInIf(*branch, name, before));
      if (site)
        return site;
      continue;
    }
    if (auto *attempt = llvm::dyn_cast<ast::Try>(statement)) {
      TILEWISE_TRY(std::optional<Site> site, siteInTry(*attempt, name, before));
      if (site)
        return site;
      continue;
    }
    Site site{statement, nullptr};
    llvm::ArrayRef<ast::Alias> aliases;
    if (auto *import = llvm::dyn_cast<ast::Import>(statement))
      aliases = import->names;
    else if (auto *from = llvm::dyn_cast<ast::ImportFrom>(statement))
      aliases = from->names;
    for (const ast::Alias &alias : aliases)
      if (alias.name == "*" || boundName(alias, llvm::isa<ast::ImportFrom>(statement)) == name)
        site.alias = &alias;
    return std::optional<Site>(site);
  }
  return std::optional<Site>();
}

Result<std::optional<FileEnvironment::Site>> FileEnvironment::siteInIf(const ast::If &statement, llvm::StringRef name,
                                                                       uint32_t before) {
  auto test = evaluate(*statement.test, statement.begin, false);
  if (!test)
    return notEvaluable(name, statement.loc,
                        "it depends on an 'if' whose test cannot be evaluated: " + test.failure().message);
  TILEWISE_TRY(bool truth, constantTruth(test->value));
  return siteIn(truth ? statement.body : statement.orelse, name, before);
}

/// Whether every import among the statements is of a module that the front end knows.
static bool importsResolve(ast::StmtList statements) {
  return llvm::all_of(statements, [](const ast::Stmt *statement) {
    if (auto *import = llvm::dyn_cast<ast::Import>(statement))
      return llvm::all_of(import->names, [](const ast::Alias &alias) { return knownModule(alias.name).has_value(); });
    if (auto *from = llvm::dyn_cast<ast::ImportFrom>(statement)) {
      std::optional<std::string> module = knownModule(from->module);
      return from->level == 0 && module && llvm::all_of(from->names, [&](const ast::Alias &alias) {
               return alias.name == "*" || bool(moduleAttribute(*module, alias.name)) ||
                      knownModule((*module + "." + alias.name).str());
             });
    }
    return true;
  });
}

Result<std::optional<FileEnvironment::Site>> FileEnvironment::siteInTry(const ast::Try &statement, llvm::StringRef name,
                                                                        uint32_t before) {
  TILEWISE_TRY(std::optional<Site> site, siteIn(statement.finalbody, name, before));
  if (site)
    return site;
  auto inBody = [&]() -> Result<std::optional<Site>> {
    TILEWISE_TRY(std::optional<Site> found, siteIn(statement.orelse, name, before));
    if (found)
      return found;
    return siteIn(statement.body, name, before);
  };
  if (importsResolve(statement.body))
    return inBody();
  for (const ast::ExceptHandler &handler : statement.handlers) {
    TILEWISE_TRY(site, siteIn(handler.body, name, before));
    if (site)
      return site;
  }
  return inBody();
}

Result<FileEnvironment::Bound> FileEnvironment::evaluate(const ast::Expr &expr, uint32_t before, bool isConstexpr) {
  Bound bound;
  bound.isConstexpr = isConstexpr;
  EnvironmentEvaluator evaluator(budget_, [&](llvm::StringRef name) -> Result<std::optional<Operand>> {
    if (auto given = defines_.find(name); given != defines_.end()) {
      TILEWISE_TRY(Operand value, evaluateLiteral(given->second));
      return std::optional<Operand>(std::move(value));
    }
    TILEWISE_TRY(std::optional<Bound> other, valueAt(name, before));
    if (!other)
      return std::optional<Operand>();
    // What is computed from a constexpr is one.
    bound.isConstexpr |= other->isConstexpr;
    return std::optional<Operand>(std::move(other->value));
  });
  evaluator.onBuiltin = [&](const Builtin &builtin) { bound.isConstexpr |= builtin.is("tl.constexpr"); };
  TILEWISE_TRY(bound.value, evaluator.evaluate(expr));
  return bound;
}

Result<std::optional<FileEnvironment::Bound>> FileEnvironment::valueOf(const Site &site, llvm::StringRef name) {
  auto key = std::make_pair(site.statement, name.str());
  if (auto known = cache_.find(key); known != cache_.end())
    return std::optional<Bound>(known->second);
  const ast::Stmt &statement = *site.statement;
  auto assigned = [&](const ast::Expr &target, const ast::Expr &expr, bool isConstexpr) -> Result<Bound> {
    auto bound = evaluate(expr, statement.begin, isConstexpr);
    if (!bound)
      return notEvaluable(name, statement.loc, bound.failure().message);
    if (llvm::isa<ast::Name>(target))
      return bound;
    auto *tuple = llvm::cast<ast::Tuple>(&target);
    if (!bound->value.isSequence() || bound->value.elements().size() != tuple->items.size())
      return notEvaluable(name, statement.loc,
                          "its value does not unpack into " + std::to_string(tuple->items.size()) + " names");
    for (auto [item, element] : llvm::zip(tuple->items, bound->value.elements()))
      if (auto *simple = llvm::dyn_cast<ast::Name>(item); simple && simple->id == name)
        return Bound{element, bound->isConstexpr};
    return notEvaluable(name, statement.loc, "nested unpacking is not supported here");
  };

  Bound result;
  if (auto *function = llvm::dyn_cast<ast::FunctionDef>(&statement)) {
    auto value = std::make_shared<FunctionValue>();
    value->name = name.str();
    value->kind = function->decorator("jit")                  ? FunctionValue::Kind::Jit
                  : function->decorator("constexpr_function") ? FunctionValue::Kind::Constexpr
                                                              : FunctionValue::Kind::Host;
    value->definition = const_cast<ast::FunctionDef *>(function);
    value->environment = this;
    result.value = Operand::ofFunction(std::move(value));
  } else if (auto *assign = llvm::dyn_cast<ast::Assign>(&statement)) {
    auto *target = *llvm::find_if(assign->targets, [&](const ast::Expr *one) { return bindsName(one, name); });
    TILEWISE_TRY(result, assigned(*target, *assign->value, false));
  } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&statement)) {
    TILEWISE_TRY(result,
                 assigned(*annotated->target, *annotated->value, ast::isConstexprAnnotation(annotated->annotation)));
  } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(&statement)) {
    TILEWISE_TRY(std::optional<Bound> old, valueAt(name, statement.begin));
    TILEWISE_TRY(Bound right, assigned(*augmented->target, *augmented->value, false));
    if (!old)
      return notEvaluable(name, statement.loc, "it has no value before '" + ast::spelling(augmented->op).str() + "='");
    auto value = constantBinary(BinaryOperator(augmented->op), old->value, right.value);
    if (!value)
      return notEvaluable(name, statement.loc, value.failure().message);
    result = {std::move(*value), old->isConstexpr || right.isConstexpr};
  } else if (site.alias) {
    TILEWISE_TRY(std::optional<Bound> imported, importedValue(site, name));
    if (!imported)
      return imported;
    result = std::move(*imported);
  } else if (llvm::isa<ast::ClassDef>(statement)) {
    result.value = opaque(&statement, "the class '" + name.str() + "'");
  } else {
    return notEvaluable(name, statement.loc, "it is bound inside a loop or a 'with'");
  }
  return std::optional<Bound>(cache_.emplace(std::move(key), std::move(result)).first->second);
}

Result<std::optional<FileEnvironment::Bound>> FileEnvironment::importedValue(const Site &site, llvm::StringRef name) {
  auto of = [](Operand value) { return std::optional<Bound>(Bound{std::move(value), false}); };
  const ast::Alias &alias = *site.alias;
  if (auto *from = llvm::dyn_cast<ast::ImportFrom>(site.statement)) {
    llvm::StringRef wanted = alias.name == "*" ? name : alias.name;
    std::optional<std::string> module = from->level == 0 ? knownModule(from->module) : std::nullopt;
    if (!module)
      return of(opaque(&alias, "'" + wanted.str() + "' of the module '" + std::string(from->level, '.') +
                                   from->module.str() + "'"));
    if (std::optional<std::string> inner = knownModule(*module + "." + wanted.str()))
      return of(Operand::ofModule(*inner));
    auto value = moduleAttribute(*module, wanted);
    if (!value)
      return value.takeFailure();
    return of(std::move(*value));
  }
  // `import a.b` binds a; `import a.b as c` binds a.b.
  llvm::StringRef dotted = alias.asName.empty() ? alias.name.split('.').first : alias.name;
  if (std::optional<std::string> module = knownModule(dotted))
    return of(Operand::ofModule(*module));
  return of(opaque(&alias, "the module '" + dotted.str() + "'"));
}

} // namespace tilewise::frontend
