// A file -> the printed tree of one function or of all of it, with every body parsed.
#include "frontend/syntax/AstChildren.h"
#include "frontend/syntax/AstPrinter.h"
#include "frontend/syntax/Parser.h"

#include "llvm/ADT/Twine.h"

namespace tilewise::frontend {

using namespace ast;

/// Parses the bodies of all functions in these statements, and of the functions in them.
static void parseBodies(StmtList statements, Diagnostics &diagnostics) {
  for (Stmt *statement : statements) {
    if (auto *function = llvm::dyn_cast<FunctionDef>(statement))
      parseBody(*function, diagnostics);
    forEachBody(*statement, [&](StmtList body) { parseBodies(body, diagnostics); });
  }
}

std::string dumpAst(const SourceFile &file, llvm::StringRef function, Diagnostics &diagnostics) {
  std::unique_ptr<Module> module = parseModule(file, diagnostics);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (function.empty()) {
    parseBodies(module->body, diagnostics);
    printAst(*module, os);
    return text;
  }
  FunctionDef *definition = module->findFunction(function);
  if (!definition) {
    Diagnostic &error = diagnostics.error({}, ("'" + file.path() + "' has no function '" + function + "'").str());
    if (const Diagnostic *reason = module->whyNotBound(function))
      error.notes.push_back({Severity::Note, reason->loc, "this statement cannot be parsed: " + reason->message, {}});
    return {};
  }
  Stmt *only[] = {definition};
  parseBodies(only, diagnostics);
  printAst(*definition, os);
  return text;
}

} // namespace tilewise::frontend
