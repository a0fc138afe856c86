// The front end's types: scalars with signedness, pointers, and blocks of either with a static
// shape.
//
// Tile IR has signless integers; signedness lives here and ends in the choice of op (div_s or
// div_u, extsi or extui).
#pragma once

#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilewise::frontend {

/// Void, and those of ElementTypes.def: bool, the signed, the unsigned, 8-bit floats, floats.
enum class Scalar : uint8_t {
  Void,
#define TILEWISE_INT_TYPE(SCALAR, ...) SCALAR,
#define TILEWISE_FLOAT_TYPE(SCALAR, ...) SCALAR,
#include "support/ElementTypes.def"
};

/// One element: a scalar, or a pointer of some depth to one. Small enough to pass by value.
class DType {
public:
  constexpr DType(Scalar scalar = Scalar::Void) : scalar_(scalar) {}

  /// The scalar itself, or for a pointer what its last level points to.
  Scalar scalar() const { return scalar_; }

  bool isPointer() const { return depth_ != 0; }
  bool isVoid() const { return !isPointer() && scalar_ == Scalar::Void; }
  bool isBool() const { return !isPointer() && scalar_ == Scalar::Int1; }
  /// Any integer, bool included.
  bool isInt() const { return !isPointer() && scalar_ >= Scalar::Int1 && scalar_ <= Scalar::UInt64; }
  /// Bool counts as unsigned, as in the language's definition.
  bool isSigned() const { return !isPointer() && scalar_ >= Scalar::Int8 && scalar_ <= Scalar::Int64; }
  bool isUnsigned() const { return isInt() && !isSigned(); }
  bool isFloat() const { return !isPointer() && scalar_ >= Scalar::Fp8E4NV; }
  bool isFp8() const { return !isPointer() && scalar_ >= Scalar::Fp8E4NV && scalar_ <= Scalar::Fp8E4B15; }
  bool is(Scalar scalar) const { return !isPointer() && scalar_ == scalar; }

  /// Bits of the value; a pointer has 64, bool has 1.
  unsigned bits() const;
  /// Bytes in memory; bool takes one.
  unsigned bytes() const { return bits() < 8 ? 1 : bits() / 8; }

  /// Of a float: the mantissa's bits, the leading one not counted, and what is added to the
  /// exponent.
  unsigned mantissaBits() const;
  unsigned exponentBias() const;

  DType pointee() const;
  /// Whether stores through this pointer are forbidden.
  bool isConst() const { return isPointer() && (constLevels_ & 1); }
  /// A pointer to this; at most eight levels deep, which the parser of signatures checks.
  DType pointerTo(bool isConst = false) const;

  /// The name the language gives it: "int32", "fp16", "pointer<fp32>".
  std::string str() const;
  /// The name a signature gives it: "i32", "fp16", "*fp32", "*kfp16".
  std::string signatureName() const;

  bool operator==(const DType &) const = default;

private:
  Scalar scalar_;
  uint8_t depth_ = 0;
  uint8_t constLevels_ = 0; ///< Bit 0: the outermost level.
};

/// A scalar, a pointer, or a block of them. An empty shape is a scalar: blocks of rank 0 do not
/// exist.
struct Type {
  DType element;
  llvm::SmallVector<int64_t, 4> shape;

  Type() = default;
  Type(DType element) : element(element) {}
  Type(Scalar scalar) : element(scalar) {}
  Type(DType element, llvm::ArrayRef<int64_t> shape) : element(element), shape(shape.begin(), shape.end()) {}

  bool isBlock() const { return !shape.empty(); }
  size_t rank() const { return shape.size(); }
  int64_t numElements() const;
  Type withElement(DType other) const { return Type(other, shape); }
  Type withShape(llvm::ArrayRef<int64_t> other) const { return Type(element, other); }

  /// "int32", or "fp32[64, 32]".
  std::string str() const;

  bool operator==(const Type &other) const { return element == other.element && shape == other.shape; }
};

/// "[64, 32]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// A signature's name of a type -> the type: `fp32`, `i32`, `u1`, `*bf16`, `*ki8`, `**fp32`, also
/// the long names `int32`, `float32`.
std::optional<DType> parseDType(llvm::StringRef text);

/// The dtypes that `tl` offers by name, as "float32", "int1", "uint8", "float8e4nv".
std::optional<DType> dtypeOfLanguageName(llvm::StringRef name);
/// The same for torch, as "float32", "half", "float8_e4m3fn".
std::optional<DType> dtypeOfTorchName(llvm::StringRef name);
/// The language's name of a scalar: "float32" for fp32.
llvm::StringRef languageName(Scalar scalar);

} // namespace tilewise::frontend
