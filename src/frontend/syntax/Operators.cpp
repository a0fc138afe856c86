// How operators are written.
#include "frontend/syntax/Operators.h"

namespace tilewise::frontend {

llvm::StringRef spelling(BinaryOperator op) {
  static constexpr llvm::StringLiteral names[] = {"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"};
  return names[size_t(op)];
}

llvm::StringRef spelling(UnaryOperator op) {
  static constexpr llvm::StringLiteral names[] = {"~", "not", "+", "-"};
  return names[size_t(op)];
}

llvm::StringRef spelling(CompareOperator op) {
  static constexpr llvm::StringLiteral names[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return names[size_t(op)];
}

llvm::StringRef spelling(BoolOperator op) { return op == BoolOperator::And ? "and" : "or"; }

} // namespace tilewise::frontend
