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
};

} // namespace

static constexpr ScalarInfo kScalars[] = {
    {Scalar::Void, 0, "void", "void", "void"},
    {Scalar::Int1, 1, "int1", "i1", "int1"},
    {Scalar::Int8, 8, "int8", "i8", "int8"},
    {Scalar::Int16, 16, "int16", "i16", "int16"},
    {Scalar::Int32, 32, "int32", "i32", "int32"},
    {Scalar::Int64, 64, "int64", "i64", "int64"},
    {Scalar::UInt8, 8, "uint8", "u8", "uint8"},
    {Scalar::UInt16, 16, "uint16", "u16", "uint16"},
    {Scalar::UInt32, 32, "uint32", "u32", "uint32"},
    {Scalar::UInt64, 64, "uint64", "u64", "uint64"},
    {Scalar::Fp8E4NV, 8, "fp8e4nv", "fp8e4nv", "float8e4nv"},
    {Scalar::Fp8E5, 8, "fp8e5", "fp8e5", "float8e5"},
    {Scalar::Fp8E4B8, 8, "fp8e4b8", "fp8e4b8", "float8e4b8"},
    {Scalar::Fp8E5B16, 8, "fp8e5b16", "fp8e5b16", "float8e5b16"},
    {Scalar::Fp8E4B15, 8, "fp8e4b15", "fp8e4b15", "float8e4b15"},
    {Scalar::Fp16, 16, "fp16", "fp16", "float16"},
    {Scalar::Bf16, 16, "bf16", "bf16", "bfloat16"},
    {Scalar::Fp32, 32, "fp32", "fp32", "float32"},
    {Scalar::Fp64, 64, "fp64", "fp64", "float64"},
};

static const ScalarInfo &infoOf(Scalar scalar) {
  const ScalarInfo &info = kScalars[size_t(scalar)];
  assert(info.scalar == scalar && "the table is in the order of the enum");
  return info;
}

unsigned DType::bits() const { return isPointer() ? 64 : infoOf(scalar_).bits; }

unsigned DType::mantissaBits() const {
  switch (scalar_) {
  case Scalar::Fp8E5:
  case Scalar::Fp8E5B16:
    return 2;
  case Scalar::Fp16:
    return 10;
  case Scalar::Bf16:
    return 7;
  case Scalar::Fp32:
    return 23;
  case Scalar::Fp64:
    return 52;
  default:
    return 3;
  }
}

unsigned DType::exponentBias() const {
  switch (scalar_) {
  case Scalar::Fp8E4NV:
    return 7;
  case Scalar::Fp8E4B8:
    return 8;
  case Scalar::Fp8E5B16:
    return 16;
  case Scalar::Bf16:
  case Scalar::Fp32:
    return 127;
  case Scalar::Fp64:
    return 1023;
  default:
    return 15;
  }
}

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

llvm::StringRef languageName(Scalar scalar) { return infoOf(scalar).language; }

} // namespace tilewise::frontend
