// tw_value_* and tw_source_set_host: an environment whose answers come from the host's callbacks.
#include "api/Handles.h"
#include "api/HostValue.h"
#include "api/Status.h"
#include "frontend/Frontend.h"
#include "frontend/builtins/Builtins.h"
#include "frontend/builtins/Stdlib.h"
#include "frontend/python/FileEnvironment.h"
#include "frontend/python/LiveHost.h"
#include "frontend/values/Lookups.h"
#include "runtime/Fork.h"

using namespace tilewise;
using frontend::Operand;

std::vector<std::string> HostEnvironment::names() const {
  const CompilePause pause;
  std::vector<std::string> result;
  if (handle_->host.names)
    handle_->host.names(
        handle_->host.user,
        [](void *list, const char *name) { static_cast<std::vector<std::string> *>(list)->emplace_back(name); },
        &result);
  return result;
}

Result<std::optional<Operand>> HostEnvironment::lookup(llvm::StringRef name, frontend::LookupUse use) {
  Result<std::optional<Operand>> answer = askForName(name, use);
  if (auto *record = frontend::LookupRecord::current())
    record->noteName(*this, name, use, answer);
  return answer;
}

Result<std::optional<Operand>> HostEnvironment::askForName(llvm::StringRef name, frontend::LookupUse use) {
  const CompilePause pause;
  tw_value value;
  value.environment = this;
  handle_->host.lookup(handle_->host.user, name.str().c_str(), &value);
  if (value.state == tw_value::State::Missing)
    return std::optional<Operand>();
  Result<Operand> operand = use == frontend::LookupUse::Kernel ? takeOuter(name, value) : value.take();
  if (!operand)
    return operand.takeFailure();
  return std::optional<Operand>(std::move(*operand));
}

Result<Operand> HostEnvironment::takeOuter(llvm::StringRef name, tw_value &value) {
  Result<Operand> operand = value.take();
  if (operand && !value.isConstexpr && frontend::needsConstexpr(*operand))
    return frontend::globalIsNotConstexpr(name, *operand);
  return operand;
}

Result<Operand> HostEnvironment::getAttribute(const frontend::HostObject &object, llvm::StringRef name) {
  Result<Operand> answer = askForAttribute(object, name);
  if (auto *record = frontend::LookupRecord::current())
    record->noteAttribute(object, name, answer);
  return answer;
}

Result<Operand> HostEnvironment::askForAttribute(const frontend::HostObject &object, llvm::StringRef name) {
  const CompilePause pause;
  if (!handle_->host.attribute)
    return frontend::cannotLookInto(object, name);
  tw_value value;
  value.environment = this;
  handle_->host.attribute(handle_->host.user, object.handle, name.str().c_str(), &value);
  if (value.state == tw_value::State::Missing)
    return kernelFailure(object.description + " has no attribute '" + name.str() + "'");
  return value.take();
}

Result<Operand> HostEnvironment::call(const frontend::HostObject &callee, llvm::ArrayRef<Operand> arguments,
                                      llvm::ArrayRef<std::pair<std::string, Operand>> keywords) {
  // What code of the host does now, it may do otherwise another time.
  if (auto *record = frontend::LookupRecord::current())
    record->giveUp();
  const CompilePause pause;
  if (!handle_->host.call)
    return Environment::call(callee, arguments, keywords);
  frontend::Entries entries;
  for (const auto &[name, operand] : keywords)
    entries.emplace_back(Operand::ofString(name), operand);
  tw_value positional = tw_value::reading(Operand::ofTuple({arguments.begin(), arguments.end()}));
  tw_value named = tw_value::reading(Operand::ofDict(std::move(entries)));
  tw_value result;
  result.environment = this;
  handle_->host.call(handle_->host.user, callee.handle, &positional, &named, &result);
  if (result.state == tw_value::State::Missing)
    return Operand::none();
  return result.take();
}

std::string tw_value::typeExpression(const frontend::Type &type) {
  if (!type.isBlock() && !type.element.isPointer())
    return "tl." + frontend::languageName(type.element.scalar()).str();
  if (!type.isBlock())
    return "tl.pointer_type(" + typeExpression(frontend::Type(type.element.pointee())) +
           (type.element.isConst() ? ", const=True)" : ")");
  std::string shape;
  for (int64_t extent : type.shape)
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  return "tl.block_type(" + typeExpression(frontend::Type(type.element)) + ", [" + shape + "])";
}

bool HostEnvironment::equal(const frontend::HostObject &a, const frontend::HostObject &b) {
  const bool answer = askWhetherEqual(a, b);
  if (auto *record = frontend::LookupRecord::current())
    record->noteEqual(a, b, answer);
  return answer;
}

bool HostEnvironment::askWhetherEqual(const frontend::HostObject &a, const frontend::HostObject &b) {
  const CompilePause pause;
  if (!handle_->host.equal || b.environment != this)
    return a.handle == b.handle;
  return handle_->host.equal(handle_->host.user, a.handle, b.handle);
}

void tw_value_none(tw_value *value) { value->set(Operand::none()); }
void tw_value_bool(tw_value *value, bool b) { value->set(Operand::ofBool(b)); }
void tw_value_int(tw_value *value, int64_t i) { value->set(Operand::ofInt(i)); }
void tw_value_float(tw_value *value, double f) { value->set(Operand::ofFloat(f)); }
void tw_value_string(tw_value *value, const char *utf8, size_t length) {
  value->set(Operand::ofString(std::string(utf8, length)));
}
void tw_value_tuple(tw_value *value, size_t count) { value->setItems(tw_value::State::Tuple, count); }
void tw_value_list(tw_value *value, size_t count) { value->setItems(tw_value::State::List, count); }
void tw_value_named_tuple(tw_value *value, size_t count) { value->setItems(tw_value::State::NamedTuple, count + 1); }
void tw_value_dict(tw_value *value, size_t count) { value->setItems(tw_value::State::Dict, 2 * count); }
tw_value *tw_value_item(tw_value *value, size_t index) {
  return index < value->items.size() ? &value->items[index] : nullptr;
}
void tw_value_constexpr(tw_value *value) { value->isConstexpr = true; }

tw_value_kind tw_value_get_kind(const tw_value *value) {
  switch (value->state) {
  case tw_value::State::Missing:
  case tw_value::State::Error:
    return TW_VALUE_MISSING;
  case tw_value::State::Tuple:
  case tw_value::State::NamedTuple:
    return TW_VALUE_TUPLE;
  case tw_value::State::List:
    return TW_VALUE_LIST;
  case tw_value::State::Dict:
    return TW_VALUE_DICT;
  case tw_value::State::Class:
    return TW_VALUE_OTHER;
  case tw_value::State::Single:
    break;
  }
  const Operand &operand = value->operand;
  return operand.isNone()         ? TW_VALUE_NONE
         : operand.isBool()       ? TW_VALUE_BOOL
         : operand.isInt()        ? TW_VALUE_INT
         : operand.isFloat()      ? TW_VALUE_FLOAT
         : operand.isString()     ? TW_VALUE_STRING
         : operand.isType()       ? TW_VALUE_TYPE
         : operand.isHostObject() ? TW_VALUE_OBJECT
         : operand.isRuntime()    ? TW_VALUE_BLOCK
                                  : TW_VALUE_OTHER;
}
bool tw_value_get_bool(const tw_value *value) { return value->operand.isBool() && value->operand.boolean(); }
double tw_value_get_float(const tw_value *value) { return value->operand.isFloat() ? value->operand.floating() : 0; }
const char *tw_value_get_text(const tw_value *value, size_t *length) {
  if (value->operand.isRuntime() && value->text.empty())
    value->text = tw_value::typeExpression(value->operand.value().type);
  if (length)
    *length = value->text.size();
  return value->text.c_str();
}
void *tw_value_get_object(const tw_value *value) {
  return value->operand.isHostObject() ? value->operand.hostObject()->handle : nullptr;
}
size_t tw_value_get_count(const tw_value *value) { return value->items.size(); }
const tw_value *tw_value_get_item(const tw_value *value, size_t index) {
  return index < value->items.size() ? &value->items[index] : nullptr;
}

void tw_value_error(tw_value *value, const char *reason) {
  value->state = tw_value::State::Error;
  value->error = reason;
}

tw_status tw_value_big_int(tw_value *value, const char *decimal) {
  return guarded([&]() -> Result<void> {
    Result<Operand> number = frontend::intOfDecimal(decimal);
    if (!number)
      return number.takeFailure();
    value->set(std::move(*number));
    return {};
  });
}

tw_status tw_value_language(tw_value *value, const char *dotted) {
  return guarded([&]() -> Result<void> {
    Result<Operand> found = frontend::languageOperand(dotted);
    // A name that the language does not offer is an error where it is used, not here.
    if (found)
      value->set(std::move(*found));
    else
      tw_value_error(value, found.failure().message.c_str());
    return {};
  });
}

void tw_value_function_flags(tw_value *value, unsigned flags, const char *must_use) {
  if (value->state != tw_value::State::Single || !value->operand.isFunction() || !flags)
    return;
  auto function = std::make_shared<frontend::FunctionValue>(*value->operand.function());
  if (flags & TW_FUNCTION_PYTHON)
    function->kind = frontend::FunctionValue::Kind::Constexpr;
  function->isStatic |= (flags & TW_FUNCTION_STATIC) != 0;
  function->isProperty |= (flags & TW_FUNCTION_PROPERTY) != 0;
  function->isNoinline |= (flags & TW_FUNCTION_NOINLINE) != 0;
  if (flags & TW_FUNCTION_MUST_USE)
    function->mustUseResult = must_use ? must_use : "";
  value->set(Operand::ofFunction(std::move(function)));
}

/// Every class that a host has said, for the life of the process: records are of one kind when they
/// share the class.
static std::map<const void *, std::shared_ptr<const frontend::RecordClass>> &knownClasses() {
  static auto *classes = new std::map<const void *, std::shared_ptr<const frontend::RecordClass>>;
  return *classes;
}

const void *tw_value_get_class(const tw_value *value) {
  if (!value->operand.isNamedTuple())
    return nullptr;
  for (const auto &[identity, known] : knownClasses())
    if (known == value->operand.tupleClass())
      return identity;
  return nullptr;
}

bool tw_value_class(tw_value *value, const void *identity, const char *name, bool is_tuple) {
  if (auto known = knownClasses().find(identity); known != knownClasses().end()) {
    value->set(Operand::ofClass(known->second));
    return false;
  }
  value->state = tw_value::State::Class;
  value->kind = std::make_shared<frontend::RecordClass>();
  value->kind->name = name;
  value->kind->maker = is_tuple ? frontend::RecordClass::Maker::NamedTuple : frontend::RecordClass::Maker::Aggregate;
  // Known at once: a method may name its own class.
  knownClasses()[identity] = value->kind;
  return true;
}

static tw_value *addMember(tw_value *value, tw_value::Member member) {
  value->members.push_back(std::move(member));
  value->items.emplace_back();
  value->items.back().environment = value->environment;
  return &value->items.back();
}
tw_value *tw_value_class_field(tw_value *value, const char *name, tw_field_kind kind) {
  return addMember(value, {name, true, kind});
}
tw_value *tw_value_class_attribute(tw_value *value, const char *name) { return addMember(value, {name, false}); }

Result<Operand> tw_value::takeClass() {
  for (auto &&[member, item] : llvm::zip(members, items)) {
    std::optional<Operand> given;
    if (item.state != State::Missing) {
      Result<Operand> taken = item.take();
      if (!taken)
        return taken;
      given = std::move(*taken);
    }
    if (member.isField) {
      kind->fields.push_back(member.name);
      kind->fieldInfos.push_back({frontend::RecordClass::FieldKind(member.kind), std::move(given)});
    } else if (given && member.name == "__base__" && given->isClass()) {
      kind->base = given->classValue();
    } else if (given) {
      kind->attributes.emplace_back(member.name, std::move(*given));
    }
  }
  return Operand::ofClass(kind);
}

tw_status tw_value_literal(tw_value *value, const char *text) {
  return guarded([&]() -> Result<void> {
    Result<Operand> read = frontend::evaluateLiteral(text);
    if (!read)
      return read.takeFailure();
    value->set(std::move(*read));
    return {};
  });
}

tw_status tw_value_function(tw_value *value, tw_source *source, const char *name) {
  return guarded([&]() -> Result<void> {
    auto function = source->source->function(name);
    if (!function)
      return function.takeFailure();
    value->set(Operand::ofFunction(std::move(*function)));
    return {};
  });
}

void tw_value_object(tw_value *value, void *object, const char *description) {
  HostEnvironment *environment = value->environment;
  auto release = [handle = environment->handle()](const frontend::HostObject *held) {
    if (handle->host.release_object) {
      const CompilePause pause;
      handle->host.release_object(handle->host.user, held->handle);
    }
    delete held;
  };
  value->set(Operand::ofHostObject(std::shared_ptr<const frontend::HostObject>(
      new frontend::HostObject{environment, object, description ? description : "an object of the host"},
      std::move(release))));
}

Result<std::shared_ptr<HostEnvironment>> HostEnvironment::create(const tw_host *host) {
  if (!host || host->struct_size < offsetof(tw_host, lookup) + sizeof(host->lookup) || !host->lookup)
    return launchFailure("a host needs its struct_size and a lookup");
  auto handle = std::make_shared<HostHandle>();
  // An older caller's structure ends earlier; what it does not have stays null.
  std::memcpy(&handle->host, host, std::min<size_t>(host->struct_size, sizeof(tw_host)));
  return std::make_shared<HostEnvironment>(std::move(handle));
}

void tw_language_names(const char *module, void (*take)(void *user, const char *name), void *user) {
  llvm::StringRef inner = module;
  if (!inner.consume_front("triton.language"))
    return;
  std::string prefix = "tl" + inner.str() + ".";
  auto tell = [&](llvm::StringRef name) {
    if (!name.starts_with("_") && !name.contains('.'))
      take(user, name.str().c_str());
  };
  for (llvm::ArrayRef<frontend::Builtin> family : frontend::builtinFamilies())
    for (const frontend::Builtin &row : family)
      if (llvm::StringRef name = row.name(); name.consume_front(prefix))
        tell(name);
  if (inner.empty())
    llvm::for_each(frontend::stdlib::names(), tell);
}

tw_status tw_signature_read(const char *signature,
                            void (*take)(void *user, const char *text, bool is_constant, uint32_t divisibility),
                            void *user) {
  return guarded([&]() -> Result<void> {
    auto arguments = frontend::parseSignature(signature);
    if (!arguments)
      return arguments.takeFailure();
    for (const frontend::ArgumentSpec &argument : *arguments)
      take(user, argument.text.c_str(), argument.isConstant, argument.divisibility);
    return {};
  });
}

tw_status tw_source_set_host(tw_source *source, const tw_host *host) {
  return guarded([&]() -> Result<void> {
    auto environment = HostEnvironment::create(host);
    if (!environment)
      return environment.takeFailure();
    source->source->setEnvironment(std::move(*environment));
    return {};
  });
}
