// The operators of the language, apart from any syntax tree.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewise::frontend {

enum class BinaryOperator { Add, Sub, Mul, MatMul, Div, FloorDiv, Mod, Pow, LShift, RShift, BitAnd, BitOr, BitXor };
enum class UnaryOperator { Invert, Not, Plus, Minus };
enum class CompareOperator { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

llvm::StringRef spelling(BinaryOperator op);
llvm::StringRef spelling(UnaryOperator op);
llvm::StringRef spelling(CompareOperator op);

} // namespace tilewise::frontend
