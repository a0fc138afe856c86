// The standard library: functions of the language that are written in the language, as `max` and `softmax`, from stdlib/*.py.
#pragma once

#include "frontend/Operand.h"
#include "support/SourceLoc.h"

namespace tilewise::frontend {

/// The library's text, embedded at build time.
const SourceFile &librarySource();
/// The function behind `tl.NAME`; nothing when the library has none. Good for the calling thread's lifetime.
std::optional<Operand> libraryFunction(llvm::StringRef name);
/// A function of another package that kernels call, which the library has under a prefix.
std::optional<Operand> libraryMember(llvm::StringRef prefix, llvm::StringRef name);
/// The public functions, those whose names do not start with an underscore.
std::vector<std::string> libraryNames();
/// Whether `x.name(...)` calls the library's function with `x` as its first argument.
bool isLibraryMethod(llvm::StringRef name);

} // namespace tilewise::frontend
