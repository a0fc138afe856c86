// Operands -> the key of their kinds, and operands with other runtime values.
#include "interpreter/OperandKey.h"

#include "frontend/values/Environment.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>

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

bool OperandKey::add(const Operand &operand) {
  if (!operand.isRuntime())
    return addConstant(operand) || addByAddress(operand) || addParts(operand);
  key.addByte(uint8_t(Tag::Value));
  key.addShort(operand.value().type);
  values.push_back(operand.value());
  return true;
}

/// What is named by its bytes; false for all else.
bool OperandKey::addConstant(const Operand &operand) {
  auto tag = [this](Tag tag) { key.addByte(uint8_t(tag)); };
  if (operand.isNone()) {
    tag(Tag::None);
  } else if (operand.isBool()) {
    tag(Tag::Bool);
    key.addByte(operand.boolean());
  } else if (operand.isInt()) {
    tag(Tag::Int);
    key.addByte(operand.integer().isSigned());
    key.add(static_cast<const llvm::APInt &>(operand.integer()));
  } else if (operand.isFloat()) {
    tag(Tag::Float);
    key.add(std::bit_cast<uint64_t>(operand.floating()));
  } else if (operand.isString()) {
    tag(Tag::String);
    key.add(llvm::StringRef(operand.string()));
  } else if (operand.isType()) {
    tag(Tag::Type);
    key.addShort(operand.type());
  } else if (operand.isModule()) {
    tag(Tag::Module);
    key.add(llvm::StringRef(operand.moduleName()));
  } else {
    return false;
  }
  return true;
}

/// What is named by its address, and so kept; false for all else.
bool OperandKey::addByAddress(const Operand &operand) {
  auto address = [this](Tag tag, const void *object) {
    key.addByte(uint8_t(tag));
    key.add(reinterpret_cast<uintptr_t>(object));
  };
  if (operand.isBuiltin()) {
    address(Tag::Builtin, operand.builtin());
    return true; // A row of a table, which is never gone.
  }
  if (operand.isFunction()) {
    address(Tag::Function, operand.function().get());
    usesHost |= operand.function()->environment != library;
  } else if (operand.isClass()) {
    address(Tag::Class, operand.classValue().get());
    usesHost = true;
  } else {
    return false;
  }
  kept.push_back(operand);
  return true;
}

/// What is named by its parts; false also where one of them cannot be.
bool OperandKey::addParts(const Operand &operand) {
  auto all = [this](const auto &operands) {
    key.add(operands.size());
    return llvm::all_of(operands, [this](const Operand &one) { return add(one); });
  };
  auto constant = [this](const Operand &part) { return !part.holdsRuntime() && add(part); };
  auto ofClass = [this](Tag tag, const std::shared_ptr<const frontend::RecordClass> &kind) {
    key.addByte(uint8_t(tag));
    key.add(reinterpret_cast<uintptr_t>(kind.get()));
    if (kind)
      kept.push_back(Operand::ofClass(kind));
  };
  if (operand.isSequence()) {
    ofClass(operand.isTuple() ? Tag::Tuple : Tag::List, operand.tupleClass());
    return all(operand.elements());
  }
  if (operand.isRecord()) {
    ofClass(Tag::Record, operand.record().kind);
    return all(operand.record().fields);
  }
  if (operand.isDict()) {
    key.addByte(uint8_t(Tag::Dict));
    key.add(operand.entries().size());
    return llvm::all_of(operand.entries(),
                        [&](const auto &entry) { return constant(entry.first) && add(entry.second); });
  }
  if (operand.isMethod()) {
    key.addByte(uint8_t(Tag::Method));
    return add(operand.method().self) && add(operand.method().function);
  }
  if (operand.isSlice()) {
    key.addByte(uint8_t(Tag::Slice));
    const frontend::Slice &slice = operand.slice();
    return constant(slice.lower) && constant(slice.upper) && constant(slice.step);
  }
  return false; // An object of the host.
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
