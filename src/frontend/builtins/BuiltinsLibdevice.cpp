// Builtins: the functions of libdevice, and calls of them by their symbols.
#include "frontend/builtins/BuiltinArguments.h"
#include "libdevice/Libdevice.h"
#include "support/Try.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

namespace {

/// The places of the names in the table.
enum class Row : size_t {
#define LIBDEVICE(name, parameters, overloads) name,
#include "libdevice/Libdevice.def"
};

} // namespace

template <Row row> static Result<Operand> call(CallContext &context, Arguments a) {
  return asOperand(context.sema()->library(libdevice::names()[size_t(row)], a));
}

/// tl.extern_elementwise(lib_name, lib_path, args, {(type, ...): (symbol, type), ...}, is_pure): of
/// the functions that a library file could hold we have those of libdevice.
static Result<Operand> externElementwise(CallContext &context, Arguments a) {
  if (!a[2].isSequence() || a[2].elements().empty() || !a[3].isDict())
    return kernelFailure(
        "tl.extern_elementwise takes a list of operands and a dict from their types to a symbol and its "
        "result type, got " +
        a[2].kindText() + " and " + a[3].kindText());
  Sema &sema = *context.sema();
  llvm::SmallVector<Value, 4> values;
  std::string got;
  for (const Operand &operand : a[2].elements()) {
    TILEWISE_TRY(Value value, sema.toValue(operand));
    got += (got.empty() ? "" : ", ") + value.type.element.str();
    values.push_back(std::move(value));
  }
  for (const auto &[key, entry] : a[3].entries()) {
    Elements types = key.isSequence() ? key.elements() : Elements{key};
    bool fits = llvm::equal(types, values, [](const Operand &type, const Value &value) {
      return type.isType() && type.type() == Type(value.type.element);
    });
    if (!fits)
      continue;
    if (!entry.isSequence() || entry.elements().size() != 2 || !entry.elements()[0].isString() ||
        !entry.elements()[1].isType())
      return kernelFailure("tl.extern_elementwise's dict holds pairs of a symbol and a dtype, got " + entry.kindText());
    llvm::StringRef symbol = entry.elements()[0].string();
    llvm::StringRef ours = symbol;
    ours.consume_front("__nv_");
    const libdevice::Function *function = libdevice::findSymbol(ours);
    if (!function || ours == symbol)
      return kernelFailure("tl.extern_elementwise knows the symbols of libdevice, as '__nv_asinf', got '" +
                           symbol.str() + "'");
    if (function->arity != values.size())
      return kernelFailure("'" + symbol.str() + "' takes " + std::to_string(function->arity) + " operands, got " +
                           std::to_string(values.size()));
    return asOperand(sema.externCall(*function, values, entry.elements()[1].type().element));
  }
  return kernelFailure("tl.extern_elementwise's dict has no entry for the types (" + got + ")");
}

static constexpr Builtin kRows[] = {
#define LIBDEVICE(name, parameters, overloads)                                                                         \
  {"tl.extra.libdevice." #name, parameters, Builtin::None, call<Row::name>},
#include "libdevice/Libdevice.def"
    {"tl.extern_elementwise", "lib_name, lib_path, args, arg_type_symbol_dict, is_pure=True", Builtin::None,
     externElementwise},
};

llvm::ArrayRef<Builtin> libdeviceBuiltins() { return kRows; }

} // namespace tilewise::frontend
