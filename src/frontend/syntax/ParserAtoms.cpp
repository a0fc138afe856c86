// Names, numbers, brackets and comprehensions, and what may stand left of an assignment.
#include "frontend/syntax/Literals.h"
#include "frontend/syntax/ParserImpl.h"

namespace tilewise::frontend {

using namespace ast;

bool Parser::atOperandStart() const {
  switch (token().kind) {
  case TokenKind::Name:
    return !isKeyword(token().text) || at("None") || at("True") || at("False") || at("not") || at("lambda") ||
           at("await");
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::Error:
    return true;
  case TokenKind::Operator:
    return at("(") || at("[") || at("{") || at("-") || at("+") || at("~") || at("...");
  default:
    return false;
  }
}

Expr *Parser::parseAtom() {
  switch (token().kind) {
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::Operator:
    if (at("("))
      return parseParenthesised();
    if (at("["))
      return parseListDisplay();
    if (at("{"))
      return parseBraceDisplay();
    if (at("..."))
      return parseConstant(ConstantKind::Ellipsis);
    return failOperand();
  case TokenKind::Name: {
    if (at("None"))
      return parseConstant(ConstantKind::None);
    if (at("True"))
      return parseConstant(ConstantKind::True);
    if (at("False"))
      return parseConstant(ConstantKind::False);
    if (!atName())
      return failOperand();
    auto *name = node<Name>(position_);
    name->id = token().text;
    next();
    return finish(name, {});
  }
  default:
    return failOperand();
  }
}

/// Why no expression starts here.
std::nullptr_t Parser::failOperand() {
  const Token &before = previous();
  bool adjacent = position_ > 0 && before.kind == TokenKind::Operator && before.end() == token().offset;
  if (adjacent && (at("&") || at("|")) && before.text == token().text)
    return fail(loc(before), "'" + before.text + token().text + "' is not a Python operator: write '" +
                                 (at("&") ? "and" : "or") + "', or '" + before.text + "' between blocks");
  if (position_ > 1 && (before.is("+") || before.is("-")) && tokens_[position_ - 2].is(before.text) &&
      tokens_[position_ - 2].end() == before.offset)
    return fail(loc(tokens_[position_ - 2]),
                "'" + before.text + before.text + "' is not a Python operator: write '" + before.text + "= 1'");
  if (before.is("<") && at(">") && adjacent)
    return fail(loc(before), "'<>' is not a Python 3 operator: write '!='");
  if (at("yield"))
    return fail(loc(token()), "'yield' needs parentheses here");
  if (at(TokenKind::Name))
    return fail(loc(token()), "expected an expression, found the keyword '" + token().text + "'");
  if (position_ > 0 && before.kind == TokenKind::Operator && !at(TokenKind::Error) && before.text != ")")
    return failExpected("an expression after '" + before.text + "'");
  return failExpected("an expression");
}

Expr *Parser::parseConstant(ConstantKind kind) {
  auto *constant = node<Constant>(position_);
  constant->constantKind = kind;
  next();
  return finish(constant, {});
}

Expr *Parser::parseNumber() {
  NumberLiteral number = decodeNumber(token().text);
  // CPython's limit, and for its reason: converting takes quadratic time.
  if (number.text.size() > 4300)
    return fail(loc(token()), "a number may have at most 4300 digits, this one has " + llvm::Twine(number.text.size()));
  auto *constant = node<Constant>(position_);
  constant->constantKind = number.isFloat ? ConstantKind::Float : ConstantKind::Int;
  constant->radix = number.radix;
  constant->text = module_.copy(llvm::StringRef(number.text));
  constant->floatValue = number.floatValue;
  next();
  return finish(constant, {});
}

/// Items of a tuple, list or set behind what is already in `items`: up to, not over, the closing
/// bracket.
bool Parser::parseItems(Exprs &items) {
  while (accept(",")) {
    if (at(")") || at("]") || at("}"))
      break;
    Expr *item = parseStarOr(&Parser::parseNamedExpression);
    if (!item)
      return false;
    items.push_back(item);
  }
  return true;
}

Expr *Parser::parseParenthesised() {
  uint32_t opener = position_;
  next();
  if (accept(")")) {
    auto *tuple = node<Tuple>(opener);
    tuple->parenthesised = true;
    return finish(tuple, {});
  }
  if (at("yield")) {
    Expr *yield = parseYield();
    return yield && expectClose(opener) ? yield : nullptr;
  }
  Expr *first = parseStarOr(&Parser::parseNamedExpression);
  if (!first)
    return nullptr;
  if (at("for") || (at("async") && token(1).is("for"))) {
    Expr *generator = parseComprehension(ComprehensionKind::Generator, opener, first, nullptr);
    if (!generator || !expectClose(opener))
      return nullptr;
    generator->end = previous().end();
    return generator;
  }
  if (!at(",")) {
    if (llvm::isa<Starred>(first))
      return fail(first->loc, "a starred expression is not allowed alone in parentheses; write '(*x,)' for a tuple");
    return expectClose(opener) ? first : nullptr;
  }
  Exprs items{first};
  if (!parseItems(items) || !expectClose(opener))
    return nullptr;
  auto *tuple = node<Tuple>(opener);
  tuple->parenthesised = true;
  tuple->items = keep(items);
  return finish(tuple, {}, tuple->items);
}

Expr *Parser::parseListDisplay() {
  uint32_t opener = position_;
  next();
  auto *list = node<List>(opener);
  Exprs items;
  if (!at("]")) {
    Expr *first = parseStarOr(&Parser::parseNamedExpression);
    if (!first)
      return nullptr;
    if (at("for") || (at("async") && token(1).is("for"))) {
      Expr *comprehension = parseComprehension(ComprehensionKind::List, opener, first, nullptr);
      if (!comprehension || !expectClose(opener))
        return nullptr;
      comprehension->end = previous().end();
      return comprehension;
    }
    items.push_back(first);
    if (!parseItems(items))
      return nullptr;
  }
  if (!expectClose(opener))
    return nullptr;
  list->items = keep(items);
  return finish(list, {}, list->items);
}

/// `{}`, `{a, b}`, `{a: b, **c}` and their comprehensions.
Expr *Parser::parseBraceDisplay() {
  uint32_t opener = position_;
  next();
  llvm::SmallVector<DictItem, 8> entries;
  Exprs items;
  bool isSet = false;
  while (!at("}")) {
    Expr *key = nullptr;
    bool isDoubleStar = false;
    if (!isSet && accept("**"))
      isDoubleStar = true;
    else if (!(key = parseStarOr(&Parser::parseNamedExpression)))
      return nullptr;
    if (items.empty())
      isSet = !isDoubleStar && !at(":");
    if (key)
      items.push_back(key);
    Expr *value = nullptr;
    if (!isSet) {
      if (!isDoubleStar && !expect(":", "after the key of a dict"))
        return nullptr;
      value = isDoubleStar ? parseBitOr() : parseExpression();
      if (!value)
        return nullptr;
      items.push_back(value);
      entries.push_back({key, value});
    }
    if ((at("for") || (at("async") && token(1).is("for"))) && items.size() == (isSet ? 1 : 2)) {
      auto kind = isSet ? ComprehensionKind::Set : ComprehensionKind::Dict;
      Expr *comprehension = parseComprehension(kind, opener, key, value);
      if (!comprehension || !expectClose(opener))
        return nullptr;
      comprehension->end = previous().end();
      return comprehension;
    }
    if (!accept(","))
      break;
  }
  if (!expectClose(opener))
    return nullptr;
  if (isSet) {
    auto *set = node<Set>(opener);
    set->items = keep(items);
    return finish(set, {}, set->items);
  }
  auto *dict = node<Dict>(opener);
  dict->items = keep(entries);
  return finish(dict, {}, items);
}

/// The clauses `for x in y if z` behind the element; the caller reads the closing bracket.
Expr *Parser::parseComprehension(ComprehensionKind kind, uint32_t start, Expr *element, Expr *value) {
  Exprs children{element};
  if (value)
    children.push_back(value);
  if (llvm::isa<Starred>(element))
    return fail(element->loc, "a starred expression is not allowed as the element of a comprehension");
  llvm::SmallVector<ComprehensionClause, 2> clauses;
  while (at("for") || at("async")) {
    ComprehensionClause clause;
    clause.loc = loc(token());
    clause.isAsync = accept("async");
    if (!expect("for", "of a comprehension"))
      return nullptr;
    clause.target = parseTargetList();
    if (!clause.target || !checkTarget(clause.target, "the target of 'for'") ||
        !expect("in", "after the target of 'for'"))
      return nullptr;
    clause.iter = parseDisjunction();
    if (!clause.iter)
      return nullptr;
    children.push_back(clause.target);
    children.push_back(clause.iter);
    Exprs conditions;
    while (accept("if")) {
      Expr *condition = parseDisjunction();
      if (!condition)
        return nullptr;
      conditions.push_back(condition);
      children.push_back(condition);
    }
    clause.conditions = keep(conditions);
    clauses.push_back(clause);
  }
  auto *comprehension = node<Comprehension>(start);
  comprehension->comprehensionKind = kind;
  comprehension->element = element;
  comprehension->value = value;
  comprehension->clauses = keep(clauses);
  return finish(comprehension, {}, children);
}

static llvm::StringRef describeNonTarget(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Constant:
    switch (llvm::cast<Constant>(expr)->constantKind) {
    case ConstantKind::None:
      return "None";
    case ConstantKind::True:
      return "True";
    case ConstantKind::False:
      return "False";
    case ConstantKind::Ellipsis:
      return "'...'";
    default:
      return "a literal";
    }
  case ExprKind::FString:
    return "a string";
  case ExprKind::Call:
    return "a call";
  case ExprKind::Compare:
    return "a comparison";
  case ExprKind::Comprehension:
    return "a comprehension";
  case ExprKind::Lambda:
    return "a lambda";
  case ExprKind::IfExp:
    return "a conditional expression";
  case ExprKind::Tuple:
    return "a tuple";
  case ExprKind::List:
    return "a list";
  case ExprKind::Dict:
    return "a dict";
  case ExprKind::Set:
    return "a set";
  case ExprKind::Starred:
    return "a starred expression";
  default:
    return "an expression";
  }
}

/// Whether something can be assigned to; `where` is for the message. A single target is no tuple,
/// list or starred name.
bool Parser::checkTarget(const Expr *target, llvm::StringRef where, bool isSingle) {
  if (llvm::isa<Name, Attribute, Subscript>(target))
    return true;
  if (!isSingle) {
    if (auto *starred = llvm::dyn_cast<Starred>(target))
      return checkTarget(starred->value, where);
    ExprList items;
    if (auto *tuple = llvm::dyn_cast<Tuple>(target))
      items = tuple->items;
    else if (auto *list = llvm::dyn_cast<List>(target))
      items = list->items;
    if (llvm::isa<Tuple, List>(target))
      return llvm::all_of(items, [&](const Expr *item) { return checkTarget(item, where); });
  }
  fail(target->loc, where + " cannot be " + describeNonTarget(target) + ": it is a name, 'x.attr'" +
                        (isSingle ? " or 'x[i]'" : ", 'x[i]' or a tuple of these"));
  return false;
}

} // namespace tilewise::frontend
