// Elements of blocks in the reference engine: how each type is stored, and arithmetic on one of
// them.
//
// Integers are stored unsigned in their width, a bool in a byte that is 0 or 1, a pointer as its
// 64-bit address. Floats below 32 bits are stored as their bits and computed in f32: with 24 bits
// for at most 11, a result of + - * / or sqrt that is rounded to f32 and then to the small format
// equals the one rounded once.
#pragma once

#include "support/FloatFormats.h"

#include <bit>
#include <cstdint>
#include <type_traits>

// The error terms below and the arith ops' own roundings must not be fused away where the processor
// could.
#pragma STDC FP_CONTRACT OFF

namespace tilewise::reference {

enum class Kind : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  Ptr,
  F8E5M2,
  F8E4M3FN,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F16,
  BF16,
  F32,
  F64,
};

struct Bool {
  uint8_t value;
};

template <FloatFormat F> struct Small {
  std::conditional_t<F.bits() == 8, uint8_t, uint16_t> bits;
};
using F16 = Small<kF16>;
using BF16 = Small<kBF16>;

/// An integer element: its value read as unsigned or signed, and the way back, modulo 2^kWidth.
template <typename T> struct Int {
  using Unsigned = T;
  using Signed = std::make_signed_t<T>;
  static constexpr unsigned kWidth = 8 * sizeof(T);
  static Unsigned zext(T x) { return x; }
  static Signed sext(T x) { return Signed(x); }
  static T make(Unsigned x) { return x; }
};
template <> struct Int<Bool> {
  using Unsigned = uint8_t;
  using Signed = int8_t;
  static constexpr unsigned kWidth = 1;
  static Unsigned zext(Bool x) { return x.value; }
  static Signed sext(Bool x) { return Signed(-Signed(x.value)); }
  static Bool make(Unsigned x) { return {uint8_t(x & 1)}; }
};

/// A float element: `Wide` is what arithmetic on it is done in.
template <typename T> struct Float;
template <> struct Float<float> {
  using Wide = float;
  static float widen(float x) { return x; }
  static float narrow(float x) { return x; }
  static float narrow(double x) { return float(x); }
};
template <> struct Float<double> {
  using Wide = double;
  static double widen(double x) { return x; }
  static double narrow(double x) { return x; }
};
template <FloatFormat F> struct Float<Small<F>> {
  using Wide = float;
  static float widen(Small<F> x) { return decodeFloat(F, x.bits); }
  static Small<F> narrow(double x) { return {decltype(Small<F>::bits)(encodeFloat(F, x))}; }
};
template <> struct Float<F16> {
  using Wide = float;
  static float widen(F16 x) { return decodeF16(x.bits); }
  static F16 narrow(float x) { return {encodeF16(x)}; }
  static F16 narrow(double x) { return {uint16_t(encodeFloat(kF16, x))}; }
};
template <> struct Float<BF16> {
  using Wide = float;
  static float widen(BF16 x) { return decodeBF16(x.bits); }
  static BF16 narrow(float x) { return {encodeBF16(x)}; }
  static BF16 narrow(double x) { return {uint16_t(encodeFloat(kBF16, x))}; }
};

/// a + b in double, rounded to odd: the last bit is set when anything was lost, so that rounding
/// the result once more, to at most 51 bits, is as good as rounding the exact sum. The error of the
/// sum is exact (Knuth's two-sum).
inline double addToOdd(double a, double b) {
  double sum = a + b;
  double bAgain = sum - a;
  double error = (a - (sum - bAgain)) + (b - bAgain);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  bool lost = error < 0 || error > 0; // False for the NaN that an infinite sum gives.
  bool away = (error > 0) == (sum > 0);
  uint64_t odd = bits & 1 ? bits : away ? bits + 1 : bits - 1;
  return std::bit_cast<double>(lost ? odd : bits);
}

template <typename T> struct TypeTag {
  using Type = T;
};

/// Calls `f` with the tag of an integer kind's storage type; false when `kind` is none. A pointer
/// is its address.
template <typename F> bool visitInt(Kind kind, F f) {
  switch (kind) {
  case Kind::Bool:
    f(TypeTag<Bool>());
    return true;
  case Kind::I8:
    f(TypeTag<uint8_t>());
    return true;
  case Kind::I16:
    f(TypeTag<uint16_t>());
    return true;
  case Kind::I32:
    f(TypeTag<uint32_t>());
    return true;
  case Kind::I64:
  case Kind::Ptr:
    f(TypeTag<uint64_t>());
    return true;
  default:
    return false;
  }
}

template <typename F> bool visitFloat(Kind kind, F f) {
  switch (kind) {
  case Kind::F8E5M2:
    f(TypeTag<Small<kF8E5M2>>());
    return true;
  case Kind::F8E4M3FN:
    f(TypeTag<Small<kF8E4M3FN>>());
    return true;
  case Kind::F8E5M2FNUZ:
    f(TypeTag<Small<kF8E5M2FNUZ>>());
    return true;
  case Kind::F8E4M3FNUZ:
    f(TypeTag<Small<kF8E4M3FNUZ>>());
    return true;
  case Kind::F8E4M3B11FNUZ:
    f(TypeTag<Small<kF8E4M3B11FNUZ>>());
    return true;
  case Kind::F16:
    f(TypeTag<F16>());
    return true;
  case Kind::BF16:
    f(TypeTag<BF16>());
    return true;
  case Kind::F32:
    f(TypeTag<float>());
    return true;
  case Kind::F64:
    f(TypeTag<double>());
    return true;
  default:
    return false;
  }
}

/// By the bytes an element takes, for ops that only move it.
template <typename F> void visitBytes(unsigned bytes, F f) {
  switch (bytes) {
  case 1:
    f(TypeTag<uint8_t>());
    return;
  case 2:
    f(TypeTag<uint16_t>());
    return;
  case 4:
    f(TypeTag<uint32_t>());
    return;
  default:
    f(TypeTag<uint64_t>());
    return;
  }
}

constexpr unsigned bytesOf(Kind kind) {
  switch (kind) {
  case Kind::I16:
  case Kind::F16:
  case Kind::BF16:
    return 2;
  case Kind::I32:
  case Kind::F32:
    return 4;
  case Kind::I64:
  case Kind::Ptr:
  case Kind::F64:
    return 8;
  default:
    return 1;
  }
}

} // namespace tilewise::reference
