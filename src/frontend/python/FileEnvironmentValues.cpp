// Module-level names of a kernel file: evaluating what binds one, be it a value, a function, a
// class or an import.
#include "frontend/python/FileEnvironment.h"
#include "frontend/python/ModuleLoader.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/Twine.h"

namespace tilewise::frontend {

Result<FileEnvironment::Bound> FileEnvironment::evaluate(const ast::Expr &expr, uint32_t before, bool isConstexpr) {
  Bound bound;
  bound.isConstexpr = isConstexpr;
  EnvironmentEvaluator evaluator(
      budget_,
      [&](llvm::StringRef name) -> Result<std::optional<Operand>> {
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
      },
      this);
  evaluator.onBuiltin = [&](const Builtin &builtin) { bound.isConstexpr |= builtin.is("tl.constexpr"); };
  TILEWISE_TRY(bound.value, evaluator.evaluate(expr));
  return bound;
}

Result<Operand> FileEnvironment::evaluateAtEnd(const ast::Expr &expr) {
  TILEWISE_TRY(Bound bound, evaluate(expr, UINT32_MAX, false));
  return std::move(bound.value);
}

Result<Operand> FileEnvironment::callHost(const Operand &callee, Operand argument) {
  EnvironmentEvaluator evaluator(budget_, [&](llvm::StringRef name) { return lookup(name, LookupUse::Default); }, this);
  return evaluator.call(callee, {std::move(argument)});
}

Decoration FileEnvironment::decorationOf(llvm::ArrayRef<ast::Expr *> decorators) {
  Decoration result;
  auto flag = [&](const ast::Expr *decorator, llvm::StringRef name) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call)
      return false;
    for (const ast::Keyword &keyword : call->keywords)
      if (keyword.name == name)
        if (auto value = evaluate(*keyword.value, UINT32_MAX, false))
          if (auto truth = constantTruth(value->value))
            return *truth;
    return false;
  };
  for (const ast::Expr *decorator : decorators) {
    std::string name = ast::lastName(decorator).str();
    // A name that stands for something else, as `from triton import jit as J`, or `kernel =
    // triton.jit`.
    const ast::Expr *callee = decorator;
    if (auto *call = llvm::dyn_cast<ast::Call>(decorator))
      callee = call->callee;
    if (auto *simple = llvm::dyn_cast<ast::Name>(callee); simple && simple->id != "jit") {
      auto bound = valueAt(simple->id, decorator->begin);
      if (bound && *bound && (*bound)->value.isBuiltin())
        name = (*bound)->value.builtin()->lastName().str();
    }
    if (name == "jit") {
      result.kind = FunctionValue::Kind::Jit;
      result.jit = decorator;
      result.isNoinline = flag(decorator, "noinline");
      if (auto *call = llvm::dyn_cast<ast::Call>(decorator))
        for (const ast::Keyword &keyword : call->keywords)
          if (keyword.name.starts_with("do_not_specialize"))
            if (auto names = evaluate(*keyword.value, UINT32_MAX, false); names && names->value.isSequence())
              llvm::append_range(keyword.name == "do_not_specialize" ? result.notSpecialized : result.notOnAlignment,
                                 names->value.elements());
    } else if (name == "constexpr_function" || name == "constexpr") {
      result.kind = FunctionValue::Kind::Constexpr;
    } else if (name == "must_use_result") {
      result.mustUseResult = "";
      if (auto *call = llvm::dyn_cast<ast::Call>(decorator); call && !call->args.empty())
        if (auto text = evaluate(*call->args.front(), UINT32_MAX, false); text && text->value.isString())
          result.mustUseResult = text->value.string();
    } else if (name == "autotune") {
      result.autotune = decorator;
    } else if (name == "heuristics") {
      result.heuristics = decorator;
    } else {
      result.others.push_back(decorator);
    }
  }
  return result;
}

Operand FileEnvironment::functionValue(const ast::FunctionDef &function) {
  Decoration decoration = decorationOf(function.decorators);
  auto value = std::make_shared<FunctionValue>();
  value->name = function.name.str();
  value->kind = decoration.kind;
  value->isNoinline = decoration.isNoinline;
  value->mustUseResult = decoration.mustUseResult;
  for (const ast::Expr *other : decoration.others) {
    value->isStatic |= ast::lastName(other) == "staticmethod";
    value->isProperty |= ast::lastName(other) == "property";
  }
  value->definition = const_cast<ast::FunctionDef *>(&function);
  value->environment = this;
  return Operand::ofFunction(std::move(value));
}

static RecordClass::FieldKind fieldKind(const ast::Expr *annotation) {
  if (ast::isConstexprAnnotation(annotation))
    return RecordClass::FieldKind::Constexpr;
  llvm::StringRef name = annotation ? ast::lastName(annotation) : llvm::StringRef();
  if (auto *text = llvm::dyn_cast_or_null<ast::Constant>(annotation); text && text->isStr())
    name = text->text.rsplit('.').second.empty() ? text->text : text->text.rsplit('.').second;
  return name == "tensor" ? RecordClass::FieldKind::Tensor : RecordClass::FieldKind::Any;
}

/// What a class has of its base. The base's fields and methods come first; a field of the same name
/// is replaced, a method found later.
static void inherit(RecordClass &made, const std::shared_ptr<const RecordClass> &base) {
  made.base = base;
  if (made.maker == RecordClass::Maker::None)
    made.maker = base->maker;
  made.fields = base->fields;
  made.fieldInfos = base->fieldInfos;
  made.attributes = base->attributes;
  // A base's __init__ knows only the base's fields.
  llvm::erase_if(made.attributes, [](const auto &attribute) { return attribute.first == "__init__"; });
}

static void setAttribute(RecordClass &made, llvm::StringRef name, Operand value) {
  for (auto &[known, held] : made.attributes)
    if (known == name) {
      held = std::move(value);
      return;
    }
  made.attributes.emplace_back(name.str(), std::move(value));
}

static void setField(RecordClass &made, llvm::StringRef name, RecordClass::Field info) {
  if (std::optional<size_t> known = made.fieldIndex(name)) {
    made.fieldInfos[*known] = std::move(info);
    return;
  }
  made.fields.push_back(name.str());
  made.fieldInfos.push_back(std::move(info));
}

Result<Operand> FileEnvironment::classValue(const ast::ClassDef &definition) {
  auto made = std::make_shared<RecordClass>();
  made->name = definition.name.str();
  for (const ast::Expr *decorator : definition.decorators) {
    llvm::StringRef name = ast::lastName(decorator);
    if (name == "aggregate" || name == "_aggregate")
      made->maker = RecordClass::Maker::Aggregate;
  }
  for (const ast::Expr *base : definition.bases) {
    llvm::StringRef name = ast::lastName(base);
    if (name == "NamedTuple")
      made->maker = RecordClass::Maker::NamedTuple;
    auto parent = evaluate(*base, definition.begin, false);
    const bool isRecordClass = parent && parent->value.isClass();
    if (made->maker == RecordClass::Maker::Aggregate &&
        (!isRecordClass || parent->value.classValue()->maker != RecordClass::Maker::Aggregate))
      return kernelFailure("aggregates can only inherit from other aggregates, which '" + name.str() + "' is not");
    if (isRecordClass)
      inherit(*made, parent->value.classValue());
  }
  for (const ast::Stmt *statement : definition.body)
    addMember(*made, *statement);
  return Operand::ofClass(std::move(made));
}

void FileEnvironment::addMember(RecordClass &made, const ast::Stmt &statement) {
  if (auto *method = llvm::dyn_cast<ast::FunctionDef>(&statement)) {
    Operand function = functionValue(*method);
    // A plain method of an aggregate runs while compiling, as upstream's builtins do.
    if (function.function()->kind == FunctionValue::Kind::Host) {
      auto plain = std::make_shared<FunctionValue>(*function.function());
      plain->kind = FunctionValue::Kind::Constexpr;
      function = Operand::ofFunction(std::move(plain));
    }
    setAttribute(made, method->name, std::move(function));
  } else if (auto *field = llvm::dyn_cast<ast::AnnAssign>(&statement);
             field && made.maker != RecordClass::Maker::None && llvm::isa<ast::Name>(field->target)) {
    RecordClass::Field info{fieldKind(field->annotation), std::nullopt};
    if (field->value)
      if (auto value = evaluate(*field->value, field->begin, false))
        info.defaultValue = std::move(value->value);
    setField(made, llvm::cast<ast::Name>(field->target)->id, std::move(info));
  } else if (auto *assign = llvm::dyn_cast<ast::Assign>(&statement)) {
    // The members of an enum, too: its `.value` of a value is the value.
    for (const ast::Expr *target : assign->targets)
      if (auto *name = llvm::dyn_cast<ast::Name>(target))
        if (auto value = evaluate(*assign->value, assign->begin, false))
          setAttribute(made, name->id, std::move(value->value));
  }
}

Result<std::optional<FileEnvironment::Bound>> FileEnvironment::valueOf(const Site &site, llvm::StringRef name) {
  auto key = std::make_pair(site.statement, name.str());
  if (auto known = cache_.find(key); known != cache_.end())
    return std::optional<Bound>(known->second);
  const ast::Stmt &statement = *site.statement;
  auto assigned = [&](const ast::Expr &target, const ast::Expr &expr, bool isConstexpr) -> Result<Bound> {
    if (changesWhileRunning(name))
      return notEvaluable(name, statement.loc, "a function of the file changes it");
    auto bound = evaluate(expr, statement.begin, isConstexpr);
    if (!bound)
      return notEvaluable(name, statement.loc, bound.failure().message);
    if (llvm::isa<ast::Name>(target))
      return bound;
    auto *tuple = llvm::dyn_cast<ast::Tuple>(&target);
    if (!tuple || !bound->value.isSequence() || bound->value.elements().size() != tuple->items.size())
      return notEvaluable(name, statement.loc,
                          "its value does not unpack into " + std::to_string(tuple ? tuple->items.size() : 0) +
                              " names");
    for (auto [item, element] : llvm::zip(tuple->items, bound->value.elements()))
      if (auto *simple = llvm::dyn_cast<ast::Name>(item); simple && simple->id == name)
        return Bound{element, bound->isConstexpr};
    return notEvaluable(name, statement.loc, "nested unpacking is not supported here");
  };

  Bound result;
  if (auto *function = llvm::dyn_cast<ast::FunctionDef>(&statement)) {
    result.value = functionValue(*function);
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
      return notEvaluable(name, statement.loc, "it has no value before '" + spelling(augmented->op).str() + "='");
    auto value = constantBinary(BinaryOperator(augmented->op), old->value, right.value);
    if (!value)
      return notEvaluable(name, statement.loc, value.failure().message);
    result = {std::move(*value), old->isConstexpr || right.isConstexpr};
  } else if (site.alias) {
    TILEWISE_TRY(std::optional<Bound> imported, importedValue(site, name));
    if (!imported)
      return imported;
    result = std::move(*imported);
  } else if (auto *definition = llvm::dyn_cast<ast::ClassDef>(&statement)) {
    auto made = classValue(*definition);
    if (!made)
      return notEvaluable(name, statement.loc, made.failure().message);
    result.value = std::move(*made);
  } else {
    return notEvaluable(name, statement.loc, "it is bound inside a loop");
  }
  return std::optional<Bound>(cache_.emplace(std::move(key), std::move(result)).first->second);
}

Operand FileEnvironment::moduleOperand(FileEnvironment &module, llvm::StringRef name) {
  return Operand::ofHostObject(std::make_shared<HostObject>(
      HostObject{&module, &module, "the module '" + name.str() + "' (" + module.module_.file().path().str() + ")"}));
}

Result<Operand> FileEnvironment::getAttribute(const HostObject &object, llvm::StringRef name) {
  if (object.handle != this)
    return cannotLookInto(object, name);
  TILEWISE_TRY(std::optional<Operand> value, lookup(name, LookupUse::Default));
  if (value)
    return std::move(*value);
  // A package's attribute may be one of its own modules.
  if (FileEnvironment *inner = neighbour(name, 1))
    return moduleOperand(*inner, name);
  return kernelFailure(object.description + " has no '" + name.str() + "'" + didYouMean(name, names()));
}

/// By their usual names these are the language, whatever module hands them on: projects wrap the
/// import of triton to run without it.
static std::optional<std::string> wellKnownAlias(llvm::StringRef name) {
  if (name == "tl")
    return std::string("triton.language");
  if (name == "triton" || name == "libdevice" || name == "tldevice")
    return std::string(name == "triton" ? "triton" : "triton.language.extra.libdevice");
  return std::nullopt;
}

Result<std::optional<FileEnvironment::Bound>>
FileEnvironment::importedFrom(const ast::ImportFrom &from, llvm::StringRef wanted, const void *identity) {
  auto of = [](Operand value) { return std::optional<Bound>(Bound{std::move(value), false}); };
  std::optional<std::string> module = from.level == 0 ? knownModule(from.module) : std::nullopt;
  if (module) {
    if (std::optional<std::string> inner = knownModule(*module + "." + wanted.str()))
      return of(Operand::ofModule(*inner));
    TILEWISE_TRY(Operand value, moduleAttribute(*module, wanted));
    return of(std::move(value));
  }
  if (std::optional<std::string> part =
          from.level == 0 ? knownModule((from.module + "." + wanted).str()) : std::nullopt)
    return of(Operand::ofModule(*part));
  std::optional<std::string> usual = wellKnownAlias(wanted);
  if (FileEnvironment *other = neighbour(from.module, from.level); other && other != this) {
    auto bound = other->valueAt(wanted, UINT32_MAX);
    bool isThere = bound && *bound;
    // What a project's own wrapper makes of triton when it is not installed is no use here.
    if (usual && !(isThere && (*bound)->value.isModule()))
      return of(Operand::ofModule(*usual));
    if (!bound || *bound)
      return bound;
    if (FileEnvironment *inner = loader_->find(other->module_.file(), wanted, 1))
      return of(moduleOperand(*inner, wanted));
    return kernelFailure("the file '" + other->module_.file().path().str() + "' has no '" + wanted.str() + "'" +
                         didYouMean(wanted, other->names()));
  }
  // `from . import part` in a package's own __init__, and a folder without one.
  std::string part = from.module.str() + (from.module.empty() ? "" : ".") + wanted.str();
  if (FileEnvironment *inner = neighbour(part, from.level); inner && inner != this)
    return of(moduleOperand(*inner, wanted));
  if (usual)
    return of(Operand::ofModule(*usual));
  return of(opaque(identity, "'" + wanted.str() + "' of the module '" + std::string(from.level, '.') +
                                 from.module.str() + "', of which no file was found"));
}

Result<std::optional<FileEnvironment::Bound>> FileEnvironment::importedValue(const Site &site, llvm::StringRef name) {
  auto of = [](Operand value) { return std::optional<Bound>(Bound{std::move(value), false}); };
  const ast::Alias &alias = *site.alias;
  if (auto *from = llvm::dyn_cast<ast::ImportFrom>(site.statement))
    return importedFrom(*from, alias.name == "*" ? name : alias.name, &alias);
  // `import a.b` binds a; `import a.b as c` binds a.b.
  llvm::StringRef dotted = alias.asName.empty() ? alias.name.split('.').first : alias.name;
  if (std::optional<std::string> module = knownModule(dotted))
    return of(Operand::ofModule(*module));
  if (FileEnvironment *other = neighbour(dotted, 0); other && other != this)
    return of(moduleOperand(*other, dotted));
  return of(opaque(&alias, "the module '" + dotted.str() + "'"));
}

} // namespace tilewise::frontend
