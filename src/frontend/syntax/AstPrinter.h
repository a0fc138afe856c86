// A syntax tree -> indented text, one node per line: `role: Kind LINE:COLUMN details`.
#pragma once

#include "frontend/syntax/Ast.h"

#include "llvm/Support/raw_ostream.h"

namespace tilewise::frontend {

/// Bodies that have not been parsed show as `body not parsed`.
void printAst(const ast::Module &module, llvm::raw_ostream &os);
void printAst(const ast::Expr &expr, llvm::raw_ostream &os);
void printAst(const ast::Stmt &stmt, llvm::raw_ostream &os);

/// A string as Python would print it in a message: quotes, backslashes and control characters
/// escaped.
std::string quoted(llvm::StringRef text);

} // namespace tilewise::frontend
