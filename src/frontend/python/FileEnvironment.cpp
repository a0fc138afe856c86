// Module-level names of a kernel file: finding the statement that binds one.
#include "frontend/python/FileEnvironment.h"

#include "frontend/python/LiveHost.h"
#include "frontend/python/ModuleLoader.h"
#include "frontend/syntax/AstChildren.h"
#include "frontend/syntax/Parser.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/Twine.h"

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

FileEnvironment::FileEnvironment(ast::Module &module, llvm::StringMap<std::string> defines, ModuleLoader *loader)
    : module_(module), defines_(std::move(defines)), loader_(loader) {}

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

Result<std::optional<Operand>> FileEnvironment::lookup(llvm::StringRef name, LookupUse use) {
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

/// By its usual names, the question whether triton is there: it is.
static bool asksForTriton(llvm::StringRef name) {
  return llvm::is_contained({"HAS_TRITON", "HAVE_TRITON", "TRITON_AVAILABLE", "IS_TRITON_AVAILABLE"}, name.ltrim('_'));
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
  if (!result && asksForTriton(name))
    return std::optional<Bound>(Bound{Operand::ofBool(true), false});
  return result;
}

/// Whether a function says `global name`, and so may give it another value when it is called.
bool FileEnvironment::changesWhileRunning(llvm::StringRef name) const {
  llvm::StringRef rest = module_.file().text();
  for (size_t at; (at = rest.find("global ")) != llvm::StringRef::npos;) {
    llvm::StringRef before = rest.take_front(at).rsplit('\n').second;
    rest = rest.drop_front(at + 7);
    llvm::SmallVector<llvm::StringRef> names;
    rest.take_until([](char c) { return c == '\n' || c == '#'; }).split(names, ',');
    if (before.trim().empty() && llvm::any_of(names, [&](llvm::StringRef one) { return one.trim() == name; }))
      return true;
  }
  return false;
}

bool bindsName(const ast::Expr *target, llvm::StringRef name) {
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
bool FileEnvironment::mayBind(const ast::Stmt *statement, llvm::StringRef name) {
  auto inBodies = [&] {
    bool binds = false;
    ast::forEachBody(*statement, [&](ast::StmtList body) {
      binds |= llvm::any_of(body, [&](const ast::Stmt *inner) { return mayBind(inner, name); });
    });
    return binds;
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
      if (alias.name == "*") {
        if (from->level == 0 && knownModule(from->module))
          return bool(moduleAttribute(*knownModule(from->module), name));
        FileEnvironment *module = neighbour(from->module, from->level);
        // Asking goes from file to file, and may come round in a circle.
        if (!module || depth_ > 50)
          return false;
        ++depth_;
        bool binds =
            llvm::any_of(module->module_.body, [&](const ast::Stmt *inner) { return module->mayBind(inner, name); });
        --depth_;
        return binds;
      }
      return boundName(alias, true) == name;
    });
  }
  case ast::StmtKind::For:
    return bindsName(llvm::cast<ast::For>(statement)->target, name) || inBodies();
  default:
    return inBodies();
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
    if (auto *with = llvm::dyn_cast<ast::With>(statement)) {
      TILEWISE_TRY(std::optional<Site> site, siteIn(with->body, name, before));
      if (site)
        return site;
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

FileEnvironment *FileEnvironment::neighbour(llvm::StringRef dotted, unsigned level) {
  // Of the language itself no file is ever read, even where one lies near.
  llvm::StringRef root = dotted.split('.').first;
  if (!loader_ || (level == 0 && (root == "triton" || root == "tilewise" || root == "torch")))
    return nullptr;
  return loader_->find(module_.file(), dotted, level);
}

/// Whether the statements bind the name, and only by functions and imports.
bool FileEnvironment::bindsCode(ast::StmtList statements, llvm::StringRef name, uint32_t before) {
  bool found = false;
  for (const ast::Stmt *statement : statements) {
    if (statement->begin >= before || !mayBind(statement, name))
      continue;
    found = true;
    if (auto *branch = llvm::dyn_cast<ast::If>(statement)) {
      for (ast::StmtList side : {branch->body, branch->orelse})
        if (llvm::any_of(side, [&](const ast::Stmt *inner) { return mayBind(inner, name); }) &&
            !bindsCode(side, name, before))
          return false;
    } else if (auto *assign = llvm::dyn_cast<ast::Assign>(statement)) {
      // `exp = tl.exp` is as good as an import.
      if (!llvm::isa<ast::Name, ast::Attribute>(assign->value))
        return false;
    } else if (!llvm::isa<ast::FunctionDef, ast::Import, ast::ImportFrom, ast::Try>(statement)) {
      return false;
    }
  }
  return found;
}

Result<std::optional<FileEnvironment::Site>> FileEnvironment::siteInIf(const ast::If &statement, llvm::StringRef name,
                                                                       uint32_t before) {
  auto test = evaluate(*statement.test, statement.begin, false);
  auto binds = [&](ast::StmtList list) {
    return llvm::any_of(list, [&](const ast::Stmt *inner) { return inner->begin < before && mayBind(inner, name); });
  };
  // Where only one side binds the name, a test that cannot be evaluated leaves no doubt.
  if (!test && binds(statement.body) != binds(statement.orelse))
    return siteIn(binds(statement.body) ? statement.body : statement.orelse, name, before);
  // Functions and imports under a question about the host, as its version or device, are ways to
  // the same thing: the first that is there.
  if (!test && bindsCode(statement.body, name, before) && bindsCode(statement.orelse, name, before)) {
    if (loader_ && loader_->onAssumption)
      loader_->onAssumption(statement.loc, "the test of this 'if' cannot be evaluated (" + test.failure().message +
                                               "); '" + name.str() + "' is taken from its first side that has it");
    for (ast::StmtList side : {statement.body, statement.orelse}) {
      auto site = siteIn(side, name, before);
      if (site && *site && valueOf(**site, name))
        return site;
    }
  }
  if (!test)
    return notEvaluable(name, statement.loc,
                        "it depends on an 'if' whose test cannot be evaluated: " + test.failure().message);
  TILEWISE_TRY(bool truth, constantTruth(test->value));
  return siteIn(truth ? statement.body : statement.orelse, name, before);
}

/// Modules of Python and of its usual companions, which are there wherever kernels are.
static bool isCommonModule(llvm::StringRef dotted) {
  static constexpr llvm::StringLiteral kNames[] = {
      "__future__", "abc",       "collections", "contextlib", "copy",   "dataclasses",
      "enum",       "functools", "importlib",   "inspect",    "io",     "itertools",
      "json",       "logging",   "math",        "numbers",    "numpy",  "operator",
      "os",         "packaging", "pathlib",     "random",     "re",     "string",
      "sys",        "time",      "torch",       "types",      "typing", "typing_extensions",
      "warnings"};
  return llvm::is_contained(kNames, dotted.split('.').first);
}

/// Whether every import among the statements is of a module that is known, common, or a file.
bool FileEnvironment::importsResolve(ast::StmtList statements) {
  return llvm::all_of(statements, [&](const ast::Stmt *statement) {
    if (auto *import = llvm::dyn_cast<ast::Import>(statement))
      return llvm::all_of(import->names, [&](const ast::Alias &alias) {
        return knownModule(alias.name) || isCommonModule(alias.name) || neighbour(alias.name, 0);
      });
    if (auto *from = llvm::dyn_cast<ast::ImportFrom>(statement)) {
      if (std::optional<std::string> module = from->level == 0 ? knownModule(from->module) : std::nullopt)
        return llvm::all_of(from->names, [&](const ast::Alias &alias) {
          return alias.name == "*" || bool(moduleAttribute(*module, alias.name)) ||
                 knownModule(*module + "." + alias.name.str());
        });
      return (from->level == 0 && isCommonModule(from->module)) || neighbour(from->module, from->level) ||
             llvm::all_of(from->names, [&](const ast::Alias &alias) {
               return neighbour((from->module + (from->module.empty() ? "" : ".") + alias.name).str(), from->level);
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
  TILEWISE_TRY(std::optional<Site> tried, inBody());
  auto binds = [&](const ast::ExceptHandler &handler) {
    return llvm::any_of(handler.body, [&](const ast::Stmt *inner) { return mayBind(inner, name); });
  };
  if (llvm::none_of(statement.handlers, binds))
    return tried;
  // What cannot be evaluated counts as what a handler catches.
  if (importsResolve(statement.body) && tried && valueOf(*tried, name))
    return tried;
  for (const ast::ExceptHandler &handler : statement.handlers) {
    TILEWISE_TRY(site, siteIn(handler.body, name, before));
    if (site)
      return site;
  }
  return tried;
}

} // namespace tilewise::frontend
