// Expressions of a syntax tree -> operands. What needs a kernel around it goes through Sema; the rest is computed at once.
//
// Used in two places: by Elaborator inside kernels, and by EnvironmentEvaluator for module-level values, parameter defaults and the
// constants of a signature, where there is no Sema and every value is a compile-time value.
#pragma once

#include "frontend/Ast.h"
#include "frontend/Builtins.h"
#include "frontend/Environment.h"

namespace tilewise::frontend {

/// What one compile may spend: kernel text can never loop for ever at compile time.
struct Budget {
  uint64_t steps = 2'000'000; ///< Statements and expressions: a few seconds at most.
  unsigned callDepth = 100;
};

/// One argument of a call, with the place to point at when it is wrong.
struct Argument {
  Operand value;
  SourceLoc loc;
  llvm::StringRef keyword; ///< Empty for a positional one.
};

class Evaluator : public CallContext {
public:
  Evaluator(Budget &budget, Sema *sema) : budget_(budget), sema_(sema) {}

  /// A failure without a message has been reported already.
  Result<Operand> evaluate(const ast::Expr &expr);
  Result<Operand> evaluateOptional(const ast::Expr *expr) {
    return expr ? evaluate(*expr) : Result<Operand>(Operand::none());
  }

  Sema *sema() override { return sema_; }
  /// Told of each builtin that is called.
  std::function<void(const Builtin &)> onBuiltin;
  Result<Operand> call(const Operand &callee, llvm::ArrayRef<Operand> arguments) override;

protected:
  virtual Result<Operand> resolveName(llvm::StringRef name, SourceLoc loc) = 0;
  virtual Result<void> assignName(const ast::Name &target, Operand value) = 0;
  virtual Result<Operand> callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                       SourceLoc loc) = 0;
  virtual Result<Operand> runtimeIfExp(const ast::IfExp &expr, const Operand &test) = 0;
  /// Makes a message an error at a place: the returned failure is what evaluate() gives up with.
  virtual Failure report(SourceLoc loc, std::string message) = 0;
  /// All ops that follow come from this place.
  virtual void setPlace(SourceLoc loc) = 0;

  Failure reportFailure(SourceLoc loc, Failure failure) {
    return failure.message.empty() || failure.kind == ErrorKind::Internal ? failure
                                                                          : report(loc, std::move(failure.message));
  }
  Result<void> spend(SourceLoc loc);
  Result<llvm::SmallVector<Argument>> evaluateArguments(const ast::Call &call);
  Result<Operand> callOperand(const Operand &callee, llvm::SmallVector<Argument> arguments, SourceLoc loc);

  Budget &budget_;
  Sema *sema_;

private:
  Result<Operand> evaluateConstant(const ast::Constant &expr);
  Result<Operand> evaluateFString(llvm::ArrayRef<ast::FStringPart> parts);
  Result<Operand> evaluateUnary(const ast::UnaryOp &expr);
  Result<Operand> evaluateBinary(const ast::BinOp &expr);
  Result<Operand> evaluateBool(const ast::BoolOp &expr);
  Result<Operand> evaluateCompare(const ast::Compare &expr);
  Result<Operand> evaluateAttribute(const ast::Attribute &expr);
  Result<Operand> evaluateSubscript(const ast::Subscript &expr);
  Result<Operand> evaluateSlice(const ast::Slice &expr);
  Result<Operand> evaluateItems(ast::ExprList items, bool isList);
  Result<Operand> evaluateDict(const ast::Dict &expr);
  Result<Operand> evaluateIfExp(const ast::IfExp &expr);
  Result<Operand> evaluateNamed(const ast::NamedExpr &expr);
  Result<Operand> evaluateComprehension(const ast::Comprehension &expr);
  Result<Operand> callBuiltin(const Builtin &builtin, llvm::ArrayRef<Argument> arguments, SourceLoc loc);

  /// Names bound by comprehensions that are being evaluated, innermost last.
  std::vector<std::pair<llvm::StringRef, Operand>> comprehensionNames_;

protected:
  /// `left op right` for operands, at a place: shared with augmented assignment.
  Result<Operand> binaryAt(ast::BinOpKind op, const Operand &left, SourceLoc leftLoc, const Operand &right,
                           SourceLoc rightLoc, SourceLoc opLoc);
};

/// Evaluates where there is no kernel: names come from `lookup`, then from Python's builtins; a failure carries its message and place.
class EnvironmentEvaluator final : public Evaluator {
public:
  using Lookup = std::function<Result<std::optional<Operand>>(llvm::StringRef)>;
  EnvironmentEvaluator(Budget &budget, Lookup lookup) : Evaluator(budget, nullptr), lookup_(std::move(lookup)) {}

  void note(std::string) override {}

protected:
  Result<Operand> resolveName(llvm::StringRef name, SourceLoc loc) override;
  Result<void> assignName(const ast::Name &target, Operand value) override;
  Result<Operand> callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                               SourceLoc loc) override;
  Result<Operand> runtimeIfExp(const ast::IfExp &expr, const Operand &test) override;
  Failure report(SourceLoc, std::string message) override { return kernelFailure(std::move(message)); }
  void setPlace(SourceLoc) override {}

private:
  Lookup lookup_;
};

/// The last resort of every look-up: Python's own functions and constants of the language.
std::optional<Operand> pythonName(llvm::StringRef name);

} // namespace tilewise::frontend
