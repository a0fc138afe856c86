// Names of the language by their dotted path, and functions from texts of their own.
#include "frontend/python/LiveHost.h"

#include "frontend/builtins/Builtins.h"
#include "frontend/python/FileEnvironment.h"
#include "frontend/syntax/Parser.h"
#include "frontend/values/ConstantMath.h"

namespace tilewise::frontend {

Result<Operand> languageOperand(llvm::StringRef dotted) {
  if (std::optional<std::string> module = knownModule(dotted))
    return Operand::ofModule(*module);
  auto [outer, name] = dotted.rsplit('.');
  if (name.empty())
    return kernelFailure("'" + dotted.str() + "' is not a module of the language");
  Result<Operand> module = languageOperand(outer);
  if (!module)
    return module;
  if (!module->isModule())
    return kernelFailure("'" + outer.str() + "' is not a module of the language");
  return moduleAttribute(module->moduleName(), name);
}

namespace {

/// What a function's syntax tree and names need to stay alive.
struct FunctionOwner {
  std::shared_ptr<const SourceFile> file;
  std::unique_ptr<ast::Module> module;
  std::shared_ptr<Environment> environment;
};

} // namespace

Result<std::shared_ptr<const FunctionValue>> makeFunction(std::shared_ptr<const SourceFile> file, llvm::StringRef name,
                                                          std::shared_ptr<Environment> environment) {
  Diagnostics diagnostics;
  auto owner = std::make_shared<FunctionOwner>();
  owner->module = parseModule(*file, diagnostics);
  if (diagnostics.hasErrors())
    return kernelFailure(diagnostics.render());
  ast::FunctionDef *definition = owner->module->findFunction(name);
  if (!definition)
    return kernelFailure("'" + file->path().str() + "' has no function '" + name.str() + "'");
  owner->environment = environment ? std::move(environment)
                                   : std::make_shared<FileEnvironment>(*owner->module, llvm::StringMap<std::string>());
  owner->file = std::move(file);
  auto function = std::make_shared<FunctionValue>();
  function->name = name.str();
  function->kind =
      definition->decorator("constexpr_function") ? FunctionValue::Kind::Constexpr : FunctionValue::Kind::Jit;
  function->definition = definition;
  function->environment = owner->environment.get();
  function->owner = std::move(owner);
  return std::shared_ptr<const FunctionValue>(std::move(function));
}

Result<Operand> intOfDecimal(llvm::StringRef digits) { return constantToInt(Operand::ofString(digits.str())); }

bool needsConstexpr(const Operand &value) {
  return value.isNumber() || value.isString() || value.isSequence() || value.isDict();
}

Failure globalIsNotConstexpr(llvm::StringRef name, const Operand &value) {
  return kernelFailure("Cannot access global variable '" + name.str() +
                       "' from within a kernel: only constexpr values can be used; write " + name.str() +
                       " = tl.constexpr(" + value.repr() + ")");
}

} // namespace tilewise::frontend
