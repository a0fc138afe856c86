// Operands across the border of a region: which values flow, and whether two versions of a variable
// can be one.
#include "frontend/elaborate/Elaborate.h"
#include "frontend/sema/NumberTypes.h"
#include "frontend/syntax/AstChildren.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

/// The runtime values inside a record, in order; its numbers stay with it.
static void flattenRecord(const Operand &operand, llvm::SmallVectorImpl<Value> &values) {
  if (operand.isRuntime())
    values.push_back(operand.value());
  else if (operand.isSequence() || operand.isRecord())
    for (const Operand &part : operand.isRecord() ? operand.record().fields : operand.elements())
      flattenRecord(part, values);
}

Result<void> Elaborator::flatten(const Operand &operand, llvm::SmallVectorImpl<Value> &values) {
  if (operand.isRuntime() || operand.isNumber()) {
    TILEWISE_TRY(Value value, sema_->toValue(operand));
    values.push_back(std::move(value));
  } else if (operand.isSequence()) {
    for (const Operand &element : operand.elements())
      TILEWISE_CHECK(flatten(element, values));
  } else if (operand.isRecord()) {
    flattenRecord(operand, values);
  }
  return {};
}

/// The lists and dicts inside, which can change in place; `known` ends the walk over what is
/// shared.
static void addContainers(const Operand &operand, llvm::DenseSet<const void *> &known) {
  if (operand.isSequence() && known.insert(&operand.elements()).second)
    for (const Operand &element : operand.elements())
      addContainers(element, known);
  else if (operand.isDict() && known.insert(&operand.entries()).second)
    for (const auto &[key, value] : operand.entries())
      addContainers(value, known);
  else if (operand.isRecord() && known.insert(&operand.record()).second)
    for (const Operand &field : operand.record().fields)
      addContainers(field, known);
}

llvm::DenseSet<const void *> Elaborator::containersInReach() const {
  llvm::DenseSet<const void *> known;
  for (const Frame *frame = frame_; frame; frame = frame->caller)
    for (const auto &[name, variable] : frame->scope)
      addContainers(variable.value, known);
  return known;
}

llvm::SmallVector<Value> Elaborator::openRegion(llvm::ArrayRef<Type> arguments) {
  outside_.push_back(containersInReach());
  return sema_->sink().openRegion(arguments);
}

OpSink::Region *Elaborator::closeRegion() {
  outside_.pop_back();
  return sema_->sink().closeRegion();
}

static const void *identityOf(const Operand &container) {
  return container.isDict() ? static_cast<const void *>(&container.entries())
                            : static_cast<const void *>(&container.elements());
}

bool Elaborator::isSpoiled(const Operand &operand) const {
  return (operand.isDict() || operand.isList()) && spoiled_.contains(identityOf(operand));
}

Result<void> Elaborator::mayChange(const Operand &container) {
  const void *identity = identityOf(container);
  if (llvm::none_of(outside_, [&](const auto &outer) { return outer.contains(identity); }))
    return {};
  spoiled_.insert(identity);
  return kernelFailure(
      std::string("a ") + (container.isDict() ? "dict" : "list") +
      " made before a runtime loop or branch cannot change inside it: lists exist while compiling, and "
      "the body is compiled once; unroll the loop with tl.static_range, or keep the values in a block");
}

static Operand rebuildFrom(const Operand &model, llvm::ArrayRef<Value> &values, bool numbersFlow) {
  if (model.isRuntime() || (numbersFlow && model.isNumber())) {
    Operand result(values.front());
    values = values.drop_front();
    return result;
  }
  if (!model.isSequence() && !model.isRecord())
    return model;
  Elements parts;
  for (const Operand &part : model.isRecord() ? model.record().fields : model.elements())
    parts.push_back(rebuildFrom(part, values, numbersFlow && !model.isRecord()));
  if (model.isRecord())
    return Operand::ofRecord(model.record().kind, std::move(parts));
  return model.withElements(std::move(parts));
}

Operand Elaborator::rebuild(const Operand &model, llvm::ArrayRef<Value> &values) {
  return rebuildFrom(model, values, /*numbersFlow=*/true);
}

/// The type a number or runtime value has as a value.
static std::optional<Type> valueType(const Operand &operand) {
  if (operand.isRuntime())
    return operand.value().type;
  if (operand.isNumber())
    if (std::optional<DType> type = literalType(operand))
      return Type(*type);
  return std::nullopt;
}

bool Elaborator::identical(const Operand &a, const Operand &b) {
  if (a.isRuntime() || b.isRuntime())
    return a.isRuntime() && b.isRuntime() && a.value().handle == b.value().handle && a.value().type == b.value().type;
  if (a.isSequence() && b.isSequence())
    return a.elements().size() == b.elements().size() &&
           llvm::all_of(llvm::zip(a.elements(), b.elements()),
                        [](auto pair) { return identical(std::get<0>(pair), std::get<1>(pair)); });
  if (a.isRecord() && b.isRecord())
    return a.record().kind == b.record().kind &&
           llvm::all_of(llvm::zip_equal(a.record().fields, b.record().fields),
                        [](auto pair) { return identical(std::get<0>(pair), std::get<1>(pair)); });
  auto same = constantCompare(CompareOperator::Is, a, b);
  return same && same->boolean();
}

/// Whether two parts of records can be one: equal compile-time values, runtime values of one type.
static bool partsMerge(const Operand &a, const Operand &b,
                       llvm::function_ref<bool(const Operand &, const Operand &)> identical) {
  auto all = [&](llvm::ArrayRef<Operand> x, llvm::ArrayRef<Operand> y) {
    return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [&](auto pair) {
             return partsMerge(std::get<0>(pair), std::get<1>(pair), identical);
           });
  };
  if (a.isRuntime() && b.isRuntime())
    return a.value().type == b.value().type;
  if (a.isSequence() && b.isSequence())
    return all(a.elements(), b.elements());
  if (a.isRecord() && b.isRecord())
    return a.record().kind == b.record().kind && all(a.record().fields, b.record().fields);
  return identical(a, b);
}

bool Elaborator::canMerge(const Operand &a, const Operand &b) {
  std::optional<Type> typeA = valueType(a), typeB = valueType(b);
  if (typeA || typeB)
    return typeA == typeB;
  if (a.isSequence() && b.isSequence())
    return a.tupleClass() == b.tupleClass() && a.elements().size() == b.elements().size() &&
           llvm::all_of(llvm::zip(a.elements(), b.elements()),
                        [](auto pair) { return canMerge(std::get<0>(pair), std::get<1>(pair)); });
  return partsMerge(a, b, identical);
}

std::string Elaborator::describe(const Operand &operand) {
  if (std::optional<Type> type = valueType(operand))
    return type->str();
  if (operand.isSequence())
    return "(" +
           llvm::join(llvm::map_range(operand.elements(), [](const Operand &element) { return describe(element); }),
                      ", ") +
           ")";
  if (operand.isRecord())
    return operand.record().kind->name + "(" +
           llvm::join(
               llvm::map_range(operand.record().fields,
                               [](const Operand &field) { return field.isNumber() ? field.repr() : describe(field); }),
               ", ") +
           ")";
  return operand.isString() || operand.isType() ? operand.repr() : operand.kindText();
}

namespace {

/// Walks statements for the names they bind.
struct NameCollector {
  llvm::SetVector<llvm::StringRef> names;
  std::function<void(llvm::StringRef)> onRead;
  /// Told before the body of a `for` with its variable, and after it with nothing.
  std::function<void(llvm::StringRef)> onLoop;

  void target(const ast::Expr *expr) {
    if (auto *name = llvm::dyn_cast<ast::Name>(expr))
      names.insert(name->id);
    else if (auto *tuple = llvm::dyn_cast<ast::Tuple>(expr))
      llvm::for_each(tuple->items, [&](const ast::Expr *item) { target(item); });
    else if (auto *list = llvm::dyn_cast<ast::List>(expr))
      llvm::for_each(list->items, [&](const ast::Expr *item) { target(item); });
  }

  /// `:=` anywhere inside an expression binds too.
  void expression(const ast::Expr *expr) {
    if (!expr)
      return;
    if (auto *name = llvm::dyn_cast<ast::Name>(expr); name && onRead)
      onRead(name->id);
    if (auto *named = llvm::dyn_cast<ast::NamedExpr>(expr))
      target(named->target);
    // The names of a comprehension are its own.
    ast::forEachChild(*expr, [&](const ast::Expr &child, llvm::StringRef role) {
      if (role != "target")
        expression(&child);
    });
  }

  void statements(ast::StmtList list) {
    for (const ast::Stmt *statement : list)
      this->statement(statement);
  }

  void statement(const ast::Stmt *statement) {
    if (auto *assign = llvm::dyn_cast<ast::Assign>(statement)) {
      expression(assign->value);
      llvm::for_each(assign->targets, [&](const ast::Expr *item) { target(item); });
    } else if (auto *augmented = llvm::dyn_cast<ast::AugAssign>(statement)) {
      expression(augmented->value);
      expression(augmented->target);
      target(augmented->target);
    } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssign>(statement)) {
      expression(annotated->value);
      if (annotated->value)
        target(annotated->target);
    } else if (auto *loop = llvm::dyn_cast<ast::For>(statement)) {
      expression(loop->iter);
      target(loop->target);
      auto *variable = llvm::dyn_cast<ast::Name>(loop->target);
      if (onLoop && variable)
        onLoop(variable->id);
      statements(loop->body);
      if (onLoop && variable)
        onLoop({});
    } else if (auto *with = llvm::dyn_cast<ast::With>(statement)) {
      for (const ast::WithItem &item : with->items) {
        expression(item.context);
        if (item.target)
          target(item.target);
      }
      statements(with->body);
    } else if (!llvm::isa<ast::FunctionDef, ast::ClassDef>(statement)) {
      ast::forEachChild(
          *statement, [&](const ast::Expr &child, llvm::StringRef) { expression(&child); },
          [&](ast::StmtList body, llvm::StringRef) { statements(body); });
    }
  }
};

} // namespace

llvm::SmallVector<llvm::StringRef> assignedNames(ast::StmtList statements) {
  NameCollector collector;
  collector.statements(statements);
  return llvm::SmallVector<llvm::StringRef>(collector.names.begin(), collector.names.end());
}

llvm::DenseSet<llvm::StringRef> namesReadAfterLoops(ast::StmtList statements) {
  NameCollector collector;
  llvm::DenseSet<llvm::StringRef> read;
  llvm::SmallVector<llvm::StringRef> loops;
  collector.onRead = [&](llvm::StringRef name) {
    if (!llvm::is_contained(loops, name))
      read.insert(name);
  };
  collector.onLoop = [&](llvm::StringRef name) {
    if (name.empty())
      loops.pop_back();
    else
      loops.push_back(name);
  };
  collector.statements(statements);
  return read;
}

bool bindsNames(const ast::Expr &expr) {
  NameCollector collector;
  collector.expression(&expr);
  return !collector.names.empty();
}

bool containsReturn(ast::StmtList statements) {
  return llvm::any_of(statements, [](const ast::Stmt *statement) {
    bool found = llvm::isa<ast::Return>(statement);
    if (!llvm::isa<ast::FunctionDef, ast::ClassDef>(statement))
      ast::forEachBody(*statement, [&](ast::StmtList body) { found |= containsReturn(body); });
    return found;
  });
}

} // namespace tilewise::frontend
