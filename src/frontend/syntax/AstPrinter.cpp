// Prints syntax trees for `--stage=ast` and for tests.
#include "frontend/syntax/AstPrinter.h"

#include "frontend/syntax/AstChildren.h"
#include "frontend/syntax/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

using namespace ast;

std::string quoted(llvm::StringRef text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\\' || c == '\'')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out +=
          std::string("\\x") + llvm::hexdigit(static_cast<unsigned char>(c) >> 4, true) + llvm::hexdigit(c & 15, true);
    else
      out += c;
  }
  return out + "'";
}

namespace {
class Printer {
public:
  explicit Printer(llvm::raw_ostream &os) : os_(os) {}

  void print(const Stmt &stmt);
  void print(const Expr &expr, llvm::StringRef role = {});
  void print(StmtList statements) {
    for (const Stmt *stmt : statements)
      print(*stmt);
  }

  /// Everything printed while it lives is one level deeper.
  struct Deeper {
    explicit Deeper(Printer &printer) : printer(printer) { printer.indent_ += 2; }
    ~Deeper() { printer.indent_ -= 2; }
    Printer &printer;
  };

private:
  llvm::raw_ostream &line(llvm::StringRef role, llvm::StringRef kind, SourceLoc loc) {
    os_.indent(indent_);
    if (!role.empty())
      os_ << role << ": ";
    return os_ << kind << ' ' << loc.line << ':' << loc.column;
  }
  void optional(const Expr *expr, llvm::StringRef role) {
    if (expr)
      print(*expr, role);
  }
  void list(ExprList exprs, llvm::StringRef role = {}) {
    for (const Expr *expr : exprs)
      print(*expr, role);
  }
  void block(llvm::StringRef role, StmtList statements) {
    if (statements.empty())
      return;
    os_.indent(indent_) << role << '\n';
    Deeper deeper(*this);
    print(statements);
  }
  /// What follows kind and place in a node's line, and the line's end.
  void details(const Expr &expr);
  void details(const Stmt &stmt);
  void parameters(llvm::ArrayRef<Parameter> parameters);
  void keywords(llvm::ArrayRef<Keyword> keywords);
  void parts(llvm::ArrayRef<FStringPart> parts);
  void constant(const Constant &constant, llvm::StringRef role);
  void comprehension(const Comprehension &comprehension, llvm::StringRef role);
  void aliases(llvm::ArrayRef<Alias> names);
  void function(const FunctionDef &function);
  void tryStatement(const Try &statement);
  void match(const Match &statement);

  llvm::raw_ostream &os_;
  unsigned indent_ = 0;
};
} // namespace

void Printer::parameters(llvm::ArrayRef<Parameter> parameters) {
  static constexpr llvm::StringRef kinds[] = {"positional-only", "regular", "*args", "keyword-only", "**kwargs"};
  for (const Parameter &parameter : parameters) {
    line({}, "Parameter", parameter.loc) << ' ' << parameter.name << ' ' << kinds[static_cast<unsigned>(parameter.kind)]
                                         << '\n';
    Deeper deeper(*this);
    optional(parameter.annotation, "annotation");
    optional(parameter.defaultValue, "default");
  }
}

void Printer::keywords(llvm::ArrayRef<Keyword> keywords) {
  for (const Keyword &keyword : keywords) {
    line({}, "Keyword", keyword.loc) << ' ' << (keyword.name.empty() ? "**" : keyword.name) << '\n';
    Deeper deeper(*this);
    print(*keyword.value);
  }
}

void Printer::parts(llvm::ArrayRef<FStringPart> parts) {
  for (const FStringPart &part : parts) {
    line({}, part.value ? "Field" : "Text", part.loc);
    if (!part.value || !part.text.empty())
      os_ << ' ' << quoted(part.text);
    if (part.conversion)
      os_ << " !" << part.conversion;
    os_ << '\n';
    if (!part.value)
      continue;
    Deeper deeper(*this);
    print(*part.value);
    if (!part.hasSpec)
      continue;
    os_.indent(indent_) << "spec\n";
    Deeper deeperStill(*this);
    this->parts(part.spec);
  }
}

void Printer::constant(const Constant &constant, llvm::StringRef role) {
  llvm::raw_ostream &os = line(role, "Constant", constant.loc) << ' ';
  switch (constant.constantKind) {
  case ConstantKind::Int:
    os << "int " << llvm::toString(constant.intValue(), 10, /*Signed=*/false);
    break;
  case ConstantKind::Float:
    os << "float " << constant.text;
    break;
  case ConstantKind::Str:
    os << "str " << quoted(constant.text);
    break;
  case ConstantKind::Bytes:
    os << "bytes " << llvm::toHex(constant.text, /*LowerCase=*/true);
    break;
  case ConstantKind::True:
    os << "True";
    break;
  case ConstantKind::False:
    os << "False";
    break;
  case ConstantKind::None:
    os << "None";
    break;
  case ConstantKind::Ellipsis:
    os << "...";
    break;
  }
  os << '\n';
}

void Printer::comprehension(const Comprehension &comprehension, llvm::StringRef role) {
  static constexpr llvm::StringRef kinds[] = {"ListComp", "SetComp", "DictComp", "GeneratorExp"};
  line(role, kinds[static_cast<unsigned>(comprehension.comprehensionKind)], comprehension.loc) << '\n';
  Deeper deeper(*this);
  print(*comprehension.element, comprehension.value ? "key" : "element");
  optional(comprehension.value, "value");
  for (const ComprehensionClause &clause : comprehension.clauses) {
    os_.indent(indent_) << (clause.isAsync ? "async for\n" : "for\n");
    Deeper deeperStill(*this);
    print(*clause.target, "target");
    print(*clause.iter, "iter");
    list(clause.conditions, "if");
  }
}

/// As Python's own tree calls it.
static llvm::StringRef kindName(const Expr &expr) {
  static constexpr llvm::StringLiteral kNames[] = {
      "Name",      "Constant",  "FString",       "UnaryOp", "BinOp", "BoolOp", "Compare", "Call",
      "Attribute", "Subscript", "Slice",         "Tuple",   "List",  "Dict",   "Set",     "Lambda",
      "IfExp",     "NamedExpr", "Comprehension", "Starred", "Await", "Yield"};
  static_assert(std::size(kNames) == size_t(ExprKind::Yield) + 1);
  auto *yield = llvm::dyn_cast<Yield>(&expr);
  return yield && yield->isFrom ? "YieldFrom" : kNames[size_t(expr.kind)];
}

void Printer::details(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<Name>(&expr))
    os_ << ' ' << name->id;
  if (auto *unary = llvm::dyn_cast<UnaryOp>(&expr))
    os_ << ' ' << spelling(unary->op);
  if (auto *binary = llvm::dyn_cast<BinOp>(&expr))
    os_ << ' ' << spelling(binary->op);
  if (auto *logical = llvm::dyn_cast<BoolOp>(&expr))
    os_ << ' ' << spelling(logical->op);
  if (auto *compare = llvm::dyn_cast<Compare>(&expr))
    for (CompareOperator op : compare->ops)
      os_ << ' ' << spelling(op);
  if (auto *attribute = llvm::dyn_cast<Attribute>(&expr))
    os_ << ' ' << attribute->attr;
  os_ << '\n';
}

void Printer::print(const Expr &expr, llvm::StringRef role) {
  switch (expr.kind) {
  case ExprKind::Constant:
    return constant(llvm::cast<Constant>(expr), role);
  case ExprKind::Comprehension:
    return comprehension(llvm::cast<Comprehension>(expr), role);
  case ExprKind::FString: {
    line(role, "FString", expr.loc) << '\n';
    Deeper deeper(*this);
    return parts(llvm::cast<FString>(expr).parts);
  }
  case ExprKind::Call: {
    auto &call = llvm::cast<Call>(expr);
    line(role, "Call", expr.loc) << '\n';
    Deeper deeper(*this);
    print(*call.callee, "callee");
    list(call.args);
    return keywords(call.keywords);
  }
  case ExprKind::Lambda: {
    auto &lambda = llvm::cast<Lambda>(expr);
    line(role, "Lambda", expr.loc) << '\n';
    Deeper deeper(*this);
    parameters(lambda.parameters);
    return print(*lambda.body, "body");
  }
  default: {
    line(role, kindName(expr), expr.loc);
    details(expr);
    Deeper deeper(*this);
    return forEachChild(expr, [&](const Expr &child, llvm::StringRef role) { print(child, role); });
  }
  }
}

void Printer::aliases(llvm::ArrayRef<Alias> names) {
  for (const Alias &alias : names) {
    line({}, "Alias", alias.loc) << ' ' << alias.name;
    if (!alias.asName.empty())
      os_ << " as " << alias.asName;
    os_ << '\n';
  }
}

void Printer::function(const FunctionDef &function) {
  line({}, function.isAsync ? "AsyncFunctionDef" : "FunctionDef", function.loc) << ' ' << function.name << '\n';
  Deeper deeper(*this);
  list(function.decorators, "decorator");
  parameters(function.parameters);
  optional(function.returns, "returns");
  if (function.headerError)
    os_.indent(indent_) << "error: " << function.headerError->message << '\n';
  else if (function.bodyState == BodyState::NotParsed)
    os_.indent(indent_) << "body not parsed\n";
  else
    block("body", function.body);
}

void Printer::tryStatement(const Try &statement) {
  line({}, statement.isStar ? "TryStar" : "Try", statement.loc) << '\n';
  Deeper deeper(*this);
  block("body", statement.body);
  for (const ExceptHandler &handler : statement.handlers) {
    line({}, "ExceptHandler", handler.loc);
    if (!handler.name.empty())
      os_ << ' ' << handler.name;
    os_ << '\n';
    Deeper deeperStill(*this);
    optional(handler.type, "type");
    block("body", handler.body);
  }
  block("else", statement.orelse);
  block("finally", statement.finalbody);
}

void Printer::match(const Match &statement) {
  line({}, "Match", statement.loc) << '\n';
  Deeper deeper(*this);
  print(*statement.subject, "subject");
  for (const MatchCase &matchCase : statement.cases) {
    os_.indent(indent_) << "case " << quoted(matchCase.pattern) << '\n';
    Deeper deeperStill(*this);
    optional(matchCase.guard, "if");
    block("body", matchCase.body);
  }
}

static llvm::StringRef kindName(const Stmt &stmt) {
  static constexpr llvm::StringLiteral kNames[] = {
      "FunctionDef", "ClassDef", "Return", "Assign", "AugAssign", "AnnAssign", "For",    "While",
      "If",          "With",     "Match",  "Try",    "Raise",     "Assert",    "Import", "ImportFrom",
      "Global",      "Nonlocal", "Delete", "Pass",   "Break",     "Continue",  "Expr",   "Unparsed"};
  static_assert(std::size(kNames) == size_t(StmtKind::Unparsed) + 1);
  if (auto *loop = llvm::dyn_cast<For>(&stmt); loop && loop->isAsync)
    return "AsyncFor";
  if (auto *with = llvm::dyn_cast<With>(&stmt); with && with->isAsync)
    return "AsyncWith";
  return kNames[size_t(stmt.kind)];
}

void Printer::details(const Stmt &stmt) {
  if (auto *names = llvm::dyn_cast<NamesStmt>(&stmt))
    os_ << ' ' << llvm::join(names->names, " ");
  if (auto *unparsed = llvm::dyn_cast<Unparsed>(&stmt))
    os_ << ' ' << unparsed->error->message;
  if (auto *assign = llvm::dyn_cast<AugAssign>(&stmt))
    os_ << ' ' << spelling(assign->op) << '=';
  if (auto *import = llvm::dyn_cast<ImportFrom>(&stmt))
    os_ << ' ' << std::string(import->level, '.') << import->module;
  os_ << '\n';
}

void Printer::print(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::FunctionDef:
    return function(llvm::cast<FunctionDef>(stmt));
  case StmtKind::Try:
    return tryStatement(llvm::cast<Try>(stmt));
  case StmtKind::Match:
    return match(llvm::cast<Match>(stmt));
  case StmtKind::ClassDef: {
    auto &definition = llvm::cast<ClassDef>(stmt);
    line({}, "ClassDef", stmt.loc) << ' ' << definition.name << '\n';
    Deeper deeper(*this);
    list(definition.decorators, "decorator");
    list(definition.bases, "base");
    keywords(definition.keywords);
    return block("body", definition.body);
  }
  default: {
    line({}, kindName(stmt), stmt.loc);
    details(stmt);
    Deeper deeper(*this);
    if (auto *import = llvm::dyn_cast<Import>(&stmt))
      return aliases(import->names);
    if (auto *import = llvm::dyn_cast<ImportFrom>(&stmt))
      return aliases(import->names);
    return forEachChild(
        stmt, [&](const Expr &child, llvm::StringRef role) { print(child, role); },
        [&](StmtList body, llvm::StringRef role) { block(role, body); });
  }
  }
}

void printAst(const Module &module, llvm::raw_ostream &os) {
  os << "Module\n";
  Printer printer(os);
  Printer::Deeper deeper(printer);
  printer.print(module.body);
}

void printAst(const Expr &expr, llvm::raw_ostream &os) { Printer(os).print(expr); }
void printAst(const Stmt &stmt, llvm::raw_ostream &os) { Printer(os).print(stmt); }

} // namespace tilewise::frontend
