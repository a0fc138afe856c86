// Kernels run line by line: operations on operands, each evaluated at once for the program at hand.
//
// An operation is an expression of the kernel language over named operands, parsed once and
// evaluated by the same Elaborator that compiles kernels. So interpreter mode has no rules of its
// own:
//
//     parse("a + b", {"a", "b"}), evaluate(..., {x, Operand::ofInt(1)})                     x + 1 by the promotion rules
//     parse("f(*args, mask=m)", {"f", "args", "m"}), evaluate(..., {load, tuple, mask})     reads memory now
//
// The first time that an expression meets operands of some kinds (the types of runtime values, the
// values of all others) it is elaborated with Eager as its sink. What was elaborated without
// looking at a runtime value is the same for all operands of these kinds, so from the second time
// on the expression is a small kernel of its own, emitted by EmitTile and decoded once:
//
//     x + 1, x: fp32[64]      1st: splat, add as kernels of one op each      2nd: func(x) { add(x, constant 1) }      3rd: run that
//
// Vector add makes 12 operations per program; elaborating each takes about 5 us, running the
// kernels of them 0.5.
#pragma once

#include "artifact/ArgumentSpan.h"
#include "frontend/values/Environment.h"
#include "support/Error.h"

#include "llvm/ADT/StringMap.h"

#include <array>

namespace tilewise::interpreter {

using frontend::Operand;
class Eager;

class Interpreter {
public:
  Interpreter();
  ~Interpreter();

  /// An expression of the kernel language and the names in it, parsed.
  struct Expression;

  /// Before the first program of a launch: the arguments of the one before are forgotten, and what
  /// the host's functions were worth.
  void reset();
  /// Where kernels print to; standard output unless set.
  void setPrint(std::function<void(llvm::StringRef)> print);
  /// Which program of which grid all that follows belongs to.
  void setProgram(std::array<uint32_t, 3> program, std::array<uint32_t, 3> grid);
  /// A scalar argument from its bits. As every operand that comes from here it lives until drop().
  Operand argument(const frontend::Type &type, uint64_t bits);
  /// A pointer argument: accesses outside of its memory by pointers that are made from it are
  /// errors that name it.
  Operand pointer(const frontend::Type &type, uint64_t address, std::string name, const ArgumentSpan &span);

  /// The same expression is parsed once; it lives as long as the interpreter.
  Result<Expression *> parse(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names);
  /// The expression's value, with one operand per name.
  Result<Operand> evaluate(Expression &expression, llvm::ArrayRef<Operand> operands);
  static size_t nameCount(const Expression &expression);
  /// What the latest evaluation warned of.
  llvm::ArrayRef<std::string> warnings() const { return warnings_; }

  /// One more drop() is needed until it is gone.
  static void retain(const Operand &operand);
  static void drop(const Operand &operand);
  /// The elements of a scalar or block, one after another; a bool takes a byte.
  static llvm::ArrayRef<std::byte> bytesOf(const frontend::Value &value);

private:
  struct Variant;
  Result<Operand> elaborate(Expression &expression, llvm::ArrayRef<Operand> operands, Variant *variant);
  void emit(Expression &expression, llvm::ArrayRef<Operand> operands, llvm::ArrayRef<frontend::Value> values,
            Variant &variant);
  Result<Operand> run(const Variant &variant, llvm::ArrayRef<frontend::Value> values);
  /// The value that `make` makes on the sink, alive until drop().
  Operand kept(llvm::function_ref<frontend::Value()> make);

  std::unique_ptr<Eager> sink_;
  llvm::StringMap<std::unique_ptr<Expression>> expressions_;
  size_t variantCount_ = 0; ///< Of all expressions.
  std::vector<std::string> warnings_;
};

} // namespace tilewise::interpreter
