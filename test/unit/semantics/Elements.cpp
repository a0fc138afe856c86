// Elements of every type: see Elements.h. Rounding is by nearbyint of a scaled double, not by the
// library's bit arithmetic.
#include "Elements.h"

#include <algorithm>
#include <cstdlib>

namespace tilewise::test {

const std::vector<ElementType> &elementTypes() {
  static const std::vector<ElementType> types = {
      {"i1", "int1", DType::Bool, false, false, 1},
      {"i8", "int8", DType::Int8, false, true, 8},
      {"i16", "int16", DType::Int16, false, true, 16},
      {"i32", "int32", DType::Int32, false, true, 32},
      {"i64", "int64", DType::Int64, false, true, 64},
      {"u8", "uint8", DType::UInt8, false, false, 8},
      {"u16", "uint16", DType::UInt16, false, false, 16},
      {"u32", "uint32", DType::UInt32, false, false, 32},
      {"u64", "uint64", DType::UInt64, false, false, 64},
      {"fp8e4nv", "float8e4nv", DType::UInt8, true, true, 8, 4, 3, 7, 'f'},
      {"fp8e5", "float8e5", DType::UInt8, true, true, 8, 5, 2, 15, 'i'},
      {"fp8e4b8", "float8e4b8", DType::UInt8, true, true, 8, 4, 3, 8, 'u'},
      {"fp8e5b16", "float8e5b16", DType::UInt8, true, true, 8, 5, 2, 16, 'u'},
      {"fp16", "float16", DType::Float16, true, true, 16, 5, 10, 15, 'i'},
      {"bf16", "bfloat16", DType::BFloat16, true, true, 16, 8, 7, 127, 'i'},
      {"fp32", "float32", DType::Float32, true, true, 32, 8, 23, 127, 'i'},
      {"fp64", "float64", DType::Float64, true, true, 64, 11, 52, 1023, 'i'},
  };
  return types;
}

const ElementType *findType(const std::string &name) {
  for (const ElementType &type : elementTypes())
    if (name == type.name)
      return &type;
  return nullptr;
}

static double largest(const ElementType &type) {
  // The top exponent holds numbers unless it is IEEE's; of a finite format's top binade the last
  // pattern is the NaN.
  int exponent = (1 << type.exponentBits) - 1 - type.bias - (type.special == 'i' ? 1 : 0);
  double mantissa = 2 - std::ldexp(1.0, -type.mantissaBits) * (type.special == 'f' ? 2 : 1);
  return std::ldexp(mantissa, exponent);
}

double roundTo(const ElementType &type, double value) {
  if (type.bits == 64 || std::isnan(value))
    return value;
  double overflow = type.special == 'i' ? std::copysign(INFINITY, value) : double(NAN);
  if (std::isinf(value))
    return overflow;
  if (value == 0)
    return type.special == 'u' ? 0.0 : value;
  int exponent = std::max(std::ilogb(value), 1 - type.bias);
  double step = std::ldexp(1.0, exponent - type.mantissaBits), rounded = std::nearbyint(value / step) * step;
  if (std::fabs(rounded) > largest(type))
    return overflow;
  return rounded == 0 && type.special == 'u' ? 0.0 : std::copysign(rounded, value);
}

uint64_t encode(const ElementType &type, double value) {
  if (type.bits == 64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  uint64_t sign = std::signbit(value) ? uint64_t(1) << (type.bits - 1) : 0;
  uint64_t top = ((uint64_t(1) << type.exponentBits) - 1) << type.mantissaBits;
  if (std::isnan(value))
    return type.special == 'u'   ? uint64_t(1) << (type.bits - 1)
           : type.special == 'f' ? (uint64_t(1) << (type.bits - 1)) - 1
                                 : top | uint64_t(1) << (type.mantissaBits - 1);
  if (std::isinf(value))
    return sign | top;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return type.special == 'u' ? 0 : sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - type.bias);
  auto steps = uint64_t(std::ldexp(magnitude, type.mantissaBits - exponent));
  bool isNormal = steps >> type.mantissaBits;
  uint64_t field = isNormal ? uint64_t(exponent + type.bias) : 0;
  return sign | field << type.mantissaBits | (steps & ((uint64_t(1) << type.mantissaBits) - 1));
}

double decode(const ElementType &type, uint64_t bits) {
  if (type.bits == 64) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  bool negative = bits >> (type.bits - 1) & 1;
  uint64_t field = bits >> type.mantissaBits & ((uint64_t(1) << type.exponentBits) - 1);
  uint64_t mantissa = bits & ((uint64_t(1) << type.mantissaBits) - 1);
  uint64_t topField = (uint64_t(1) << type.exponentBits) - 1;
  double sign = negative ? -1 : 1;
  if (type.special == 'u' && negative && field == 0 && mantissa == 0)
    return NAN;
  if (type.special == 'f' && field == topField && mantissa == (uint64_t(1) << type.mantissaBits) - 1)
    return NAN;
  if (type.special == 'i' && field == topField)
    return mantissa ? double(NAN) : sign * INFINITY;
  if (field == 0)
    return sign * std::ldexp(double(mantissa), 1 - type.bias - type.mantissaBits);
  return sign *
         std::ldexp(double(mantissa | uint64_t(1) << type.mantissaBits), int(field) - type.bias - type.mantissaBits);
}

int64_t wrap(const ElementType &type, __int128 value) {
  if (type.bits == 64)
    return int64_t(value);
  auto low = uint64_t(value) & ((uint64_t(1) << type.bits) - 1);
  if (type.isSigned && low >> (type.bits - 1))
    return int64_t(low | ~uint64_t(0) << type.bits);
  return int64_t(low);
}

std::optional<uint64_t> parseElement(const ElementType &type, const std::string &text) {
  char *end = nullptr;
  if (text.empty())
    return std::nullopt;
  if (text[0] == '#') {
    uint64_t bits = std::strtoull(text.c_str() + 1, &end, 16);
    return *end ? std::nullopt : std::optional(bits);
  }
  if (type.isFloat) {
    double value = std::strtod(text.c_str(), &end);
    return *end ? std::nullopt : std::optional(encode(type, roundTo(type, value)));
  }
  if (text == "True" || text == "False")
    return text == "True";
  uint64_t value =
      text[0] == '-' ? uint64_t(std::strtoll(text.c_str(), &end, 0)) : std::strtoull(text.c_str(), &end, 0);
  if (*end)
    return std::nullopt;
  return type.bits == 64 ? value : value & ((uint64_t(1) << type.bits) - 1);
}

std::string printElement(const ElementType &type, uint64_t bits) {
  if (type.isFloat) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", decode(type, bits));
    return text;
  }
  if (type.isBool())
    return bits ? "True" : "False";
  return type.isSigned ? std::to_string(wrap(type, __int128(bits))) : std::to_string(bits);
}

bool sameElement(const ElementType &type, uint64_t got, uint64_t expected, double ulps) {
  if (type.isInt())
    return got == expected;
  double a = decode(type, got), b = decode(type, expected);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (ulps == 0 || std::isinf(b) || std::isinf(a))
    return got == expected;
  int exponent = b == 0 ? 1 - type.bias : std::max(std::ilogb(b), 1 - type.bias);
  return std::fabs(a - b) <= ulps * std::ldexp(1.0, exponent - type.mantissaBits);
}

static size_t bytesOf(const ElementType &type) { return std::max(1, type.bits / 8); }

Tensor packElements(const ElementType &type, const std::vector<uint64_t> &bits, const Device &device) {
  Tensor tensor(type.storage, {int64_t(bits.size())}, device);
  auto *bytes = static_cast<unsigned char *>(tensor.data());
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(bytes + i * bytesOf(type), &bits[i], bytesOf(type));
  return tensor;
}

std::vector<uint64_t> unpackElements(const ElementType &type, const Tensor &tensor) {
  std::vector<uint64_t> bits(tensor.elements(), 0);
  const auto *bytes = static_cast<const unsigned char *>(tensor.data());
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&bits[i], bytes + i * bytesOf(type), bytesOf(type));
  return bits;
}

std::string languageName(const ElementType &type) { return std::string("tl.") + type.language; }

std::string asElement(const ElementType &type, const std::string &load) {
  return type.isFp8() ? load + ".to(" + languageName(type) + ", bitcast=True)" : load;
}

std::string asStored(const ElementType &type, const std::string &value) {
  return type.isFp8() ? value + ".to(tl.uint8, bitcast=True)" : value;
}

} // namespace tilewise::test
