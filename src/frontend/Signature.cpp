// Signatures as text: "*fp32:16, i32, 1024" <-> one ArgumentSpec per parameter.
#include "frontend/Frontend.h"
#include "frontend/values/Type.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tilewise::frontend {

/// Cuts at commas that are outside quotes and brackets: `(1, 2)` and `"a, b"` are one constant
/// each.
static Result<std::vector<llvm::StringRef>> splitArguments(llvm::StringRef text) {
  std::vector<llvm::StringRef> pieces;
  std::string closers;
  char quote = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      closers.push_back(c == '(' ? ')' : ']');
    } else if (c == '<' && text.take_front(i).ends_with("tensordesc")) {
      closers.push_back('>');
    } else if (c == ')' || c == ']' || (c == '>' && llvm::is_contained(closers, '>'))) {
      if (closers.empty() || closers.back() != c)
        return kernelFailure("the signature has a '" + std::string(1, c) + "' that nothing opens: " + text.str());
      closers.pop_back();
    } else if (c == ',' && closers.empty()) {
      pieces.push_back(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  if (quote)
    return kernelFailure("the signature ends inside a string: " + text.str());
  if (!closers.empty())
    return kernelFailure("the signature lacks a '" + closers.substr(closers.size() - 1) + "': " + text.str());
  pieces.push_back(text.substr(start).trim());
  return pieces;
}

std::string DescriptorSpec::str() const {
  return "tensordesc<" + element + shapeText(blockShape) + (padWithNan ? ", nan>" : ">");
}

Result<std::optional<DescriptorSpec>> parseDescriptor(llvm::StringRef text) {
  llvm::StringRef rest = text.trim();
  if (!rest.consume_front("tensordesc"))
    return std::optional<DescriptorSpec>();
  auto wrong = [&] {
    return kernelFailure("the descriptor '" + text.str() +
                         "' in the signature should have a form like "
                         "'tensordesc<fp16[128, 64]>', or with ', nan' before the '>'");
  };
  if (!rest.consume_front("<") || !rest.consume_back(">"))
    return wrong();
  auto [typeText, extentsAndMore] = rest.split('[');
  auto [extents, padding] = extentsAndMore.split(']');
  DescriptorSpec spec;
  std::optional<DType> type = parseDType(typeText.trim());
  if (!type || type->isPointer())
    return wrong();
  spec.element = type->signatureName();
  padding.consume_front(",");
  spec.padWithNan = padding.trim() == "nan";
  if (!spec.padWithNan && !padding.trim().empty())
    return wrong();
  llvm::SmallVector<llvm::StringRef> words;
  extents.split(words, ',');
  for (llvm::StringRef word : words) {
    int64_t extent = 0;
    if (word.trim().getAsInteger(10, extent) || extent < 1 || words.size() > 5)
      return wrong();
    spec.blockShape.push_back(extent);
  }
  return std::optional<DescriptorSpec>(std::move(spec));
}

std::vector<ArgumentPart> partsOf(const ArgumentSpec &spec) {
  if (spec.isConstant)
    return {};
  auto descriptor = parseDescriptor(spec.text);
  if (!descriptor || !*descriptor)
    return {{ArgumentPart::Kind::Whole, 0, spec.text, spec.divisibility}};
  std::vector<ArgumentPart> parts{{ArgumentPart::Kind::Base, 0, "*" + (*descriptor)->element, 16}};
  uint8_t rank = uint8_t((*descriptor)->blockShape.size());
  // A launch refuses a descriptor whose strides are no multiples of 16 bytes.
  const uint32_t whole = 16 / parseDType((*descriptor)->element)->bytes();
  for (uint8_t d = 0; d < rank; ++d)
    parts.push_back({ArgumentPart::Kind::Extent, d, "i32", 1});
  for (uint8_t d = 0; d + 1 < rank; ++d)
    parts.push_back({ArgumentPart::Kind::Stride, d, "i64", whole});
  return parts;
}

/// "; did you mean '*fp32'?" for another spelling of a type, as LLVM's, C's or numpy's; or empty.
static std::string otherSpelling(llvm::StringRef piece) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kSpellings[] = {
      {"f16", "fp16"},    {"f32", "fp32"}, {"f64", "fp64"}, {"half", "fp16"}, {"float", "fp32"}, {"double", "fp64"},
      {"bfloat", "bf16"}, {"bool", "i1"},  {"int", "i32"},  {"long", "i64"},  {"char", "i8"},    {"short", "i16"},
      {"ui8", "u8"},      {"ui16", "u16"}, {"ui32", "u32"}, {"ui64", "u64"}};
  const llvm::StringRef stars = piece.take_while([](char c) { return c == '*'; });
  auto [type, divisor] = piece.drop_front(stars.size()).split(':');
  for (const auto &[spelling, name] : kSpellings)
    if (type.trim() == spelling)
      return ("; did you mean '" + stars + name + (divisor.empty() ? "" : ":") + divisor + "'?").str();
  return "";
}

static Result<ArgumentSpec> parseArgument(llvm::StringRef piece) {
  ArgumentSpec spec;
  auto descriptor = parseDescriptor(piece);
  if (!descriptor)
    return descriptor.takeFailure();
  if (*descriptor) {
    spec.text = (*descriptor)->str();
    return spec;
  }
  auto [typeText, divisorText] = piece.split(':');
  std::optional<DType> type = parseDType(typeText.trim());
  if (!type) {
    spec.text = piece.str();
    spec.isConstant = true;
    const std::string meant = otherSpelling(piece);
    if (piece.starts_with("*") || !meant.empty())
      return kernelFailure("unknown type '" + piece.str() + "' in the signature" +
                           (meant.empty() ? ", expected a form like '*fp32', '*ki8:16' or 'i32'" : meant));
    return spec;
  }
  spec.text = type->signatureName();
  if (divisorText.empty())
    return spec;
  if (divisorText.trim().getAsInteger(10, spec.divisibility) || !llvm::isPowerOf2_32(spec.divisibility))
    return kernelFailure("the divisor in '" + piece.str() + "' must be a power of two, as in '" + spec.text + ":16'");
  if (!type->isPointer() && !type->isInt())
    return kernelFailure("only pointers and integers have a divisor, got '" + piece.str() + "'");
  return spec;
}

std::string partNameOf(size_t index) { return "__part" + std::to_string(index); }
bool isPartName(llvm::StringRef name) { return name.starts_with("__part"); }

Result<std::vector<ArgumentSpec>> parseSignature(llvm::StringRef text) {
  std::vector<ArgumentSpec> arguments;
  if (text.trim().empty())
    return arguments;
  auto pieces = splitArguments(text);
  if (!pieces)
    return pieces.takeFailure();
  for (llvm::StringRef piece : *pieces) {
    if (piece.empty())
      return kernelFailure("the signature has an empty argument: " + text.str());
    auto spec = parseArgument(piece);
    if (!spec)
      return spec.takeFailure();
    arguments.push_back(std::move(*spec));
  }
  return arguments;
}

std::string printSignature(llvm::ArrayRef<ArgumentSpec> arguments) {
  return llvm::join(llvm::map_range(arguments,
                                    [](const ArgumentSpec &spec) {
                                      return spec.divisibility == 1
                                                 ? spec.text
                                                 : spec.text + ":" + std::to_string(spec.divisibility);
                                    }),
                    ", ");
}

} // namespace tilewise::frontend
