// A tile in shared memory, and the way between it and the registers of a laid-out block.
#pragma once

#include "target/gpu/Lowering.h"
#include "target/gpu/MatrixAccess.h"
#include "target/gpu/TileForm.h"

namespace tilewise::gpu {

class TileAccess {
public:
  /// `layout` is that of the block; `tile` the tile's address.
  TileAccess(Lowering &on, mlir::Value tile, TileType type, const LinearLayout &layout);

  /// Registers in aligned groups of this many lie side by side in the tile, in at most 16 bytes.
  unsigned group() const { return group_; }
  mlir::Value addressOf(uint32_t reg);
  void storeRun(uint32_t first, llvm::ArrayRef<mlir::Value> values);

  /// Registers in aligned groups of this many are loaded at once: neighbours in the tile, or what a
  /// warp reads as matrices. All lanes take part.
  unsigned loadGroup() const { return matrices_ ? matrices_->registers : group_; }
  Registers loadRun(uint32_t first);

private:
  Registers loadMatrices(uint32_t first);

  Lowering &on_;
  mlir::Value tile_;
  mlir::Type element_;
  LinearLayout offsets_; ///< As the block's layout, but giving bytes from the tile's start.
  unsigned group_ = 1;
  std::optional<MatrixAccess> matrices_;
};

/// Whether a dot multiplies this operand, and does not add it.
bool isFactor(mlir::OpOperand &use);

/// Whether one dot by a matrix instruction is all that a block is read for, and nothing is written
/// in between: the dot then reads it step by step, which takes fewer registers.
bool isReadByDot(ReadOp read);

} // namespace tilewise::gpu
