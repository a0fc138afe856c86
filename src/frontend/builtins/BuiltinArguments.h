// Reading the compile-time arguments of builtins, with messages that name the function and the
// parameter.
#pragma once

#include "frontend/builtins/Builtins.h"

namespace tilewise::frontend {

Result<int64_t> intArgument(const Operand &operand, llvm::StringRef what);
Result<bool> boolArgument(const Operand &operand, llvm::StringRef what);
Result<DType> dtypeArgument(const Operand &operand, llvm::StringRef what);
Result<std::string> stringArgument(const Operand &operand, llvm::StringRef what);
/// A tuple or list of compile-time ints, or one int.
Result<llvm::SmallVector<int64_t, 4>> intsArgument(const Operand &operand, llvm::StringRef what);
/// A shape given as `(32, 64)` or as varargs `32, 64`, which arrive as a tuple of one tuple or a
/// tuple of ints.
Result<llvm::SmallVector<int64_t, 4>> shapeArgument(const Operand &operand, llvm::StringRef what);
Result<NanRule> nanArgument(const Operand &operand, llvm::StringRef what);

inline Result<Operand> asOperand(Result<Value> value) {
  if (!value)
    return value.takeFailure();
  return Operand(std::move(*value));
}

} // namespace tilewise::frontend
