// A function that the front end implements itself, as a value: one row of the table of builtins.
#pragma once

#include "frontend/values/Operand.h"

namespace tilewise::frontend {

/// What a builtin may ask of the one who calls it: builtins/Builtins.h.
class CallContext;

struct Builtin {
  enum Flags : unsigned {
    None = 0,
    Method = 1,      ///< Also `x.name(...)` on tensors.
    CompileTime = 2, ///< Needs no kernel around it when all arguments are compile-time values.
    /// Means something only where the syntax asks for it, as `range` after `for ... in`.
    Marker = 4,
    PythonOnly = 8, ///< Python's own, for code that runs while compiling; kernels do not have it.
  };
  using Apply = Result<Operand> (*)(CallContext &context, llvm::ArrayRef<Operand> arguments);

  llvm::StringLiteral qualifiedName; ///< As messages show it: "tl.load", "len".
  llvm::StringLiteral parameters;
  unsigned flags;
  Apply apply;

  llvm::StringRef name() const { return qualifiedName; }
  /// "load" of "tl.load".
  llvm::StringRef lastName() const {
    return llvm::StringRef(qualifiedName).rsplit('.').second.empty()
               ? llvm::StringRef(qualifiedName)
               : llvm::StringRef(qualifiedName).rsplit('.').second;
  }
  bool is(llvm::StringRef name) const { return qualifiedName == name; }
};

} // namespace tilewise::frontend
