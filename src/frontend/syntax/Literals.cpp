// Escapes of strings, and the values of numbers.
#include "frontend/syntax/Literals.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"

namespace tilewise::frontend {

StringLiteral splitString(llvm::StringRef token) {
  size_t quoteAt = token.find_first_of("'\"");
  llvm::StringRef prefix = token.take_front(quoteAt);
  llvm::StringRef quoted = token.drop_front(quoteAt);
  size_t quoteLength = quoted.size() >= 6 && quoted[0] == quoted[1] && quoted[0] == quoted[2] ? 3 : 1;
  return {prefix.contains_insensitive("r"), prefix.contains_insensitive("b"),
          quoted.drop_front(quoteLength).drop_back(quoteLength)};
}

/// UTF-8, of lone surrogates too, since Python's strings may hold them.
static void appendCodePoint(uint32_t codePoint, std::string &out) {
  if (codePoint < 0x80) {
    out += static_cast<char>(codePoint);
  } else if (codePoint < 0x800) {
    out += static_cast<char>(0xC0 | codePoint >> 6);
    out += static_cast<char>(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    out += static_cast<char>(0xE0 | codePoint >> 12);
    out += static_cast<char>(0x80 | (codePoint >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (codePoint & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | codePoint >> 18);
    out += static_cast<char>(0x80 | (codePoint >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (codePoint >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (codePoint & 0x3F));
  }
}

namespace {
/// Decodes one escape after its backslash.
class EscapeDecoder {
public:
  EscapeDecoder(llvm::StringRef body, bool isBytes, std::string &out) : rest_(body), isBytes_(isBytes), out_(out) {}

  std::optional<std::string> run() {
    while (!rest_.empty()) {
      char c = take();
      if (c == '\r') {
        rest_.consume_front("\n");
        out_ += '\n';
      } else if (c != '\\' || rest_.empty()) {
        out_ += c;
      } else if (std::optional<std::string> problem = escape()) {
        return problem;
      }
    }
    return std::nullopt;
  }

private:
  char take() {
    char c = rest_.front();
    rest_ = rest_.drop_front();
    return c;
  }

  void put(uint32_t value) {
    if (isBytes_)
      out_ += static_cast<char>(value);
    else
      appendCodePoint(value, out_);
  }

  std::optional<std::string> hex(char letter, unsigned digits) {
    llvm::StringRef text = rest_.take_front(digits);
    uint32_t value = 0;
    if (text.size() != digits || !llvm::all_of(text, llvm::isHexDigit) || text.getAsInteger(16, value))
      return std::string("'\\") + letter + "' needs " + std::to_string(digits) + " hexadecimal digits";
    if (value > 0x10FFFF)
      return ("'\\" + llvm::Twine(letter) + text + "' is beyond the last character of Unicode, 10ffff").str();
    rest_ = rest_.drop_front(digits);
    put(value);
    return std::nullopt;
  }

  std::optional<std::string> named() {
    size_t close = rest_.find('}');
    if (!rest_.starts_with("{") || close == llvm::StringRef::npos)
      return "'\\N' needs a character's name in braces, as '\\N{GREEK SMALL LETTER ALPHA}'";
    llvm::StringRef name = rest_.slice(1, close);
    std::optional<char32_t> codePoint = llvm::sys::unicode::nameToCodepointStrict(name.upper());
    if (!codePoint)
      return ("Unicode has no character named '" + name + "'").str();
    rest_ = rest_.drop_front(close + 1);
    put(*codePoint);
    return std::nullopt;
  }

  std::optional<std::string> escape() {
    char c = take();
    static constexpr llvm::StringRef letters = "\\'\"abfnrtv", values = "\\'\"\a\b\f\n\r\t\v";
    if (size_t index = letters.find(c); index != llvm::StringRef::npos) {
      out_ += values[index];
      return std::nullopt;
    }
    switch (c) {
    case '\r':
      rest_.consume_front("\n");
      return std::nullopt;
    case '\n':
      return std::nullopt;
    case 'x':
      return hex(c, 2);
    case 'u':
    case 'U':
      if (!isBytes_)
        return hex(c, c == 'u' ? 4 : 8);
      break;
    case 'N':
      if (!isBytes_)
        return named();
      break;
    default:
      if (c >= '0' && c <= '7') {
        uint32_t value = c - '0';
        for (unsigned i = 0; i < 2 && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '7'; ++i)
          value = value * 8 + (take() - '0');
        put(isBytes_ ? value & 0xFF : value);
        return std::nullopt;
      }
    }
    // Python keeps an unknown escape as it stands.
    out_ += '\\';
    out_ += c;
    return std::nullopt;
  }

  llvm::StringRef rest_;
  bool isBytes_;
  std::string &out_;
};
} // namespace

std::optional<std::string> decodeString(llvm::StringRef body, bool isRaw, bool isBytes, std::string &out) {
  if (isBytes && !llvm::all_of(body, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return "a bytes literal holds ASCII characters only; write others as '\\x..'";
  if (!isRaw)
    return EscapeDecoder(body, isBytes, out).run();
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\r')
      out += body[i];
    else if (i + 1 == body.size() || body[i + 1] != '\n')
      out += '\n';
  }
  return std::nullopt;
}

NumberLiteral decodeNumber(llvm::StringRef token) {
  NumberLiteral number;
  for (char c : token)
    if (c != '_')
      number.text += c;
  llvm::StringRef text = number.text;
  if (text.size() > 1 && text[0] == '0' && llvm::isAlpha(text[1]) && llvm::toLower(text[1]) != 'e') {
    char letter = llvm::toLower(text[1]);
    number.radix = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    number.text = text.drop_front(2).lower();
    return number;
  }
  if (!text.contains_insensitive("e") && !text.contains('.'))
    return number;
  number.isFloat = true;
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  if (auto status = value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven))
    number.floatValue = value.convertToDouble();
  else
    llvm::consumeError(status.takeError());
  return number;
}

} // namespace tilewise::frontend
