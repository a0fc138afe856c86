// Operators, calls and subscripts: expressions from the loosest binding to the tightest.
#include "frontend/syntax/ParserImpl.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilewise::frontend {

using namespace ast;

Expr *Parser::parseStarOr(Expr *(Parser::*parse)()) {
  if (!at("*"))
    return (this->*parse)();
  uint32_t start = position_;
  next();
  auto *starred = node<Starred>(start);
  starred->value = parseBitOr();
  return starred->value ? finish(starred, {starred->value}) : nullptr;
}

Expr *Parser::parseTupleOf(Expr *(Parser::*parse)()) {
  uint32_t start = position_;
  Expr *first = parseStarOr(parse);
  if (!first || !at(","))
    return first;
  Exprs items{first};
  while (accept(",")) {
    if (!atOperandStart() && !at("*"))
      break;
    Expr *item = parseStarOr(parse);
    if (!item)
      return nullptr;
    items.push_back(item);
  }
  auto *tuple = node<Tuple>(start);
  tuple->items = keep(items);
  return finish(tuple, {}, tuple->items);
}

Expr *Parser::parseYieldOrStarExpressions() { return at("yield") ? parseYield() : parseStarExpressions(); }

Expr *Parser::parseYield() {
  uint32_t start = position_;
  next();
  auto *yield = node<Yield>(start);
  yield->isFrom = accept("from");
  if (yield->isFrom || atOperandStart() || at("*")) {
    yield->value = yield->isFrom ? parseExpression() : parseStarExpressions();
    if (!yield->value)
      return nullptr;
  }
  return finish(yield, {yield->value});
}

Expr *Parser::parseNamedExpression() {
  if (!atName() || !token(1).is(":="))
    return parseExpression();
  uint32_t start = position_;
  auto *named = node<NamedExpr>(start);
  named->target = node<Name>(start);
  named->target->id = token().text;
  next();
  finish(named->target, {});
  next();
  named->value = parseExpression();
  return named->value ? finish(named, {named->value}) : nullptr;
}

Expr *Parser::parseExpression() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  if (at("lambda"))
    return parseLambda();
  uint32_t start = position_;
  Expr *body = parseDisjunction();
  if (!body || !at("if"))
    return body;
  next();
  auto *conditional = node<IfExp>(start);
  conditional->body = body;
  conditional->test = parseDisjunction();
  if (!conditional->test)
    return nullptr;
  if (at("="))
    return fail(loc(token()), "'=' assigns; to compare, write '=='");
  if (!expect("else", "of this conditional expression"))
    return nullptr;
  conditional->orelse = parseExpression();
  return conditional->orelse ? finish(conditional, {body, conditional->test, conditional->orelse}) : nullptr;
}

Expr *Parser::parseLambda() {
  auto *lambda = node<Lambda>(position_);
  next();
  llvm::SmallVector<Parameter, 8> parameters;
  if (!parseParameters(":", /*isLambda=*/true, parameters) || !expect(":", "after the parameters of 'lambda'"))
    return nullptr;
  lambda->parameters = keep(parameters);
  lambda->body = parseExpression();
  if (!lambda->body)
    return nullptr;
  Exprs children{lambda->body};
  for (const Parameter &parameter : parameters)
    if (parameter.defaultValue)
      children.push_back(parameter.defaultValue);
  return finish(lambda, {}, children);
}

Expr *Parser::parseDisjunction() { return parseBoolOp(BoolOperator::Or, &Parser::parseConjunction); }
Expr *Parser::parseConjunction() { return parseBoolOp(BoolOperator::And, &Parser::parseNot); }

Expr *Parser::parseBoolOp(BoolOperator op, Expr *(Parser::*parseOperand)()) {
  uint32_t start = position_;
  Expr *first = (this->*parseOperand)();
  if (!first || !at(spelling(op)))
    return first;
  auto *boolOp = node<BoolOp>(start);
  boolOp->op = op;
  boolOp->opLoc = loc(token());
  Exprs values{first};
  while (accept(spelling(op))) {
    Expr *value = (this->*parseOperand)();
    if (!value)
      return nullptr;
    values.push_back(value);
  }
  boolOp->values = keep(values);
  return finish(boolOp, {}, boolOp->values);
}

Expr *Parser::parseNot() {
  if (!at("not"))
    return parseComparison();
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  auto *unary = node<UnaryOp>(position_);
  next();
  unary->op = UnaryOperator::Not;
  unary->operand = parseNot();
  return unary->operand ? finish(unary, {unary->operand}) : nullptr;
}

std::optional<CompareOperator> Parser::acceptCompareOp() {
  auto take = [&](CompareOperator op, unsigned tokens) {
    for (unsigned i = 0; i < tokens; ++i)
      next();
    return op;
  };
  if (at("not") && token(1).is("in"))
    return take(CompareOperator::NotIn, 2);
  if (at("in"))
    return take(CompareOperator::In, 1);
  if (at("is"))
    return token(1).is("not") ? take(CompareOperator::IsNot, 2) : take(CompareOperator::Is, 1);
  if (!at(TokenKind::Operator))
    return std::nullopt;
  auto op = llvm::StringSwitch<std::optional<CompareOperator>>(token().text)
                .Case("==", CompareOperator::Eq)
                .Case("!=", CompareOperator::Ne)
                .Case("<", CompareOperator::Lt)
                .Case("<=", CompareOperator::Le)
                .Case(">", CompareOperator::Gt)
                .Case(">=", CompareOperator::Ge)
                .Default(std::nullopt);
  if (op)
    next();
  return op;
}

Expr *Parser::parseComparison() {
  uint32_t start = position_;
  Expr *left = parseBitOr();
  if (!left)
    return nullptr;
  llvm::SmallVector<CompareOperator, 2> ops;
  llvm::SmallVector<SourceLoc, 2> opLocs;
  Exprs rights;
  while (true) {
    SourceLoc opLoc = loc(token());
    std::optional<CompareOperator> op = acceptCompareOp();
    if (!op)
      break;
    ops.push_back(*op);
    opLocs.push_back(opLoc);
    Expr *right = parseBitOr();
    if (!right)
      return nullptr;
    rights.push_back(right);
  }
  if (ops.empty())
    return left;
  auto *compare = node<Compare>(start);
  compare->left = left;
  compare->ops = keep(ops);
  compare->opLocs = keep(opLocs);
  compare->rights = keep(rights);
  return finish(compare, {left}, compare->rights);
}

/// A binary operator and how tightly it binds, from 1; 0 for anything else.
static std::pair<BinaryOperator, unsigned> binaryOperator(const Token &token) {
  using Entry = std::pair<BinaryOperator, unsigned>;
  if (token.kind != TokenKind::Operator)
    return {BinaryOperator::Add, 0};
  return llvm::StringSwitch<Entry>(token.text)
      .Case("|", {BinaryOperator::BitOr, 1})
      .Case("^", {BinaryOperator::BitXor, 2})
      .Case("&", {BinaryOperator::BitAnd, 3})
      .Case("<<", {BinaryOperator::LShift, 4})
      .Case(">>", {BinaryOperator::RShift, 4})
      .Case("+", {BinaryOperator::Add, 5})
      .Case("-", {BinaryOperator::Sub, 5})
      .Case("*", {BinaryOperator::Mul, 6})
      .Case("/", {BinaryOperator::Div, 6})
      .Case("//", {BinaryOperator::FloorDiv, 6})
      .Case("%", {BinaryOperator::Mod, 6})
      .Case("@", {BinaryOperator::MatMul, 6})
      .Default({BinaryOperator::Add, 0});
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  uint32_t start = position_;
  Expr *left = parseUnary();
  while (left) {
    auto [op, precedence] = binaryOperator(token());
    if (precedence == 0 || precedence < minPrecedence)
      break;
    auto *binary = node<BinOp>(start);
    binary->op = op;
    binary->opLoc = loc(token());
    next();
    binary->left = left;
    binary->right = parseBinary(precedence + 1);
    left = binary->right ? finish(binary, {left, binary->right}) : nullptr;
  }
  return left;
}

Expr *Parser::parseUnary() {
  if (!at("-") && !at("+") && !at("~"))
    return parsePower();
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  auto *unary = node<UnaryOp>(position_);
  unary->op = at("-") ? UnaryOperator::Minus : at("+") ? UnaryOperator::Plus : UnaryOperator::Invert;
  next();
  unary->operand = parseUnary();
  return unary->operand ? finish(unary, {unary->operand}) : nullptr;
}

Expr *Parser::parsePower() {
  uint32_t start = position_;
  Expr *base = nullptr;
  if (at("await")) {
    next();
    auto *await = node<Await>(start);
    await->value = parsePrimary();
    base = await->value ? finish(await, {await->value}) : nullptr;
  } else {
    base = parsePrimary();
  }
  if (!base || !at("**"))
    return base;
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  auto *power = node<BinOp>(start);
  power->op = BinaryOperator::Pow;
  power->opLoc = loc(token());
  next();
  power->left = base;
  power->right = parseUnary();
  return power->right ? finish(power, {base, power->right}) : nullptr;
}

Expr *Parser::parsePrimary() {
  uint32_t start = position_;
  Expr *value = parseAtom();
  while (value) {
    if (at("(")) {
      value = parseCall(value, start);
    } else if (at("[")) {
      value = parseSubscript(value, start);
    } else if (at(".")) {
      next();
      if (!atName())
        return failExpected("a name after '.'");
      auto *attribute = node<Attribute>(start);
      attribute->value = value;
      attribute->attr = token().text;
      attribute->attrLoc = loc(token());
      next();
      value = finish(attribute, {value});
    } else {
      break;
    }
  }
  return value;
}

Expr *Parser::parseCall(Expr *callee, uint32_t start) {
  uint32_t opener = position_;
  next();
  Exprs args;
  Keywords keywords;
  if (!parseArguments(opener, args, keywords))
    return nullptr;
  auto *call = node<Call>(start);
  call->callee = callee;
  call->args = keep(args);
  call->keywords = keep(keywords);
  for (const Keyword &keyword : keywords)
    args.push_back(keyword.value);
  return finish(call, {callee}, args);
}

/// Up to and with the closing parenthesis.
bool Parser::parseArguments(uint32_t opener, Exprs &args, Keywords &keywords) {
  bool sawDoubleStar = false;
  while (!at(")")) {
    uint32_t start = position_;
    if (accept("**")) {
      Expr *value = parseExpression();
      if (!value)
        return false;
      keywords.push_back({{}, loc(tokens_[start]), value});
      sawDoubleStar = true;
    } else if (atName() && token(1).is("=")) {
      Keyword keyword{token().text, loc(token()), nullptr};
      next();
      next();
      keyword.value = parseExpression();
      if (!keyword.value)
        return false;
      keywords.push_back(keyword);
    } else {
      bool isStarred = at("*");
      // After a star an argument is a whole expression, unlike an item of a list.
      Expr *value = nullptr;
      if (isStarred) {
        next();
        auto *starred = node<Starred>(start);
        starred->value = parseExpression();
        value = starred->value ? finish(starred, {starred->value}) : nullptr;
      } else {
        value = parseNamedExpression();
      }
      if (!value)
        return false;
      if (at("for") || (at("async") && token(1).is("for"))) {
        bool alone = args.empty() && keywords.empty();
        SourceLoc elementLoc = value->loc;
        value = parseComprehension(ComprehensionKind::Generator, alone ? opener : start, value, nullptr);
        if (!value)
          return false;
        if (!alone || !at(")"))
          return fail(elementLoc, "a generator among other arguments needs its own parentheses"), false;
        next();
        value->end = previous().end();
        args.push_back(value);
        return true;
      }
      if (at("="))
        return fail(loc(token()), "the name of a keyword argument must be a plain name; to compare, write '=='"), false;
      if ((sawDoubleStar || !keywords.empty()) && !(isStarred && !sawDoubleStar))
        return fail(value->loc, "a positional argument follows a keyword argument; positional arguments come first"),
               false;
      args.push_back(value);
    }
    if (!accept(","))
      break;
  }
  return expectClose(opener);
}

Expr *Parser::parseSubscript(Expr *value, uint32_t start) {
  uint32_t opener = position_;
  next();
  if (at("]"))
    return fail(loc(token()), "'[]' needs an index");
  uint32_t indexStart = position_;
  Exprs items;
  bool sawComma = false;
  while (!at("]")) {
    Expr *item = at("*") ? parseStarOr(&Parser::parseExpression) : parseSlice();
    if (!item)
      return nullptr;
    items.push_back(item);
    if (!accept(","))
      break;
    sawComma = true;
  }
  Expr *index = items.front();
  if (sawComma || llvm::isa<Starred>(index)) {
    auto *tuple = node<Tuple>(indexStart);
    tuple->items = keep(items);
    index = finish(tuple, {}, tuple->items);
  }
  if (!index || !expectClose(opener))
    return nullptr;
  auto *subscript = node<Subscript>(start);
  subscript->value = value;
  subscript->index = index;
  return finish(subscript, {value, index});
}

Expr *Parser::parseSlice() {
  uint32_t start = position_;
  Expr *lower = nullptr;
  if (!at(":")) {
    lower = parseNamedExpression();
    if (!lower || !at(":"))
      return lower;
  }
  next();
  auto *slice = node<Slice>(start);
  slice->lower = lower;
  auto parseBound = [&](Expr *&bound) {
    if (at(":") || at(",") || at("]"))
      return true;
    bound = parseExpression();
    return bound != nullptr;
  };
  if (!parseBound(slice->upper))
    return nullptr;
  if (accept(":") && !parseBound(slice->step))
    return nullptr;
  return finish(slice, {lower, slice->upper, slice->step});
}

} // namespace tilewise::frontend
