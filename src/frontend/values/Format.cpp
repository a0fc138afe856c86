// A compile-time value and a format -> text, as Python has it.
#include "frontend/values/Format.h"

#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

namespace tilewise::frontend {

/// `[[fill]align][sign][#][0][width][,][.precision][type]`
Result<std::string> formatValue(const Operand &value, llvm::StringRef spec) {
  if (spec.empty())
    return value.str();
  llvm::StringRef whole = spec;
  char fill = ' ', align = 0, sign = '-', type = 0;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^'; };
  if (spec.size() > 1 && isAlign(spec[1])) {
    fill = spec[0];
    align = spec[1];
    spec = spec.drop_front(2);
  } else if (isAlign(spec[0])) {
    align = spec[0];
    spec = spec.drop_front();
  }
  if (spec.starts_with("+") || spec.starts_with("-") || spec.starts_with(" ")) {
    sign = spec[0];
    spec = spec.drop_front();
  }
  bool prefixed = spec.consume_front("#");
  if (spec.starts_with("0") && !align) {
    fill = '0';
    align = '=';
  }
  unsigned width = 0, precision = 6;
  spec.consumeInteger(10, width);
  bool grouped = spec.consume_front(",");
  bool hasPrecision = spec.consume_front(".") && !spec.consumeInteger(10, precision);
  if (spec.size() == 1) {
    type = spec[0];
    spec = {};
  }
  if (!spec.empty() || width > 1000 || precision > 100)
    return kernelFailure("the format '" + whole.str() + "' is not supported");

  std::string body;
  bool negative = false;
  if (value.isInt() || (value.isBool() && type)) {
    if (llvm::StringRef("feg%").contains(type ? type : ' '))
      return formatValue(Operand::ofFloat(value.asDouble()), whole);
    TILEWISE_TRY(Operand number, constantToInt(value));
    negative = number.integer().isNegative();
    TILEWISE_TRY(number, constantAbs(number));
    unsigned radix = type == 'x' || type == 'X' ? 16 : type == 'b' ? 2 : type == 'o' ? 8 : 10;
    body = llvm::toString(number.integer(), radix);
    for (char &c : body)
      c = type == 'X' ? llvm::toUpper(c) : llvm::toLower(c);
    if (grouped)
      for (int at = int(body.size()) - 3; at > 0; at -= 3)
        body.insert(size_t(at), ",");
    if (prefixed && radix != 10)
      body = (radix == 16 ? "0x" : radix == 2 ? "0b" : "0o") + body;
  } else if (value.isFloat() && (type || hasPrecision)) {
    double number = value.floating() * (type == '%' ? 100 : 1);
    negative = std::signbit(number);
    char pattern[] = {'%', '.', '*', type == '%' ? 'f' : type ? type : 'g', 0};
    if (!llvm::StringRef("feEgG").contains(pattern[3]))
      return kernelFailure("the format '" + whole.str() + "' does not fit a float");
    char buffer[512];
    int size = snprintf(buffer, sizeof(buffer), pattern, int(precision), std::fabs(number));
    body.assign(buffer, size_t(std::clamp(size, 0, int(sizeof(buffer)) - 1)));
    if (type == '%')
      body += '%';
  } else {
    body = value.str();
    if (hasPrecision && value.isString())
      body = body.substr(0, precision);
    if (!align)
      align = value.isString() ? '<' : '>';
  }
  std::string lead = negative ? "-" : sign != '-' && value.isNumber() ? std::string(1, sign) : "";
  size_t length = lead.size() + body.size();
  if (length >= width)
    return lead + body;
  std::string padding(width - length, fill);
  if (align == '=')
    return lead + padding + body;
  if (align == '<')
    return lead + body + padding;
  if (align == '^')
    return padding.substr(0, padding.size() / 2) + lead + body + padding.substr(padding.size() / 2);
  return padding + lead + body;
}

} // namespace tilewise::frontend
