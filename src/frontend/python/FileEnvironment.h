// The environment of a kernel file: module-level code evaluated lazily, only for names that a
// kernel uses.
//
// A name means what its last binding gives it. Bindings are searched backwards, as an assignment
// sees only what stands before it:
//
//     try:
//         import triton.language as tl      the first import of a `try` that resolves is taken
//     except ImportError:
//         tl = None
//     if HAS_FP8:                           evaluated only when a name below is asked for
//         SCALE = tl.constexpr(0.5)
//     device = torch.device("cuda")         never evaluated unless a kernel uses `device`, and then an error naming --define
//     from .utils import helper             the neighbouring file's environment is asked (ModuleLoader)
#pragma once

#include "frontend/python/Evaluate.h"
#include "frontend/syntax/Ast.h"
#include "frontend/values/Environment.h"

#include <map>

namespace tilewise::frontend {

class ModuleLoader;

/// What the decorators of a function make of it.
struct Decoration {
  FunctionValue::Kind kind = FunctionValue::Kind::Host;
  bool isNoinline = false;
  std::optional<std::string> mustUseResult;
  /// Parameters that @triton.jit lists in do_not_specialize or, of addresses and multiples alone,
  /// in do_not_specialize_on_alignment, by name or by position.
  std::vector<Operand> notSpecialized, notOnAlignment;
  const ast::Expr *jit = nullptr, *autotune = nullptr, *heuristics = nullptr;
  /// Those that the front end knows nothing of.
  std::vector<const ast::Expr *> others;
};

class FileEnvironment final : public Environment {
public:
  /// `defines`: names given from outside, as texts of literals; they come before the file's own.
  /// Without a `loader`, which must outlive this, no other file is read.
  FileEnvironment(ast::Module &module, llvm::StringMap<std::string> defines, ModuleLoader *loader = nullptr);

  Result<std::optional<Operand>> lookup(llvm::StringRef name, LookupUse use) override;
  std::vector<std::string> names() const override;
  Result<Operand> getAttribute(const HostObject &object, llvm::StringRef name) override;

  /// What evaluating module-level code may spend from now on.
  void limitSteps(uint64_t steps) { budget_.steps = std::min(budget_.steps, steps); }
  Decoration decorationOf(llvm::ArrayRef<ast::Expr *> decorators);
  /// An expression of the file, as a decorator's argument, with the values that names have at its
  /// end.
  Result<Operand> evaluateAtEnd(const ast::Expr &expr);
  /// Calls a function of the file, as a heuristic.
  Result<Operand> callHost(const Operand &callee, Operand argument);

private:
  /// What a name is bound to.
  struct Bound {
    Operand value;
    bool isConstexpr = false; ///< Wrapped in tl.constexpr, or computed from something that is.
  };
  /// The statement that binds a name.
  struct Site {
    const ast::Stmt *statement = nullptr;
    const ast::Alias *alias = nullptr; ///< Of an import.
  };

  /// The value that `name` has just before the byte `before` of the file.
  Result<std::optional<Bound>> valueAt(llvm::StringRef name, uint32_t before);
  Result<std::optional<Site>> siteIn(ast::StmtList statements, llvm::StringRef name, uint32_t before);
  Result<std::optional<Site>> siteInIf(const ast::If &statement, llvm::StringRef name, uint32_t before);
  Result<std::optional<Site>> siteInTry(const ast::Try &statement, llvm::StringRef name, uint32_t before);
  Result<std::optional<Bound>> valueOf(const Site &site, llvm::StringRef name);
  Result<std::optional<Bound>> importedValue(const Site &site, llvm::StringRef name);
  Result<std::optional<Bound>> importedFrom(const ast::ImportFrom &from, llvm::StringRef wanted, const void *identity);
  Operand functionValue(const ast::FunctionDef &function);
  Result<Operand> classValue(const ast::ClassDef &definition);
  /// A method, a field or a value of a class, as its body has it.
  void addMember(RecordClass &made, const ast::Stmt &statement);
  bool importsResolve(ast::StmtList statements);
  /// The environment of an imported file, or null.
  FileEnvironment *neighbour(llvm::StringRef dotted, unsigned level);
  bool bindsCode(ast::StmtList statements, llvm::StringRef name, uint32_t before);
  bool changesWhileRunning(llvm::StringRef name) const;
  bool mayBind(const ast::Stmt *statement, llvm::StringRef name);
  Operand moduleOperand(FileEnvironment &module, llvm::StringRef name);
  Result<Bound> evaluate(const ast::Expr &expr, uint32_t before, bool isConstexpr);
  /// Something of the host: equal only to what has the same identity.
  Operand opaque(const void *identity, const std::string &description);
  Failure notEvaluable(llvm::StringRef name, SourceLoc loc, const std::string &why);

  ast::Module &module_;
  llvm::StringMap<std::string> defines_;
  ModuleLoader *loader_;
  std::map<std::pair<const ast::Stmt *, std::string>, Bound> cache_;
  Budget budget_;
  unsigned depth_ = 0;
};

/// Whether a target of an assignment binds the name.
bool bindsName(const ast::Expr *target, llvm::StringRef name);

/// The text of one literal or dtype, as a signature or a --define has it: `1024`, `"relu"`,
/// `tl.float16`, `(1, 2)`. Other names, as those of jit functions, come from `parts` or
/// `environment` when they are given.
Result<Operand> evaluateLiteral(llvm::StringRef text, Environment *environment = nullptr,
                                const llvm::StringMap<Operand> *parts = nullptr);

} // namespace tilewise::frontend
