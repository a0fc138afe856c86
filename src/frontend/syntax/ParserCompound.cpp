// Statements with a block: if, loops, with, try, match.
#include "frontend/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewise::frontend {

using namespace ast;

Stmt *Parser::parseCompound() {
  if (at("@"))
    return parseDecorated();
  if (!at(TokenKind::Name))
    return nullptr;
  uint32_t start = position_;
  llvm::StringRef word = token().text;
  if (word == "def")
    return parseFunction(start, /*isAsync=*/false, {});
  if (word == "class")
    return parseClass({});
  if (word == "if")
    return parseIf();
  if (word == "for")
    return parseFor(start, /*isAsync=*/false);
  if (word == "while")
    return parseWhile();
  if (word == "with")
    return parseWith(start, /*isAsync=*/false);
  if (word == "try")
    return parseTry();
  if (word == "async") {
    next();
    if (at("def"))
      return parseFunction(start, /*isAsync=*/true, {});
    if (at("for"))
      return parseFor(start, /*isAsync=*/true);
    if (at("with"))
      return parseWith(start, /*isAsync=*/true);
    return failExpected("'def', 'for' or 'with' after 'async'");
  }
  if (atMatch())
    return parseMatch();
  return nullptr;
}

/// The colon behind a header and what must follow it; `bodyName` is for the message: "the loop
/// body".
bool Parser::expectBlock(const Token &header, llvm::StringRef bodyName) {
  if (!accept(":")) {
    if (at(TokenKind::Newline))
      fail(locOfMissing(), "':' is missing at the end of this line with '" + header.text + "'");
    else if (at("="))
      fail(loc(token()), "'=' assigns; to compare, write '=='");
    else
      failExpected("':' at the end of this line with '" + header.text + "'");
    return false;
  }
  if (!at(TokenKind::Newline))
    return true;
  const Token &lineEnd = token();
  if (token(1).kind == TokenKind::Indent)
    return true;
  // Nothing but comments, perhaps: a step that a reader is to fill in.
  llvm::StringRef between = module_.file().text().slice(lineEnd.end(), token(1).offset);
  uint32_t line = lineEnd.line;
  for (llvm::StringRef rest = between; !rest.empty();) {
    ++line;
    auto [text, tail] = rest.split('\n');
    rest = tail;
    size_t column = text.find_first_not_of(" \t\f");
    if (column != llvm::StringRef::npos && text[column] == '#' && column + 1 > header.column) {
      fail({&module_.file(), line, static_cast<uint32_t>(column + 1)},
           "fill in this step: " + bodyName + " has no statement; write one, or 'pass'");
      return false;
    }
  }
  fail(loc(header), bodyName + " is missing: the lines after '" + header.text +
                        "' must be indented deeper than it; write a statement there, or 'pass'");
  return false;
}

bool Parser::parseBlock(const Token &header, llvm::StringRef bodyName, StmtList &body) {
  Nesting nesting(*this);
  if (!nesting || !expectBlock(header, bodyName))
    return false;
  Stmts statements;
  if (!at(TokenKind::Newline)) {
    if (llvm::StringRef word = token().text;
        at(TokenKind::Name) && llvm::is_contained({"if", "for", "while", "with", "try", "def", "class"}, word))
      return fail(loc(token()), "'" + word + "' cannot stand behind ':' on the same line; start a new line"), false;
    if (!parseSimpleLine(statements))
      return false;
  } else {
    next();
    uint32_t end = token().partner;
    next();
    while (position_ < end)
      parseStatement(statements);
    position_ = end + 1;
  }
  body = keep(statements);
  return true;
}

Expr *Parser::parseCondition(llvm::StringRef keyword) {
  if (at(":") || at(TokenKind::Newline))
    return fail(locOfMissing(), "the condition of '" + keyword + "' is missing");
  Expr *test = parseNamedExpression();
  if (test && at("="))
    return fail(loc(token()), "'=' assigns; to compare, write '=='");
  return test;
}

bool Parser::parseElse(StmtList &orelse) {
  if (!at("else"))
    return true;
  const Token &header = token();
  next();
  if (at("if") && !at(TokenKind::Newline))
    return fail(loc(header), "'else if' is written 'elif' in Python"), false;
  return parseBlock(header, "the body of 'else'", orelse);
}

Stmt *Parser::parseIf() {
  // `elif` nests in the tree, not on our stack: each branch is an If alone in the orelse of the one
  // before.
  llvm::SmallVector<If *, 4> branches;
  do {
    const Token &header = token();
    auto *branch = node<If>(position_);
    next();
    branch->test = parseCondition(header.text);
    if (!branch->test || !parseBlock(header, ("the body of '" + header.text + "'").str(), branch->body))
      return nullptr;
    branches.push_back(branch);
    if (branches.size() > maxExprHeight)
      return fail(branch->loc, "more than " + llvm::Twine(maxExprHeight) + " branches in one 'if'");
  } while (at("elif"));
  if (!parseElse(branches.back()->orelse))
    return nullptr;
  for (size_t i = branches.size(); i-- > 0;) {
    finishBlock(branches[i]);
    if (i > 0)
      branches[i - 1]->orelse = keep(Stmts{branches[i]});
  }
  return branches.front();
}

Stmt *Parser::parseWhile() {
  const Token &header = token();
  auto *loop = node<While>(position_);
  next();
  loop->test = parseCondition("while");
  if (!loop->test || !parseBlock(header, "the loop body", loop->body) || !parseElse(loop->orelse))
    return nullptr;
  return finishBlock(loop);
}

Stmt *Parser::parseFor(uint32_t start, bool isAsync) {
  const Token &header = token();
  auto *loop = node<For>(start);
  loop->isAsync = isAsync;
  next();
  loop->target = parseTargetList();
  if (!loop->target || !checkTarget(loop->target, "the target of 'for'") || !expect("in", "after the target of 'for'"))
    return nullptr;
  loop->iter = parseStarExpressions();
  if (!loop->iter || !parseBlock(header, "the loop body", loop->body) || !parseElse(loop->orelse))
    return nullptr;
  return finishBlock(loop);
}

bool Parser::parseWithItem(llvm::SmallVectorImpl<WithItem> &items) {
  WithItem item;
  item.context = parseExpression();
  if (!item.context)
    return false;
  if (accept("as")) {
    item.target = parseStarOr(&Parser::parseBitOr);
    if (!item.target || !checkTarget(item.target, "the target of 'with'"))
      return false;
  }
  items.push_back(item);
  return true;
}

bool Parser::parseWithItems(llvm::SmallVectorImpl<WithItem> &items) {
  // `with (a as b, c):` and `with (a, b):` are items in parentheses; `with (yield x):` and `with
  // (a) as b:` are not. Only the attempt tells.
  uint32_t opener = position_;
  if (at("(") && token().partner != Token::none && tokens_[token().partner + 1].is(":")) {
    next();
    bool ok = true;
    do
      ok = parseWithItem(items);
    while (ok && accept(",") && !at(")"));
    if (ok && position_ == tokens_[opener].partner) {
      next();
      return true;
    }
    items.clear();
    error_.reset();
    position_ = opener;
  }
  do
    if (!parseWithItem(items))
      return false;
  while (accept(","));
  return true;
}

Stmt *Parser::parseWith(uint32_t start, bool isAsync) {
  const Token &header = token();
  auto *with = node<With>(start);
  with->isAsync = isAsync;
  next();
  llvm::SmallVector<WithItem, 2> items;
  if (!parseWithItems(items))
    return nullptr;
  with->items = keep(items);
  return parseBlock(header, "the body of 'with'", with->body) ? finishBlock(with) : nullptr;
}

bool Parser::parseHandler(Try &statement, llvm::SmallVectorImpl<ExceptHandler> &handlers) {
  const Token &header = token();
  ExceptHandler handler;
  handler.loc = loc(header);
  next();
  statement.isStar |= accept("*");
  if (!at(":")) {
    handler.type = parseExpression();
    if (!handler.type)
      return false;
    if (at(","))
      return fail(loc(token()), "several exceptions need parentheses: 'except (A, B):'"), false;
    if (accept("as")) {
      if (!atName())
        return failExpected("a name after 'as'"), false;
      handler.name = token().text;
      next();
    }
  }
  if (!parseBlock(header, "the body of 'except'", handler.body))
    return false;
  handlers.push_back(handler);
  return true;
}

Stmt *Parser::parseTry() {
  const Token &header = token();
  auto *statement = node<Try>(position_);
  next();
  if (!parseBlock(header, "the body of 'try'", statement->body))
    return nullptr;
  llvm::SmallVector<ExceptHandler, 2> handlers;
  while (at("except"))
    if (!parseHandler(*statement, handlers))
      return nullptr;
  statement->handlers = keep(handlers);
  if (!handlers.empty() && !parseElse(statement->orelse))
    return nullptr;
  if (at("finally")) {
    const Token &finallyHeader = token();
    next();
    if (!parseBlock(finallyHeader, "the body of 'finally'", statement->finalbody))
      return nullptr;
  } else if (handlers.empty()) {
    return fail(loc(header), "'try' needs an 'except' or a 'finally'");
  }
  return finishBlock(statement);
}

/// `match` is a keyword only here: a line that ends in a colon, with `case` on the first line of
/// its block.
bool Parser::atMatch() const {
  if (!at("match"))
    return false;
  uint32_t index = position_;
  while (tokens_[index].kind != TokenKind::Newline && tokens_[index].kind != TokenKind::EndOfFile)
    ++index;
  return tokens_[index - 1].is(":") && index + 2 < tokens_.size() && tokens_[index + 1].kind == TokenKind::Indent &&
         tokens_[index + 2].is("case");
}

Stmt *Parser::parseMatch() {
  Nesting nesting(*this);
  const Token &header = token();
  auto *match = node<Match>(position_);
  next();
  match->subject = nesting ? parseTupleOf(&Parser::parseNamedExpression) : nullptr;
  if (!match->subject || !expectBlock(header, "the body of 'match'"))
    return nullptr;
  next();
  uint32_t end = token().partner;
  next();
  llvm::SmallVector<MatchCase, 4> cases;
  while (position_ < end)
    if (!parseCase(cases))
      return nullptr;
  position_ = end + 1;
  match->cases = keep(cases);
  return finishBlock(match);
}

bool Parser::parseCase(llvm::SmallVectorImpl<MatchCase> &cases) {
  const Token &header = token();
  MatchCase matchCase;
  matchCase.loc = loc(header);
  if (!expect("case", "inside 'match'"))
    return false;
  const Token &patternStart = token();
  while (!at(":") && !at("if") && !at(TokenKind::Newline) && !at(TokenKind::Error)) {
    bool isOpener = (at("(") || at("[") || at("{")) && token().partner != Token::none;
    position_ = isOpener ? token().partner + 1 : position_ + 1;
  }
  matchCase.pattern = module_.file().text().slice(patternStart.offset, previous().end());
  if (accept("if") && !(matchCase.guard = parseNamedExpression()))
    return false;
  if (!parseBlock(header, "the body of 'case'", matchCase.body))
    return false;
  cases.push_back(matchCase);
  return true;
}

} // namespace tilewise::frontend
