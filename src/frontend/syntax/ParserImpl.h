// The recursive-descent parser behind Parser.h, spread over Parser*.cpp by what it parses.
//
// Failure: a function that cannot go on calls `fail`, which keeps the first error of the statement,
// and returns null (or false). The statement loop then skips the statement by its structure and
// goes on with the next one.
#pragma once

#include "frontend/syntax/Ast.h"
#include "frontend/syntax/Token.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <optional>

namespace tilewise::frontend {

class Parser {
public:
  /// With `diagnostics` errors are reported there; without, they stay in Unparsed nodes.
  Parser(ast::Module &module, Diagnostics *diagnostics);

  ast::StmtList parseFile();
  ast::Expr *parseLoneExpression();
  bool parseFunctionBody(ast::FunctionDef &function);
  const std::optional<Diagnostic> &error() const { return error_; }

private:
  using Exprs = llvm::SmallVector<ast::Expr *, 8>;
  using Stmts = llvm::SmallVector<ast::Stmt *, 8>;
  using Keywords = llvm::SmallVector<ast::Keyword, 4>;

  // Tokens.
  const Token &token(uint32_t ahead = 0) const {
    return tokens_[std::min<size_t>(position_ + ahead, tokens_.size() - 1)];
  }
  const Token &previous() const { return tokens_[position_ ? position_ - 1 : 0]; }
  bool at(llvm::StringRef spelling) const { return token().is(spelling); }
  bool at(TokenKind kind) const { return token().kind == kind; }
  bool atName() const { return at(TokenKind::Name) && !isKeyword(token().text); }
  /// A name, a number, a string or a bracket: what may start an operand but cannot continue one.
  bool atOperandStart() const;
  void next() {
    if (position_ + 1 < tokens_.size())
      ++position_;
  }
  bool accept(llvm::StringRef spelling) {
    bool found = at(spelling);
    if (found)
      next();
    return found;
  }
  SourceLoc loc(const Token &token) const {
    return module_.file().at(token.line, token.column, token.end() - token.offset);
  }
  /// Where something missing belongs: the end of the line that has just been read, or else the
  /// token here.
  SourceLoc locOfMissing() const;
  std::string describe(const Token &token) const;

  // Errors.
  std::nullptr_t fail(SourceLoc loc, const llvm::Twine &message, MessageCode code = MessageCode::None);
  /// "expected X, found Y" here, unless there is something better to say.
  std::nullptr_t failExpected(const llvm::Twine &what);
  bool expect(llvm::StringRef spelling, const llvm::Twine &where);
  bool expectClose(uint32_t opener);
  void note(const Token &at, const llvm::Twine &message);
  void report(const Diagnostic &error);
  void recover(uint32_t lineStart, uint32_t statementStart, Stmts &out);
  uint32_t skipStatement(uint32_t start) const;

  // Nodes.
  template <typename T> T *node(uint32_t start) {
    T *made = module_.make<T>();
    made->begin = tokens_[start].offset;
    made->loc = loc(tokens_[start]);
    return made;
  }
  /// Ends the node at the token just read; null when the tree becomes too high.
  ast::Expr *finish(ast::Expr *expr, std::initializer_list<const ast::Expr *> children, ast::ExprList more = {});
  ast::Stmt *finish(ast::Stmt *stmt) {
    stmt->end = previous().end();
    return stmt;
  }
  /// Ends a statement with a block at its last token that has text.
  ast::Stmt *finishBlock(ast::Stmt *stmt);
  template <typename T> llvm::ArrayRef<T> keep(const llvm::SmallVectorImpl<T> &list) {
    return module_.copy(llvm::ArrayRef<T>(list));
  }
  class Nesting;

  // Expressions, ParserExpressions.cpp: from the loosest binding to the tightest.
  ast::Expr *parseStarExpressions() { return parseTupleOf(&Parser::parseExpression); } ///< `a, *b`
  ast::Expr *parseTupleOf(ast::Expr *(Parser::*parse)()); ///< A tuple where there is a comma.
  ast::Expr *parseYieldOrStarExpressions();
  ast::Expr *parseYield();
  ast::Expr *parseStarOr(ast::Expr *(Parser::*parse)());
  ast::Expr *parseNamedExpression();
  ast::Expr *parseExpression();
  ast::Expr *parseLambda();
  ast::Expr *parseDisjunction();
  ast::Expr *parseConjunction();
  ast::Expr *parseBoolOp(BoolOperator op, ast::Expr *(Parser::*parseOperand)());
  ast::Expr *parseNot();
  ast::Expr *parseComparison();
  std::optional<CompareOperator> acceptCompareOp();
  ast::Expr *parseBitOr() { return parseBinary(1); }
  ast::Expr *parseBinary(unsigned minPrecedence);
  ast::Expr *parseUnary();
  ast::Expr *parsePower();
  ast::Expr *parsePrimary();
  ast::Expr *parseCall(ast::Expr *callee, uint32_t start);
  bool parseArguments(uint32_t opener, Exprs &args, Keywords &keywords);
  ast::Expr *parseSubscript(ast::Expr *value, uint32_t start);
  ast::Expr *parseSlice();
  std::nullptr_t failOperand();

  // Atoms, ParserAtoms.cpp.
  ast::Expr *parseAtom();
  ast::Expr *parseConstant(ast::ConstantKind kind);
  ast::Expr *parseNumber();
  ast::Expr *parseParenthesised();
  ast::Expr *parseListDisplay();
  ast::Expr *parseBraceDisplay();
  bool parseItems(Exprs &items);
  ast::Expr *parseComprehension(ast::ComprehensionKind kind, uint32_t start, ast::Expr *element, ast::Expr *value);
  ast::Expr *parseTargetList() { return parseTupleOf(&Parser::parseBitOr); } ///< Stops before `in`.
  bool checkTarget(const ast::Expr *target, llvm::StringRef where, bool isSingle = false);

  // Strings, ParserStrings.cpp.
  ast::Expr *parseStrings();
  bool parseFString(llvm::SmallVectorImpl<ast::FStringPart> &parts);
  bool parseFStringParts(bool inSpec, bool isRaw, llvm::SmallVectorImpl<ast::FStringPart> &parts);
  bool parseFStringField(bool isRaw, llvm::SmallVectorImpl<ast::FStringPart> &parts);

  // Simple statements, ParserStatements.cpp.
  void parseStatement(Stmts &out);
  bool parseSimpleLine(Stmts &out);
  ast::Stmt *parseSimple();
  ast::Stmt *parseExpressionStatement();
  ast::Stmt *parseAugAssign(uint32_t start, ast::Expr *target);
  ast::Stmt *parseAnnAssign(uint32_t start, ast::Expr *target);
  ast::Stmt *parseAssign(uint32_t start, ast::Expr *first);
  ast::Stmt *parseReturn();
  ast::Stmt *parseRaise();
  ast::Stmt *parseAssert();
  ast::Stmt *parseDelete();
  ast::Stmt *parseImport();
  ast::Stmt *parseImportFrom();
  ast::Stmt *parseNames(ast::NamesStmt *stmt);
  std::optional<llvm::StringRef> parseDottedName();
  bool parseAlias(bool dotted, llvm::SmallVectorImpl<ast::Alias> &names);
  std::nullptr_t failStatementEnd();

  // Compound statements, ParserCompound.cpp and ParserDefinitions.cpp.
  /// Null without an error where no compound statement starts.
  ast::Stmt *parseCompound();
  bool parseBlock(const Token &header, llvm::StringRef bodyName, ast::StmtList &body);
  bool expectBlock(const Token &header, llvm::StringRef bodyName);
  ast::Expr *parseCondition(llvm::StringRef keyword);
  ast::Stmt *parseIf();
  ast::Stmt *parseWhile();
  ast::Stmt *parseFor(uint32_t start, bool isAsync);
  ast::Stmt *parseWith(uint32_t start, bool isAsync);
  bool parseWithItems(llvm::SmallVectorImpl<ast::WithItem> &items);
  bool parseWithItem(llvm::SmallVectorImpl<ast::WithItem> &items);
  ast::Stmt *parseTry();
  bool parseHandler(ast::Try &statement, llvm::SmallVectorImpl<ast::ExceptHandler> &handlers);
  bool parseElse(ast::StmtList &orelse);
  bool atMatch() const;
  ast::Stmt *parseMatch();
  bool parseCase(llvm::SmallVectorImpl<ast::MatchCase> &cases);
  ast::Stmt *parseDecorated();
  ast::Stmt *parseFunction(uint32_t start, bool isAsync, ast::ExprList decorators);
  bool parseFunctionHeader(ast::FunctionDef &function);
  bool skipTypeParameters();
  bool parseParameters(llvm::StringRef closer, bool isLambda, llvm::SmallVectorImpl<ast::Parameter> &parameters);
  ast::Stmt *parseClass(ast::ExprList decorators);

  ast::Module &module_;
  const std::vector<Token> &tokens_;
  Diagnostics *diagnostics_;
  uint32_t position_ = 0;
  uint32_t simpleStart_ = 0; ///< Where the simple statement that failed starts in its line.
  unsigned depth_ = 0;
  unsigned classDepth_ = 0;
  bool hadErrors_ = false;
  std::optional<Diagnostic> error_;
};

/// One level of nesting, as long as it lives. Python itself allows 200 brackets and 100 blocks
/// inside each other; beyond 250 levels of either we stop with an error, long before the stack ends
/// (a level takes below 3 KB of it).
class Parser::Nesting {
public:
  explicit Nesting(Parser &parser) : parser_(parser), ok_(++parser.depth_ <= 250) {
    if (!ok_)
      parser.fail(parser.loc(parser.token()), "too many levels of nesting: at most 250 are allowed");
  }
  ~Nesting() { --parser_.depth_; }
  explicit operator bool() const { return ok_; }

private:
  Parser &parser_;
  bool ok_;
};

} // namespace tilewise::frontend
