// Entry points of the parser, its errors, and the skipping of statements by structure.
#include "frontend/syntax/Parser.h"

#include "frontend/syntax/Lexer.h"
#include "frontend/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewise::frontend {

using namespace ast;

static std::unique_ptr<Module> lexModule(const SourceFile &file, Diagnostics &diagnostics) {
  auto module = std::make_unique<Module>(file);
  TokenStream stream = lex(file);
  module->tokens() = std::move(stream.tokens);
  module->tokenErrors() = std::move(stream.errors);
  for (const Diagnostic &error : stream.structureErrors)
    diagnostics.error(error.loc, error.message).notes = error.notes;
  return module;
}

std::unique_ptr<Module> parseModule(const SourceFile &file, Diagnostics &diagnostics) {
  std::unique_ptr<Module> module = lexModule(file, diagnostics);
  module->body = Parser(*module, nullptr).parseFile();
  return module;
}

std::unique_ptr<Module> parseExpression(const SourceFile &file, Diagnostics &diagnostics) {
  std::unique_ptr<Module> module = lexModule(file, diagnostics);
  Parser parser(*module, &diagnostics);
  Expr *value = parser.parseLoneExpression();
  if (!value)
    return nullptr;
  auto *statement = module->make<ExprStmt>();
  statement->begin = value->begin;
  statement->end = value->end;
  statement->loc = value->loc;
  statement->value = value;
  Stmt *body[] = {statement};
  module->body = module->copy(llvm::ArrayRef<Stmt *>(body));
  return module;
}

/// What concerns the whole file, or the header of a function, may have been reported already.
static void reportOnce(const Diagnostic &error, Diagnostics &diagnostics) {
  bool known = llvm::any_of(diagnostics.all(), [&](const Diagnostic &other) {
    return other.loc == error.loc && other.message == error.message;
  });
  if (!known)
    diagnostics.error(error.loc, error.message).notes = error.notes;
}

bool parseBody(FunctionDef &function, Diagnostics &diagnostics) {
  if (function.bodyState == BodyState::Parsed)
    return true;
  if (function.headerError) {
    reportOnce(*function.headerError, diagnostics);
    function.bodyState = BodyState::Failed;
    return false;
  }
  bool ok = Parser(*function.module, &diagnostics).parseFunctionBody(function);
  function.bodyState = ok ? BodyState::Parsed : BodyState::Failed;
  return ok;
}

Parser::Parser(Module &module, Diagnostics *diagnostics)
    : module_(module), tokens_(module.tokens()), diagnostics_(diagnostics) {}

StmtList Parser::parseFile() {
  Stmts body;
  while (!at(TokenKind::EndOfFile))
    parseStatement(body);
  return keep(body);
}

Expr *Parser::parseLoneExpression() {
  Expr *value = parseStarExpressions();
  if (value && !at(TokenKind::Newline) && !at(TokenKind::EndOfFile))
    value = failExpected("the end of the expression");
  if (value) {
    next();
    if (!at(TokenKind::EndOfFile))
      value = fail(loc(token()), "expected one expression, found more after it");
  }
  if (!value)
    report(*error_);
  return value;
}

bool Parser::parseFunctionBody(FunctionDef &function) {
  position_ = function.bodyBegin;
  Stmts body;
  if (at(TokenKind::Indent)) {
    next();
    while (position_ + 1 < function.bodyEnd)
      parseStatement(body);
  } else if (!parseSimpleLine(body)) {
    recover(function.bodyBegin, simpleStart_, body);
  }
  function.body = keep(body);
  return !hadErrors_;
}

SourceLoc Parser::locOfMissing() const {
  if (!at(TokenKind::Newline) || position_ == 0)
    return loc(token());
  const Token &last = previous();
  size_t lineStart = module_.file().text().rfind('\n', last.end()) + 1;
  // A token over several lines, as a triple-quoted string, ends on the line of the Newline at the
  // latest.
  uint32_t line = last.line + last.text.count('\n');
  uint32_t column = last.text.contains('\n') ? last.end() - lineStart + 1 : last.column + last.text.size();
  return {&module_.file(), line, column};
}

std::string Parser::describe(const Token &token) const {
  switch (token.kind) {
  case TokenKind::Newline:
    return "the end of the line";
  case TokenKind::Indent:
    return "a deeper line";
  case TokenKind::Dedent:
    return "the end of the block";
  case TokenKind::EndOfFile:
    return "the end of the file";
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::FStringMiddle:
  case TokenKind::FStringEnd:
    return "a string";
  default:
    return "'" + token.text.str() + "'";
  }
}

std::nullptr_t Parser::fail(SourceLoc loc, const llvm::Twine &message, MessageCode code) {
  if (!error_)
    error_ = Diagnostic{Severity::Error, loc, message.str(), {}, code};
  return nullptr;
}

void Parser::note(const Token &at, const llvm::Twine &message) {
  if (error_ && error_->notes.empty())
    error_->notes.push_back({Severity::Note, loc(at), message.str(), {}});
}

std::nullptr_t Parser::failExpected(const llvm::Twine &what) {
  if (error_)
    return nullptr;
  if (at(TokenKind::Error)) {
    error_ = module_.tokenErrors()[token().partner];
    return nullptr;
  }
  return fail(locOfMissing(), "expected " + what + ", found " + describe(token()));
}

bool Parser::expect(llvm::StringRef spelling, const llvm::Twine &where) {
  if (accept(spelling))
    return true;
  failExpected("'" + spelling + "' " + where);
  return false;
}

bool Parser::expectClose(uint32_t opener) {
  llvm::StringRef open = tokens_[opener].text;
  llvm::StringRef close = open == "(" ? ")" : open == "[" ? "]" : "}";
  if (accept(close))
    return true;
  if (at(TokenKind::Error)) {
    failExpected("");
  } else if (tokens_[opener].partner == Token::none) {
    fail(loc(tokens_[opener]), "'" + open + "' is never closed");
  } else if (at("=")) {
    fail(loc(token()), "'=' assigns, and is not allowed inside brackets; to compare, write '=='");
  } else {
    failExpected("',' or '" + close + "'");
    note(tokens_[opener], "'" + open + "' was opened here");
  }
  return false;
}

void Parser::report(const Diagnostic &error) {
  hadErrors_ = true;
  if (diagnostics_)
    reportOnce(error, *diagnostics_);
}

/// Turns the statement that failed into an Unparsed node and goes on behind it.
void Parser::recover(uint32_t lineStart, uint32_t statementStart, Stmts &out) {
  if (!error_)
    fail(loc(tokens_[statementStart]), "this statement cannot be parsed");
  position_ = std::max(skipStatement(lineStart), lineStart + 1);
  auto *statement = node<Unparsed>(statementStart);
  statement->module = &module_;
  statement->error = module_.keep(*error_);
  statement->tokenBegin = statementStart;
  statement->tokenEnd = position_;
  finishBlock(statement);
  out.push_back(statement);
  module_.addUnparsed(statement);
  report(*error_);
  error_.reset();
}

/// The index behind a statement: behind its logical line, its block, and the clauses that cannot
/// stand alone.
uint32_t Parser::skipStatement(uint32_t start) const {
  static constexpr llvm::StringRef withClauses[] = {"if",   "for",  "while",  "try",    "async",
                                                    "elif", "else", "except", "finally"};
  auto isOneOf = [&](uint32_t index, llvm::ArrayRef<llvm::StringRef> words) {
    return llvm::any_of(words, [&](llvm::StringRef word) { return tokens_[index].is(word); });
  };
  bool mayHaveClauses = isOneOf(start, withClauses);
  uint32_t index = start;
  bool isDecorator = false;
  do {
    isDecorator = tokens_[index].is("@");
    while (tokens_[index].kind != TokenKind::Newline && tokens_[index].kind != TokenKind::Indent &&
           tokens_[index].kind != TokenKind::Dedent && tokens_[index].kind != TokenKind::EndOfFile)
      ++index;
    if (tokens_[index].kind == TokenKind::Newline)
      ++index;
    if (tokens_[index].kind == TokenKind::Indent)
      index = tokens_[index].partner + 1;
  } while ((isDecorator && tokens_[index].kind != TokenKind::EndOfFile && tokens_[index].kind != TokenKind::Dedent) ||
           (mayHaveClauses && isOneOf(index, llvm::ArrayRef(withClauses).drop_front(5))));
  return index;
}

Stmt *Parser::finishBlock(Stmt *stmt) {
  const Token *last = &previous();
  while (last->offset > stmt->begin && (last->kind == TokenKind::Dedent || last->kind == TokenKind::Newline))
    --last;
  stmt->end = last->end();
  return stmt;
}

Expr *Parser::finish(Expr *expr, std::initializer_list<const Expr *> children, ExprList more) {
  unsigned height = 0;
  for (const Expr *child : children)
    if (child)
      height = std::max<unsigned>(height, child->height);
  for (const Expr *child : more)
    height = std::max<unsigned>(height, child->height);
  if (height >= maxExprHeight)
    return fail(expr->loc, "this expression is nested too deeply: at most " + llvm::Twine(maxExprHeight) +
                               " operations inside each other are allowed");
  expr->height = height + 1;
  expr->end = previous().end();
  if (expr->loc.file == &module_.file())
    expr->loc.length = expr->end - expr->begin;
  return expr;
}

} // namespace tilewise::frontend
