// Element types at run time: names, sizes, and how a scalar of each is laid into a launch's 8-byte
// slot.
#pragma once

#include "tilewise/tilewise.h"

#include <cstdint>
#include <string_view>

namespace tilewise {

/// "fp32", "i64": as in a signature; empty for TW_DTYPE_NONE.
const char *dataTypeName(tw_dtype type);
/// By signature name or by the language's own: "fp32" or "float32".
tw_dtype parseDataType(std::string_view name);
/// What a number from outside stands for; TW_DTYPE_NONE where it is no type.
inline tw_dtype dataTypeOf(uint32_t number) { return number <= TW_FLOAT8E4B15 ? tw_dtype(number) : TW_DTYPE_NONE; }
/// Bytes in memory.
unsigned dataTypeBytes(tw_dtype type);

inline bool isFloat(tw_dtype type) { return type >= TW_FLOAT8E4M3; }
inline bool isSignedInt(tw_dtype type) { return type >= TW_INT8 && type <= TW_INT64; }

/// A float rounded to `type`, its bits in the low bytes.
uint64_t floatSlot(double value, tw_dtype type);
/// Whether the integer, given as its sign and its two's complement bits, is a value of `type`.
bool integerFits(bool negative, uint64_t bits, tw_dtype type);

} // namespace tilewise
