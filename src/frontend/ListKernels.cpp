// A kernel file -> its kernels: the functions decorated with `jit`, by whatever name its module
// goes, and their configs.
#include "frontend/Frontend.h"
#include "frontend/builtins/Builtins.h"
#include "frontend/python/FileEnvironment.h"
#include "frontend/python/ModuleLoader.h"
#include "frontend/syntax/Parser.h"
#include "support/Try.h"

namespace tilewise::frontend {

std::vector<KernelInfo> listKernels(const SourceFile &file, Diagnostics &diagnostics, bool everyFunction) {
  std::unique_ptr<ast::Module> module = parseModule(file, diagnostics);
  FileEnvironment environment(*module, {});
  std::vector<KernelInfo> kernels;
  for (const ast::FunctionDef *function : module->functions()) {
    Decoration decoration = environment.decorationOf(function->decorators);
    if (!everyFunction && decoration.kind != FunctionValue::Kind::Jit)
      continue;
    if (const Diagnostic *error = function->headerError) {
      diagnostics.error(error->loc, error->message).notes = error->notes;
      continue;
    }
    KernelInfo kernel{
        function->name.str(), function->loc, {}, decoration.autotune != nullptr, decoration.heuristics != nullptr, {}};
    for (const ast::Expr *other : decoration.others)
      kernel.otherDecorators.push_back(module->text(*other).str());
    for (const ast::Parameter &parameter : function->parameters) {
      auto textOf = [&](const ast::Expr *expr) { return expr ? module->text(*expr).str() : std::string(); };
      bool isRest = parameter.kind == ast::ParameterKind::VarArgs;
      auto isListed = [&](const std::vector<Operand> &list) {
        return llvm::any_of(list, [&](const Operand &one) {
          return one.isString() ? parameter.name == one.string() : one.asInt64() == int64_t(kernel.parameters.size());
        });
      };
      kernel.parameters.push_back({parameter.name.str(), ast::isConstexprAnnotation(parameter.annotation),
                                   textOf(parameter.annotation), isRest ? "()" : textOf(parameter.defaultValue), isRest,
                                   isListed(decoration.notSpecialized), isListed(decoration.notOnAlignment)});
    }
    // The latest definition of a name is what the name means.
    llvm::erase_if(kernels, [&](const KernelInfo &earlier) { return earlier.name == kernel.name; });
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

namespace {

/// A file opened to evaluate the decorators of one of its kernels.
struct DecoratedKernel {
  ModuleLoader loader;
  std::unique_ptr<ast::Module> module;
  std::unique_ptr<FileEnvironment> environment;
  Decoration decoration;

  static Result<std::unique_ptr<DecoratedKernel>> open(const SourceFile &file, llvm::StringRef kernel,
                                                       const llvm::StringMap<std::string> &defines) {
    auto opened = std::make_unique<DecoratedKernel>();
    Diagnostics diagnostics;
    opened->module = parseModule(file, diagnostics);
    const ast::FunctionDef *function = opened->module->findFunction(kernel);
    if (!function)
      return kernelFailure("the file has no kernel '" + kernel.str() + "'");
    opened->environment = std::make_unique<FileEnvironment>(*opened->module, defines, &opened->loader);
    opened->decoration = opened->environment->decorationOf(function->decorators);
    return opened;
  }

  /// The decorator's argument by position or name; null when it has none.
  static const ast::Expr *argument(const ast::Expr *decorator, size_t position, llvm::StringRef name) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call)
      return nullptr;
    if (position < call->args.size())
      return call->args[position];
    for (const ast::Keyword &keyword : call->keywords)
      if (keyword.name == name)
        return keyword.value;
    return nullptr;
  }

  Result<Operand> evaluate(const ast::Expr *expr, llvm::StringRef what) {
    if (!expr)
      return kernelFailure("the decorator has no '" + what.str() + "'");
    auto value = environment->evaluateAtEnd(*expr);
    if (!value)
      return kernelFailure(module->file().path().str() + ":" + std::to_string(expr->loc.line) + ": '" + what.str() +
                           "' cannot be evaluated: " + value.failure().message);
    return value;
  }
};

} // namespace

static Result<ConfigInfo> configOf(const Operand &operand) {
  if (!operand.isRecord() || operand.record().kind->name != "Config")
    return kernelFailure("a config is made by triton.Config, got " + operand.kindText());
  const Record &record = operand.record();
  ConfigInfo config;
  for (const auto &[name, value] : record.field("kwargs")->entries()) {
    if (!name.isString())
      return kernelFailure("the names in a config are strings, got " + name.kindText());
    config.values.emplace_back(name.string(), value.repr());
  }
  auto number = [&](llvm::StringRef name, int64_t &into) -> Result<void> {
    std::optional<int64_t> value = record.field(name)->asInt64();
    if (!value)
      return kernelFailure("a config's " + name.str() + " is an int, got " + record.field(name)->kindText());
    into = *value;
    return {};
  };
  TILEWISE_CHECK(number("num_warps", config.numWarps));
  TILEWISE_CHECK(number("num_stages", config.numStages));
  TILEWISE_CHECK(number("num_ctas", config.numCtas));
  config.maxRegisters = record.field("maxnreg")->asInt64();
  return config;
}

Result<AutotuneInfo> autotuneOf(const SourceFile &file, llvm::StringRef kernel,
                                const llvm::StringMap<std::string> &defines) {
  TILEWISE_TRY(auto opened, DecoratedKernel::open(file, kernel, defines));
  AutotuneInfo info;
  const ast::Expr *decorator = opened->decoration.autotune;
  if (!decorator)
    return info;
  TILEWISE_TRY(Operand configs, opened->evaluate(DecoratedKernel::argument(decorator, 0, "configs"), "configs"));
  if (!configs.isSequence())
    return kernelFailure("autotune's configs are a list, got " + configs.kindText());
  for (const Operand &one : configs.elements()) {
    TILEWISE_TRY(ConfigInfo config, configOf(one));
    info.configs.push_back(std::move(config));
  }
  auto names = [&](const ast::Expr *list, const std::string &what, std::vector<std::string> &into) -> Result<void> {
    TILEWISE_TRY(Operand value, opened->evaluate(list, what));
    if (!value.isSequence())
      return kernelFailure("autotune's " + what + " is a list of names, got " + value.kindText());
    for (const Operand &name : value.elements()) {
      if (!name.isString())
        return kernelFailure("autotune's " + what + " is a list of names, got " + name.kindText());
      into.push_back(name.string());
    }
    return {};
  };
  TILEWISE_CHECK(names(DecoratedKernel::argument(decorator, 1, "key"), "key", info.key));
  for (const auto &[what, into] :
       {std::pair("reset_to_zero", &info.resetToZero), std::pair("restore_value", &info.restoreValue)})
    if (const ast::Expr *list = DecoratedKernel::argument(decorator, SIZE_MAX, what))
      TILEWISE_CHECK(names(list, what, *into));
  return info;
}

Result<std::vector<std::pair<std::string, std::string>>>
heuristicsOf(const SourceFile &file, llvm::StringRef kernel, const llvm::StringMap<std::string> &defines,
             llvm::ArrayRef<std::pair<std::string, std::string>> arguments) {
  TILEWISE_TRY(auto opened, DecoratedKernel::open(file, kernel, defines));
  std::vector<std::pair<std::string, std::string>> result;
  const ast::Expr *decorator = opened->decoration.heuristics;
  if (!decorator)
    return result;
  Entries known;
  for (const auto &[name, literal] : arguments) {
    TILEWISE_TRY(Operand value, evaluateLiteral(literal));
    known.emplace_back(Operand::ofString(name), std::move(value));
  }
  TILEWISE_TRY(Operand values, opened->evaluate(DecoratedKernel::argument(decorator, 0, "values"), "values"));
  if (!values.isDict())
    return kernelFailure("heuristics takes a dict, got " + values.kindText());
  for (const auto &[name, function] : values.entries()) {
    if (!name.isString())
      return kernelFailure("the names in heuristics are strings, got " + name.kindText());
    auto value = opened->environment->callHost(function, Operand::ofDict(known));
    if (!value)
      return kernelFailure("the heuristic for '" + name.string() + "' cannot be evaluated: " + value.failure().message);
    // What one computes, the next can use.
    known.emplace_back(name, *value);
    result.emplace_back(name.string(), value->repr());
  }
  return result;
}

} // namespace tilewise::frontend
