// Making, asking and printing operands.
#include "frontend/values/Operand.h"

#include "frontend/values/Builtin.h"
#include "frontend/values/Environment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

namespace tilewise::frontend {

Operand Operand::ofBool(bool value) {
  Operand result;
  result.payload_ = value;
  return result;
}

Operand Operand::ofInt(int64_t value) { return ofInt(llvm::APSInt::get(value)); }

Operand Operand::ofInt(llvm::APSInt value) {
  Operand result;
  value.setIsSigned(true);
  result.payload_ = std::move(value);
  return result;
}

Operand Operand::ofFloat(double value) {
  Operand result;
  result.payload_ = value;
  return result;
}

Operand Operand::ofString(std::string value) {
  Operand result;
  result.payload_ = std::make_shared<const std::string>(std::move(value));
  return result;
}

static void enclose(Operand::Extent &outer, const Operand &part) {
  Operand::Extent inner = part.extent();
  outer.parts = uint32_t(std::min<uint64_t>(uint64_t(outer.parts) + inner.parts, UINT32_MAX));
  outer.depth = std::max(outer.depth, inner.depth + 1);
}

Operand Operand::ofSequence(Elements elements, bool isList, std::shared_ptr<const RecordClass> kind) {
  Extent extent;
  for (const Operand &element : elements)
    enclose(extent, element);
  Operand result;
  // Made mutable, for Operand::mutableElements.
  result.payload_ = Sequence{std::make_shared<Elements>(std::move(elements)), isList, std::move(kind), extent};
  return result;
}

Operand Operand::ofTuple(Elements elements) { return ofSequence(std::move(elements), /*isList=*/false, nullptr); }
Operand Operand::ofList(Elements elements) { return ofSequence(std::move(elements), /*isList=*/true, nullptr); }

Operand Operand::ofDict(Entries entries) {
  Operand result;
  result.payload_ = std::shared_ptr<const Entries>(std::make_shared<Entries>(std::move(entries)));
  return result;
}

Operand::Extent Operand::extent() const {
  Extent extent;
  if (isSequence())
    return std::get<Sequence>(payload_).extent;
  if (isDict())
    for (const auto &[key, value] : entries()) {
      enclose(extent, key);
      enclose(extent, value);
    }
  else if (isRecord())
    for (const Operand &field : record().fields)
      enclose(extent, field);
  else if (isSlice())
    for (const Operand *part : {&slice().lower, &slice().upper, &slice().step})
      enclose(extent, *part);
  else if (isMethod())
    enclose(extent, method().self);
  return extent;
}

Operand Operand::ofType(Type type) {
  Operand result;
  result.payload_ = std::make_shared<const Type>(std::move(type));
  return result;
}

Operand Operand::ofFunction(std::shared_ptr<const FunctionValue> function) {
  Operand result;
  result.payload_ = std::move(function);
  return result;
}

Operand Operand::ofBuiltin(const Builtin *builtin) {
  Operand result;
  result.payload_ = builtin;
  return result;
}

Operand Operand::ofModule(std::string name) {
  Operand result;
  result.payload_ = std::make_shared<const ModuleValue>(ModuleValue{std::move(name)});
  return result;
}

Operand Operand::ofMethod(Operand self, Operand function) {
  Operand result;
  result.payload_ = std::make_shared<const BoundMethod>(BoundMethod{std::move(self), std::move(function)});
  return result;
}

Operand Operand::ofSlice(Operand lower, Operand upper, Operand step) {
  Operand result;
  result.payload_ = std::make_shared<const Slice>(Slice{std::move(lower), std::move(upper), std::move(step)});
  return result;
}

Operand Operand::ofHostObject(std::shared_ptr<const HostObject> object) {
  Operand result;
  result.payload_ = std::move(object);
  return result;
}

Operand Operand::ofRecord(std::shared_ptr<const RecordClass> kind, Elements fields) {
  assert(kind->fields.size() == fields.size());
  Operand result;
  result.payload_ = std::shared_ptr<const Record>(std::make_shared<Record>(Record{std::move(kind), std::move(fields)}));
  return result;
}

Operand Operand::ofNamedTuple(std::shared_ptr<const RecordClass> kind, Elements elements) {
  assert(kind->fields.size() == elements.size());
  return ofSequence(std::move(elements), /*isList=*/false, std::move(kind));
}

Operand Operand::ofClass(std::shared_ptr<const RecordClass> kind) {
  Operand result;
  result.payload_ = std::move(kind);
  return result;
}

Operand Operand::withElements(Elements elements) const {
  const Sequence &model = std::get<Sequence>(payload_);
  // Names fit only the same number of elements.
  bool sameCount = elements.size() == model.elements->size();
  return ofSequence(std::move(elements), model.isList, sameCount ? model.kind : nullptr);
}

const Operand *RecordClass::attribute(llvm::StringRef name) const {
  for (const auto &[known, value] : attributes)
    if (known == name)
      return &value;
  return nullptr;
}

std::optional<size_t> RecordClass::fieldIndex(llvm::StringRef name) const {
  for (auto [i, known] : llvm::enumerate(fields))
    if (known == name)
      return i;
  return std::nullopt;
}

bool RecordClass::inherits(const RecordClass &from) const {
  for (const RecordClass *one = this; one; one = one->base.get())
    if (one == &from)
      return true;
  return false;
}

bool Operand::isRecord(const RecordClass &kind) const { return isRecord() && record().kind.get() == &kind; }

const Operand *Record::field(llvm::StringRef name) const {
  for (auto [known, value] : llvm::zip_equal(kind->fields, fields))
    if (known == name)
      return &value;
  return nullptr;
}

bool Operand::isTuple() const { return isSequence() && !std::get<Sequence>(payload_).isList; }
bool Operand::isList() const { return isSequence() && std::get<Sequence>(payload_).isList; }

bool Operand::holdsRuntime() const {
  if (isRuntime())
    return true;
  if (isSequence())
    return llvm::any_of(elements(), [](const Operand &element) { return element.holdsRuntime(); });
  if (isDict())
    return llvm::any_of(entries(), [](const auto &entry) { return entry.second.holdsRuntime(); });
  if (isRecord())
    return llvm::any_of(record().fields, [](const Operand &field) { return field.holdsRuntime(); });
  return false;
}

void forEachValue(const Operand &operand, llvm::function_ref<void(const Value &)> visit) {
  if (operand.isRuntime()) {
    visit(operand.value());
  } else if (operand.isSequence()) {
    for (const Operand &element : operand.elements())
      forEachValue(element, visit);
  } else if (operand.isDict()) {
    for (const auto &[key, value] : operand.entries())
      forEachValue(value, visit);
  } else if (operand.isRecord()) {
    for (const Operand &field : operand.record().fields)
      forEachValue(field, visit);
  } else if (operand.isMethod()) {
    forEachValue(operand.method().self, visit);
  }
}

std::optional<int64_t> Operand::asInt64() const {
  if (isBool())
    return boolean() ? 1 : 0;
  if (!isInt() || integer().getSignificantBits() > 64)
    return std::nullopt;
  return integer().getExtValue();
}

double Operand::asDouble() const {
  if (isBool())
    return boolean() ? 1 : 0;
  if (isFloat())
    return floating();
  return integer().roundToDouble(/*isSigned=*/true);
}

std::string Operand::kindText() const {
  if (isRuntime())
    return value().type.str();
  if (isNone())
    return "None";
  if (isBool())
    return "bool";
  if (isInt())
    return "int";
  if (isFloat())
    return "float";
  if (isString())
    return "str";
  if (isNamedTuple())
    return "a " + tupleClass()->name;
  if (isTuple())
    return "tuple";
  if (isList())
    return "list";
  if (isDict())
    return "dict";
  if (isType())
    return "dtype";
  if (isFunction())
    return "the function '" + function()->name + "'";
  if (isBuiltin())
    return "the function '" + builtin()->name().str() + "'";
  if (isModule())
    return "the module '" + moduleName() + "'";
  if (isMethod())
    return "a method";
  if (isSlice())
    return "a slice";
  if (isRecord())
    return "a " + record().kind->name;
  if (isClass())
    return "the class '" + classValue()->name + "'";
  return hostObject()->description;
}

/// Python's repr of a float: the shortest digits that read back, an exponent below 1e-4 and from
/// 1e16 on.
static std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  double magnitude = std::fabs(value);
  bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                           scientific ? std::chars_format::scientific : std::chars_format::fixed)
                 .ptr;
  std::string text(buffer, end);
  if (!scientific && text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

static std::string quoted(llvm::StringRef text) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote || c == '\\')
      result += '\\', result += c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else
      result += c;
  }
  return result + quote;
}

std::string Operand::repr() const {
  auto listed = [](const Elements &elements) {
    return llvm::join(llvm::map_range(elements, [](const Operand &element) { return element.repr(); }), ", ");
  };
  if (isBool())
    return boolean() ? "True" : "False";
  if (isInt())
    return llvm::toString(integer(), 10);
  if (isFloat())
    return floatText(floating());
  if (isString())
    return quoted(string());
  auto named = [](const RecordClass &kind, const Elements &values) {
    std::string text = kind.name + "(";
    for (auto [i, name] : llvm::enumerate(kind.fields))
      text += (i ? ", " : "") + name + "=" + values[i].repr();
    return text + ")";
  };
  if (isNamedTuple())
    return named(*tupleClass(), elements());
  if (isRecord())
    return named(*record().kind, record().fields);
  if (isTuple())
    return "(" + listed(elements()) + (elements().size() == 1 ? ",)" : ")");
  if (isList())
    return "[" + listed(elements()) + "]";
  if (isDict())
    return "{" +
           llvm::join(llvm::map_range(
                          entries(), [](const auto &entry) { return entry.first.repr() + ": " + entry.second.repr(); }),
                      ", ") +
           "}";
  if (isType())
    return type().str();
  if (isFunction())
    return "<function " + function()->name + ">";
  if (isBuiltin())
    return "<function " + builtin()->name().str() + ">";
  if (isModule())
    return "<module '" + moduleName() + "'>";
  return kindText();
}

std::string Operand::str() const { return isString() ? string() : repr(); }

/// Whether `container` is somewhere inside `value`, so that putting it there would close a circle.
static bool reaches(const Operand &value, const void *container) {
  if (value.isSequence())
    return &value.elements() == container ||
           llvm::any_of(value.elements(), [&](const Operand &part) { return reaches(part, container); });
  if (value.isDict())
    return &value.entries() == container ||
           llvm::any_of(value.entries(), [&](const auto &entry) { return reaches(entry.second, container); });
  if (value.isRecord())
    return llvm::any_of(value.record().fields, [&](const Operand &part) { return reaches(part, container); });
  if (value.isMethod())
    return reaches(value.method().self, container);
  if (value.isFunction())
    return llvm::any_of(value.function()->captured, [&](const auto &name) { return reaches(name.second, container); });
  return false;
}

bool wouldCloseCircle(const Operand &container, const Operand &value) {
  return reaches(value, container.isDict() ? static_cast<const void *>(&container.entries())
                                           : static_cast<const void *>(&container.elements()));
}

} // namespace tilewise::frontend
