// The text of a literal -> its value.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilewise::frontend {

/// A string token cut into its parts: `rb'x'` is raw, bytes, body `x`.
struct StringLiteral {
  bool isRaw = false;
  bool isBytes = false;
  llvm::StringRef body;
};
StringLiteral splitString(llvm::StringRef token);

/// Appends the text that `body` stands for: escapes decoded, line ends as '\n', in UTF-8 (bytes: as
/// they are). What is wrong with it, if anything, is returned.
std::optional<std::string> decodeString(llvm::StringRef body, bool isRaw, bool isBytes, std::string &out);

/// A number token without underscores and prefix.
struct NumberLiteral {
  bool isFloat = false;
  unsigned radix = 10;
  std::string text;
  double floatValue = 0;
};
NumberLiteral decodeNumber(llvm::StringRef token);

} // namespace tilewise::frontend
