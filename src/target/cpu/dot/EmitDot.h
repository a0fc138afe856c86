// tile.dot -> packed operands in scratch and the loops of a unit that multiplies them. What there
// is to choose from, and what is chosen, is told in plan/PlanDots.h.
#pragma once

#include "target/cpu/nests/Nest.h"
#include "target/cpu/plan/PlanDots.h"

#include "mlir/IR/Builders.h"

namespace tilewise::cpu {

/// Emits acc + a @ b into a buffer; without `destination` a new one.
void emitDot(KernelEmitter &kernel, tile::DotOp dot, const Buffer *destination);

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
/// What to do with an operand.
struct Packing {
  Given given;
  /// Not in place where its rows would meet in the same few sets of the cache.
  bool isReadOften = false;
  /// Only so much of a left operand in place is read; null: all.
  mlir::Value rows = {}, depth = {};
  bool isDense = false; ///< In place only where it lies there as it would in scratch.
};
Matrix packLeft(KernelEmitter &k, mlir::Value operand, mlir::Type element, const Packing &packing);
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

} // namespace tilewise::cpu
