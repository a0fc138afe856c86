// Prints syntax trees for `--stage=ast` and for tests.
#include "frontend/syntax/AstPrinter.h"

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

void Printer::print(const Expr &expr, llvm::StringRef role) {
  auto head = [&](llvm::StringRef kind) -> llvm::raw_ostream & { return line(role, kind, expr.loc); };
  switch (expr.kind) {
  case ExprKind::Name:
    head("Name") << ' ' << llvm::cast<Name>(expr).id << '\n';
    return;
  case ExprKind::Constant:
    return constant(llvm::cast<Constant>(expr), role);
  case ExprKind::Comprehension:
    return comprehension(llvm::cast<Comprehension>(expr), role);
  case ExprKind::FString: {
    head("FString") << '\n';
    Deeper deeper(*this);
    return parts(llvm::cast<FString>(expr).parts);
  }
  case ExprKind::UnaryOp: {
    auto &unary = llvm::cast<UnaryOp>(expr);
    head("UnaryOp") << ' ' << spelling(unary.op) << '\n';
    Deeper deeper(*this);
    return print(*unary.operand);
  }
  case ExprKind::BinOp: {
    auto &binary = llvm::cast<BinOp>(expr);
    head("BinOp") << ' ' << spelling(binary.op) << '\n';
    Deeper deeper(*this);
    print(*binary.left);
    return print(*binary.right);
  }
  case ExprKind::BoolOp: {
    auto &boolOp = llvm::cast<BoolOp>(expr);
    head("BoolOp") << ' ' << spelling(boolOp.op) << '\n';
    Deeper deeper(*this);
    return list(boolOp.values);
  }
  case ExprKind::Compare: {
    auto &compare = llvm::cast<Compare>(expr);
    head("Compare");
    for (CompareOperator op : compare.ops)
      os_ << ' ' << spelling(op);
    os_ << '\n';
    Deeper deeper(*this);
    print(*compare.left);
    return list(compare.rights);
  }
  case ExprKind::Call: {
    auto &call = llvm::cast<Call>(expr);
    head("Call") << '\n';
    Deeper deeper(*this);
    print(*call.callee, "callee");
    list(call.args);
    return keywords(call.keywords);
  }
  case ExprKind::Attribute: {
    auto &attribute = llvm::cast<Attribute>(expr);
    head("Attribute") << ' ' << attribute.attr << '\n';
    Deeper deeper(*this);
    return print(*attribute.value);
  }
  case ExprKind::Subscript: {
    auto &subscript = llvm::cast<Subscript>(expr);
    head("Subscript") << '\n';
    Deeper deeper(*this);
    print(*subscript.value);
    return print(*subscript.index, "index");
  }
  case ExprKind::Slice: {
    auto &slice = llvm::cast<Slice>(expr);
    head("Slice") << '\n';
    Deeper deeper(*this);
    optional(slice.lower, "lower");
    optional(slice.upper, "upper");
    return optional(slice.step, "step");
  }
  case ExprKind::Tuple: {
    head("Tuple") << '\n';
    Deeper deeper(*this);
    return list(llvm::cast<Tuple>(expr).items);
  }
  case ExprKind::List: {
    head("List") << '\n';
    Deeper deeper(*this);
    return list(llvm::cast<List>(expr).items);
  }
  case ExprKind::Set: {
    head("Set") << '\n';
    Deeper deeper(*this);
    return list(llvm::cast<Set>(expr).items);
  }
  case ExprKind::Dict: {
    head("Dict") << '\n';
    Deeper deeper(*this);
    for (const DictItem &item : llvm::cast<Dict>(expr).items) {
      optional(item.key, "key");
      print(*item.value, item.key ? "value" : "**");
    }
    return;
  }
  case ExprKind::Lambda: {
    auto &lambda = llvm::cast<Lambda>(expr);
    head("Lambda") << '\n';
    Deeper deeper(*this);
    parameters(lambda.parameters);
    return print(*lambda.body, "body");
  }
  case ExprKind::IfExp: {
    auto &conditional = llvm::cast<IfExp>(expr);
    head("IfExp") << '\n';
    Deeper deeper(*this);
    print(*conditional.test, "test");
    print(*conditional.body, "body");
    return print(*conditional.orelse, "orelse");
  }
  case ExprKind::NamedExpr: {
    auto &named = llvm::cast<NamedExpr>(expr);
    head("NamedExpr") << '\n';
    Deeper deeper(*this);
    print(*named.target, "target");
    return print(*named.value, "value");
  }
  case ExprKind::Starred: {
    head("Starred") << '\n';
    Deeper deeper(*this);
    return print(*llvm::cast<Starred>(expr).value);
  }
  case ExprKind::Await: {
    head("Await") << '\n';
    Deeper deeper(*this);
    return print(*llvm::cast<Await>(expr).value);
  }
  case ExprKind::Yield: {
    auto &yield = llvm::cast<Yield>(expr);
    head(yield.isFrom ? "YieldFrom" : "Yield") << '\n';
    Deeper deeper(*this);
    return optional(yield.value, {});
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

void Printer::print(const Stmt &stmt) {
  auto head = [&](llvm::StringRef kind) -> llvm::raw_ostream & { return line({}, kind, stmt.loc); };
  switch (stmt.kind) {
  case StmtKind::FunctionDef:
    return function(llvm::cast<FunctionDef>(stmt));
  case StmtKind::Try:
    return tryStatement(llvm::cast<Try>(stmt));
  case StmtKind::Match:
    return match(llvm::cast<Match>(stmt));
  case StmtKind::Pass:
    head("Pass") << '\n';
    return;
  case StmtKind::Break:
    head("Break") << '\n';
    return;
  case StmtKind::Continue:
    head("Continue") << '\n';
    return;
  case StmtKind::Global:
  case StmtKind::Nonlocal:
    head(stmt.kind == StmtKind::Global ? "Global" : "Nonlocal")
        << ' ' << llvm::join(llvm::cast<NamesStmt>(stmt).names, " ") << '\n';
    return;
  case StmtKind::Unparsed:
    head("Unparsed") << ' ' << llvm::cast<Unparsed>(stmt).error->message << '\n';
    return;
  case StmtKind::ClassDef: {
    auto &definition = llvm::cast<ClassDef>(stmt);
    head("ClassDef") << ' ' << definition.name << '\n';
    Deeper deeper(*this);
    list(definition.decorators, "decorator");
    list(definition.bases, "base");
    keywords(definition.keywords);
    return block("body", definition.body);
  }
  case StmtKind::Return: {
    head("Return") << '\n';
    Deeper deeper(*this);
    return optional(llvm::cast<Return>(stmt).value, {});
  }
  case StmtKind::Assign: {
    auto &assign = llvm::cast<Assign>(stmt);
    head("Assign") << '\n';
    Deeper deeper(*this);
    list(assign.targets, "target");
    return print(*assign.value, "value");
  }
  case StmtKind::AugAssign: {
    auto &assign = llvm::cast<AugAssign>(stmt);
    head("AugAssign") << ' ' << spelling(assign.op) << "=\n";
    Deeper deeper(*this);
    print(*assign.target, "target");
    return print(*assign.value, "value");
  }
  case StmtKind::AnnAssign: {
    auto &assign = llvm::cast<AnnAssign>(stmt);
    head("AnnAssign") << '\n';
    Deeper deeper(*this);
    print(*assign.target, "target");
    print(*assign.annotation, "annotation");
    return optional(assign.value, "value");
  }
  case StmtKind::For: {
    auto &loop = llvm::cast<For>(stmt);
    head(loop.isAsync ? "AsyncFor" : "For") << '\n';
    Deeper deeper(*this);
    print(*loop.target, "target");
    print(*loop.iter, "iter");
    block("body", loop.body);
    return block("else", loop.orelse);
  }
  case StmtKind::While: {
    auto &loop = llvm::cast<While>(stmt);
    head("While") << '\n';
    Deeper deeper(*this);
    print(*loop.test, "test");
    block("body", loop.body);
    return block("else", loop.orelse);
  }
  case StmtKind::If: {
    auto &branch = llvm::cast<If>(stmt);
    head("If") << '\n';
    Deeper deeper(*this);
    print(*branch.test, "test");
    block("body", branch.body);
    return block("else", branch.orelse);
  }
  case StmtKind::With: {
    auto &with = llvm::cast<With>(stmt);
    head(with.isAsync ? "AsyncWith" : "With") << '\n';
    Deeper deeper(*this);
    for (const WithItem &item : with.items) {
      print(*item.context, "context");
      optional(item.target, "as");
    }
    return block("body", with.body);
  }
  case StmtKind::Raise: {
    auto &raise = llvm::cast<Raise>(stmt);
    head("Raise") << '\n';
    Deeper deeper(*this);
    optional(raise.exception, "exception");
    return optional(raise.cause, "from");
  }
  case StmtKind::Assert: {
    auto &assertion = llvm::cast<Assert>(stmt);
    head("Assert") << '\n';
    Deeper deeper(*this);
    print(*assertion.test, "test");
    return optional(assertion.message, "message");
  }
  case StmtKind::Import: {
    head("Import") << '\n';
    Deeper deeper(*this);
    return aliases(llvm::cast<Import>(stmt).names);
  }
  case StmtKind::ImportFrom: {
    auto &import = llvm::cast<ImportFrom>(stmt);
    head("ImportFrom") << ' ' << std::string(import.level, '.') << import.module << '\n';
    Deeper deeper(*this);
    return aliases(import.names);
  }
  case StmtKind::Delete: {
    head("Delete") << '\n';
    Deeper deeper(*this);
    return list(llvm::cast<Delete>(stmt).targets);
  }
  case StmtKind::ExprStmt: {
    head("Expr") << '\n';
    Deeper deeper(*this);
    return print(*llvm::cast<ExprStmt>(stmt).value);
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
