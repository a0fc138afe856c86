// The syntax tree of a kernel file, as Python's grammar has it.
//
// A Module owns an arena; every node, list and decoded string lives in it and dies with it, so
// nodes are plain structs with public fields, children are plain pointers (null where the grammar
// says "optional") and lists are ArrayRefs. Nodes are told apart LLVM's way:
//
//     if (auto *call = llvm::dyn_cast<ast::Call>(expr)) ...          switch (stmt->kind) { case ast::StmtKind::For: ...
//     }
//
// Function bodies are parsed on demand. A kernel file is mostly host code that we never run, so
// `def` only records where its body is:
//
//     def f(x): ...      ->   FunctionDef f, body = {}, bodyState = NotParsed
//     parseBody(f, diagnostics)   ->   body = [...], and the body's errors in `diagnostics`
//
// A module-level (or class-level) statement that cannot be parsed becomes an Unparsed node that
// carries the error: it matters only to someone who needs a name that it may bind. Inside a
// function body that has been asked for, the same error goes to `diagnostics`.
#pragma once

#include "frontend/syntax/Operators.h"
#include "support/Diagnostics.h"
#include "support/SourceLoc.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <deque>
#include <memory>
#include <vector>

namespace tilewise::frontend {
struct Token;
}

namespace tilewise::frontend::ast {

class Module;
struct Stmt;

enum class ExprKind : uint8_t {
  Name,
  Constant,
  FString,
  UnaryOp,
  BinOp,
  BoolOp,
  Compare,
  Call,
  Attribute,
  Subscript,
  Slice,
  Tuple,
  List,
  Dict,
  Set,
  Lambda,
  IfExp,
  NamedExpr,
  Comprehension,
  Starred,
  Await,
  Yield,
};

struct Expr {
  const ExprKind kind;
  /// How many nodes high the tree below is; the parser keeps it below `maxExprHeight`, so recursion
  /// over an Expr is safe.
  uint16_t height = 1;
  /// The range of the source text, in bytes: see Module::text.
  uint32_t begin = 0, end = 0;
  /// Where the expression starts; a parenthesised tuple starts at its parenthesis, any other
  /// expression inside it.
  SourceLoc loc;

protected:
  explicit Expr(ExprKind kind) : kind(kind) {}
};

inline constexpr unsigned maxExprHeight = 1000;

template <ExprKind K> struct ExprOf : Expr {
  ExprOf() : Expr(K) {}
  static bool classof(const Expr *expr) { return expr->kind == K; }
};

using ExprList = llvm::ArrayRef<Expr *>;
using StmtList = llvm::ArrayRef<Stmt *>;

enum class ConstantKind : uint8_t { Int, Float, Str, Bytes, True, False, None, Ellipsis };
enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };

struct Name : ExprOf<ExprKind::Name> {
  llvm::StringRef id;
};

struct Constant : ExprOf<ExprKind::Constant> {
  ConstantKind constantKind = ConstantKind::None;
  uint8_t radix = 10; ///< Int: of `text`.
  /// Int: digits only. Float: as written without underscores. Str: decoded, UTF-8. Bytes: decoded.
  llvm::StringRef text;
  double floatValue = 0; ///< Float.

  /// Int: the value, never negative, in a width whose sign bit is clear. Integers have arbitrary
  /// precision (at most 4300 digits).
  llvm::APInt intValue() const;
  bool isStr() const { return constantKind == ConstantKind::Str; }
  bool isInt() const { return constantKind == ConstantKind::Int; }
  bool isNone() const { return constantKind == ConstantKind::None; }
};

/// One piece of an f-string: literal text, or `{value!conversion:spec}`.
struct FStringPart {
  SourceLoc loc;
  /// Literal: decoded. `{value=}`: the text before the value, as `value=`; else empty.
  llvm::StringRef text;
  Expr *value = nullptr;            ///< Null for literal text.
  char conversion = 0;              ///< 'r', 's', 'a' or 0.
  llvm::ArrayRef<FStringPart> spec; ///< The format spec's own parts.
  bool hasSpec = false;
};

struct FString : ExprOf<ExprKind::FString> {
  llvm::ArrayRef<FStringPart> parts;
};

struct UnaryOp : ExprOf<ExprKind::UnaryOp> {
  UnaryOperator op{};
  Expr *operand = nullptr;
};

struct BinOp : ExprOf<ExprKind::BinOp> {
  BinaryOperator op{};
  SourceLoc opLoc;
  Expr *left = nullptr, *right = nullptr;
};

/// `a and b and c` is one node of three values.
struct BoolOp : ExprOf<ExprKind::BoolOp> {
  BoolOperator op{};
  SourceLoc opLoc; ///< Of the first operator.
  ExprList values;
};

/// `a < b <= c`: left a, ops [<, <=], rights [b, c].
struct Compare : ExprOf<ExprKind::Compare> {
  Expr *left = nullptr;
  llvm::ArrayRef<CompareOperator> ops;
  llvm::ArrayRef<SourceLoc> opLocs;
  ExprList rights;
};

struct Keyword {
  llvm::StringRef name; ///< Empty for `**value`.
  SourceLoc loc;
  Expr *value = nullptr;
};

struct Call : ExprOf<ExprKind::Call> {
  Expr *callee = nullptr;
  ExprList args; ///< `*args` is a Starred among them.
  llvm::ArrayRef<Keyword> keywords;
};

struct Attribute : ExprOf<ExprKind::Attribute> {
  Expr *value = nullptr;
  llvm::StringRef attr;
  SourceLoc attrLoc;
};

/// `x[i, :]`: the index is a Tuple; a Slice stands only directly as an index or as an item of that
/// Tuple.
struct Subscript : ExprOf<ExprKind::Subscript> {
  Expr *value = nullptr;
  Expr *index = nullptr;
};

struct Slice : ExprOf<ExprKind::Slice> {
  Expr *lower = nullptr, *upper = nullptr, *step = nullptr;
};

struct Tuple : ExprOf<ExprKind::Tuple> {
  ExprList items;
  bool parenthesised = false;
};

struct List : ExprOf<ExprKind::List> {
  ExprList items;
};

struct DictItem {
  Expr *key = nullptr; ///< Null for `**value`.
  Expr *value = nullptr;
};

struct Dict : ExprOf<ExprKind::Dict> {
  llvm::ArrayRef<DictItem> items;
};

struct Set : ExprOf<ExprKind::Set> {
  ExprList items;
};

enum class ParameterKind : uint8_t { PositionalOnly, Regular, VarArgs, KeywordOnly, KwArgs };

struct Parameter {
  llvm::StringRef name; ///< Without stars.
  SourceLoc loc;
  ParameterKind kind = ParameterKind::Regular;
  Expr *annotation = nullptr;
  Expr *defaultValue = nullptr;
};

struct Lambda : ExprOf<ExprKind::Lambda> {
  llvm::ArrayRef<Parameter> parameters;
  Expr *body = nullptr;
};

/// `body if test else orelse`
struct IfExp : ExprOf<ExprKind::IfExp> {
  Expr *body = nullptr, *test = nullptr, *orelse = nullptr;
};

/// `target := value`
struct NamedExpr : ExprOf<ExprKind::NamedExpr> {
  Name *target = nullptr;
  Expr *value = nullptr;
};

struct ComprehensionClause {
  SourceLoc loc;
  Expr *target = nullptr;
  Expr *iter = nullptr;
  ExprList conditions;
  bool isAsync = false;
};

struct Comprehension : ExprOf<ExprKind::Comprehension> {
  ComprehensionKind comprehensionKind{};
  Expr *element = nullptr; ///< Dict: the key.
  Expr *value = nullptr;   ///< Dict only.
  llvm::ArrayRef<ComprehensionClause> clauses;
};

struct Starred : ExprOf<ExprKind::Starred> {
  Expr *value = nullptr;
};

struct Await : ExprOf<ExprKind::Await> {
  Expr *value = nullptr;
};

struct Yield : ExprOf<ExprKind::Yield> {
  Expr *value = nullptr; ///< May be null.
  bool isFrom = false;
};

enum class StmtKind : uint8_t {
  FunctionDef,
  ClassDef,
  Return,
  Assign,
  AugAssign,
  AnnAssign,
  For,
  While,
  If,
  With,
  Match,
  Try,
  Raise,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  Delete,
  Pass,
  Break,
  Continue,
  ExprStmt,
  Unparsed,
};

struct Stmt {
  const StmtKind kind;
  uint32_t begin = 0, end = 0; ///< The range of the source text, in bytes.
  SourceLoc loc;

protected:
  explicit Stmt(StmtKind kind) : kind(kind) {}
};

template <StmtKind K> struct StmtOf : Stmt {
  StmtOf() : Stmt(K) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }
};

enum class BodyState : uint8_t { NotParsed, Parsed, Failed };

struct FunctionDef : StmtOf<StmtKind::FunctionDef> {
  Module *module = nullptr;
  llvm::StringRef name;
  SourceLoc nameLoc;
  ExprList decorators; ///< In the order written, without the `@`.
  llvm::ArrayRef<Parameter> parameters;
  Expr *returns = nullptr;
  bool isAsync = false;
  /// What is wrong with the line `def ...:` itself, or null; then `parameters` is incomplete.
  /// parseBody reports it.
  const Diagnostic *headerError = nullptr;

  BodyState bodyState = BodyState::NotParsed;
  /// Once bodyState is Parsed (or, as far as it went, Failed).
  StmtList body;
  uint32_t bodyBegin = 0, bodyEnd = 0; ///< The body's tokens, as indices into the module's.

  /// The first decorator whose last name is `lastName`, bare or called: `@triton.jit`,
  /// `@jit(debug=True)`; else null.
  Expr *decorator(llvm::StringRef lastName) const;
};

struct ClassDef : StmtOf<StmtKind::ClassDef> {
  llvm::StringRef name;
  SourceLoc nameLoc;
  ExprList decorators;
  ExprList bases;
  llvm::ArrayRef<Keyword> keywords;
  StmtList body;
};

struct Return : StmtOf<StmtKind::Return> {
  Expr *value = nullptr; ///< May be null.
};

/// `a = b = value`: targets [a, b].
struct Assign : StmtOf<StmtKind::Assign> {
  ExprList targets;
  Expr *value = nullptr;
};

struct AugAssign : StmtOf<StmtKind::AugAssign> {
  Expr *target = nullptr;
  BinaryOperator op{};
  SourceLoc opLoc;
  Expr *value = nullptr;
};

struct AnnAssign : StmtOf<StmtKind::AnnAssign> {
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr; ///< May be null.
};

struct For : StmtOf<StmtKind::For> {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  StmtList body, orelse;
  bool isAsync = false;
};

struct While : StmtOf<StmtKind::While> {
  Expr *test = nullptr;
  StmtList body, orelse;
};

/// `elif` is an If alone in `orelse`.
struct If : StmtOf<StmtKind::If> {
  Expr *test = nullptr;
  StmtList body, orelse;
};

struct WithItem {
  Expr *context = nullptr;
  Expr *target = nullptr; ///< May be null.
};

struct With : StmtOf<StmtKind::With> {
  llvm::ArrayRef<WithItem> items;
  StmtList body;
  bool isAsync = false;
};

struct MatchCase {
  SourceLoc loc;
  llvm::StringRef pattern; ///< As written: kernels have no use for patterns.
  Expr *guard = nullptr;   ///< May be null.
  StmtList body;
};

struct Match : StmtOf<StmtKind::Match> {
  Expr *subject = nullptr;
  llvm::ArrayRef<MatchCase> cases;
};

struct ExceptHandler {
  SourceLoc loc;
  Expr *type = nullptr; ///< May be null.
  llvm::StringRef name; ///< May be empty.
  StmtList body;
};

struct Try : StmtOf<StmtKind::Try> {
  StmtList body;
  llvm::ArrayRef<ExceptHandler> handlers;
  StmtList orelse, finalbody;
  bool isStar = false; ///< `except*`
};

struct Raise : StmtOf<StmtKind::Raise> {
  Expr *exception = nullptr, *cause = nullptr; ///< May be null.
};

struct Assert : StmtOf<StmtKind::Assert> {
  Expr *test = nullptr;
  Expr *message = nullptr; ///< May be null.
};

struct Alias {
  SourceLoc loc;
  llvm::StringRef name;   ///< Dotted as written, without spaces; `*` for a star import.
  llvm::StringRef asName; ///< May be empty.
};

struct Import : StmtOf<StmtKind::Import> {
  llvm::ArrayRef<Alias> names;
};

struct ImportFrom : StmtOf<StmtKind::ImportFrom> {
  llvm::StringRef module; ///< Dotted; may be empty when `level` is not 0.
  unsigned level = 0;     ///< Leading dots.
  llvm::ArrayRef<Alias> names;
};

struct NamesStmt : Stmt {
  llvm::ArrayRef<llvm::StringRef> names;
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Global || stmt->kind == StmtKind::Nonlocal; }

protected:
  using Stmt::Stmt;
};

struct Global : NamesStmt {
  Global() : NamesStmt(StmtKind::Global) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Global; }
};

struct Nonlocal : NamesStmt {
  Nonlocal() : NamesStmt(StmtKind::Nonlocal) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == StmtKind::Nonlocal; }
};

struct Delete : StmtOf<StmtKind::Delete> {
  ExprList targets;
};

struct Pass : StmtOf<StmtKind::Pass> {};
struct Break : StmtOf<StmtKind::Break> {};
struct Continue : StmtOf<StmtKind::Continue> {};

struct ExprStmt : StmtOf<StmtKind::ExprStmt> {
  Expr *value = nullptr;
};

/// A statement skipped by its structure: its logical line and, where it opens one, its block.
struct Unparsed : StmtOf<StmtKind::Unparsed> {
  const Module *module = nullptr;
  const Diagnostic *error = nullptr; ///< Why; never null.
  uint32_t tokenBegin = 0, tokenEnd = 0;

  /// Whether the statement could bind this name, as far as its tokens tell: to be asked after all
  /// parsed statements were.
  bool mayBind(llvm::StringRef name) const;
};

/// A parsed file. `file` is kept by pointer and must outlive the module.
class Module {
public:
  explicit Module(const SourceFile &file);
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module();

  const SourceFile &file() const { return file_; }
  StmtList body;

  /// The functions of the file in its order, also those under module-level `if`, `try`, `with`,
  /// `for` and `while`, and kernels in classes that take no `self`.
  llvm::ArrayRef<FunctionDef *> functions() const { return functions_; }
  /// The last function of this name in file order, as Python would bind it when every branch is
  /// taken; null if there is none.
  FunctionDef *findFunction(llvm::StringRef name) const;
  /// The statements that could not be parsed, in file order.
  llvm::ArrayRef<Unparsed *> unparsed() const { return unparsed_; }

  /// For a name that nothing binds: the error of an unparsed statement that may have been meant to;
  /// else null.
  const Diagnostic *whyNotBound(llvm::StringRef name) const;

  /// The source text of a node.
  llvm::StringRef text(const Expr &expr) const { return file_.text().slice(expr.begin, expr.end); }
  llvm::StringRef text(const Stmt &stmt) const { return file_.text().slice(stmt.begin, stmt.end); }

  // For the parser: construction of nodes in the arena.
  template <typename T> T *make() { return new (arena_.Allocate(sizeof(T), alignof(T))) T(); }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) { return list.copy(arena_); }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena_); }
  const Diagnostic *keep(Diagnostic diagnostic) { return &kept_.emplace_back(std::move(diagnostic)); }
  std::vector<Token> &tokens() { return tokens_; }
  const std::vector<Token> &tokens() const { return tokens_; }
  std::vector<Diagnostic> &tokenErrors() { return tokenErrors_; }
  void addFunction(FunctionDef *function) { functions_.push_back(function); }
  void addUnparsed(Unparsed *statement) { unparsed_.push_back(statement); }

private:
  const SourceFile &file_;
  llvm::BumpPtrAllocator arena_;
  std::vector<Token> tokens_;
  std::vector<Diagnostic> tokenErrors_;
  std::deque<Diagnostic> kept_;
  std::vector<FunctionDef *> functions_;
  std::vector<Unparsed *> unparsed_;
};

/// The last name of a decorator or callee: `jit` for `triton.jit`, `jit`, `triton.jit(debug=True)`;
/// empty for anything else.
llvm::StringRef lastName(const Expr *expr);

/// Whether an annotation is `tl.constexpr`, `constexpr`, or either as a string, as `from __future__
/// import annotations` users write it; false for null.
bool isConstexprAnnotation(const Expr *annotation);

} // namespace tilewise::frontend::ast
