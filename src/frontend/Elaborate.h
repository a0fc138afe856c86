// The walk over a function's statements: scopes, assignment, control flow, calls; each expression becomes ops through Sema.
//
// Every call is inlined, specialised to its arguments: a callee's frame holds its own scope, and ops carry the chain of calls.
// Structured control flow works on scopes: a branch or loop body is elaborated into a region of its own, and the variables that differ
// afterwards become the region's results.
//
//     x = a                       scope {x: %a}
//     if c:                       region 1: scope {x: %b, y: %b}
//         x = b; y = x            region 2: scope {x: %a}
//                                 ==> x = if c yield %b else yield %a;  y existed on one side only: gone
//
// `return` inside a runtime `if` ends the function there, so what follows the `if` is elaborated inside the branches that go on
// (see runToEnd): the if's results are then the function's.
#pragma once

#include "frontend/Evaluate.h"

#include "llvm/ADT/MapVector.h"

namespace tilewise::frontend {

class Elaborator final : public Evaluator {
public:
  Elaborator(Budget &budget, Sema &sema, Diagnostics &diagnostics)
      : Evaluator(budget, &sema), diagnostics_(diagnostics) {}

  /// Elaborates the kernel's body with its parameters bound; errors are in the diagnostics.
  Result<void> elaborateKernel(const FunctionValue &kernel,
                               llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> parameters);

  /// An expression of a function's text with all its names bound: one step of interpreter mode. Numbers stay numbers.
  Result<Operand> evaluateWith(const FunctionValue &function, llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> names,
                               const ast::Expr &expr);

  void note(std::string message) override;

protected:
  Result<Operand> resolveName(llvm::StringRef name, SourceLoc loc) override;
  Result<void> assignName(const ast::Name &target, Operand value) override;
  Result<Operand> callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                               SourceLoc loc) override;
  Result<Operand> runtimeIfExp(const ast::IfExp &expr, const Operand &test) override;
  Failure report(SourceLoc loc, std::string message) override;
  void setPlace(SourceLoc loc) override;

private:
  struct Variable {
    Operand value;
    SourceLoc assigned;
    bool isConstexpr = false; ///< Declared so in the body: it cannot be assigned again.
  };
  using Scope = llvm::MapVector<llvm::StringRef, Variable>;

  /// One function being inlined.
  struct Frame {
    const FunctionValue *function = nullptr;
    Frame *caller = nullptr;
    Provenance callSite; ///< Where in the caller; no place for the kernel itself.
    Scope scope;
    /// `x: tl.constexpr` without a value: the next assignment stays compile-time.
    llvm::SmallVector<llvm::StringRef> declaredConstexpr;
    /// Names that existed in a branch or loop only, and where: for the message when they are used later.
    llvm::DenseMap<llvm::StringRef, SourceLoc> gone;
    unsigned loopDepth = 0;
    Operand returned;
  };
  enum class Flow { Next, Returned };
  /// What follows a list of statements, out to the function's end.
  struct Pending {
    ast::StmtList rest;
    const Pending *outer;
  };

  // Elaborate.cpp: functions, simple statements.
  Result<void> bindParameters(const FunctionValue &function, llvm::ArrayRef<Argument> arguments, SourceLoc loc,
                              Frame &frame);
  Result<Operand> defaultOf(const FunctionValue &function, const ast::Parameter &parameter, SourceLoc loc);
  Result<Flow> run(ast::StmtList statements, const Pending *pending);
  Result<void> runToEnd(ast::StmtList statements, const Pending *pending);
  Result<void> runSimple(const ast::Stmt &statement);
  Result<void> assign(const ast::Expr &target, const Operand &value);
  Result<void> assignAnnotated(const ast::AnnAssign &statement);
  Result<void> assignAugmented(const ast::AugAssign &statement);
  Result<Operand> returnValue(const ast::Return &statement);
  bool inConstexprFunction() const { return frame_->function->kind == FunctionValue::Kind::Constexpr; }

  // ElaborateBranches.cpp
  Result<Flow> runIf(const ast::If &statement, ast::StmtList rest, const Pending *pending);
  Result<void> runtimeIf(const ast::If &statement, const Value &condition);
  Result<void> runtimeIfWithReturn(const ast::If &statement, const Value &condition, const Pending &after);

  // ElaborateLoops.cpp
  Result<void> runFor(const ast::For &statement);
  Result<void> runRange(const ast::For &statement, llvm::StringRef target, llvm::ArrayRef<Argument> bounds,
                        const OpSink::LoopOptions &options);
  Result<void> runUnrolled(const ast::For &statement, llvm::ArrayRef<Operand> values);
  Result<void> runWhile(const ast::While &statement);
  struct Carried;
  Result<Carried> collectCarried(ast::StmtList body, llvm::StringRef loopVariable);
  Result<llvm::SmallVector<Value>> carriedYields(const Carried &carried);
  void bindCarried(const Carried &carried, llvm::ArrayRef<Value> values);
  void leaveScope(Scope before);

  // ElaborateMerge.cpp: operands across the border of a region.
  Result<void> flatten(const Operand &operand, llvm::SmallVectorImpl<Value> &values);
  /// The operand with its numbers and runtime values replaced by the next of `values`.
  static Operand rebuild(const Operand &model, llvm::ArrayRef<Value> &values);
  /// Whether both can be one variable after the border: the same types in the same structure, the same compile-time values.
  static bool canMerge(const Operand &a, const Operand &b);
  static bool identical(const Operand &a, const Operand &b);
  /// The type of each number and runtime value, for messages.
  static std::string describe(const Operand &operand);

  Diagnostics &diagnostics_;
  Frame *frame_ = nullptr;
  unsigned callDepth_ = 0;
  SourceLoc place_;
};

/// The names that statements assign, in order of first assignment.
llvm::SmallVector<llvm::StringRef> assignedNames(ast::StmtList statements);
/// Whether `:=` stands anywhere in the expression.
bool bindsNames(const ast::Expr &expr);
/// Whether a `return` stands anywhere in the statements.
bool containsReturn(ast::StmtList statements);

} // namespace tilewise::frontend
