// Objects: making records and named tuples from their classes, their attributes, and the special
// methods behind operators.
#include "frontend/python/Evaluate.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

static bool isNotImplemented(const Operand &operand) {
  return operand.isBuiltin() && operand.builtin()->is("NotImplemented");
}

/// A field's value as its annotation wants it.
static Result<void> checkField(const RecordClass &kind, size_t at, const Operand &value) {
  if (at >= kind.fieldInfos.size())
    return {};
  std::string where = "the field '" + kind.fields[at] + "' of '" + kind.name + "' is ";
  switch (kind.fieldInfos[at].kind) {
  case RecordClass::FieldKind::Any:
    return {};
  case RecordClass::FieldKind::Tensor:
    if (value.isRuntime())
      return {};
    return kernelFailure(where + "tl.tensor, got " + value.kindText() +
                         (value.isNumber() ? "; write tl.to_tensor(" + value.repr() + ")" : ""));
  case RecordClass::FieldKind::Constexpr:
    if (!value.holdsRuntime())
      return {};
    return kernelFailure(where + "tl.constexpr, got a runtime " + value.kindText());
  }
  return {};
}

Result<Operand> Evaluator::construct(const std::shared_ptr<const RecordClass> &kind, llvm::ArrayRef<Argument> arguments,
                                     SourceLoc loc) {
  if (kind->maker == RecordClass::Maker::None)
    return report(loc, "the class '" + kind->name +
                           "' cannot be called in a kernel; only aggregates (@triton.aggregate) and "
                           "named tuples can");
  size_t count = kind->fields.size();
  if (const Operand *init = kind->attribute("__init__"); init && kind->maker == RecordClass::Maker::Aggregate) {
    Operand self = Operand::ofRecord(kind, Elements(count));
    // One more, so that a class without fields is told apart too.
    self.mutableRecord().given.assign(count + 1, false);
    llvm::SmallVector<Argument> list{Argument{self, loc, {}}};
    list.append(arguments.begin(), arguments.end());
    TILEWISE_TRY(Operand ignored, callOperand(*init, std::move(list), loc));
    (void)ignored;
    for (size_t i = 0; i < count; ++i)
      if (!self.record().given[i])
        return report(loc,
                      "'__init__' of '" + kind->name + "' does not give the field '" + kind->fields[i] + "' a value");
    self.mutableRecord().given.clear();
    return self;
  }

  llvm::SmallVector<std::optional<Operand>> bound(count);
  llvm::SmallVector<SourceLoc> places(count, loc);
  size_t position = 0;
  for (const Argument &argument : arguments) {
    size_t at = position;
    if (!argument.keyword.empty()) {
      std::optional<size_t> named = kind->fieldIndex(argument.keyword);
      if (!named)
        return report(argument.loc, "'" + kind->name + "' has no field '" + argument.keyword.str() + "'" +
                                        didYouMean(argument.keyword, kind->fields));
      at = *named;
    } else if (++position > count) {
      return report(argument.loc ? argument.loc : loc, "'" + kind->name + "' has " + std::to_string(count) +
                                                           " fields, got " + std::to_string(arguments.size()) +
                                                           " values");
    }
    if (bound[at])
      return report(argument.loc, "'" + kind->name + "' got '" + kind->fields[at] + "' twice");
    bound[at] = argument.value;
    if (argument.loc)
      places[at] = argument.loc;
  }
  Elements values;
  for (size_t i = 0; i < count; ++i) {
    if (!bound[i] && i < kind->fieldInfos.size())
      bound[i] = kind->fieldInfos[i].defaultValue;
    if (!bound[i])
      return report(loc, "'" + kind->name + "' is missing its field '" + kind->fields[i] + "'");
    if (kind->maker == RecordClass::Maker::Aggregate)
      if (auto fits = checkField(*kind, i, *bound[i]); !fits)
        return reportFailure(places[i], fits.takeFailure());
    values.push_back(std::move(*bound[i]));
  }
  return kind->maker == RecordClass::Maker::NamedTuple ? Operand::ofNamedTuple(kind, std::move(values))
                                                       : Operand::ofRecord(kind, std::move(values));
}

Result<Operand> Evaluator::replaceFields(llvm::ArrayRef<Argument> arguments, SourceLoc loc) {
  if (arguments.empty() || !arguments.front().keyword.empty() || !arguments.front().value.isRecord() ||
      arguments.front().value.record().kind->maker != RecordClass::Maker::Aggregate)
    return report(loc, "tl.aggregate_replace takes an aggregate, got " +
                           (arguments.empty() ? "nothing" : arguments.front().value.kindText()));
  const Record &old = arguments.front().value.record();
  Elements fields = old.fields;
  for (const Argument &argument : arguments.drop_front()) {
    std::optional<size_t> at = old.kind->fieldIndex(argument.keyword);
    if (!at)
      return report(argument.loc, "'" + old.kind->name + "' has no field '" + argument.keyword.str() + "'" +
                                      didYouMean(argument.keyword, old.kind->fields));
    if (auto fits = checkField(*old.kind, *at, argument.value); !fits)
      return reportFailure(argument.loc, fits.takeFailure());
    fields[*at] = argument.value;
  }
  return Operand::ofRecord(old.kind, std::move(fields));
}

Result<void> Evaluator::setField(const Operand &object, llvm::StringRef name, Operand value, SourceLoc loc) {
  const RecordClass &kind = *object.record().kind;
  std::optional<size_t> at = kind.fieldIndex(name);
  if (!at)
    return report(loc, "'" + kind.name + "' has no field '" + name.str() + "'" + didYouMean(name, kind.fields));
  if (object.record().given.empty())
    return report(loc,
                  "the field '" + name.str() + "' of '" + kind.name +
                      "' cannot be assigned: records do not change; make a new one, or use tl.aggregate_replace(x, " +
                      name.str() + "=...)");
  if (auto fits = checkField(kind, *at, value); !fits)
    return reportFailure(loc, fits.takeFailure());
  Operand::Extent extent = value.extent();
  if (extent.depth >= kMaxDepth || extent.parts >= kMaxParts ||
      (value.isRecord() && &value.record() == &object.record()))
    return report(loc, "the value of the field '" + name.str() + "' is nested too deep");
  Record &record = object.mutableRecord();
  record.fields[*at] = std::move(value);
  record.given[*at] = true;
  return {};
}

Result<Operand> Evaluator::recordAttribute(const Operand &object, llvm::StringRef name, SourceLoc loc) {
  const std::shared_ptr<const RecordClass> &kind = object.isClass()        ? object.classValue()
                                                   : object.isNamedTuple() ? object.tupleClass()
                                                                           : object.record().kind;
  if (!object.isClass())
    if (std::optional<size_t> at = kind->fieldIndex(name)) {
      if (object.isNamedTuple())
        return object.elements()[*at];
      if (object.isRecord() && !object.record().given.empty() && !object.record().given[*at])
        return report(loc, "the field '" + name.str() + "' of '" + kind->name + "' has no value yet");
      return object.record().fields[*at];
    }
  if (const Operand *value = kind->attribute(name)) {
    if (object.isClass() || !(value->isFunction() || value->isBuiltin()))
      return *value;
    if (value->isFunction() && value->function()->isStatic)
      return *value;
    if (value->isFunction() && value->function()->isProperty)
      return callOperand(*value, {Argument{object, loc, {}}}, loc);
    return Operand::ofMethod(object, *value);
  }
  if (name == "__name__" && object.isClass())
    return Operand::ofString(kind->name);
  if (name == "_fields" && kind->maker == RecordClass::Maker::NamedTuple) {
    Elements names;
    for (const std::string &field : kind->fields)
      names.push_back(Operand::ofString(field));
    return Operand::ofTuple(std::move(names));
  }
  if (name == "value" && !object.isClass())
    return object;
  if (name == "type" && !object.isClass())
    return constexprTypeOf(object);
  std::vector<std::string> names = kind->fields;
  for (const auto &attribute : kind->attributes)
    names.push_back(attribute.first);
  return report(loc, object.kindText() + " has no attribute '" + name.str() + "'" + didYouMean(name, names));
}

Result<std::optional<Operand>> Evaluator::callSpecial(const Operand &object, llvm::StringRef name,
                                                      llvm::ArrayRef<Operand> arguments, SourceLoc loc) {
  const Operand *method = object.isRecord() ? object.record().kind->attribute(name) : nullptr;
  if (!method)
    return std::optional<Operand>();
  llvm::SmallVector<Argument> list{Argument{object, loc, {}}};
  for (const Operand &argument : arguments)
    list.push_back({argument, loc, {}});
  TILEWISE_TRY(Operand result, callOperand(*method, std::move(list), loc));
  return isNotImplemented(result) ? std::optional<Operand>() : std::optional<Operand>(std::move(result));
}

Result<Operand> Evaluator::recordBinary(llvm::StringRef forward, llvm::StringRef reflected, llvm::StringRef spelling,
                                        const Operand &left, const Operand &right, SourceLoc loc) {
  struct Candidate {
    const Operand *owner;
    llvm::StringRef method;
    const Operand *other;
  };
  Candidate order[] = {{&left, forward, &right}, {&right, reflected, &left}};
  // The method of the more derived class comes first, as in Python.
  if (left.isRecord() && right.isRecord() && left.record().kind != right.record().kind &&
      right.record().kind->inherits(*left.record().kind))
    std::swap(order[0], order[1]);
  for (const Candidate &candidate : order) {
    TILEWISE_TRY(std::optional<Operand> result,
                 callSpecial(*candidate.owner, candidate.method, {*candidate.other}, loc));
    if (result)
      return std::move(*result);
  }
  return report(loc, "operator '" + spelling.str() + "' cannot take " + left.kindText() + " and " + right.kindText() +
                         "; a class defines it with a method '" + forward.str() + "'");
}

} // namespace tilewise::frontend
