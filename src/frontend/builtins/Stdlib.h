// The standard library: functions of the language that are written in the language, as `max` and
// `softmax`, from stdlib/*.py.
#pragma once

#include "frontend/values/Operand.h"
#include "support/SourceLoc.h"

namespace tilewise::frontend::stdlib {

/// Its text, embedded at build time.
const SourceFile &source();
/// The function behind `tl.NAME`; nothing when the library has none. Good for the calling thread's
/// lifetime.
std::optional<Operand> function(llvm::StringRef name);
/// A function of another package that kernels call, which the library has under a prefix.
std::optional<Operand> member(llvm::StringRef prefix, llvm::StringRef name);
/// The public functions, those whose names do not start with an underscore.
std::vector<std::string> names();
/// Whether `x.name(...)` calls the library's function with `x` as its first argument.
bool isMethod(llvm::StringRef name);

} // namespace tilewise::frontend::stdlib
