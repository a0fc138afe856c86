// Finding builtins by name, and reading a row's parameters.
#include "frontend/builtins/Builtins.h"

#include "llvm/ADT/StringExtras.h"

#include <unordered_map>

namespace tilewise::frontend {

std::array<llvm::ArrayRef<Builtin>, 12> builtinFamilies() {
  return {tensorBuiltins(),     shapeBuiltins(),   atomicBuiltins(),    mathBuiltins(),
          descriptorBuiltins(), machineBuiltins(), libdeviceBuiltins(), typeBuiltins(),
          compileBuiltins(),    pythonBuiltins(),  hostBuiltins(),      methodBuiltins()};
}

static const llvm::StringMap<const Builtin *> &index() {
  static const llvm::StringMap<const Builtin *> rows = [] {
    llvm::StringMap<const Builtin *> map;
    for (llvm::ArrayRef<Builtin> family : builtinFamilies())
      for (const Builtin &row : family) {
        bool isNew = map.try_emplace(row.qualifiedName, &row).second;
        assert(isNew && "one row per builtin");
        (void)isNew;
      }
    return map;
  }();
  return rows;
}

const Builtin *findBuiltin(llvm::StringRef qualifiedName) { return index().lookup(qualifiedName); }

const Builtin *findPythonBuiltin(llvm::StringRef name) { return name.contains('.') ? nullptr : findBuiltin(name); }

static Operand defaultOf(llvm::StringRef text) {
  if (text == "None")
    return Operand::none();
  if (text == "True" || text == "False")
    return Operand::ofBool(text == "True");
  if (text.starts_with("'"))
    return Operand::ofString(text.drop_front().drop_back().str());
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return Operand::ofInt(integer);
  double number = 0;
  [[maybe_unused]] bool isBad = text.getAsDouble(number);
  assert(!isBad && "a default in the table that is no literal");
  return Operand::ofFloat(number);
}

llvm::ArrayRef<BuiltinParameter> parametersOf(const Builtin &builtin) {
  // Read once per thread: interpreted kernels call the same few functions many times.
  thread_local std::unordered_map<const Builtin *, llvm::SmallVector<BuiltinParameter>> known;
  auto [entry, isNew] = known.try_emplace(&builtin);
  llvm::SmallVector<BuiltinParameter> &result = entry->second;
  if (!isNew)
    return result;
  llvm::StringRef rest = builtin.parameters;
  bool keywordOnly = false;
  while (!rest.empty()) {
    llvm::StringRef piece;
    std::tie(piece, rest) = rest.split(", ");
    BuiltinParameter parameter;
    parameter.keywordOnly = keywordOnly;
    if (piece.consume_front("*"))
      parameter.isRest = keywordOnly = true;
    auto [name, value] = piece.split('=');
    parameter.name = name;
    if (!value.empty())
      parameter.defaultValue = defaultOf(value);
    result.push_back(std::move(parameter));
  }
  return result;
}

} // namespace tilewise::frontend
