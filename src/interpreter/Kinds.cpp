// Operands -> the key of their kinds, and operands with other runtime values.
#include "interpreter/Kinds.h"

#include "frontend/values/Environment.h"

#include <cstring>

namespace tilewise::interpreter {

using frontend::Operand;

namespace {
enum class Tag : uint8_t {
  None,
  Value,
  Bool,
  Int,
  Float,
  String,
  Tuple,
  List,
  Dict,
  Type,
  Function,
  Builtin,
  Module,
  Method,
  Slice,
  Record,
  Class
};
}

bool KindScan::add(const Operand &operand) {
  auto all = [this](const auto &operands) {
    key.add(operands.size());
    for (const Operand &one : operands)
      if (!add(one))
        return false;
    return true;
  };
  if (operand.isRuntime()) {
    key.addByte(uint8_t(Tag::Value));
    key.addShort(operand.value().type);
    values.push_back(operand.value());
    return true;
  }
  if (operand.isNone()) {
    key.addByte(uint8_t(Tag::None));
    return true;
  }
  if (operand.isBool()) {
    key.addByte(uint8_t(Tag::Bool));
    key.addByte(operand.boolean());
    return true;
  }
  if (operand.isInt()) {
    key.addByte(uint8_t(Tag::Int));
    key.addByte(operand.integer().isSigned());
    key.add(static_cast<const llvm::APInt &>(operand.integer()));
    return true;
  }
  if (operand.isFloat()) {
    uint64_t bits;
    double number = operand.floating();
    std::memcpy(&bits, &number, sizeof bits);
    key.addByte(uint8_t(Tag::Float));
    key.add(bits);
    return true;
  }
  if (operand.isString()) {
    key.addByte(uint8_t(Tag::String));
    key.add(llvm::StringRef(operand.string()));
    return true;
  }
  if (operand.isSequence()) {
    key.addByte(uint8_t(operand.isTuple() ? Tag::Tuple : Tag::List));
    key.add(reinterpret_cast<uintptr_t>(operand.tupleClass().get()));
    if (operand.isNamedTuple())
      kept.push_back(Operand::ofClass(operand.tupleClass()));
    return all(operand.elements());
  }
  if (operand.isDict()) {
    key.addByte(uint8_t(Tag::Dict));
    key.add(operand.entries().size());
    for (const auto &[name, value] : operand.entries())
      if (name.holdsRuntime() || !add(name) || !add(value))
        return false;
    return true;
  }
  if (operand.isType()) {
    key.addByte(uint8_t(Tag::Type));
    key.addShort(operand.type());
    return true;
  }
  if (operand.isBuiltin()) {
    key.addByte(uint8_t(Tag::Builtin));
    key.add(reinterpret_cast<uintptr_t>(operand.builtin()));
    return true;
  }
  if (operand.isFunction()) {
    key.addByte(uint8_t(Tag::Function));
    key.add(reinterpret_cast<uintptr_t>(operand.function().get()));
    kept.push_back(operand);
    usesHost |= operand.function()->environment != library;
    return true;
  }
  if (operand.isModule()) {
    key.addByte(uint8_t(Tag::Module));
    key.add(llvm::StringRef(operand.moduleName()));
    return true;
  }
  if (operand.isMethod()) {
    key.addByte(uint8_t(Tag::Method));
    return add(operand.method().self) && add(operand.method().function);
  }
  if (operand.isSlice()) {
    key.addByte(uint8_t(Tag::Slice));
    const frontend::Slice &slice = operand.slice();
    return !slice.lower.holdsRuntime() && !slice.upper.holdsRuntime() && !slice.step.holdsRuntime() &&
           add(slice.lower) && add(slice.upper) && add(slice.step);
  }
  if (operand.isRecord()) {
    key.addByte(uint8_t(Tag::Record));
    key.add(reinterpret_cast<uintptr_t>(operand.record().kind.get()));
    kept.push_back(Operand::ofClass(operand.record().kind));
    return all(operand.record().fields);
  }
  if (operand.isClass()) {
    key.addByte(uint8_t(Tag::Class));
    key.add(reinterpret_cast<uintptr_t>(operand.classValue().get()));
    kept.push_back(operand);
    usesHost = true;
    return true;
  }
  return false;
}

Operand withValues(const Operand &operand, llvm::function_ref<frontend::Value(const frontend::Value &)> replace) {
  auto all = [&](const frontend::Elements &elements) {
    frontend::Elements replaced;
    for (const Operand &element : elements)
      replaced.push_back(withValues(element, replace));
    return replaced;
  };
  if (operand.isRuntime())
    return Operand(replace(operand.value()));
  if (operand.isMethod())
    return Operand::ofMethod(withValues(operand.method().self, replace), operand.method().function);
  if (!operand.holdsRuntime())
    return operand;
  if (operand.isSequence())
    return operand.withElements(all(operand.elements()));
  if (operand.isRecord())
    return Operand::ofRecord(operand.record().kind, all(operand.record().fields));
  frontend::Entries entries;
  for (const auto &[name, value] : operand.entries())
    entries.emplace_back(name, withValues(value, replace));
  return Operand::ofDict(std::move(entries));
}

} // namespace tilewise::interpreter
