// One token of Python's syntax: its kind, its text, and where it stands.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilewise::frontend {

enum class TokenKind : uint8_t {
  Name,         ///< Identifiers and keywords alike; the parser tells them apart by text.
  Number,       ///< As written, with underscores and prefix.
  String,       ///< A whole string or bytes literal with its prefix and quotes.
  FStringStart, ///< The prefix and opening quotes of an f-string: `f"`, `rf'''`.
  /// Literal text inside an f-string or inside a format spec, escapes not yet decoded.
  FStringMiddle,
  FStringEnd, ///< The closing quotes.
  Operator,   ///< Operators, brackets and punctuation.
  Newline,    ///< The end of a logical line.
  Indent,     ///< A block opens.
  Dedent,     ///< A block closes.
  /// What is no token; `Token::message` says why. An error only for whoever parses it.
  Error,
  EndOfFile,
};

/// `NAME`, `NUMBER`, ...: the name of a kind in a token dump.
llvm::StringRef nameOf(TokenKind kind);

/// Whether Python reserves the word, so that it is no name: `if`, `None`; not `match`, `print`.
bool isKeyword(llvm::StringRef word);

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  uint32_t offset = 0; ///< In bytes from the start of the text.
  uint32_t line = 0;   ///< As in the user's file, from 1.
  uint32_t column = 0; ///< In bytes, from 1.
  /// Into the source text; empty for Indent, Dedent and EndOfFile.
  llvm::StringRef text;
  /// Brackets: the index of the other one. Indent: of its Dedent. Error: of its message. `none`
  /// where there is no such thing.
  uint32_t partner = none;

  static constexpr uint32_t none = UINT32_MAX;

  uint32_t end() const { return offset + text.size(); }
  bool is(llvm::StringRef spelling) const {
    return (kind == TokenKind::Operator || kind == TokenKind::Name) && text == spelling;
  }
};

} // namespace tilewise::frontend
