// The memory of a launch: see Data.h.
#include "Data.h"

#include "Random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tilewise::random {
namespace {

size_t widthOf(const ElementType &type) { return size_t(std::max(1, type.bits / 8)); }

uint64_t maskOf(const ElementType &type) { return type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1; }

uint64_t wildFloat(const ElementType &type, uint64_t draw) {
  const uint64_t sign = uint64_t(1) << (type.bits - 1), kind = draw % 100, rest = draw / 100;
  if (kind < 12) {
    const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, std::ldexp(1.0, 1 - type.bias)};
    switch (rest % 11) {
    case 8: // The largest patterns below the special ones, and the smallest.
      return (test::encode(type, INFINITY) - 1) & (sign - 1);
    case 9:
      return 1;
    case 10:
      return type.special == 'u' ? 1 : sign | 1;
    default:
      if (type.special != 'i' && std::isinf(specials[rest % 11]))
        return type.special == 'u' ? sign - 1 : sign - 2;
      return test::encode(type, specials[rest % 11]);
    }
  }
  if (kind < 40)
    return mix(rest) & maskOf(type);
  if (kind < 70) // Near 1, with all of the mantissa.
    return test::encode(type, test::roundTo(type, (double(mix(rest) % 4000003) / 1000000.0) * (rest & 1 ? 1 : -1)));
  return test::encode(type, test::roundTo(type, (double(rest % 41) - 20) / 2));
}

uint64_t wildInt(const ElementType &type, uint64_t draw) {
  const uint64_t kind = draw % 100, rest = draw / 100;
  if (type.isBool()) // Any byte but 0 is true.
    return kind < 45 ? 0 : kind < 90 ? 1 : 1 + rest % 255;
  const uint64_t highest = maskOf(type) >> (type.isSigned ? 1 : 0);
  if (kind < 15) {
    const uint64_t extremes[] = {0, 1, ~uint64_t(0), highest, highest + 1, highest - 1};
    return extremes[rest % 6] & maskOf(type);
  }
  if (kind < 60)
    return (type.isSigned ? uint64_t(int64_t(rest % 33) - 16) : rest % 33) & maskOf(type);
  return mix(rest) & maskOf(type);
}

/// Where `index` goes in the permutation of its stretch of `limit`: multiplication by a unit, then
/// a shift.
uint64_t permuted(uint64_t index, uint64_t limit, uint64_t seed) {
  const uint64_t stretch = index / limit, within = index % limit;
  uint64_t factor = mix(seed, stretch) % limit | 1;
  while (std::gcd(factor, limit) != 1)
    ++factor;
  return stretch * limit + (within * factor + mix(seed, stretch + 99)) % limit;
}

} // namespace

uint64_t elementOf(const ElementType &type, Fill fill, int limit, uint64_t seed, uint64_t index) {
  const uint64_t draw = mix(seed, index);
  auto number = [&](int64_t value) {
    return type.isFloat ? test::encode(type, double(value)) : uint64_t(value) & maskOf(type);
  };
  switch (fill) {
  case Fill::Wild:
    return type.isFloat ? wildFloat(type, draw) : wildInt(type, draw);
  case Fill::Moderate: {
    if (!type.isFloat)
      return wildInt(type, draw);
    const double magnitude = 1.0 / 16 + double(draw % 1000003) / 1000003.0 * (4 - 1.0 / 8);
    return test::encode(type, test::roundTo(type, draw >> 60 & 1 ? magnitude : -magnitude));
  }
  case Fill::Small:
    return type.isSigned ? number(int64_t(draw % uint64_t(2 * limit + 1)) - limit)
                         : number(int64_t(draw % uint64_t(limit + 1)));
  case Fill::Index:
    return number(int64_t(draw % uint64_t(std::max(1, limit))));
  case Fill::NearIndex:
    return number(int64_t(draw % uint64_t(limit + 4)) - 2);
  case Fill::Permutation:
    return number(int64_t(permuted(index, uint64_t(std::max(1, limit)), seed)));
  case Fill::Poison:
    return 0xa5a5a5a5a5a5a5a5 & (type.isBool() ? 0xff : maskOf(type));
  }
  return 0;
}

Memory::Memory(const BufferPlan &plan, uint64_t seed) : width_(widthOf(*plan.buffer.type)) {
  size_ = size_t(plan.count) * width_;
  bytes_.assign(size_ + 2 * kZone + 128, kZoneByte);
  // Aligned to a cache line, or to one element and no more.
  const size_t to = (64 - reinterpret_cast<uintptr_t>(bytes_.data()) % 64) % 64;
  begin_ = kZone + to + (plan.aligned ? 0 : width_);
  for (size_t k = 0; k < size_t(plan.count); ++k) {
    const uint64_t bits = elementOf(*plan.buffer.type, plan.buffer.fill, plan.limit, seed, k);
    std::memcpy(data() + k * width_, &bits, width_);
  }
}

uint64_t Memory::element(size_t index) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data() + index * width_, width_);
  return bits;
}

std::string Memory::strayWrite() const {
  for (size_t k = 0; k < bytes_.size(); ++k)
    if ((k < begin_ || k >= begin_ + size_) && bytes_[k] != kZoneByte)
      return k < begin_ ? std::to_string(begin_ - k) + " bytes before its first element"
                        : std::to_string(k - begin_ - size_) + " bytes after its last element";
  return "";
}

/// Floats in order as integers, zeros of both signs equal: neighbours are one ulp apart.
static int64_t ordered(const ElementType &type, uint64_t bits) {
  const uint64_t sign = uint64_t(1) << (type.bits - 1);
  return bits & sign ? -int64_t(bits & (sign - 1)) : int64_t(bits);
}

static bool agrees(const ElementType &type, const Facts &facts, uint64_t expected, uint64_t got) {
  if (expected == got)
    return true;
  if (!type.isFloat || facts.raw)
    return false;
  const double a = test::decode(type, expected), b = test::decode(type, got);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (facts.exact)
    return false;
  if (facts.within > 0 && std::fabs(a - b) <= facts.within)
    return true;
  // Wider than the numbers: the distance of two of opposite sign does not fit in 64 bits.
  const __int128 apart = __int128(ordered(type, expected)) - ordered(type, got);
  return apart <= __int128(facts.ulps) && -apart <= __int128(facts.ulps);
}

std::string difference(const BufferPlan &plan, const Memory &expected, const Memory &got) {
  const ElementType &type = *plan.buffer.type;
  Facts facts = plan.buffer.facts;
  if (!plan.buffer.written)
    facts.raw = true;
  if (expected.size() && !std::memcmp(expected.data(), got.data(), expected.size()))
    return "";
  for (size_t k = 0; k < size_t(plan.count); ++k)
    if (uint64_t a = expected.element(k), b = got.element(k); !agrees(type, facts, a, b)) {
      char bits[64];
      std::snprintf(bits, sizeof bits, " (%llx against %llx)", static_cast<unsigned long long>(a),
                    static_cast<unsigned long long>(b));
      return plan.name + "[" + std::to_string(k) + "] is " + test::printElement(type, b) + ", expected " +
             test::printElement(type, a) + bits;
    }
  return "";
}

} // namespace tilewise::random
