// Where the elements of a tile lie in shared memory.
//
// A tile is a matrix whose elements are neighbours along one dimension, its *minor* one. Matrix
// instructions and copy engines want it in panels: rows of at most 128 bytes, one below the other,
// and the next panel behind the last row of the one before.
//
//     [128, 64] of f16, minor = 1: one panel, 128 rows of 128 bytes
//     [64, 256] of f16, minor = 1: four panels of 64 rows, 64 columns each
//
// Rows of 128 bytes begin in the same of the 32 banks, so that eight threads which read one column
// of 16-byte pieces would queue for it. A *swizzle* deals each row's pieces anew: the piece's
// number is XORed with the row's. With rows of 128 bytes, that is bits 4 to 6 of the byte offset
// XORed with bits 7 to 9; with rows of 64 bytes bits 4 and 5 with 7 and 8, and so on: eight threads
// then meet 8 different groups of banks whether they walk along a row or down a column. It is the
// form that the hardware knows under the names 128B, 64B and 32B.
//
//     row 0:  piece 0 1 2 3 4 5 6 7
//     row 1:  piece 1 0 3 2 5 4 7 6
//     row 2:  piece 2 3 0 1 6 7 4 5
//
// All of it is linear over the bits of the element's number, as layouts are (ir/LinearLayout.h).
#pragma once

#include "target/gpu/Gpu.h"

namespace tilewise::gpu {

class TileForm {
public:
  static constexpr unsigned kWidestRow = 128; ///< Bytes.
  /// Eight rows of 128 bytes: where a swizzle begins anew, and what a tile's address must be a
  /// multiple of.
  static constexpr unsigned kAlignment = 1024;

  explicit TileForm(TileType type);
  /// The form of a matrix with this minor dimension; nothing when its rows are too short to be
  /// swizzled.
  static TileType typeFor(llvm::ArrayRef<int64_t> shape, mlir::Type element, unsigned minor);

  unsigned bytes() const { return rows_ * columns_ * elementBytes_; }
  /// What tiles of a ring are apart.
  unsigned stride() const;
  unsigned rowBytes() const { return rowBytes_; }
  unsigned rows() const { return rows_; }
  unsigned panels() const { return bytes() / panelBytes(); }
  /// Rows of a panel that a copy engine fills at once.
  unsigned boxRows() const { return std::min(rows_, 256u); }
  unsigned panelBytes() const { return rows_ * rowBytes_; }
  /// Bytes from the tile's start to an element of the matrix, before the swizzle and after it.
  uint32_t plainOffset(uint32_t element) const;
  uint32_t offset(uint32_t element) const;

private:
  llvm::SmallVector<int64_t, 2> shape_;
  unsigned minor_, elementBytes_, rowBytes_;
  uint32_t rows_, columns_; ///< Columns along the minor dimension.
};

} // namespace tilewise::gpu
