// Functions, their parameters, classes, decorators.
#include "frontend/syntax/ParserImpl.h"

#include "llvm/ADT/StringSet.h"

namespace tilewise::frontend {

using namespace ast;

Stmt *Parser::parseDecorated() {
  Exprs decorators;
  while (accept("@")) {
    Expr *decorator = parseNamedExpression();
    if (!decorator)
      return nullptr;
    if (!at(TokenKind::Newline))
      return failExpected("the end of the line after the decorator");
    next();
    decorators.push_back(decorator);
  }
  uint32_t start = position_;
  if (at("class"))
    return parseClass(keep(decorators));
  bool isAsync = accept("async");
  if (!at("def"))
    return failExpected("'def' or 'class' after the decorator");
  return parseFunction(start, isAsync, keep(decorators));
}

Stmt *Parser::parseFunction(uint32_t start, bool isAsync, ExprList decorators) {
  auto *function = node<FunctionDef>(start);
  function->module = &module_;
  function->decorators = decorators;
  function->isAsync = isAsync;
  next();
  if (!atName())
    return failExpected("the function's name after 'def'");
  function->name = token().text;
  function->nameLoc = loc(token());
  next();
  // The name is known: what goes wrong from here on concerns only those who want this function.
  if (!parseFunctionHeader(*function)) {
    function->headerError = module_.keep(*error_);
    report(*error_);
    error_.reset();
    position_ = skipStatement(start);
    function->bodyBegin = function->bodyEnd = position_;
  }
  // Of a class, only what can stand alone: projects keep kernels in classes as static methods.
  bool standsAlone =
      classDepth_ == 0 ||
      (function->decorator("jit") && (function->parameters.empty() || function->parameters.front().name != "self"));
  if (!diagnostics_ && standsAlone)
    module_.addFunction(function);
  return finishBlock(function);
}

/// From behind the name to behind the body, which is only measured.
bool Parser::parseFunctionHeader(FunctionDef &function) {
  const Token &header = tokens_[position_ - 2];
  if (!skipTypeParameters())
    return false;
  uint32_t opener = position_;
  if (!expect("(", "after the function's name"))
    return false;
  llvm::SmallVector<Parameter, 16> parameters;
  bool ok = parseParameters(")", /*isLambda=*/false, parameters);
  function.parameters = keep(parameters);
  if (!ok || !expectClose(opener))
    return false;
  if (accept("->") && !(function.returns = parseExpression()))
    return false;
  if (!expectBlock(header, "the function body"))
    return false;
  if (at(TokenKind::Newline)) {
    next();
    function.bodyBegin = position_;
    position_ = token().partner + 1;
  } else {
    function.bodyBegin = position_;
    while (!at(TokenKind::Newline) && !at(TokenKind::EndOfFile))
      next();
    next();
  }
  function.bodyEnd = position_;
  return true;
}

/// `[T: int]` of Python 3.12: types play no part in a kernel.
bool Parser::skipTypeParameters() {
  if (!at("["))
    return true;
  if (token().partner == Token::none)
    return fail(loc(token()), "'[' is never closed"), false;
  position_ = token().partner + 1;
  return true;
}

/// Up to, not over, `closer`.
bool Parser::parseParameters(llvm::StringRef closer, bool isLambda, llvm::SmallVectorImpl<Parameter> &parameters) {
  ParameterKind kind = ParameterKind::Regular;
  bool sawDefault = false, sawSlash = false, sawStar = false;
  llvm::StringSet<> names;
  while (!at(closer)) {
    SourceLoc here = loc(token());
    Parameter parameter;
    if (at("..."))
      return fail(here, "'...' stands where parameters belong: name the parameters"), false;
    if (!parameters.empty() && parameters.back().kind == ParameterKind::KwArgs)
      return fail(here, "nothing may follow '**" + parameters.back().name + "'"), false;
    if (accept("/")) {
      if (sawSlash || sawStar || parameters.empty())
        return fail(here, "'/' stands once, after at least one parameter and before '*'"), false;
      sawSlash = true;
      for (Parameter &before : parameters)
        before.kind = ParameterKind::PositionalOnly;
      if (!accept(","))
        break;
      continue;
    }
    if (accept("*")) {
      if (sawStar)
        return fail(here, "'*' stands only once among the parameters"), false;
      sawStar = true;
      kind = ParameterKind::KeywordOnly;
      if (accept(",")) {
        if (at(closer) || at("**"))
          return fail(here, "named parameters must follow a bare '*'"), false;
        continue;
      }
      parameter.kind = ParameterKind::VarArgs;
    } else if (accept("**")) {
      parameter.kind = ParameterKind::KwArgs;
    } else {
      parameter.kind = kind;
    }
    if (!atName()) {
      if (at("("))
        return fail(here, "a parameter is a name; unpack the tuple in the body"), false;
      return failExpected("a parameter's name"), false;
    }
    parameter.loc = loc(token());
    parameter.name = token().text;
    if (!names.insert(parameter.name).second)
      return fail(parameter.loc, "two parameters are named '" + parameter.name + "'"), false;
    next();
    if (!isLambda && accept(":")) {
      bool mayStar = parameter.kind == ParameterKind::VarArgs;
      parameter.annotation = mayStar ? parseStarOr(&Parser::parseExpression) : parseExpression();
      if (!parameter.annotation)
        return false;
    }
    bool isVariadic = parameter.kind == ParameterKind::VarArgs || parameter.kind == ParameterKind::KwArgs;
    if (at("=") && isVariadic)
      return fail(loc(token()), "'" + parameter.name + "' cannot have a default: it takes what is left over"), false;
    if (accept("=")) {
      parameter.defaultValue = parseExpression();
      if (!parameter.defaultValue)
        return false;
      sawDefault |= parameter.kind == ParameterKind::Regular;
    } else if (sawDefault && parameter.kind == ParameterKind::Regular) {
      return fail(parameter.loc, "'" + parameter.name + "' needs a default, since a parameter before it has one"),
             false;
    }
    parameters.push_back(parameter);
    if (!accept(","))
      break;
  }
  return true;
}

Stmt *Parser::parseClass(ExprList decorators) {
  const Token &header = token();
  auto *definition = node<ClassDef>(position_);
  definition->decorators = decorators;
  next();
  if (!atName())
    return failExpected("the class's name after 'class'");
  definition->name = token().text;
  definition->nameLoc = loc(token());
  next();
  if (!skipTypeParameters())
    return nullptr;
  if (at("(")) {
    uint32_t opener = position_;
    next();
    Exprs bases;
    Keywords keywords;
    if (!parseArguments(opener, bases, keywords))
      return nullptr;
    definition->bases = keep(bases);
    definition->keywords = keep(keywords);
  }
  ++classDepth_;
  bool ok = parseBlock(header, "the class body", definition->body);
  --classDepth_;
  return ok ? finishBlock(definition) : nullptr;
}

} // namespace tilewise::frontend
