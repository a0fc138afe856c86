// The children of every kind of node.
#include "frontend/syntax/AstChildren.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewise::frontend::ast {

namespace {

/// Visits what is there.
struct Children {
  OnExpr visit;

  void one(const Expr *expr, llvm::StringRef role = {}) const {
    if (expr)
      visit(*expr, role);
  }
  void all(ExprList exprs, llvm::StringRef role = {}) const {
    for (const Expr *expr : exprs)
      visit(*expr, role);
  }
  void keywords(llvm::ArrayRef<Keyword> keywords) const {
    for (const Keyword &keyword : keywords)
      one(keyword.value, "keyword");
  }
  void parameters(llvm::ArrayRef<Parameter> parameters) const {
    for (const Parameter &parameter : parameters) {
      one(parameter.annotation, "annotation");
      one(parameter.defaultValue, "default");
    }
  }
  void parts(llvm::ArrayRef<FStringPart> parts) const {
    for (const FStringPart &part : parts) {
      one(part.value);
      this->parts(part.spec);
    }
  }
};

} // namespace

void forEachChild(const Expr &expr, OnExpr visit) {
  const Children children{visit};
  llvm::TypeSwitch<const Expr *>(&expr)
      .Case([&](const FString *text) { children.parts(text->parts); })
      .Case([&](const UnaryOp *unary) { children.one(unary->operand); })
      .Case([&](const BinOp *binary) {
        children.one(binary->left);
        children.one(binary->right);
      })
      .Case([&](const BoolOp *logical) { children.all(logical->values); })
      .Case([&](const Compare *compare) {
        children.one(compare->left);
        children.all(compare->rights);
      })
      .Case([&](const Call *call) {
        children.one(call->callee, "callee");
        children.all(call->args);
        children.keywords(call->keywords);
      })
      .Case<Attribute, Starred, Await, Yield>([&](auto *around) { children.one(around->value); })
      .Case([&](const Subscript *subscript) {
        children.one(subscript->value);
        children.one(subscript->index, "index");
      })
      .Case([&](const Slice *slice) {
        children.one(slice->lower, "lower");
        children.one(slice->upper, "upper");
        children.one(slice->step, "step");
      })
      .Case<Tuple, List, Set>([&](auto *sequence) { children.all(sequence->items); })
      .Case([&](const Dict *dict) {
        for (const DictItem &item : dict->items) {
          children.one(item.key, "key");
          children.one(item.value, item.key ? "value" : "**");
        }
      })
      .Case([&](const Lambda *lambda) {
        children.parameters(lambda->parameters);
        children.one(lambda->body, "body");
      })
      .Case([&](const IfExp *choice) {
        children.one(choice->test, "test");
        children.one(choice->body, "body");
        children.one(choice->orelse, "orelse");
      })
      .Case([&](const NamedExpr *named) {
        children.one(named->target, "target");
        children.one(named->value, "value");
      })
      .Case([&](const Comprehension *comprehension) {
        children.one(comprehension->element, comprehension->value ? "key" : "element");
        children.one(comprehension->value, "value");
        for (const ComprehensionClause &clause : comprehension->clauses) {
          children.one(clause.target, "target");
          children.one(clause.iter, "iter");
          children.all(clause.conditions, "if");
        }
      })
      .Default([](const Expr *) {});
}

void forEachChild(const Stmt &stmt, OnExpr onExpr, OnBody onBody) {
  const Children children{onExpr};
  auto body = [&](StmtList statements, llvm::StringRef role) {
    if (!statements.empty())
      onBody(statements, role);
  };
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case([&](const FunctionDef *function) {
        children.all(function->decorators, "decorator");
        children.parameters(function->parameters);
        children.one(function->returns, "returns");
        body(function->body, "body");
      })
      .Case([&](const ClassDef *definition) {
        children.all(definition->decorators, "decorator");
        children.all(definition->bases, "base");
        children.keywords(definition->keywords);
        body(definition->body, "body");
      })
      .Case<Return, ExprStmt>([&](auto *around) { children.one(around->value); })
      .Case([&](const Assign *assign) {
        children.all(assign->targets, "target");
        children.one(assign->value, "value");
      })
      .Case([&](const AugAssign *assign) {
        children.one(assign->target, "target");
        children.one(assign->value, "value");
      })
      .Case([&](const AnnAssign *assign) {
        children.one(assign->target, "target");
        children.one(assign->annotation, "annotation");
        children.one(assign->value, "value");
      })
      .Case([&](const For *loop) {
        children.one(loop->target, "target");
        children.one(loop->iter, "iter");
        body(loop->body, "body");
        body(loop->orelse, "else");
      })
      .Case<While, If>([&](auto *tested) {
        children.one(tested->test, "test");
        body(tested->body, "body");
        body(tested->orelse, "else");
      })
      .Case([&](const With *with) {
        for (const WithItem &item : with->items) {
          children.one(item.context, "context");
          children.one(item.target, "as");
        }
        body(with->body, "body");
      })
      .Case([&](const Match *match) {
        children.one(match->subject, "subject");
        for (const MatchCase &one : match->cases) {
          children.one(one.guard, "if");
          body(one.body, "body");
        }
      })
      .Case([&](const Try *attempt) {
        body(attempt->body, "body");
        for (const ExceptHandler &handler : attempt->handlers) {
          children.one(handler.type, "type");
          body(handler.body, "body");
        }
        body(attempt->orelse, "else");
        body(attempt->finalbody, "finally");
      })
      .Case([&](const Raise *raise) {
        children.one(raise->exception, "exception");
        children.one(raise->cause, "from");
      })
      .Case([&](const Assert *assertion) {
        children.one(assertion->test, "test");
        children.one(assertion->message, "message");
      })
      .Case([&](const Delete *deletion) { children.all(deletion->targets); })
      .Default([](const Stmt *) {});
}

void forEachBody(const Stmt &stmt, llvm::function_ref<void(StmtList)> visit) {
  forEachChild(stmt, [](const Expr &, llvm::StringRef) {}, [&](StmtList body, llvm::StringRef) { visit(body); });
}

} // namespace tilewise::frontend::ast
