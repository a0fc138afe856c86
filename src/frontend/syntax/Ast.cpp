// Lookups in the syntax tree.
#include "frontend/syntax/Ast.h"

#include "frontend/syntax/Token.h"

namespace tilewise::frontend::ast {

llvm::APInt Constant::intValue() const {
  return llvm::APInt(llvm::APInt::getSufficientBitsNeeded(text, radix) + 1, text, radix);
}

llvm::StringRef lastName(const Expr *expr) {
  if (auto *call = llvm::dyn_cast<Call>(expr))
    expr = call->callee;
  if (auto *attribute = llvm::dyn_cast<Attribute>(expr))
    return attribute->attr;
  if (auto *name = llvm::dyn_cast<Name>(expr))
    return name->id;
  return {};
}

Expr *FunctionDef::decorator(llvm::StringRef name) const {
  for (Expr *decorator : decorators)
    if (lastName(decorator) == name)
      return decorator;
  return nullptr;
}

bool Unparsed::mayBind(llvm::StringRef name) const {
  for (uint32_t i = tokenBegin; i < tokenEnd; ++i) {
    const Token &token = module->tokens()[i];
    if (token.kind == TokenKind::Name && token.text == name && (i == tokenBegin || !module->tokens()[i - 1].is(".")))
      return true;
  }
  return false;
}

Module::Module(const SourceFile &file) : file_(file) {}
Module::~Module() = default;

FunctionDef *Module::findFunction(llvm::StringRef name) const {
  for (FunctionDef *function : llvm::reverse(functions_))
    if (function->name == name)
      return function;
  return nullptr;
}

const Diagnostic *Module::whyNotBound(llvm::StringRef name) const {
  for (const Unparsed *statement : unparsed_)
    if (statement->mayBind(name))
      return statement->error;
  return nullptr;
}

bool isConstexprAnnotation(const Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *constant = llvm::dyn_cast<Constant>(annotation))
    return constant->isStr() && (constant->text == "constexpr" || constant->text.ends_with(".constexpr"));
  return !llvm::isa<Call>(annotation) && lastName(annotation) == "constexpr";
}

} // namespace tilewise::frontend::ast
