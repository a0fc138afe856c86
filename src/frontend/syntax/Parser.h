// Tokens of a kernel file -> its syntax tree; function bodies on demand.
#pragma once

#include "frontend/syntax/Ast.h"
#include "support/Diagnostics.h"

#include <memory>
#include <string>

namespace tilewise::frontend {

/// The tree of a file, never null. Host code that cannot be parsed is an ast::Unparsed node and no
/// error; only what makes the file's block structure unknowable (a bracket or triple-quoted string
/// that never closes, inconsistent indentation) is reported here. A text whose first line is
/// indented, as of a function cut out of a larger file, takes that indentation as its base.
std::unique_ptr<ast::Module> parseModule(const SourceFile &file, Diagnostics &diagnostics);

/// A text that is one expression, as `tl.float16` or `[1, 2]`: a module whose body is one ExprStmt;
/// null after an error.
std::unique_ptr<ast::Module> parseExpression(const SourceFile &file, Diagnostics &diagnostics);

/// Parses the function's body if that has not happened yet. False after errors, in its header or
/// its body, which are in `diagnostics` (and are reported again by the next call). Functions nested
/// in the body stay unparsed in turn.
bool parseBody(ast::FunctionDef &function, Diagnostics &diagnostics);

/// `LINE:COL KIND 'text'` per token. Every error token is reported.
std::string dumpTokens(const SourceFile &file, Diagnostics &diagnostics);

/// The tree, one node per line, with the body of the named function parsed; of every function when
/// `function` is empty.
std::string dumpAst(const SourceFile &file, llvm::StringRef function, Diagnostics &diagnostics);

} // namespace tilewise::frontend
