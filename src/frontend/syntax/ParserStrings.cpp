// Strings and f-strings, joined where they stand side by side.
#include "frontend/syntax/Literals.h"
#include "frontend/syntax/ParserImpl.h"

namespace tilewise::frontend {

using namespace ast;

Expr *Parser::parseStrings() {
  uint32_t start = position_;
  llvm::SmallVector<FStringPart, 4> parts;
  std::string text;
  SourceLoc textLoc = loc(token());
  bool sawFString = false, sawBytes = false, sawText = false;
  auto flush = [&] {
    if (!text.empty())
      parts.push_back({textLoc, module_.copy(llvm::StringRef(text)), nullptr, 0, {}, false});
    text.clear();
  };
  while (at(TokenKind::String) || at(TokenKind::FStringStart)) {
    SourceLoc where = loc(token());
    if (at(TokenKind::String)) {
      StringLiteral literal = splitString(token().text);
      (literal.isBytes ? sawBytes : sawText) = true;
      if (text.empty())
        textLoc = where;
      if (std::optional<std::string> problem = decodeString(literal.body, literal.isRaw, literal.isBytes, text))
        return fail(where, *problem);
      next();
    } else {
      sawFString = sawText = true;
      flush();
      if (!parseFString(parts))
        return nullptr;
    }
    if (sawBytes && sawText)
      return fail(where, "a string and a bytes literal cannot be joined");
  }
  if (!sawFString) {
    auto *constant = node<Constant>(start);
    constant->constantKind = sawBytes ? ConstantKind::Bytes : ConstantKind::Str;
    constant->text = module_.copy(llvm::StringRef(text));
    return finish(constant, {});
  }
  flush();
  // Literal text on both sides of a seam is one part.
  llvm::SmallVector<FStringPart, 4> joined;
  Exprs children;
  for (const FStringPart &part : parts) {
    if (part.value)
      children.push_back(part.value);
    for (const FStringPart &inner : part.spec)
      if (inner.value)
        children.push_back(inner.value);
    if (!part.value && !joined.empty() && !joined.back().value)
      joined.back().text = module_.copy(llvm::StringRef((joined.back().text + part.text).str()));
    else
      joined.push_back(part);
  }
  auto *string = node<FString>(start);
  string->parts = keep(joined);
  return finish(string, {}, children);
}

bool Parser::parseFString(llvm::SmallVectorImpl<FStringPart> &parts) {
  Nesting nesting(*this);
  if (!nesting)
    return false;
  bool isRaw = token().text.contains_insensitive("r");
  next();
  if (!parseFStringParts(/*inSpec=*/false, isRaw, parts))
    return false;
  next();
  return true;
}

/// Up to, not over, the closing quotes or the `}` behind a format spec.
bool Parser::parseFStringParts(bool inSpec, bool isRaw, llvm::SmallVectorImpl<FStringPart> &parts) {
  while (!(inSpec ? at("}") : at(TokenKind::FStringEnd))) {
    if (at("{")) {
      if (!parseFStringField(isRaw, parts))
        return false;
      continue;
    }
    if (!at(TokenKind::FStringMiddle)) {
      failExpected("the end of the f-string");
      return false;
    }
    std::string text;
    if (std::optional<std::string> problem = decodeString(token().text, isRaw, /*isBytes=*/false, text)) {
      fail(loc(token()), *problem);
      return false;
    }
    if (!text.empty()) // A joined line end decodes to nothing.
      parts.push_back({loc(token()), module_.copy(llvm::StringRef(text)), nullptr, 0, {}, false});
    next();
  }
  return true;
}

bool Parser::parseFStringField(bool isRaw, llvm::SmallVectorImpl<FStringPart> &parts) {
  Nesting nesting(*this);
  if (!nesting)
    return false;
  uint32_t opener = position_;
  FStringPart part;
  part.loc = loc(token());
  next();
  if (at("}") || at("!") || at(":")) {
    fail(loc(token()), "f-string: an expression is missing between the braces");
    return false;
  }
  part.value = parseYieldOrStarExpressions();
  if (!part.value)
    return false;
  if (accept("=")) {
    // The text stands for itself up to the next token, its spaces included.
    llvm::StringRef source = module_.file().text();
    part.text = source.slice(tokens_[opener].end(), token().offset);
  }
  if (accept("!")) {
    if (!at("r") && !at("s") && !at("a")) {
      failExpected("'r', 's' or 'a' after '!' in an f-string");
      return false;
    }
    part.conversion = token().text.front();
    next();
  }
  if (accept(":")) {
    llvm::SmallVector<FStringPart, 4> spec;
    if (!parseFStringParts(/*inSpec=*/true, isRaw, spec))
      return false;
    part.spec = keep(spec);
    part.hasSpec = true;
  }
  // `{x=}` shows the value as repr does, unless it says how.
  if (!part.text.empty() && !part.conversion && !part.hasSpec)
    part.conversion = 'r';
  parts.push_back(part);
  return expectClose(opener);
}

} // namespace tilewise::frontend
