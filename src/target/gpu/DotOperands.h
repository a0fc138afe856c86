// Which loads are for dots by matrix instructions alone, and how they would lie in shared memory.
//
//     %a = tile.load ..               %b = tile.load ..        whose rows run across k
//     %c = gpu.convert_layout %a      %d = tile.permute %b
//          tile.dot %c, ..                 tile.dot .., %d     asynchronous: reads tiles
//
// Both can be copied to shared memory without passing through registers: `%a` is read from there
// instead of being converted, `%b` by the instruction itself, as a tile with rows for columns.
#pragma once

#include "target/gpu/Machine.h"

#include <string>
#include <vector>

namespace tilewise::gpu {

/// Rows for columns.
bool isTransposition(mlir::Operation *op);
TileType transposed(TileType type);
/// What gives a value, looked at through transpositions; null for an argument.
mlir::Operation *beforeTransposition(mlir::Value value);
/// The dimension along which a thread holds neighbours; the last one when there is none.
unsigned minorOf(const LinearLayout &layout);

class DotOperands {
public:
  DotOperands(mlir::func::FuncOp kernel, const Machine &machine);

  struct Dot {
    mutable tile::DotOp op;
    MatrixInstruction instruction;
  };
  llvm::ArrayRef<Dot> dots() const { return dots_; }

  /// Whether the block is an operand of a dot by a matrix instruction, beside whatever else.
  static bool isForSomeDot(mlir::Operation *op);
  /// Whether dots are all that the block is for, each reading it from shared memory anyway; dots of
  /// its own block of ops, where it is `local`.
  bool isForDots(tile::LoadOp load, bool isLocal) const;
  /// Empty when a load can be copied so that those who use it can read it.
  std::string whyNotCopied(tile::LoadOp load) const;
  /// The tile that it is copied into.
  static TileType formOf(tile::LoadOp load);

private:
  const Dot *asynchronous(mlir::Operation *op) const;
  static bool leadsToDot(mlir::Operation *convert);
  bool suits(mlir::Operation *op, TileType form) const;

  const Machine &machine_;
  std::vector<Dot> dots_;
};

} // namespace tilewise::gpu
