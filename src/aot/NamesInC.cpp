// The words that are taken.
#include "aot/NamesInC.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::aot {

// Of C23 and C++26, and macros that compilers define beside them.
static constexpr llvm::StringLiteral kWords[] = {"alignas",
                                                 "alignof",
                                                 "and",
                                                 "and_eq",
                                                 "asm",
                                                 "auto",
                                                 "bitand",
                                                 "bitor",
                                                 "bool",
                                                 "break",
                                                 "case",
                                                 "catch",
                                                 "char",
                                                 "char16_t",
                                                 "char32_t",
                                                 "char8_t",
                                                 "class",
                                                 "co_await",
                                                 "co_return",
                                                 "co_yield",
                                                 "compl",
                                                 "concept",
                                                 "const",
                                                 "const_cast",
                                                 "consteval",
                                                 "constexpr",
                                                 "constinit",
                                                 "continue",
                                                 "decltype",
                                                 "default",
                                                 "delete",
                                                 "do",
                                                 "double",
                                                 "dynamic_cast",
                                                 "else",
                                                 "enum",
                                                 "errno",
                                                 "explicit",
                                                 "export",
                                                 "extern",
                                                 "false",
                                                 "float",
                                                 "for",
                                                 "friend",
                                                 "goto",
                                                 "if",
                                                 "inline",
                                                 "int",
                                                 "linux",
                                                 "long",
                                                 "mutable",
                                                 "namespace",
                                                 "new",
                                                 "noexcept",
                                                 "not",
                                                 "not_eq",
                                                 "nullptr",
                                                 "operator",
                                                 "or",
                                                 "or_eq",
                                                 "private",
                                                 "protected",
                                                 "public",
                                                 "register",
                                                 "reinterpret_cast",
                                                 "requires",
                                                 "restrict",
                                                 "return",
                                                 "short",
                                                 "signed",
                                                 "sizeof",
                                                 "static",
                                                 "static_assert",
                                                 "static_cast",
                                                 "struct",
                                                 "switch",
                                                 "template",
                                                 "this",
                                                 "thread_local",
                                                 "throw",
                                                 "true",
                                                 "try",
                                                 "typedef",
                                                 "typeid",
                                                 "typename",
                                                 "typeof",
                                                 "typeof_unqual",
                                                 "union",
                                                 "unix",
                                                 "unsigned",
                                                 "using",
                                                 "virtual",
                                                 "void",
                                                 "volatile",
                                                 "wchar_t",
                                                 "while",
                                                 "xor",
                                                 "xor_eq",
                                                 "NULL"};

// Functions and types at the file level of what Header.cpp and GpuSource.cpp write.
static constexpr llvm::StringLiteral kFunctions[] = {
    "choose", "driver", "free",     "isLocked", "load",      "loaded", "lock",  "main",  "malloc",
    "memcpy", "unlock", "uint32_t", "uint64_t", "uintptr_t", "Driver", "Image", "Loaded"};
// And what their functions take and declare.
static constexpr llvm::StringLiteral kVariables[] = {"all",      "arguments", "begin", "cuda",   "end",
                                                     "function", "grid",      "image", "memory", "processor",
                                                     "result",   "scratch",   "size",  "stream"};

static bool isTaken(llvm::StringRef name) {
  return llvm::is_contained(kWords, name) || llvm::is_contained(kFunctions, name);
}

bool isNameInC(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) && !isTaken(name);
}

std::string parameterNameInC(llvm::StringRef name, const std::set<std::string> &taken) {
  std::string found = name.str();
  while (isTaken(found) || llvm::is_contained(kVariables, found) || taken.count(found))
    found += '_';
  return found;
}

} // namespace tilewise::aot
