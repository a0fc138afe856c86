// Expressions of a syntax tree -> operands. What needs a kernel around it goes through Sema; the
// rest is computed at once.
//
// Used in two places: by Elaborator inside kernels, and by EnvironmentEvaluator for module-level
// values, parameter defaults and the constants of a signature, where there is no Sema and every
// value is a compile-time value.
//
// There are two sets of rules. In a kernel a construct is what the kernel language makes of it, and
// much of Python is rejected. In Python mode (module level, @triton.constexpr_function, plain
// methods of aggregates) an expression is Python's: comparisons chain, dicts and lambdas exist,
// lists change in place.
#pragma once

#include "frontend/builtins/Builtins.h"
#include "frontend/syntax/Ast.h"
#include "frontend/values/Environment.h"

#include <deque>

namespace tilewise::frontend {

struct Visits;

/// What one compile may spend: kernel text can never loop for ever at compile time.
struct Budget {
  uint64_t steps = 2'000'000; ///< Statements and expressions: a few seconds at most.
  unsigned callDepth = 100;
  unsigned errors = 20; ///< After so many, compiling stops.
  /// Expressions inside expressions, through calls: what the stack of the compiling thread holds.
  unsigned nesting = 1500;
  Visits *visits = nullptr; ///< Where the steps are taken, if somebody asks.
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
  const CompileFacts &facts() override;
  /// Told of each builtin that is called.
  std::function<void(const Builtin &)> onBuiltin;
  Result<Operand> call(const Operand &callee, llvm::ArrayRef<Operand> arguments) override;

protected:
  virtual Result<Operand> resolveName(llvm::StringRef name, SourceLoc loc) = 0;
  virtual Result<void> assignName(const ast::Name &target, Operand value) = 0;
  virtual Result<Operand> callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                                       SourceLoc loc) = 0;
  /// Whether Python's rules hold here, not the kernel language's.
  virtual bool isPython() const = 0;
  /// The local names that a lambda written here can use.
  virtual std::vector<std::pair<std::string, Operand>> locals() { return {}; }
  virtual Environment *environment() { return nullptr; }
  virtual Result<Operand> runtimeIfExp(const ast::IfExp &expr, const Operand &test) = 0;
  /// Makes a message an error at a place: the returned failure is what evaluate() gives up with.
  Failure report(SourceLoc loc, std::string message) { return reportAs(MessageCode::None, loc, std::move(message)); }
  virtual Failure reportAs(MessageCode code, SourceLoc loc, std::string message) = 0;
  /// An error that other arguments could only hide: see Blame.h. Where it is about a None, those
  /// that are None may be the reason.
  virtual Failure reportOfText(SourceLoc loc, std::string message, bool /*isOfNone*/ = false) {
    return report(loc, std::move(message));
  }
  /// For what Python has and the kernel language has not; the message says so.
  Failure notInLanguage(SourceLoc loc, std::string message) {
    return reportAs(MessageCode::NotInLanguage, loc, std::move(message));
  }
  /// All ops that follow come from this place.
  virtual void setPlace(SourceLoc loc) = 0;

  /// Adds to the error just reported at `loc` what helps to see why.
  virtual void explain(SourceLoc) {}

  Failure reportFailure(SourceLoc loc, Failure failure) {
    if (failure.message.empty() || failure.kind == ErrorKind::Internal)
      return failure;
    Failure reported = reportAs(failure.code, loc, std::move(failure.message));
    explain(loc);
    return reported;
  }
  Result<void> spend(SourceLoc loc, uint64_t steps = 1);
  Result<llvm::SmallVector<Argument>> evaluateArguments(const ast::Call &call);
  Result<Operand> callOperand(const Operand &callee, llvm::SmallVector<Argument> arguments, SourceLoc loc);
  Result<Operand> attributeOf(const Operand &object, llvm::StringRef name, SourceLoc loc, SourceLoc nameLoc);
  /// What a loop or a comprehension over it runs through.
  Result<Elements> itemsOf(const Operand &iterable, SourceLoc loc);
  /// Bounds what a structure may grow to.
  Result<Operand> checkExtent(Operand value, SourceLoc loc);

  // EvaluateObjects.cpp: classes, records and their special methods.
  /// `Class(...)`: a named tuple, or an aggregate made by its `__init__`.
  Result<Operand> construct(const std::shared_ptr<const RecordClass> &kind, llvm::ArrayRef<Argument> arguments,
                            SourceLoc loc);
  Result<Operand> replaceFields(llvm::ArrayRef<Argument> arguments, SourceLoc loc);
  /// Calls `object.name(...)`; nothing when the object has no such method or it gives
  /// NotImplemented.
  Result<std::optional<Operand>> callSpecial(const Operand &object, llvm::StringRef name,
                                             llvm::ArrayRef<Operand> arguments, SourceLoc loc);
  Result<void> setField(const Operand &object, llvm::StringRef name, Operand value, SourceLoc loc);

  Budget &budget_;
  Sema *sema_;
  /// Above 0, report() gives a failure without recording it.
  unsigned quiet_ = 0;
  /// Names of arguments that came out of a dict, which may be gone when they are used.
  std::deque<std::string> keywordNames_;

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
  Result<void> comprehensionClauses(const ast::Comprehension &expr, size_t clause, Elements &keys, Elements &values);
  Result<Operand> evaluateLambda(const ast::Lambda &expr);
  Result<Operand> evaluateKind(const ast::Expr &expr);
  Result<Operand> recordBinary(llvm::StringRef forward, llvm::StringRef reflected, llvm::StringRef spelling,
                               const Operand &left, const Operand &right, SourceLoc loc);
  Result<Operand> recordAttribute(const Operand &object, llvm::StringRef name, SourceLoc loc);
  Result<Operand> compareAt(CompareOperator op, const Operand &left, SourceLoc leftLoc, const Operand &right,
                            SourceLoc rightLoc, SourceLoc opLoc);
  Result<Operand> callGetattr(bool onlyAsks, llvm::ArrayRef<Argument> arguments, SourceLoc loc);
  Result<Operand> callFormat(llvm::ArrayRef<Argument> arguments, SourceLoc loc);
  Result<Operand> callBuiltin(const Builtin &builtin, llvm::ArrayRef<Argument> arguments, SourceLoc loc);

protected:
  /// Names bound by comprehensions that are being evaluated, innermost last.
  std::vector<std::pair<llvm::StringRef, Operand>> comprehensionNames_;
  /// `left op right` for operands, at a place: shared with augmented assignment.
  Result<Operand> binaryAt(BinaryOperator op, const Operand &left, SourceLoc leftLoc, const Operand &right,
                           SourceLoc rightLoc, SourceLoc opLoc);
};

/// Evaluates where there is no kernel: names come from `lookup`, then from Python's builtins; a
/// failure carries its message and place.
class EnvironmentEvaluator final : public Evaluator {
public:
  using Lookup = std::function<Result<std::optional<Operand>>(llvm::StringRef)>;
  EnvironmentEvaluator(Budget &budget, Lookup lookup, Environment *environment = nullptr)
      : Evaluator(budget, nullptr), lookup_(std::move(lookup)), environment_(environment) {}

  void note(std::string) override {}
  /// Calls a function of the host, as for autotune's configs and heuristics.
  using Evaluator::callOperand;

protected:
  Result<Operand> resolveName(llvm::StringRef name, SourceLoc loc) override;
  Result<void> assignName(const ast::Name &target, Operand value) override;
  Result<Operand> callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                               SourceLoc loc) override;
  Result<Operand> runtimeIfExp(const ast::IfExp &expr, const Operand &test) override;
  Failure reportAs(MessageCode code, SourceLoc, std::string message) override {
    return kernelFailure(std::move(message), code);
  }
  void setPlace(SourceLoc) override {}
  bool isPython() const override { return true; }
  Environment *environment() override { return environment_; }

private:
  Lookup lookup_;
  Environment *environment_;
};

/// The last resort of every look-up: Python's own functions; in a kernel only those that the kernel
/// language has.
std::optional<Operand> pythonName(llvm::StringRef name, bool isPython);
/// What a kernel is told that uses another function of Python: "use tl.sum"; empty when there is
/// none of this name.
std::string pythonOnlyHint(llvm::StringRef name);
/// Calls a function where there is no kernel; a failure's message ends with the place.
Result<Operand> callWhileCompiling(Budget &budget, const FunctionValue &function, llvm::ArrayRef<Argument> arguments);

} // namespace tilewise::frontend
