// What stands directly inside a node of the syntax tree: the one list of it, for everything that
// walks a tree.
//
//     x = f(a, k=b)       Assign:  x as "target", the call as "value"
//                         Call:    f as "callee", a, b as "keyword"
#pragma once

#include "frontend/syntax/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewise::frontend::ast {

/// `role` is what the child is there; empty where there is only one thing it can be.
using OnExpr = llvm::function_ref<void(const Expr &child, llvm::StringRef role)>;
using OnBody = llvm::function_ref<void(StmtList body, llvm::StringRef role)>;

/// The expressions directly inside one, in the order of their evaluation.
void forEachChild(const Expr &expr, OnExpr visit);
/// The expressions and the lists of statements directly inside a statement, as they are written. A
/// function's body is there once it is parsed.
void forEachChild(const Stmt &stmt, OnExpr onExpr, OnBody onBody);
/// The lists of statements alone.
void forEachBody(const Stmt &stmt, llvm::function_ref<void(StmtList)> visit);

} // namespace tilewise::frontend::ast
