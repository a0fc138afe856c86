// The operators of the language, for its syntax and for its rules alike.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewise::frontend {

enum class BinaryOperator : uint8_t {
  Add,
  Sub,
  Mul,
  MatMul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitAnd,
  BitOr,
  BitXor
};
enum class UnaryOperator : uint8_t { Invert, Not, Plus, Minus };
enum class CompareOperator : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
enum class BoolOperator : uint8_t { And, Or };

/// The operator as it is written: `//`, `not in`.
llvm::StringRef spelling(BinaryOperator op);
llvm::StringRef spelling(UnaryOperator op);
llvm::StringRef spelling(CompareOperator op);
llvm::StringRef spelling(BoolOperator op);

} // namespace tilewise::frontend
