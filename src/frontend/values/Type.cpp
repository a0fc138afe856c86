// Names and sizes of the front end's types.
#include "frontend/values/Type.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

namespace {

struct ScalarInfo {
  Scalar scalar;
  unsigned bits;
  llvm::StringLiteral name;      ///< As str(dtype) gives it.
  llvm::StringLiteral signature; ///< As a signature spells it.
  llvm::StringLiteral language;  ///< As `tl.` offers it.
  llvm::StringLiteral torch;     ///< As torch calls it, or empty.
  unsigned mantissaBits, exponentBias;
};

} // namespace

static constexpr ScalarInfo kScalars[] = {
    {Scalar::Void, 0, "void", "void", "void", "", 0, 0},
#define TILEWISE_INT_TYPE(SCALAR, TW, BITS, NAME, SIGNATURE, TORCH)                                                    \
  {Scalar::SCALAR, BITS, NAME, SIGNATURE, NAME, TORCH, 0, 0},
#define TILEWISE_FLOAT_TYPE(SCALAR, TW, BITS, NAME, LANGUAGE, TORCH, MANTISSA, BIAS, ...)                              \
  {Scalar::SCALAR, BITS, NAME, NAME, LANGUAGE, TORCH, MANTISSA, BIAS},
#include "support/ElementTypes.def"
};

static const ScalarInfo &infoOf(Scalar scalar) {
  const ScalarInfo &info = kScalars[size_t(scalar)];
  assert(info.scalar == scalar && "the table is in the order of the enum");
  return info;
}

unsigned DType::bits() const { return isPointer() ? 64 : infoOf(scalar_).bits; }

unsigned DType::mantissaBits() const { return infoOf(scalar_).mantissaBits; }
unsigned DType::exponentBias() const { return infoOf(scalar_).exponentBias; }

DType DType::pointee() const {
  assert(isPointer());
  DType result = *this;
  --result.depth_;
  result.constLevels_ >>= 1;
  return result;
}

DType DType::pointerTo(bool isConst) const {
  assert(depth_ < 8);
  DType result = *this;
  ++result.depth_;
  result.constLevels_ = uint8_t(constLevels_ << 1 | isConst);
  return result;
}

std::string DType::str() const {
  if (!isPointer())
    return infoOf(scalar_).name.str();
  return (isConst() ? "const pointer<" : "pointer<") + pointee().str() + ">";
}

std::string DType::signatureName() const {
  if (!isPointer())
    return infoOf(scalar_).signature.str();
  return (isConst() ? "*k" : "*") + pointee().signatureName();
}

int64_t Type::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string Type::str() const { return isBlock() ? element.str() + shapeText(shape) : element.str(); }

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return "[" + llvm::join(llvm::map_range(shape, [](int64_t extent) { return std::to_string(extent); }), ", ") + "]";
}

std::optional<DType> parseDType(llvm::StringRef text) {
  llvm::SmallVector<bool> constLevels; // Outermost first.
  while (text.consume_front("*"))
    constLevels.push_back(text.consume_front("k"));
  if (constLevels.size() > 8)
    return std::nullopt;
  std::optional<DType> type;
  for (const ScalarInfo &info : kScalars)
    if (text == info.signature || text == info.name || text == info.language)
      type = info.scalar;
  if (text == "u1" || text == "B")
    type = Scalar::Int1;
  if (!type || (type->isVoid() && constLevels.empty()))
    return std::nullopt;
  for (bool isConst : llvm::reverse(constLevels))
    type = type->pointerTo(isConst);
  return type;
}

std::optional<DType> dtypeOfLanguageName(llvm::StringRef name) {
  for (const ScalarInfo &info : kScalars)
    if (name == info.language)
      return DType(info.scalar);
  if (name == "pi32_t")
    return DType(Scalar::Int32).pointerTo();
  return std::nullopt;
}

std::optional<DType> dtypeOfTorchName(llvm::StringRef name) {
  // Torch's other names for the same.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kAliases[] = {
      {"half", "float16"}, {"float", "float32"}, {"double", "float64"}, {"int", "int32"}, {"long", "int64"}};
  for (const auto &[alias, canonical] : kAliases)
    if (name == alias)
      name = canonical;
  for (const ScalarInfo &info : kScalars)
    if (!name.empty() && name == info.torch)
      return DType(info.scalar);
  return std::nullopt;
}

llvm::StringRef languageName(Scalar scalar) { return infoOf(scalar).language; }

} // namespace tilewise::frontend
