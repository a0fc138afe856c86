// One row per element type.
#include "runtime/DataType.h"

#include "tilewise/float.hpp"

#include <array>
#include <bit>

namespace tilewise {

namespace {
struct Row {
  const char *name = "", *languageName = "";
  uint8_t bytes = 0;
};
} // namespace

/// By the number of the type, which is for ever what the C interface says it is.
static constexpr auto kRows = [] {
  std::array<Row, TW_FLOAT8E4B15 + 1> rows{};
#define TILEWISE_INT_TYPE(SCALAR, TW, BITS, NAME, SIGNATURE, ...) rows[TW] = {SIGNATURE, NAME, (BITS + 7) / 8};
#define TILEWISE_FLOAT_TYPE(SCALAR, TW, BITS, NAME, LANGUAGE, ...) rows[TW] = {NAME, LANGUAGE, BITS / 8};
#include "support/ElementTypes.def"
  return rows;
}();

static const Row &row(tw_dtype type) { return kRows[unsigned(type) < kRows.size() ? unsigned(type) : 0]; }

const char *dataTypeName(tw_dtype type) { return row(type).name; }
unsigned dataTypeBytes(tw_dtype type) { return row(type).bytes; }

tw_dtype parseDataType(std::string_view name) {
  if (name == "u1")
    return TW_BOOL;
  for (unsigned i = 1; i < kRows.size(); ++i)
    if (name == kRows[i].name || name == kRows[i].languageName)
      return tw_dtype(i);
  return TW_DTYPE_NONE;
}

uint64_t floatSlot(double value, tw_dtype type) {
  switch (type) {
  case TW_FLOAT64:
    return std::bit_cast<uint64_t>(value);
  case TW_FLOAT32:
    return std::bit_cast<uint32_t>(float(value));
  case TW_FLOAT16:
    return float16::encode(value);
  case TW_BFLOAT16:
    return bfloat16::encode(value);
  case TW_FLOAT8E4M3:
    return float8e4m3::encode(value);
  case TW_FLOAT8E5M2:
    return float8e5m2::encode(value);
  default:
    return 0;
  }
}

bool integerFits(bool negative, uint64_t bits, tw_dtype type) {
  if (type == TW_BOOL)
    return true; // the lowest bit is taken
  const unsigned width = dataTypeBytes(type) * 8;
  if (isSignedInt(type))
    return negative ? width == 64 || int64_t(bits) >= -(int64_t(1) << (width - 1))
                    : bits <= (uint64_t(1) << (width - 1)) - 1;
  return !negative && (width == 64 || bits >> width == 0);
}

} // namespace tilewise
