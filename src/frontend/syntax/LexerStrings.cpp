// Strings and f-strings of the lexer.
#include "frontend/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

/// CPython allows 150; the lexer recurses once per level.
static constexpr unsigned maxFStringDepth = 100;

std::optional<size_t> Lexer::stringPrefixLength() const {
  static constexpr llvm::StringRef prefixes[] = {"", "r", "b", "u", "f", "br", "rb", "fr", "rf"};
  size_t length = 0;
  while (length < 2 && llvm::isAlpha(peek(length)))
    ++length;
  if (peek(length) != '"' && peek(length) != '\'')
    return std::nullopt;
  llvm::StringRef prefix = text_.substr(cursor_.offset, length);
  bool known = llvm::any_of(prefixes, [&](llvm::StringRef candidate) { return prefix.equals_insensitive(candidate); });
  return known ? std::optional(length) : std::nullopt;
}

/// The quotes that open a string at the start of `text`: one, or three of a kind.
static llvm::StringRef openingQuote(llvm::StringRef text) {
  llvm::StringRef triple = text.take_front(3);
  return triple == "\"\"\"" || triple == "'''" ? triple : text.take_front(1);
}

void Lexer::lexString(size_t prefixLength) {
  Cursor start = cursor_;
  advance(prefixLength);
  llvm::StringRef quote = openingQuote(text_.substr(cursor_.offset));
  advance(quote.size());
  while (!atEnd()) {
    if (startsWith(quote)) {
      advance(quote.size());
      return push(TokenKind::String, start);
    }
    if (peek() == '\\') {
      advance(1);
      advance(std::max<size_t>(1, lineEndLength()));
      continue;
    }
    if (quote.size() == 1 && lineEndLength())
      break;
    advance(1);
  }
  if (quote.size() == 3)
    structureError(start, "this triple-quoted string is never closed");
  pushError(start,
            quote.size() == 3 ? "this triple-quoted string is never closed" : "this string is not closed on its line");
}

void Lexer::lexFString(size_t prefixLength) {
  Cursor start = cursor_;
  size_t tokenCount = result_.tokens.size();
  size_t errorCount = result_.errors.size();
  size_t structureErrorCount = result_.structureErrors.size();
  size_t bracketCount = openBrackets_.size();
  fStringProblem_.reset();
  if (lexFStringTokens(prefixLength))
    return;
  // A field that goes wrong may have swallowed text far beyond the string: take the string by its
  // quotes instead.
  result_.tokens.resize(tokenCount);
  result_.errors.resize(errorCount);
  result_.structureErrors.resize(structureErrorCount);
  openBrackets_.resize(bracketCount);
  cursor_ = start;
  llvm::StringRef quote = openingQuote(text_.substr(start.offset + prefixLength));
  skipBadString(quote, prefixLength, fStringProblem_->message, fStringProblem_->at);
}

void Lexer::skipBadString(llvm::StringRef quote, size_t prefixLength, std::string message, const Cursor &at) {
  Cursor start = cursor_;
  advance(prefixLength + quote.size());
  bool closed = false;
  while (!atEnd() && !closed) {
    if (quote.size() == 1 && lineEndLength())
      break;
    if (peek() == '\\')
      advance(2);
    else if ((closed = startsWith(quote)))
      advance(quote.size());
    else
      advance(1);
  }
  if (!closed && quote.size() == 3)
    structureError(start, "this triple-quoted string is never closed");
  pushError(start, std::move(message));
  result_.errors.back().loc = locOf(at);
}

bool Lexer::failFString(const Cursor &at, std::string message) {
  if (!fStringProblem_)
    fStringProblem_ = {at, "f-string: " + std::move(message)};
  return false;
}

bool Lexer::lexFStringTokens(size_t prefixLength) {
  Cursor start = cursor_;
  if (fStringDepth_ >= maxFStringDepth)
    return failFString(start, "more than 100 levels of nesting");
  ++fStringDepth_;
  bool isRaw = text_.substr(cursor_.offset, prefixLength).contains_insensitive("r");
  advance(prefixLength);
  llvm::StringRef quote = openingQuote(text_.substr(cursor_.offset));
  advance(quote.size());
  push(TokenKind::FStringStart, start);
  bool ok = lexFStringText(quote, isRaw, /*inSpec=*/false);
  --fStringDepth_;
  if (!ok)
    return false;
  Cursor end = cursor_;
  advance(quote.size());
  push(TokenKind::FStringEnd, end);
  return true;
}

/// Literal text and fields, up to but not over the closing quotes, or in a format spec up to its
/// `}`.
bool Lexer::lexFStringText(llvm::StringRef quote, bool isRaw, bool inSpec) {
  Cursor start = cursor_;
  auto flush = [&] {
    if (cursor_.offset != start.offset)
      push(TokenKind::FStringMiddle, start);
  };
  while (!atEnd()) {
    if (startsWith(quote)) {
      flush();
      return !inSpec || failFString(cursor_, "'{' is not closed before the string ends");
    }
    if (quote.size() == 1 && lineEndLength())
      return failFString(cursor_, "the string is not closed on its line");
    char c = peek();
    if (c == '\\') {
      if (!isRaw && peek(1) == 'N' && peek(2) == '{') {
        size_t close = text_.find('}', cursor_.offset);
        if (close == llvm::StringRef::npos)
          return failFString(cursor_, "'\\N{' needs a closing '}'");
        advance(close + 1 - cursor_.offset);
        continue;
      }
      advance(1);
      if (peek() != '{' && peek() != '}')
        advance(std::max<size_t>(1, lineEndLength()));
    } else if (c == '{' && peek(1) == '{' && !inSpec) {
      // A doubled brace stands for one: the text is cut behind the first, and the second is left
      // out.
      advance(1);
      flush();
      advance(1);
      start = cursor_;
    } else if (c == '{') {
      flush();
      if (!lexFStringField(quote, isRaw))
        return false;
      start = cursor_;
    } else if (c == '}' && inSpec) {
      flush();
      return true;
    } else if (c == '}') {
      if (peek(1) != '}')
        return failFString(cursor_, "a single '}' stands in the text; write '}}'");
      advance(1);
      flush();
      advance(1);
      start = cursor_;
    } else {
      advance(1);
    }
  }
  return failFString(cursor_, "the string is never closed");
}

/// Whether no string can follow this token, so that a quote after it must close the f-string.
/// (Since Python 3.12 a string inside a field may use the same quotes: `f"{"a" + x}"`.)
static bool endsOperand(const Token &token) {
  if (token.kind == TokenKind::Name)
    return !isKeyword(token.text);
  return token.kind == TokenKind::Number || token.is(")") || token.is("]") || token.is("}");
}

/// `{ expression =? !conversion? :spec? }`, as tokens.
bool Lexer::lexFStringField(llvm::StringRef quote, bool isRaw) {
  Cursor open = cursor_;
  openBracket();
  size_t depth = openBrackets_.size();
  size_t errorCount = result_.errors.size();
  while (true) {
    skipBlank();
    if (atEnd())
      return failFString(open, "'{' is never closed");
    bool atField = openBrackets_.size() == depth;
    Cursor start = cursor_;
    if (atField && peek() == '}') {
      closeBracket();
      return true;
    }
    if (atField && startsWith(quote) && endsOperand(result_.tokens.back()))
      return failFString(open, "'{' is not closed before the string ends");
    if (atField && peek() == '!' && peek(1) != '=') {
      advance(1);
      push(TokenKind::Operator, start);
      continue;
    }
    if (atField && peek() == ':') {
      advance(1);
      push(TokenKind::Operator, start);
      if (fStringDepth_ >= maxFStringDepth)
        return failFString(start, "more than 100 levels of nesting");
      ++fStringDepth_;
      bool ok = lexFStringText(quote, isRaw, /*inSpec=*/true);
      --fStringDepth_;
      if (!ok)
        return false;
      closeBracket();
      return true;
    }
    if (std::optional<size_t> prefixLength = stringPrefixLength();
        prefixLength && text_.substr(cursor_.offset, *prefixLength).contains_insensitive("f")) {
      if (!lexFStringTokens(*prefixLength))
        return false;
      continue;
    }
    // A closer of another kind must not reach for the brackets around the string.
    if (llvm::StringRef opener = result_.tokens[openBrackets_.back()].text;
        llvm::StringRef(")]}").contains(peek()) && closerOf(opener) != peek())
      return failFString(start, (llvm::Twine("'") + llvm::Twine(peek()) + "' does not close '" + opener + "'").str());
    lexToken();
    if (result_.errors.size() > errorCount)
      return failFString(start, result_.errors.back().message);
  }
}

} // namespace tilewise::frontend
