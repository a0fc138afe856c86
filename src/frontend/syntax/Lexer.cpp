// Lines, indentation, names, numbers and operators of the lexer.
#include "frontend/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace tilewise::frontend {

TokenStream lex(const SourceFile &file) { return Lexer(file).run(); }

std::optional<std::pair<uint32_t, size_t>> decodeUtf8(llvm::StringRef text) {
  if (text.empty())
    return std::nullopt;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const auto *position = begin;
  llvm::UTF32 codePoint = 0;
  if (llvm::convertUTF8Sequence(&position, begin + text.size(), &codePoint, llvm::strictConversion) !=
      llvm::conversionOK)
    return std::nullopt;
  return std::pair<uint32_t, size_t>(codePoint, position - begin);
}

Lexer::Lexer(const SourceFile &file) : file_(file), text_(file.text()) {
  cursor_.line = file.firstLine();
  if (text_.starts_with("\xEF\xBB\xBF"))
    cursor_.offset = cursor_.lineStart = 3;
}

void Lexer::advance(size_t count) {
  for (size_t end = std::min(cursor_.offset + count, text_.size()); cursor_.offset < end; ++cursor_.offset)
    if (text_[cursor_.offset] == '\n') {
      ++cursor_.line;
      cursor_.lineStart = cursor_.offset + 1;
    }
}

SourceLoc Lexer::locOf(const Cursor &at) const {
  return {&file_, at.line, static_cast<uint32_t>(at.offset - at.lineStart + 1)};
}

size_t Lexer::lineEndLength() const {
  if (peek() == '\n')
    return 1;
  if (peek() == '\r')
    return peek(1) == '\n' ? 2 : 1;
  return 0;
}

void Lexer::push(TokenKind kind, const Cursor &start) {
  SourceLoc loc = locOf(start);
  result_.tokens.push_back({kind, static_cast<uint32_t>(start.offset), loc.line, loc.column,
                            text_.slice(start.offset, cursor_.offset), Token::none});
  lineHasTokens_ |= kind != TokenKind::Newline && kind != TokenKind::Indent && kind != TokenKind::Dedent;
}

void Lexer::pushError(const Cursor &start, std::string message, MessageCode code) {
  push(TokenKind::Error, start);
  result_.tokens.back().partner = result_.errors.size();
  result_.errors.push_back({Severity::Error, locOf(start), std::move(message), {}, code});
}

void Lexer::structureError(const Cursor &at, std::string message) {
  result_.structureErrors.push_back({Severity::Error, locOf(at), std::move(message), {}});
}

TokenStream Lexer::run() {
  startLine();
  while (!atEnd()) {
    skipBlank();
    if (atEnd())
      break;
    if (size_t length = lineEndLength()) {
      Cursor start = cursor_;
      advance(length);
      push(TokenKind::Newline, start);
      startLine();
      continue;
    }
    lexToken();
  }
  endOfFile();
  return std::move(result_);
}

/// Reads indentation up to the first line that is neither blank nor a comment.
void Lexer::startLine() {
  lineHasTokens_ = false;
  while (!atEnd()) {
    Cursor lineBegin = cursor_;
    size_t column = 0, narrowColumn = 0;
    for (;; advance(1)) {
      if (peek() == ' ') {
        ++column;
        ++narrowColumn;
      } else if (peek() == '\t') {
        column = (column / 8 + 1) * 8;
        ++narrowColumn;
      } else if (peek() == '\f') {
        column = narrowColumn = 0;
      } else if (peek() == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
        // A joined line that starts with its backslash: the indentation before it counts, what
        // follows does not.
        advance(1);
        advance(lineEndLength());
        while (peek() == ' ' || peek() == '\t' || peek() == '\f')
          advance(1);
        break;
      } else {
        break;
      }
    }
    if (peek() == '#')
      while (!atEnd() && !lineEndLength())
        advance(1);
    if (size_t length = lineEndLength()) {
      advance(length);
      continue;
    }
    if (!atEnd())
      setIndentation(column, narrowColumn, lineBegin);
    return;
  }
}

void Lexer::setIndentation(size_t column, size_t narrowColumn, const Cursor &lineBegin) {
  if (indentations_.empty()) {
    // A function cut out of a class or another function keeps its indentation, so that its columns
    // stay true.
    indentations_.push_back({column, narrowColumn, Token::none});
    return;
  }
  auto complainOfTabs = [&] {
    // Once: each mixed line is measured against the others, so that one mistake would show on many.
    if (!std::exchange(mixesTabs_, true))
      structureError(lineBegin, "tabs and spaces are mixed: how deep this line is would depend on the width of a tab; "
                                "indent with spaces only");
  };
  if (column > indentations_.back().column) {
    if (narrowColumn <= indentations_.back().narrowColumn)
      complainOfTabs();
    push(TokenKind::Indent, lineBegin);
    indentations_.push_back({column, narrowColumn, static_cast<uint32_t>(result_.tokens.size() - 1)});
    return;
  }
  while (column < indentations_.back().column && indentations_.size() > 1) {
    if (indentations_[indentations_.size() - 2].column < column) {
      std::string levels;
      for (const Indentation &level : llvm::drop_end(indentations_))
        levels += (levels.empty() ? "" : ", ") + std::to_string(level.column);
      structureError(cursor_, "this line's indentation matches no block around it: it has " + std::to_string(column) +
                                  " columns, the blocks around it have " + levels);
      indentations_.back().column = column;
      indentations_.back().narrowColumn = narrowColumn;
      return;
    }
    result_.tokens[indentations_.back().token].partner = result_.tokens.size();
    push(TokenKind::Dedent, cursor_);
    indentations_.pop_back();
  }
  if (column < indentations_.back().column) {
    structureError(cursor_, "this line is indented less than the first line");
    indentations_.back() = {column, narrowColumn, Token::none};
  } else if (narrowColumn != indentations_.back().narrowColumn) {
    complainOfTabs();
    indentations_.back().narrowColumn = narrowColumn;
  }
}

void Lexer::endOfFile() {
  if (!openBrackets_.empty()) {
    const Token &opener = result_.tokens[openBrackets_.back()];
    result_.structureErrors.push_back(
        {Severity::Error, {&file_, opener.line, opener.column}, ("'" + opener.text + "' is never closed").str(), {}});
  }
  if (lineHasTokens_)
    push(TokenKind::Newline, cursor_);
  while (indentations_.size() > 1) {
    result_.tokens[indentations_.back().token].partner = result_.tokens.size();
    push(TokenKind::Dedent, cursor_);
    indentations_.pop_back();
  }
  push(TokenKind::EndOfFile, cursor_);
}

void Lexer::skipBlank() {
  while (!atEnd()) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      advance(1);
    } else if (c == '#') {
      while (!atEnd() && !lineEndLength())
        advance(1);
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      advance(1);
      advance(lineEndLength());
    } else if (!openBrackets_.empty() && lineEndLength()) {
      advance(lineEndLength());
    } else {
      return;
    }
  }
}

void Lexer::lexToken() {
  if (std::optional<size_t> prefixLength = stringPrefixLength()) {
    if (text_.substr(cursor_.offset, *prefixLength).contains_insensitive("f"))
      lexFString(*prefixLength);
    else
      lexString(*prefixLength);
    return;
  }
  if (llvm::isDigit(peek()) || (peek() == '.' && llvm::isDigit(peek(1))))
    return lexNumber();
  if (!lexIdentifier())
    lexOperator();
}

/// Digits with single underscores between them.
void Lexer::lexDigits(bool (*isDigit)(char)) {
  while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1))))
    advance(1);
}

/// Moves over the number's characters; the message when they form no number.
std::optional<std::string> Lexer::lexNumberBody() {
  static constexpr auto isDecimal = [](char c) { return llvm::isDigit(c); };
  if (peek() == '0' && llvm::StringRef("xXoObB").contains(peek(1))) {
    char radix = llvm::toLower(peek(1));
    advance(2);
    size_t start = cursor_.offset;
    if (peek() == '_')
      advance(1);
    if (radix == 'x')
      lexDigits([](char c) { return llvm::isHexDigit(c); });
    else if (radix == 'o')
      lexDigits([](char c) { return c >= '0' && c <= '7'; });
    else
      lexDigits([](char c) { return c == '0' || c == '1'; });
    std::string name = radix == 'x' ? "hexadecimal" : radix == 'o' ? "octal" : "binary";
    if (llvm::isDigit(peek()))
      return std::string("'") + peek() + "' is no digit of a number in " + name;
    if (text_.slice(start, cursor_.offset).trim('_').empty())
      return "a number in " + name + " needs digits after '0" + std::string(1, radix) + "'";
    return std::nullopt;
  }
  size_t start = cursor_.offset;
  lexDigits(isDecimal);
  llvm::StringRef whole = text_.slice(start, cursor_.offset);
  bool isInteger = true;
  if (peek() == '.') {
    isInteger = false;
    advance(1);
    if (llvm::isDigit(peek()))
      lexDigits(isDecimal);
  }
  if (peek() == 'e' || peek() == 'E') {
    size_t sign = peek(1) == '+' || peek(1) == '-';
    if (llvm::isDigit(peek(1 + sign))) {
      isInteger = false;
      advance(1 + sign);
      lexDigits(isDecimal);
    }
  }
  if (peek() == 'j' || peek() == 'J') {
    advance(1);
    return "complex numbers are not part of the kernel language";
  }
  if (isInteger && whole.starts_with("0") && whole.find_first_not_of("0_") != llvm::StringRef::npos)
    return "a decimal number may not start with 0; for octal write '0o" + whole.ltrim("0_").str() + "'";
  return std::nullopt;
}

void Lexer::lexNumber() {
  Cursor start = cursor_;
  std::optional<std::string> problem = lexNumberBody();
  const bool isComplex = problem && llvm::toLower(text_[cursor_.offset - 1]) == 'j';
  // Python lets a keyword follow at once, as in `1if x else 2`.
  bool keywordFollows =
      llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"and", "else", "for", "if", "in", "is", "or", "not"},
                   [&](llvm::StringRef keyword) { return startsWith(keyword); });
  bool nameFollows = llvm::isAlnum(peek()) || peek() == '_' || static_cast<unsigned char>(peek()) >= 0x80;
  if (nameFollows && !keywordFollows) {
    while (llvm::isAlnum(peek()) || peek() == '_' || static_cast<unsigned char>(peek()) >= 0x80)
      advance(1);
    if (!problem)
      problem =
          ("'" + text_.slice(start.offset, cursor_.offset) + "' is no number, and a name cannot start with a digit")
              .str();
  }
  if (problem)
    return pushError(start, std::move(*problem), isComplex ? MessageCode::NotInLanguage : MessageCode::None);
  push(TokenKind::Number, start);
}

bool Lexer::lexIdentifier() {
  Cursor start = cursor_;
  while (!atEnd()) {
    unsigned char c = peek();
    if (c < 0x80) {
      if (!(llvm::isAlpha(c) || c == '_' || (llvm::isDigit(c) && cursor_.offset != start.offset)))
        break;
      advance(1);
      continue;
    }
    auto decoded = decodeUtf8(text_.substr(cursor_.offset));
    if (!decoded || !(cursor_.offset == start.offset ? isIdentifierStart : isIdentifierPart)(decoded->first))
      break;
    advance(decoded->second);
  }
  if (cursor_.offset == start.offset)
    return false;
  push(TokenKind::Name, start);
  return true;
}

void Lexer::lexOperator() {
  // Longest first.
  static constexpr llvm::StringRef operators[] = {
      "**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "<<", ">>", "**",
      "//",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "@=", "+",  "-",  "*",  "/",
      "%",   "@",   "&",   "|",   "^",   "~",  "<",  ">",  ",",  ":",  ".",  ";",  "="};
  if (llvm::StringRef("([{").contains(peek()))
    return openBracket();
  if (llvm::StringRef(")]}").contains(peek()))
    return closeBracket();
  for (llvm::StringRef spelling : operators)
    if (startsWith(spelling)) {
      Cursor start = cursor_;
      advance(spelling.size());
      return push(TokenKind::Operator, start);
    }
  lexBadCharacter();
}

void Lexer::openBracket() {
  Cursor start = cursor_;
  advance(1);
  openBrackets_.push_back(result_.tokens.size());
  push(TokenKind::Operator, start);
}

char closerOf(llvm::StringRef opener) { return opener == "(" ? ')' : opener == "[" ? ']' : '}'; }

void Lexer::closeBracket() {
  Cursor start = cursor_;
  char closer = peek();
  advance(1);
  uint32_t index = result_.tokens.size();
  if (openBrackets_.empty())
    return pushError(start, std::string("'") + closer + "' closes nothing: no bracket is open here");
  uint32_t openerIndex = openBrackets_.back();
  if (closerOf(result_.tokens[openerIndex].text) == closer) {
    push(TokenKind::Operator, start);
    result_.tokens.back().partner = openerIndex;
    result_.tokens[openerIndex].partner = index;
    openBrackets_.pop_back();
    return;
  }
  const Token opener = result_.tokens[openerIndex];
  pushError(start, (llvm::Twine("'") + llvm::Twine(closer) + "' does not close '" + opener.text + "'").str());
  result_.errors.back().notes.push_back(
      {Severity::Note, {&file_, opener.line, opener.column}, ("'" + opener.text + "' was opened here").str(), {}});
  // It closes the nearest bracket of its kind, or else the innermost one: the rest of the file
  // keeps its lines either way.
  while (openBrackets_.size() > 1 && closerOf(result_.tokens[openBrackets_.back()].text) != closer &&
         llvm::any_of(llvm::drop_end(openBrackets_),
                      [&](uint32_t other) { return closerOf(result_.tokens[other].text) == closer; }))
    openBrackets_.pop_back();
  result_.tokens[openBrackets_.back()].partner = index;
  openBrackets_.pop_back();
}

void Lexer::lexBadCharacter() {
  Cursor start = cursor_;
  auto decoded = decodeUtf8(text_.substr(cursor_.offset));
  if (!decoded) {
    advance(1);
    return pushError(start, "this byte is not valid UTF-8; save the file as UTF-8");
  }
  advance(decoded->second);
  llvm::StringRef character = text_.slice(start.offset, cursor_.offset);
  uint32_t codePoint = decoded->first;
  if (codePoint == '\\')
    return pushError(start, "a backslash joins two lines only as the last character of its line");
  if (codePoint == '!')
    return pushError(start, "'!' is not a Python operator: write 'not'");
  if (codePoint >= 0x2018 && codePoint <= 0x201F)
    return pushError(start, ("'" + character + "' is a typographic quote; write ' or \"").str());
  if (codePoint < 0x20 || codePoint == 0x7F)
    return pushError(start,
                     "the control character 0x" + llvm::utohexstr(codePoint) + " is not part of Python's syntax");
  if (codePoint == 0xA0 || (codePoint >= 0x2000 && codePoint <= 0x200D) || codePoint == 0x3000 || codePoint == 0xFEFF)
    return pushError(start, "an invisible character U+" + llvm::utohexstr(codePoint, false, 4) +
                                " stands here; replace it with a plain space");
  pushError(start, ("'" + character + "' is not part of Python's syntax").str());
}

} // namespace tilewise::frontend
