// How acc + a @ b is computed: the units of a processor that multiply, what they want their
// operands to look like, and how they get it.
//
// Every unit adds to a tile of the result that stays in registers through the whole of K. The plain
// one multiplies f32, f64 or integers as they are, `acc[m, n] += a[m, k] * b[k, n]`, one k after
// the other. The others take a *group* of neighbours along k that fills 32 bits: two bf16 or i16,
// or four i8. For them b is written as words, the group of column n next to that of column n + 1
// (here for pairs):
//
//     b[0, 0] b[0, 1] b[0, 2] ..         word[0, 0] = (b[0, 0], b[1, 0])  word[0, 1] = (b[0, 1], b[1, 1])  ..
//     b[1, 0] b[1, 1] b[1, 2] ..    =>   word[1, 0] = (b[2, 0], b[3, 0])  ..
//     b[2, 0] ..
//
// In a the groups of a row lie together already. So both operands are matrices of words, [M, K /
// group] and [K / group, N], and a unit of vectors is the plain micro-kernel over words with
// another instruction in its middle (AVX512-BF16, VNNI, SSE2's for i16). A unit of tiles (AMX)
// multiplies 16 rows of 16 words by 16 rows of 16 words at once.
//
// f16 has no unit that adds in f32 before AMX-FP16. But its 11 bits of mantissa are the sum of two
// bf16 of 8, and products of bf16 are exact in f32: (ah + al) * (bh + bl) is four products of
// tiles, with an error as small as f32's own. Infinities do not split (inf * 0 is NaN); operands
// that hold one, or a NaN, take the plain path at run time.
//
// AMX and AVX512-BF16 take denormal bf16 for zero, which docs/semantics.md says, too.
//
// An operand is *given* to its unit in one of these ways, left and right apart:
//
//     kept                 it lies in scratch already, as the unit wants it
//     rows                 packed into scratch row by row, converted and masked on the way
//     columns              the same column by column, since these are what is contiguous in memory;
//                          the micro-kernel walks a left operand so, a right one is transposed
//     rows_in_place,       read where it was loaded from, or packed where its mask turns out to be
//     columns_in_place     false somewhere: packing waits for memory, see EmitDot.cpp
//
// `#cpu.dot<by plain, left rows_in_place, right rows>` says both of a dot of the plan.
#pragma once

#include "target/cpu/Machine.h"
#include "target/cpu/plan/Cpu.h"

namespace tilewise::cpu {

/// Of a dot of the plan: its DotPlanAttr.
inline constexpr char kDotPlanAttr[] = "cpu.dot";

/// Whether the unit multiplies tiles (AMX).
inline bool hasTiles(DotUnit unit) {
  return unit == DotUnit::Bf16Tiles || unit == DotUnit::I8Tiles || unit == DotUnit::HalfTiles;
}
/// The type that the unit takes operands in. A plain dot forms products and adds in it, too.
mlir::Type operandType(tile::DotOp dot, DotUnit unit);

/// Rows, vectors and lanes of a tile of the micro-kernel.
struct TileShape {
  int64_t rows, vectors, lanes;
};
TileShape microTile(const Machine &machine, int64_t rows, int64_t columns, mlir::Type element);

/// The micro-kernel walks down a few columns. Rows of 512 bytes and more would send these to a
/// fraction of the cache's sets; one more line per row spreads them over all.
bool isPaddedMatrix(int64_t columns, mlir::Type element);
/// Registers of a square that is transposed at once, for matrices of these extents.
int64_t transposedSquare(const Machine &machine, int64_t rows, int64_t columns, mlir::Type element);

} // namespace tilewise::cpu
