// Sema: calls of libdevice, whose functions are chosen by the exact types of their operands.
#include "frontend/sema/Sema.h"
#include "libdevice/Libdevice.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

using libdevice::Element;
using libdevice::Function;

static DType typeOf(Element element) {
  switch (element) {
  case Element::Bool:
    return Scalar::Int1;
  case Element::I32:
    return Scalar::Int32;
  case Element::U32:
    return Scalar::UInt32;
  case Element::I64:
    return Scalar::Int64;
  case Element::U64:
    return Scalar::UInt64;
  case Element::F32:
    return Scalar::Fp32;
  case Element::F64:
    return Scalar::Fp64;
  }
  return Scalar::Void;
}

static const Function *overloadFor(const libdevice::Name &name, llvm::ArrayRef<Value> values) {
  const Function *found = llvm::find_if(name.overloads(), [&](const Function &function) {
    return llvm::equal(function.operands(), values,
                       [](Element element, const Value &value) { return typeOf(element) == value.type.element; });
  });
  return found == name.overloads().end() ? nullptr : found;
}

Result<Value> Sema::externCall(const Function &function, llvm::ArrayRef<Value> operands, DType result) {
  llvm::SmallVector<Value, 4> values(operands);
  llvm::SmallVector<Value *, 4> all;
  for (Value &value : values)
    all.push_back(&value);
  TILEWISE_CHECK(broadcastAll(all));
  Value value = sink_.externCall(function.symbol, values, typeOf(function.result), /*impure=*/false);
  return cast(value, result);
}

Result<Value> Sema::library(const libdevice::Name &name, llvm::ArrayRef<Operand> operands) {
  llvm::SmallVector<Value, 4> values;
  for (const Operand &operand : operands) {
    TILEWISE_TRY(Value value, toValue(operand));
    values.push_back(std::move(value));
  }
  if (const Function *exact = overloadFor(name, values))
    return externCall(*exact, values, typeOf(exact->result));

  // No function takes these types as they are: all operands meet in one type, as those of `+` do.
  auto texts = [](auto &&types) {
    return "(" + llvm::join(llvm::map_range(types, [](auto &&type) { return type; }), ", ") + ")";
  };
  std::string got = texts(llvm::map_range(values, [](const Value &value) { return value.type.element.str(); }));
  bool areNumbers = llvm::none_of(values, [](const Value &value) { return value.type.element.isPointer(); });
  if (areNumbers) {
    DType common = values.front().type.element;
    for (const Value &value : llvm::drop_begin(values)) {
      TILEWISE_TRY(common, promotedType(common, false, value.type.element, false, false));
    }
    llvm::SmallVector<Value, 4> promoted;
    for (const Value &value : values) {
      Value typed = value;
      typed.type.element = common;
      promoted.push_back(typed);
    }
    if (const Function *function = overloadFor(name, promoted)) {
      for (auto [value, typed] : llvm::zip(values, promoted)) {
        TILEWISE_TRY(typed, cast(value, common));
      }
      return externCall(*function, promoted, typeOf(function->result));
    }
  }
  std::vector<std::string> expected;
  for (const Function &function : name.overloads())
    expected.push_back(
        texts(llvm::map_range(function.operands(), [](Element element) { return typeOf(element).str(); })));
  return fail("libdevice." + name.name.str() + " takes " + llvm::join(expected, " or ") + ", got " + got +
              "; cast with .to(...)");
}

} // namespace tilewise::frontend
