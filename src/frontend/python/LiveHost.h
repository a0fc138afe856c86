// For environments of a live host: names of the language by their dotted path, and functions from
// texts of their own.
#pragma once

#include "frontend/values/Environment.h"
#include "support/SourceLoc.h"

namespace tilewise::frontend {

/// "triton.language.load" -> the builtin, "triton.language.float32" -> the dtype, "triton" -> the
/// module; a failure that says what is wrong.
Result<Operand> languageOperand(llvm::StringRef dotted);

/// The function `name` of a text, whose other names resolve in `environment`, or in the text itself
/// when that is null. It keeps both alive.
Result<std::shared_ptr<const FunctionValue>> makeFunction(std::shared_ptr<const SourceFile> file, llvm::StringRef name,
                                                          std::shared_ptr<Environment> environment);

/// An int of any size from its decimal digits, with a sign or without.
Result<Operand> intOfDecimal(llvm::StringRef digits);

/// What a kernel is told that uses a plain number, string or tuple from outside.
Failure globalIsNotConstexpr(llvm::StringRef name, const Operand &value);
/// Whether that rule is about such a value: functions, modules and types may always be used.
bool needsConstexpr(const Operand &value);

} // namespace tilewise::frontend
