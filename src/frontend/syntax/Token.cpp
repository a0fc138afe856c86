// Names of token kinds, Python's keywords, and the token dump.
#include "frontend/syntax/Token.h"

#include "frontend/syntax/Lexer.h"
#include "frontend/syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::frontend {

llvm::StringRef nameOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::Name:
    return "NAME";
  case TokenKind::Number:
    return "NUMBER";
  case TokenKind::String:
    return "STRING";
  case TokenKind::FStringStart:
    return "FSTRING_START";
  case TokenKind::FStringMiddle:
    return "FSTRING_MIDDLE";
  case TokenKind::FStringEnd:
    return "FSTRING_END";
  case TokenKind::Operator:
    return "OP";
  case TokenKind::Newline:
    return "NEWLINE";
  case TokenKind::Indent:
    return "INDENT";
  case TokenKind::Dedent:
    return "DEDENT";
  case TokenKind::Error:
    return "ERROR";
  case TokenKind::EndOfFile:
    return "ENDMARKER";
  }
  return "ERROR";
}

bool isKeyword(llvm::StringRef word) {
  static const llvm::StringSet<> keywords = {"False",  "None",   "True",   "and",      "as",       "assert", "async",
                                             "await",  "break",  "class",  "continue", "def",      "del",    "elif",
                                             "else",   "except", "for",    "from",     "finally",  "global", "if",
                                             "import", "in",     "is",     "lambda",   "nonlocal", "not",    "or",
                                             "pass",   "raise",  "return", "try",      "while",    "with",   "yield"};
  return keywords.contains(word);
}

std::string dumpTokens(const SourceFile &file, Diagnostics &diagnostics) {
  TokenStream stream = lex(file);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Token &token : stream.tokens) {
    os << token.line << ':' << token.column << ' ' << nameOf(token.kind) << " '";
    // Escaped so that a token is one line whatever it holds; UTF-8 stays readable.
    for (char c : token.text) {
      if (c == '\n')
        os << "\\n";
      else if (c == '\r')
        os << "\\r";
      else if (c == '\t')
        os << "\\t";
      else if (static_cast<unsigned char>(c) < 0x20)
        os << "\\x" << llvm::hexdigit(c >> 4, true) << llvm::hexdigit(c & 15, true);
      else
        os << c;
    }
    os << "'\n";
  }
  for (const auto *list : {&stream.structureErrors, &stream.errors})
    for (const Diagnostic &error : *list)
      diagnostics.error(error.loc, error.message).notes = error.notes;
  return text;
}

} // namespace tilewise::frontend
