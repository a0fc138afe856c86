// Kernels run line by line: operations on operands, each evaluated at once for the program at hand.
//
// An operation is an expression of the kernel language over named operands, parsed once and evaluated by the same Elaborator that compiles
// kernels, with Eager as its sink. So interpreter mode has no rules of its own:
//
//     interpreter.evaluate("a + b", {{"a", x}, {"b", Operand::ofInt(1)}})                  x + 1 by the promotion rules
//     interpreter.evaluate("f(*args, mask=m)", {{"f", load}, {"args", tuple}, {"m", mask}})  reads memory now
#pragma once

#include "frontend/Environment.h"
#include "support/Error.h"
#include "target/ArgumentSpan.h"

#include "llvm/ADT/StringMap.h"

#include <array>

namespace tilewise::interpreter {

using frontend::Operand;
class Eager;

class Interpreter {
public:
  Interpreter();
  ~Interpreter();

  /// Which program of which grid all that follows belongs to.
  void setProgram(std::array<uint32_t, 3> program, std::array<uint32_t, 3> grid);
  /// A scalar argument from its bits. As every operand that comes from here it lives until drop().
  Operand argument(const frontend::Type &type, uint64_t bits);
  /// A pointer argument: accesses outside of its memory by pointers that are made from it are errors that name it.
  Operand pointer(const frontend::Type &type, uint64_t address, std::string name, const ArgumentSpan &span);
  /// The expression's value.
  Result<Operand> evaluate(llvm::StringRef expression, llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> names);

  /// One more drop() is needed until it is gone.
  static void retain(const Operand &operand);
  static void drop(const Operand &operand);
  /// The elements of a scalar or block, one after another; a bool takes a byte.
  static llvm::ArrayRef<std::byte> bytesOf(const frontend::Value &value);

private:
  struct Expression;
  Result<const Expression *> parse(llvm::StringRef text);
  /// The value that `make` makes on the sink, alive until drop().
  Operand kept(llvm::function_ref<frontend::Value()> make);

  std::unique_ptr<Eager> sink_;
  llvm::StringMap<std::unique_ptr<Expression>> expressions_;
};

} // namespace tilewise::interpreter
