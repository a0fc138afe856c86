// The walk over a function's statements: scopes, assignment, control flow, calls; each expression
// becomes ops through Sema.
//
// Every call is inlined, specialised to its arguments: a callee's frame holds its own scope, and
// ops carry the chain of calls. Structured control flow works on scopes: a branch or loop body is
// elaborated into a region of its own, and the variables that differ afterwards become the region's
// results.
//
//     x = a                       scope {x: %a}
//     if c:                       region 1: scope {x: %b, y: %b}
//         x = b; y = x            region 2: scope {x: %a}
//                                 ==> x = if c yield %b else yield %a;  y existed on one side only: gone
//
// `return` inside a runtime `if` ends the function there, so what follows the `if` is elaborated
// inside the branches that go on (see runToEnd): the if's results are then the function's. The
// further rounds of an unrolled loop are part of what follows.
//
// After an error in one statement the next are still elaborated, so that one run shows many
// mistakes. The names that the failed statement would have assigned are poisoned: what uses them
// fails without a message of its own.
#pragma once

#include "frontend/python/Evaluate.h"
#include "frontend/python/Visits.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace tilewise::frontend {

class Elaborator final : public Evaluator {
public:
  Elaborator(Budget &budget, Sema &sema, Diagnostics &diagnostics)
      : Evaluator(budget, &sema), diagnostics_(diagnostics) {}
  /// Without Sema only functions that run as Python can be called.
  Elaborator(Budget &budget, Diagnostics &diagnostics) : Evaluator(budget, nullptr), diagnostics_(diagnostics) {}

  /// Elaborates the kernel's body with its parameters bound; errors are in the diagnostics.
  Result<void> elaborateKernel(const FunctionValue &kernel,
                               llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> parameters);

  /// An expression of a function's text with all its names bound: one step of interpreter mode.
  /// Numbers stay numbers.
  Result<Operand> evaluateWith(const FunctionValue &function, llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> names,
                               const ast::Expr &expr);

  void note(std::string message) override;

  Result<Operand> callFunction(const FunctionValue &function, llvm::ArrayRef<Argument> arguments,
                               SourceLoc loc) override;

protected:
  Result<Operand> resolveName(llvm::StringRef name, SourceLoc loc) override;
  Result<void> assignName(const ast::Name &target, Operand value) override;
  bool isPython() const override { return inConstexprFunction(); }
  bool inConstexprFunction() const { return frame_ && frame_->function->kind != FunctionValue::Kind::Jit; }
  std::vector<std::pair<std::string, Operand>> locals() override;
  Environment *environment() override { return frame_ ? frame_->function->environment : nullptr; }
  Result<Operand> runtimeIfExp(const ast::IfExp &expr, const Operand &test) override;
  Failure reportAs(MessageCode code, SourceLoc loc, std::string message) override;
  void setPlace(SourceLoc loc) override;
  void explain(SourceLoc loc) override;
  Result<void> mayChange(const Operand &container) override;

private:
  struct Variable {
    Operand value;
    SourceLoc assigned;
    bool isConstexpr = false; ///< Declared so in the body: it cannot be assigned again.
    bool isPoisoned = false;  ///< What should have given it a value failed.
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
    /// Names that existed in a branch or loop only, and where: for the message when they are used
    /// later.
    llvm::DenseMap<llvm::StringRef, SourceLoc> gone;
    /// Parameters that are tl.constexpr but were given a runtime value, and where: for the notes of
    /// an error inside.
    llvm::SmallVector<std::pair<llvm::StringRef, SourceLoc>> runtimeConstexprs;
    /// Names that were reported as not defined: once is enough.
    llvm::DenseSet<llvm::StringRef> missing;
    unsigned loopDepth = 0;
    unsigned withDepth = 0;
    Operand returned;
    SourceLoc returnedAt; ///< The `return` that gave a value.
    /// The path that was elaborated came to the function's end without a `return`.
    bool fellOffEnd = false;
    /// An error was found in a branch behind which nothing is left to elaborate.
    bool isOver = false;
  };
  enum class Flow { Next, Returned, Broke, Continued };
  /// What follows a list of statements, out to the function's end.
  struct Pending {
    ast::StmtList rest;
    const Pending *outer;
    /// Not null: first come the further rounds of this unrolled loop, its variable at each of the
    /// values.
    const ast::For *loop = nullptr;
    llvm::ArrayRef<Operand> values = {};
  };

  Failure reportOfText(SourceLoc loc, std::string message, bool isOfNone = false) override;
  /// Why the test of an `if` or `while` cannot be one: of a block, the text is at fault.
  Failure reportTest(SourceLoc loc, const Operand &test, Failure failure);

  // ElaborateNotes.cpp
  /// "; did you mean 'x'?" for a name that is not defined, or empty.
  std::string nearlyDefined(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) const;
  /// The same for `height` where there is a variable `h`, or the other way round.
  std::string abbreviated(llvm::StringRef name) const;
  /// Adds to the error just reported how the function is called.
  Failure withSignature(Failure failure, const FunctionValue &function);

  // Elaborate.cpp: functions.
  Result<void> bindParameters(const FunctionValue &function, llvm::ArrayRef<Argument> arguments, SourceLoc loc,
                              Frame &frame);
  Result<Operand> defaultOf(const FunctionValue &function, const ast::Parameter &parameter, SourceLoc loc);
  Result<void> checkNoinline(const FunctionValue &function, llvm::ArrayRef<Argument> arguments, SourceLoc loc);

  // ElaborateStatements.cpp: simple statements.
  Result<Flow> runOne(const ast::Stmt &statement, ast::StmtList rest, const Pending *pending);
  bool canGoOn(const Failure &failure) const;
  void poison(const ast::Stmt &statement);
  Result<void> runExpression(const ast::Expr &expr);
  Result<void> runAssert(const ast::Assert &statement);
  Result<Operand> decayed(const Operand &value, SourceLoc loc);
  Result<Flow> run(ast::StmtList statements, const Pending *pending);
  Result<void> runToEnd(ast::StmtList statements, const Pending *pending);
  Result<void> runSimple(const ast::Stmt &statement);
  Result<void> assign(const ast::Expr &target, const Operand &value);
  Failure refuseElement(const ast::Subscript &target);
  Result<void> assignAnnotated(const ast::AnnAssign &statement);
  Result<void> assignAugmented(const ast::AugAssign &statement);
  Result<Operand> returnValue(const ast::Return &statement);

  // ElaboratePython.cpp: statements as Python has them, and `with`.
  Result<Flow> runPython(const ast::Stmt &statement);
  Result<Flow> runPythonLoop(const ast::For &statement);
  Result<Flow> runPythonWhile(const ast::While &statement);
  Result<void> assignPython(const ast::Expr &target, const Operand &value);
  Result<void> assignElement(const ast::Subscript &target, const Operand &value);
  Result<void> unpackInto(const ast::Expr &target, const Operand &value);
  Result<Flow> runTry(const ast::Try &statement);
  Result<void> defineNested(const ast::FunctionDef &function);
  Result<void> runWith(const ast::With &statement);

  // ElaborateBranches.cpp
  Result<Flow> runIf(const ast::If &statement, ast::StmtList rest, const Pending *pending);
  Result<void> runtimeIf(const ast::If &statement, const Value &condition);
  Result<void> runtimeIfWithReturn(const ast::If &statement, const Value &condition, const Pending &after);
  llvm::SmallVector<Value> zerosLike(llvm::ArrayRef<Value> values);

  // ElaborateLoops.cpp
  Result<Flow> runFor(const ast::For &statement, ast::StmtList rest, const Pending *pending);
  /// Begin, end and step of `range(...)`, and the options beside them.
  Result<llvm::SmallVector<Argument>> loopBounds(const ast::Call &call, llvm::StringRef kind,
                                                 OpSink::LoopOptions &options);
  /// The numbers that a tl.static_range runs over.
  Result<Elements> staticValues(llvm::ArrayRef<Argument> bounds, SourceLoc loc);
  Result<void> runRange(const ast::For &statement, llvm::StringRef target, llvm::ArrayRef<Argument> bounds,
                        const OpSink::LoopOptions &options);
  struct CountedLoop;
  Result<CountedLoop> countedLoop(const ast::For &statement, llvm::StringRef target, llvm::ArrayRef<Argument> bounds);
  Result<Value> loopVariable(const CountedLoop &loop, const Value &count);
  Result<void> runRounds(const CountedLoop &loop, int64_t begin, int64_t end, int64_t step);
  Result<void> emitCountedLoop(const CountedLoop &loop, const OpSink::LoopOptions &options);
  Result<void> keepLastValue(const CountedLoop &loop);
  bool isReadAfterLoop(llvm::StringRef name);
  Result<Flow> runUnrolled(const ast::For &statement, llvm::ArrayRef<Operand> values, const Pending *after);
  Result<void> runWhile(const ast::While &statement);
  Result<Value> conditionOf(const ast::While &statement, const Operand &test);
  /// Where the sink executes what it is given.
  Result<void> runRoundsOf(const ast::While &statement);
  Result<void> emitWhile(const ast::While &statement);
  struct Carried;
  Result<Carried> collectCarried(ast::StmtList body, llvm::StringRef loopVariable);
  Result<llvm::SmallVector<Value>> carriedYields(const Carried &carried);
  void bindCarried(const Carried &carried, llvm::ArrayRef<Value> values);
  void leaveScope(Scope before);

  // ElaborateMerge.cpp: operands across the border of a region.
  /// A region of the sink. What is in reach now cannot change in place until it is closed: see
  /// mayChange.
  llvm::SmallVector<Value> openRegion(llvm::ArrayRef<Type> arguments);
  OpSink::Region *closeRegion();
  llvm::DenseSet<const void *> containersInReach() const;
  bool isSpoiled(const Operand &operand) const;
  Result<void> flatten(const Operand &operand, llvm::SmallVectorImpl<Value> &values);
  /// The operand with its numbers and runtime values replaced by the next of `values`.
  static Operand rebuild(const Operand &model, llvm::ArrayRef<Value> &values);
  /// Whether both can be one variable after the border: the same types in the same structure, the
  /// same compile-time values.
  static bool canMerge(const Operand &a, const Operand &b);
  static bool identical(const Operand &a, const Operand &b);
  /// The type of each number and runtime value, for messages.
  static std::string describe(const Operand &operand);

  Diagnostics &diagnostics_;
  /// Places and texts of the errors so far: the same one through another call says nothing new.
  llvm::StringSet<> reported_;
  bool isStopped_ = false;
  Visits::About about_ = Visits::About::Arguments; ///< What is being reported.
  /// The lists and dicts that were there before each open region, innermost last.
  llvm::SmallVector<llvm::DenseSet<const void *>> outside_;
  /// Lists and dicts that should have changed and could not: what uses them fails without a
  /// message.
  llvm::DenseSet<const void *> spoiled_;
  /// Per function, the names that are read outside the loops over them.
  llvm::DenseMap<const ast::FunctionDef *, llvm::DenseSet<llvm::StringRef>> readAfterLoop_;
  Frame *frame_ = nullptr;
  unsigned callDepth_ = 0;
  SourceLoc place_;
};

/// The names that statements assign, in order of first assignment.
llvm::SmallVector<llvm::StringRef> assignedNames(ast::StmtList statements);
/// The names that are read outside every `for` over them: a loop's variable keeps its last value
/// for those.
llvm::DenseSet<llvm::StringRef> namesReadAfterLoops(ast::StmtList statements);
/// Whether `:=` stands anywhere in the expression.
bool bindsNames(const ast::Expr &expr);
/// Whether a `return` stands anywhere in the statements.
bool containsReturn(ast::StmtList statements);

} // namespace tilewise::frontend
