// One row per element type.
#include "runtime/DataType.h"

#include "tilewise/float.hpp"

#include <bit>

namespace tilewise {

namespace {
struct Row {
  const char *name, *languageName;
  uint8_t bytes;
};
} // namespace

static constexpr Row kRows[] = {
    {"", "", 0},
    {"i1", "int1", 1},
    {"i8", "int8", 1},
    {"i16", "int16", 2},
    {"i32", "int32", 4},
    {"i64", "int64", 8},
    {"u8", "uint8", 1},
    {"u16", "uint16", 2},
    {"u32", "uint32", 4},
    {"u64", "uint64", 8},
    {"fp8e4nv", "float8e4nv", 1},
    {"fp8e5", "float8e5", 1},
    {"fp16", "float16", 2},
    {"bf16", "bfloat16", 2},
    {"fp32", "float32", 4},
    {"fp64", "float64", 8},
    {"fp8e4b8", "float8e4b8", 1},
    {"fp8e5b16", "float8e5b16", 1},
    {"fp8e4b15", "float8e4b15", 1},
};
static constexpr unsigned kCount = sizeof kRows / sizeof *kRows;
static_assert(kCount == TW_FLOAT8E4B15 + 1);

static const Row &row(tw_dtype type) { return kRows[unsigned(type) < kCount ? unsigned(type) : 0]; }

const char *dataTypeName(tw_dtype type) { return row(type).name; }
unsigned dataTypeBytes(tw_dtype type) { return row(type).bytes; }

tw_dtype parseDataType(std::string_view name) {
  if (name == "u1")
    return TW_BOOL;
  for (unsigned i = 1; i < kCount; ++i)
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
