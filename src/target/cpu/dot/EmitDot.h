// How acc + a @ b is computed: the units of a processor that multiply, and what they want their
// operands to look like.
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
#pragma once

#include "target/cpu/nests/Nest.h"

#include "mlir/IR/Builders.h"

namespace tilewise::cpu {

/// Emits acc + a @ b into a buffer; without `destination` a new one.
void emitDot(KernelEmitter &kernel, tile::DotOp dot, const Buffer *destination);

enum class DotUnit {
  Plain,     ///< Fused multiply-adds, or integer products.
  Bf16Pairs, ///< AVX512-BF16.
  I8Quads,   ///< AVX512-VNNI or AVX-VNNI.
  I16Pairs,  ///< i8 as i16, on any other x86: SSE2, AVX2, AVX512-BW.
  Bf16Tiles, ///< AMX.
  I8Tiles,
  HalfTiles, ///< f16 as sums of two bf16 on AMX.
};

/// Which unit computes the dot on this machine.
DotUnit chooseDotUnit(const Machine &machine, tile::DotOp dot);

/// Rows and columns of a result that are ever stored, from the first one on (EmitDotDemand.cpp);
/// null where that is not known.
struct Demand {
  mlir::Value rows, columns;
};
Demand demandOf(KernelEmitter &k, tile::DotOp dot);

/// A matrix, or a batch of them: in scratch, or where the block was loaded from.
struct Matrix {
  Buffer buffer;             ///< Its shape and element; and its place, but for the next two.
  mlir::Value pointer = {};  ///< To its first element, where that is known only at run time.
  mlir::Value rowBytes = {}; ///< From row to row of it. Columns are neighbours then.

  Matrix(Buffer buffer) : buffer(std::move(buffer)) {} // NOLINT: a buffer is one.
};

/// Places in the matrices of a dot, which may be batches of them.
struct DotMatrices {
  KernelEmitter &k;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value batch = {}; ///< Which matrix; null where there is one.

  static int64_t rowStride(const Buffer &buffer) { return buffer.strides[buffer.strides.size() - 2]; }
  static int64_t columnStride(const Buffer &buffer) { return buffer.strides.back(); }
  static int64_t rowsOf(const Buffer &buffer) { return buffer.shape[buffer.shape.size() - 2]; }
  static int64_t columnsOf(const Buffer &buffer) { return buffer.shape.back(); }

  mlir::Value address(const Matrix &matrix, mlir::Value row, mlir::Value column);
  /// `row` and `column` further than `origin`.
  mlir::Value at(const Matrix &matrix, mlir::Value origin, int64_t row, int64_t column);
  /// From row to row.
  mlir::Value rowBytes(const Matrix &matrix);
  /// Nothing where there is nothing to do.
  void loop(int64_t begin, int64_t end, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// The same, up to what is known only at run time.
  void loop(int64_t begin, int64_t end, mlir::Value upTo, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// Runs `body` for each matrix of a batch of `buffer`'s rank.
  void forEachMatrix(const Buffer &buffer, llvm::function_ref<void()> body);
};

/// Matrices of words of 32 bits over the same memory, for rows of smaller elements.
Matrix asWords(const Matrix &rows);
/// Room for matrices; rows that would meet in the same few sets of the cache are kept apart.
Buffer allocateMatrix(KernelEmitter &k, llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// An operand, converted to what the unit takes.
struct PackedOperand {
  Matrix matrix;
  bool isTransposed = false; ///< Of the right operand, [.., N, K].
};
/// What may be done with an operand beside packing it.
struct Packing {
  /// Of the dot, which will write it: an operand that lies there is no operand.
  const Buffer *destination;
  /// Left: where the block's columns are contiguous in memory, so may be the buffer's.
  bool inColumns = false;
  /// A block that is a load is read where it lies, as long as its mask is true;
  bool inPlace = false;
  /// but not where its rows would meet in the same few sets of the cache.
  bool isReadOften = false;
  /// Only so much of a left operand in place is read; null: all.
  mlir::Value rows = {}, depth = {};
  bool isDense = false; ///< In place only where it lies there as it would in scratch.
};
/// Packs the left operand; a block that lies in scratch already is taken as it is.
Matrix packLeft(KernelEmitter &k, mlir::Value operand, mlir::Type element, const Packing &packing);
/// Packs the right operand; transposed where the columns of the block are contiguous in memory.
/// `inPlace` counts for both.
PackedOperand packRight(KernelEmitter &k, mlir::Value operand, mlir::Type element, const Packing &packing);
/// [.., N, K] -> [.., K, N], of elements of 32 or 64 bits.
Buffer transposed(KernelEmitter &k, mlir::Location loc, const Matrix &rows);
/// The right operand of bf16, i16 or i8 as words, see above; `flipSigns` adds 128 to every i8.
Buffer packedWords(KernelEmitter &k, mlir::Location loc, const PackedOperand &operand, bool flipSigns);
/// An index along K from which on both operands are 0 because their loads' masks say so; null where
/// that is not known.
mlir::Value depthBound(KernelEmitter &k, tile::DotOp dot);

/// result += left @ right by vectors; both are words for the units that take groups. `rowSums`, one
/// per row of the result, is taken off it. Of the depth of the operands only the first `depth`
/// count; null: all. With `startsFromZero` the result is written without being read. Beyond the
/// demand the result holds anything.
void emitMicroKernel(KernelEmitter &k, mlir::Location loc, DotUnit unit, const Matrix &left, const Matrix &right,
                     const Buffer &result, mlir::Value depth, bool startsFromZero, const Buffer *rowSums = nullptr,
                     const Demand &demand = {});
/// The same from operands in bf16, i16 or i8 (EmitDotWords.cpp); `depth` counts these.
void emitWordDot(KernelEmitter &k, mlir::Location loc, DotUnit unit, const Buffer &left, const PackedOperand &right,
                 const Buffer &result, mlir::Value depth, bool startsFromZero);
/// The same by tiles (EmitDotTiles.cpp).
void emitTileDot(KernelEmitter &k, mlir::Location loc, DotUnit unit, const Matrix &left, const PackedOperand &right,
                 const Buffer &result, mlir::Value depth);
/// Words for a depth in elements of 16 or 8 bits; null stays null.
mlir::Value depthInWords(KernelEmitter &k, mlir::Location loc, mlir::Value depth, int64_t group);

/// Rows, vectors and lanes of a tile of the micro-kernel.
struct TileShape {
  int64_t rows, vectors, lanes;
};
TileShape microTile(const Machine &machine, int64_t rows, int64_t columns, mlir::Type element);

} // namespace tilewise::cpu
