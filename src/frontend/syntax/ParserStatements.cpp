// Statements of one line.
#include "frontend/syntax/ParserImpl.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilewise::frontend {

using namespace ast;

void Parser::parseStatement(Stmts &out) {
  uint32_t start = position_;
  error_.reset();
  if (at(TokenKind::Newline))
    return next();
  if (at(TokenKind::Indent)) {
    fail(loc(token(1)), "this line is indented deeper than the block it stands in");
    return recover(start, start, out);
  }
  if (Stmt *compound = parseCompound())
    out.push_back(compound);
  else if (error_)
    recover(start, start, out);
  else if (!parseSimpleLine(out))
    recover(start, simpleStart_, out);
}

bool Parser::parseSimpleLine(Stmts &out) {
  while (true) {
    simpleStart_ = position_;
    Stmt *statement = parseSimple();
    if (!statement)
      return false;
    if (!at(";") && !at(TokenKind::Newline) && !at(TokenKind::EndOfFile))
      return failStatementEnd(), false;
    out.push_back(statement);
    if (accept(";") && !at(TokenKind::Newline))
      continue;
    if (at(TokenKind::Newline))
      next();
    return true;
  }
}

/// Why a statement does not end where it should.
std::nullptr_t Parser::failStatementEnd() {
  const Token &before = previous();
  if ((before.is("print") || before.is("exec")) && atOperandStart() && !at(TokenKind::Error))
    return fail(loc(before), "this is Python 2's '" + before.text + "' statement: write '" + before.text + "(...)'");
  if (at("=") || at(":="))
    return failExpected("the end of the statement");
  if (at(":"))
    return fail(loc(token()), "':' opens no block here: the line does not start with 'if', 'for', 'while', 'with', "
                              "'def' or another such word");
  return failExpected("the end of the statement");
}

Stmt *Parser::parseSimple() {
  uint32_t start = position_;
  if (!at(TokenKind::Name))
    return parseExpressionStatement();
  llvm::StringRef word = token().text;
  if (word == "pass" || word == "break" || word == "continue") {
    Stmt *stmt = word == "pass"    ? static_cast<Stmt *>(node<Pass>(start))
                 : word == "break" ? static_cast<Stmt *>(node<Break>(start))
                                   : node<Continue>(start);
    next();
    return finish(stmt);
  }
  if (word == "return")
    return parseReturn();
  if (word == "raise")
    return parseRaise();
  if (word == "assert")
    return parseAssert();
  if (word == "del")
    return parseDelete();
  if (word == "import")
    return parseImport();
  if (word == "from")
    return parseImportFrom();
  if (word == "global")
    return parseNames(node<Global>(start));
  if (word == "nonlocal")
    return parseNames(node<Nonlocal>(start));
  if (word == "elif" || word == "else")
    return fail(loc(token()), "'" + word + "' has no 'if', 'for', 'while' or 'try' of the same indentation before it");
  if (word == "except" || word == "finally")
    return fail(loc(token()), "'" + word + "' has no 'try' of the same indentation before it");
  if (word == "type" && token(1).kind == TokenKind::Name && !isKeyword(token(1).text) &&
      (token(2).is("=") || token(2).is("[")))
    return fail(loc(token()), "type aliases are not part of the kernel language", MessageCode::NotInLanguage);
  return parseExpressionStatement();
}

Stmt *Parser::parseExpressionStatement() {
  uint32_t start = position_;
  Expr *value = parseYieldOrStarExpressions();
  if (!value)
    return nullptr;
  if (at("="))
    return parseAssign(start, value);
  if (at(":") && llvm::isa<Name, Attribute, Subscript>(value))
    return parseAnnAssign(start, value);
  if (at(TokenKind::Operator) && token().text.size() > 1 && token().text.ends_with("="))
    if (Stmt *stmt = parseAugAssign(start, value); stmt || error_)
      return stmt;
  auto *stmt = node<ExprStmt>(start);
  stmt->value = value;
  return finish(stmt);
}

Stmt *Parser::parseAssign(uint32_t start, Expr *first) {
  auto *assign = node<Assign>(start);
  Exprs targets;
  Expr *value = first;
  while (accept("=")) {
    if (!checkTarget(value, "the left of '='"))
      return nullptr;
    if (llvm::isa<Starred>(value))
      return fail(value->loc, "a starred target needs a tuple around it; write '*x, = ...'");
    targets.push_back(value);
    value = parseYieldOrStarExpressions();
    if (!value)
      return nullptr;
  }
  assign->targets = keep(targets);
  assign->value = value;
  return finish(assign);
}

Stmt *Parser::parseAnnAssign(uint32_t start, Expr *target) {
  next();
  if (at(TokenKind::Newline))
    return fail(loc(previous()), "expected an annotation after ':', found the end of the line");
  auto *assign = node<AnnAssign>(start);
  assign->target = target;
  assign->annotation = parseExpression();
  if (!assign->annotation)
    return nullptr;
  if (accept("=")) {
    assign->value = parseYieldOrStarExpressions();
    if (!assign->value)
      return nullptr;
  }
  return finish(assign);
}

/// Null without an error when the operator here assigns nothing.
Stmt *Parser::parseAugAssign(uint32_t start, Expr *target) {
  auto op = llvm::StringSwitch<std::optional<BinaryOperator>>(token().text)
                .Case("+=", BinaryOperator::Add)
                .Case("-=", BinaryOperator::Sub)
                .Case("*=", BinaryOperator::Mul)
                .Case("@=", BinaryOperator::MatMul)
                .Case("/=", BinaryOperator::Div)
                .Case("//=", BinaryOperator::FloorDiv)
                .Case("%=", BinaryOperator::Mod)
                .Case("**=", BinaryOperator::Pow)
                .Case("<<=", BinaryOperator::LShift)
                .Case(">>=", BinaryOperator::RShift)
                .Case("&=", BinaryOperator::BitAnd)
                .Case("|=", BinaryOperator::BitOr)
                .Case("^=", BinaryOperator::BitXor)
                .Default(std::nullopt);
  if (!op)
    return nullptr;
  std::string where = "the left of '" + token().text.str() + "'";
  if (!checkTarget(target, where, /*isSingle=*/true))
    return nullptr;
  auto *assign = node<AugAssign>(start);
  assign->target = target;
  assign->op = *op;
  assign->opLoc = loc(token());
  next();
  assign->value = parseYieldOrStarExpressions();
  return assign->value ? finish(assign) : nullptr;
}

Stmt *Parser::parseReturn() {
  auto *stmt = node<Return>(position_);
  next();
  if (!at(TokenKind::Newline) && !at(";")) {
    stmt->value = parseStarExpressions();
    if (!stmt->value)
      return nullptr;
  }
  return finish(stmt);
}

Stmt *Parser::parseRaise() {
  auto *stmt = node<Raise>(position_);
  next();
  if (!at(TokenKind::Newline) && !at(";")) {
    stmt->exception = parseExpression();
    if (!stmt->exception)
      return nullptr;
    if (accept("from") && !(stmt->cause = parseExpression()))
      return nullptr;
  }
  return finish(stmt);
}

Stmt *Parser::parseAssert() {
  auto *stmt = node<Assert>(position_);
  next();
  stmt->test = parseExpression();
  if (!stmt->test)
    return nullptr;
  if (at("="))
    return fail(loc(token()), "'=' assigns; to compare, write '=='");
  if (accept(",") && !(stmt->message = parseExpression()))
    return nullptr;
  return finish(stmt);
}

Stmt *Parser::parseDelete() {
  auto *stmt = node<Delete>(position_);
  next();
  Expr *targets = parseTargetList();
  if (!targets || !checkTarget(targets, "what 'del' deletes"))
    return nullptr;
  auto *tuple = llvm::dyn_cast<Tuple>(targets);
  stmt->targets = tuple && !tuple->parenthesised ? tuple->items : keep(Exprs{targets});
  return finish(stmt);
}

/// `a.b.c`, as one text without spaces.
std::optional<llvm::StringRef> Parser::parseDottedName() {
  std::string text;
  do {
    if (!atName())
      return failExpected("a module's name"), std::nullopt;
    text += (text.empty() ? "" : ".") + token().text.str();
    next();
  } while (accept("."));
  return module_.copy(llvm::StringRef(text));
}

bool Parser::parseAlias(bool dotted, llvm::SmallVectorImpl<Alias> &names) {
  Alias alias;
  alias.loc = loc(token());
  if (dotted) {
    std::optional<llvm::StringRef> name = parseDottedName();
    if (!name)
      return false;
    alias.name = *name;
  } else {
    if (!atName())
      return failExpected("a name to import"), false;
    alias.name = token().text;
    next();
  }
  if (accept("as")) {
    if (!atName())
      return failExpected("a name after 'as'"), false;
    alias.asName = token().text;
    next();
  }
  names.push_back(alias);
  return true;
}

Stmt *Parser::parseImport() {
  auto *import = node<Import>(position_);
  next();
  llvm::SmallVector<Alias, 2> names;
  do {
    if (!parseAlias(/*dotted=*/true, names))
      return nullptr;
  } while (accept(","));
  import->names = keep(names);
  return finish(import);
}

Stmt *Parser::parseImportFrom() {
  auto *import = node<ImportFrom>(position_);
  next();
  while (at(".") || at("...")) {
    import->level += token().text.size();
    next();
  }
  if (!at("import") || import->level == 0) {
    std::optional<llvm::StringRef> name = parseDottedName();
    if (!name)
      return nullptr;
    import->module = *name;
  }
  if (!expect("import", "after the module's name"))
    return nullptr;
  llvm::SmallVector<Alias, 8> names;
  if (at("*")) {
    names.push_back({loc(token()), "*", {}});
    next();
  } else {
    uint32_t opener = position_;
    bool parenthesised = accept("(");
    do {
      if (parenthesised && at(")") && !names.empty())
        break;
      if (!parseAlias(/*dotted=*/false, names))
        return nullptr;
    } while (accept(","));
    if (parenthesised && !expectClose(opener))
      return nullptr;
  }
  import->names = keep(names);
  return finish(import);
}

Stmt *Parser::parseNames(NamesStmt *stmt) {
  next();
  llvm::SmallVector<llvm::StringRef, 4> names;
  do {
    if (!atName())
      return failExpected("a name");
    names.push_back(token().text);
    next();
  } while (accept(","));
  stmt->names = keep(names);
  return finish(stmt);
}

} // namespace tilewise::frontend
