// Kernels run line by line: operations on operands, each evaluated at once for the program at hand.
//
// An operation is an expression of the kernel language over named operands, parsed once and evaluated by the same Elaborator that compiles
// kernels, with Eager as its sink. So interpreter mode has no rules of its own:
//
//     interpreter.evaluate("a + b", {{"a", x}, {"b", Operand::ofInt(1)}})                  x + 1 by the promotion rules
//     interpreter.evaluate("f(*args, mask=m)", {{"f", load}, {"args", tuple}, {"m", mask}})  reads memory now
#pragma once

#include "frontend/Environment.h"
#include "interpreter/Eager.h"

namespace tilewise::interpreter {

using frontend::Operand;

class Interpreter {
public:
  Interpreter();
  ~Interpreter();

  Eager &sink() { return sink_; }

  /// The expression's value; values inside it live until the operand is passed to drop(). Warnings and notes go to `messages`.
  Result<Operand> evaluate(llvm::StringRef expression, llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> names,
                           std::vector<std::string> *messages = nullptr);
  /// A scalar or pointer argument from its bits.
  Operand argument(const Type &type, uint64_t bits);
  void drop(const Operand &operand);

private:
  struct Expression;
  Result<const Expression *> parse(llvm::StringRef text);

  Eager sink_;
  llvm::StringMap<std::unique_ptr<Expression>> expressions_;
};

} // namespace tilewise::interpreter
