// The environment of a kernel file: module-level code evaluated lazily, only for names that a kernel uses.
//
// A name means what its last binding gives it. Bindings are searched backwards, as an assignment sees only what stands before it:
//
//     try:
//         import triton.language as tl      the first import of a `try` that resolves is taken
//     except ImportError:
//         tl = None
//     if HAS_FP8:                           evaluated only when a name below is asked for
//         SCALE = tl.constexpr(0.5)
//     device = torch.device("cuda")         never evaluated unless a kernel uses `device`, and then an error naming --define
#pragma once

#include "frontend/Ast.h"
#include "frontend/Environment.h"
#include "frontend/Evaluate.h"

namespace tilewise::frontend {

class FileEnvironment final : public Environment {
public:
  /// `defines`: names given from outside, as texts of literals; they come before the file's own.
  FileEnvironment(ast::Module &module, llvm::StringMap<std::string> defines);

  std::vector<std::string> names() const override;

protected:
  Result<std::optional<Operand>> find(llvm::StringRef name, LookupUse use) override;

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
  Result<Bound> evaluate(const ast::Expr &expr, uint32_t before, bool isConstexpr);
  /// Something of the host: equal only to what has the same identity.
  Operand opaque(const void *identity, const std::string &description);
  Failure notEvaluable(llvm::StringRef name, SourceLoc loc, const std::string &why);

  ast::Module &module_;
  llvm::StringMap<std::string> defines_;
  std::map<std::pair<const ast::Stmt *, std::string>, Bound> cache_;
  Budget budget_;
  unsigned depth_ = 0;
};

/// The text of one literal or dtype, as a signature or a --define has it: `1024`, `"relu"`, `tl.float16`, `(1, 2)`. Other names, as those of
/// jit functions, come from `parts` or `environment` when they are given.
Result<Operand> evaluateLiteral(llvm::StringRef text, Environment *environment = nullptr,
                                const llvm::StringMap<Operand> *parts = nullptr);

} // namespace tilewise::frontend
