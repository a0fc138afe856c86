// Arithmetic on compile-time values, as Python has it: ints of any size, floor division, short
// strings and tuples.
#pragma once

#include "frontend/syntax/Operators.h"
#include "frontend/values/Operand.h"

#include "llvm/ADT/APFloat.h"

namespace tilewise::frontend {

/// Compile-time ints may grow to this many bits: far above any use, and a product still takes
/// microseconds.
inline constexpr unsigned kMaxIntBits = 4096;
/// The same for the elements of a tuple and the characters of a string.
inline constexpr size_t kMaxSequence = 1 << 20;

Result<Operand> constantBinary(BinaryOperator op, const Operand &lhs, const Operand &rhs);
Result<Operand> constantUnary(UnaryOperator op, const Operand &operand);
Result<Operand> constantCompare(CompareOperator op, const Operand &lhs, const Operand &rhs);

/// Python's truth of a compile-time value.
Result<bool> constantTruth(const Operand &operand);

/// int(x), float(x), abs(x), round(x) of compile-time values.
Result<Operand> constantToInt(const Operand &operand);
Result<Operand> constantToFloat(const Operand &operand);
Result<Operand> constantAbs(const Operand &operand);

/// `sequence[index]` for tuples, lists, strings and dicts, with slices and negative indices.
Result<Operand> constantSubscript(const Operand &container, const Operand &index);

/// The value of a number as a float type holds it, rounded to nearest even; an int is converted
/// once, not through double.
llvm::APFloat toAPFloat(const Operand &number, const llvm::fltSemantics &semantics);

} // namespace tilewise::frontend
