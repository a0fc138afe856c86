// The standard library: its embedded text, parsed once per thread that compiles.
#include "frontend/builtins/Stdlib.h"

#include "frontend/syntax/Parser.h"
#include "frontend/values/Environment.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewise::frontend::stdlib {

static constexpr char kText[] =
#include "frontend/builtins/Stdlib.inc"
    ;

const SourceFile &source() {
  static const SourceFile source("<tilewise>/stdlib.py", kText);
  return source;
}

namespace {

/// The library's functions call each other, the language, and nothing else. Syntax trees parse
/// their bodies on demand, so each thread has its own.
class LibraryEnvironment final : public Environment {
public:
  LibraryEnvironment() {
    for (ast::FunctionDef *definition : module_->functions()) {
      auto function = std::make_shared<FunctionValue>();
      function->name = definition->name.str();
      function->kind =
          definition->decorator("constexpr_function") ? FunctionValue::Kind::Constexpr : FunctionValue::Kind::Jit;
      function->definition = definition;
      function->environment = this;
      functions_[definition->name] = Operand::ofFunction(std::move(function));
    }
  }

  std::optional<Operand> function(llvm::StringRef name) const {
    auto found = functions_.find(name);
    return found == functions_.end() ? std::nullopt : std::optional<Operand>(found->second);
  }

  Result<std::optional<Operand>> lookup(llvm::StringRef name, LookupUse) override {
    if (name == "tl")
      return std::optional<Operand>(Operand::ofModule("triton.language"));
    return name == "triton" ? std::optional<Operand>(Operand::ofModule("triton")) : function(name);
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const ast::FunctionDef *function : module_->functions())
      result.push_back(function->name.str());
    return result;
  }

private:
  Diagnostics diagnostics_;
  std::unique_ptr<ast::Module> module_ = parseModule(source(), diagnostics_);
  llvm::StringMap<Operand> functions_;
};

} // namespace

static LibraryEnvironment &library() {
  static thread_local LibraryEnvironment instance;
  return instance;
}

std::optional<Operand> function(llvm::StringRef name) {
  return name.starts_with("_") ? std::nullopt : library().function(name);
}

std::optional<Operand> member(llvm::StringRef prefix, llvm::StringRef name) {
  return library().function((prefix + name).str());
}

std::vector<std::string> names() {
  std::vector<std::string> names = library().names();
  llvm::erase_if(names, [](llvm::StringRef name) { return name.starts_with("_"); });
  return names;
}

bool isMethod(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kMethods[] = {"max",     "min",       "argmax",  "argmin",     "sum",
                                                     "xor_sum", "reduce_or", "sigmoid", "softmax",    "cumsum",
                                                     "cumprod", "flip",      "sort",    "atomic_poll"};
  return llvm::is_contained(kMethods, name);
}

} // namespace tilewise::frontend::stdlib
