// Source text -> tokens of Python's syntax, with INDENT and DEDENT, brackets paired, and f-strings
// opened up.
//
// An f-string becomes several tokens, its fields being ordinary tokens in between, to any depth:
//
//     f"a{x!r:>{w}}"   ->   FStringStart f"   Middle a   {   x   !   r   :   Middle >   {   w   }   }   FStringEnd "
//
// Lexing never fails as a whole. Text that is no token becomes an Error token, which concerns only
// whoever parses that statement. What makes the block structure of the rest unknowable is a
// structure error: it concerns everybody.
#pragma once

#include "frontend/syntax/Token.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace tilewise::frontend {

/// The result of lexing: it ends in Newline, the open blocks' Dedents, and EndOfFile.
struct TokenStream {
  std::vector<Token> tokens;
  std::vector<Diagnostic> errors; ///< What the Error tokens say; Token::partner is the index.
  std::vector<Diagnostic> structureErrors;
};

TokenStream lex(const SourceFile &file);

/// The machine behind `lex`; in a header because its strings are in a file of their own.
class Lexer {
public:
  explicit Lexer(const SourceFile &file);
  TokenStream run();

private:
  /// A place in the text together with its line.
  struct Cursor {
    size_t offset = 0;
    size_t lineStart = 0;
    uint32_t line = 1;
  };
  struct Problem {
    Cursor at;
    std::string message;
  };

  char peek(size_t ahead = 0) const {
    return cursor_.offset + ahead < text_.size() ? text_[cursor_.offset + ahead] : '\0';
  }
  bool atEnd() const { return cursor_.offset >= text_.size(); }
  bool startsWith(llvm::StringRef spelling) const { return text_.substr(cursor_.offset).starts_with(spelling); }
  /// Moves on over `count` bytes, counting lines.
  void advance(size_t count);
  SourceLoc locOf(const Cursor &at) const;
  /// The length of a line end here: 0, 1 or 2.
  size_t lineEndLength() const;

  void push(TokenKind kind, const Cursor &start);
  void pushError(const Cursor &start, std::string message, MessageCode code = MessageCode::None);
  void structureError(const Cursor &at, std::string message);

  void startLine();
  void setIndentation(size_t column, size_t narrowColumn, const Cursor &lineBegin);
  void endOfFile();
  /// Spaces, comments, joined lines; line ends too while inside brackets.
  void skipBlank();
  void lexToken();
  void lexNumber();
  void lexDigits(bool (*isDigit)(char));
  std::optional<std::string> lexNumberBody();
  bool lexIdentifier();
  void lexOperator();
  void openBracket();
  void closeBracket();
  void lexBadCharacter();

  // LexerStrings.cpp
  /// The length of a string prefix that is followed by a quote (0 for a bare quote); nothing when
  /// no string starts here.
  std::optional<size_t> stringPrefixLength() const;
  void lexString(size_t prefixLength);
  void lexFString(size_t prefixLength);
  bool lexFStringTokens(size_t prefixLength);
  bool lexFStringText(llvm::StringRef quote, bool isRaw, bool inSpec);
  bool lexFStringField(llvm::StringRef quote, bool isRaw);
  bool failFString(const Cursor &at, std::string message);
  void skipBadString(llvm::StringRef quote, size_t prefixLength, std::string message, const Cursor &at);

  const SourceFile &file_;
  llvm::StringRef text_;
  Cursor cursor_;
  TokenStream result_;
  struct Indentation {
    size_t column; ///< With tabs to multiples of 8.
    /// With tabs as one column: both must agree on what is deeper, or tabs and spaces are mixed.
    size_t narrowColumn;
    uint32_t token; ///< The Indent.
  };
  llvm::SmallVector<Indentation> indentations_;
  llvm::SmallVector<uint32_t> openBrackets_; ///< Token indices.
  bool lineHasTokens_ = false;
  bool mixesTabs_ = false;
  unsigned fStringDepth_ = 0;
  std::optional<Problem> fStringProblem_;
};

/// `)` for `(`, and so on.
char closerOf(llvm::StringRef opener);

/// Whether a code point beyond ASCII may start, or continue, an identifier (Unicode's XID_Start and
/// XID_Continue).
bool isIdentifierStart(uint32_t codePoint);
bool isIdentifierPart(uint32_t codePoint);

/// The code point at the start of `text` and its length in bytes; nothing when that is not valid
/// UTF-8.
std::optional<std::pair<uint32_t, size_t>> decodeUtf8(llvm::StringRef text);

} // namespace tilewise::frontend
