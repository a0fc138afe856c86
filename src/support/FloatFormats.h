// Floats below 32 bits: exact decoding to float, and encoding with one rounding, to nearest, ties
// to even.
//
// A format is a sign, `exponentBits`, `mantissaBits` and a bias. What its largest bit patterns mean
// differs:
//   Ieee       infinities and NaNs in the top exponent (f16, bf16, f8E5M2)
//   Finite     one NaN, all ones; no infinity (f8E4M3FN)
//   Unsigned   one NaN, where -0 would be; no infinity, no -0 (the FNUZ formats)
// A value beyond the largest finite one becomes infinity, or NaN where the format has no infinity.
#pragma once

#include <bit>
#include <cstdint>

namespace tilewise {

struct FloatFormat {
  enum Special { Ieee, Finite, Unsigned };
  int exponentBits, mantissaBits, bias;
  Special special = Ieee;

  constexpr int bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
  constexpr uint32_t quietNaN() const {
    if (special == Unsigned)
      return signBit();
    // All ones when there is but one NaN; the top mantissa bit alone makes an IEEE one quiet.
    return special == Finite ? signBit() - 1 : (signBit() - 1) & ~((1u << (mantissaBits - 1)) - 1);
  }
  constexpr uint32_t infinity() const { return (signBit() - 1) & ~((1u << mantissaBits) - 1); }
  constexpr uint32_t largestFinite() const {
    return special == Ieee ? infinity() - 1 : special == Finite ? signBit() - 2 : signBit() - 1;
  }
};

inline constexpr FloatFormat kF16{5, 10, 15};
inline constexpr FloatFormat kBF16{8, 7, 127};
inline constexpr FloatFormat kF8E5M2{5, 2, 15};
inline constexpr FloatFormat kF8E4M3FN{4, 3, 7, FloatFormat::Finite};
inline constexpr FloatFormat kF8E5M2FNUZ{5, 2, 16, FloatFormat::Unsigned};
inline constexpr FloatFormat kF8E4M3FNUZ{4, 3, 8, FloatFormat::Unsigned};
inline constexpr FloatFormat kF8E4M3B11FNUZ{4, 3, 11, FloatFormat::Unsigned};

/// Any format from double; every float and every product of two floats is a double, so nothing is
/// rounded twice.
constexpr uint32_t encodeFloat(const FloatFormat &format, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint32_t sign = bits >> 63 ? format.signBit() : 0;
  uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  constexpr uint64_t kInfinity = uint64_t(0x7ff) << 52;
  if (magnitude > kInfinity)
    return format.quietNaN();
  uint32_t overflow = format.special == FloatFormat::Ieee ? sign | format.infinity() : format.quietNaN();
  if (magnitude == kInfinity)
    return overflow;
  int exponent = int(magnitude >> 52) - 1023;
  int least = 1 - format.bias;
  int below = exponent < least ? least - exponent : 0;
  int shift = 52 - format.mantissaBits + below;
  uint64_t significand = (magnitude & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  uint32_t encoded = 0;
  // Shifted by 54 a significand of 53 bits is below one half, and so are the doubles below 2^-1022,
  // whatever their leading bit.
  if (shift < 54) {
    uint64_t kept = significand >> shift, rest = significand & ((uint64_t(1) << shift) - 1),
             half = uint64_t(1) << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    // The leading bit of `kept` carries into the exponent, as does a rounding that overflows the
    // mantissa.
    encoded = uint32_t(kept) + (below ? 0 : uint32_t(exponent + format.bias - 1) << format.mantissaBits);
    if (!below && (exponent + format.bias >= 1 << format.exponentBits || encoded > format.largestFinite()))
      return overflow;
  }
  return encoded == 0 && format.special == FloatFormat::Unsigned ? 0 : sign | encoded;
}

constexpr float decodeFloat(const FloatFormat &format, uint32_t bits) {
  uint32_t sign = bits & format.signBit(), magnitude = bits & (format.signBit() - 1);
  uint32_t floatSign = sign ? 0x80000000u : 0;
  bool isNaN = format.special == FloatFormat::Ieee     ? magnitude > format.infinity()
               : format.special == FloatFormat::Finite ? magnitude == format.signBit() - 1
                                                       : sign && !magnitude;
  if (isNaN)
    return std::bit_cast<float>(floatSign | 0x7fc00000u);
  if (format.special == FloatFormat::Ieee && magnitude == format.infinity())
    return std::bit_cast<float>(floatSign | 0x7f800000u);
  uint32_t exponent = magnitude >> format.mantissaBits, mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  // value = significand * 2^(max(exponent, 1) - bias - mantissaBits); a double holds every such
  // power.
  uint32_t significand = exponent ? mantissa | (1u << format.mantissaBits) : mantissa;
  int power = int(exponent ? exponent : 1) - format.bias - format.mantissaBits;
  double value = double(significand) * std::bit_cast<double>(uint64_t(1023 + power) << 52);
  return float(sign ? -value : value);
}

// The two formats of daily use, without branches so that loops over them vectorise.

constexpr float decodeBF16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

constexpr uint16_t encodeBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return uint16_t(value == value ? rounded : 0x7fc0);
}

constexpr float decodeF16(uint16_t bits) {
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  uint32_t exponent = magnitude & 0x0f800000;
  // The bias differs by 112; a subnormal is read as 2^-14 + x and relieved of the 2^-14.
  uint32_t normal = magnitude + (112u << 23);
  uint32_t special = magnitude + (224u << 23);
  uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude + (113u << 23)) - std::bit_cast<float>(113u << 23));
  uint32_t chosen = exponent == 0x0f800000 ? special : exponent == 0 ? subnormal : normal;
  return std::bit_cast<float>(chosen | uint32_t(bits & 0x8000) << 16);
}

constexpr uint16_t encodeF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Below 2^-14 the addition of 1/2, whose last bit is worth 2^-24 as a subnormal's is, makes the
  // processor round.
  uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  // 65520 is halfway to the next power and rounds away.
  uint32_t chosen = magnitude >= 0x477ff000 ? 0x7c00 : finite;
  return uint16_t(magnitude > 0x7f800000 ? 0x7e00 : sign | chosen);
}

} // namespace tilewise
