// A block in shared memory, row by row, and the way between it and a thread's registers.
#pragma once

#include "target/gpu/Lowering.h"

namespace tilewise::gpu {

/// Element number e sits at position (e / columns) * rowElements + e % columns; `columns` is a
/// power of two.
class SharedTile {
public:
  SharedTile(Lowering &on, uint32_t offset, mlir::Type element, unsigned columns, unsigned rowElements)
      : on_(on), base_(on.sharedAddress(offset)), element_(element), columns_(columns), rowElements_(rowElements) {}

  /// Elements first to first + count - 1, powers of two; they sit at positions 0 to count - 1, and
  /// 16 bytes behind them belong to the tile, too.
  struct Window {
    uint32_t first, count;
  };

  /// Every thread writes what it holds; copies write the same value.
  void store(const LinearLayout &layout, const Registers &registers);
  /// Every thread reads what `layout` gives it.
  Registers load(const LinearLayout &layout);
  /// The same for the elements of a window; `registers` keeps the others.
  void store(const LinearLayout &layout, const Registers &registers, Window window);
  /// Where all lanes take part: by whole matrices, if the layout suits them.
  void storeTogether(const LinearLayout &layout, const Registers &registers, Window window);
  void load(const LinearLayout &layout, Registers &registers, Window window);

  /// `count` neighbours that start at a position; aligned to their size.
  Registers loadRun(mlir::Value position, unsigned count);

  void storeOne(mlir::Value position, mlir::Value value);
  void storeRun(mlir::Value position, llvm::ArrayRef<mlir::Value> values);
  mlir::Value addressOf(mlir::Value position);

private:
  /// Where a register's element is in a window. Nothing: never in it. `inside` is null when it
  /// always is.
  struct InWindow {
    mlir::Value position, inside;
  };
  std::optional<InWindow> inWindow(const LinearLayout &layout, uint32_t reg, Window window);
  /// Writes by whole matrices; false where that cannot be, or one by one is as good.
  bool storeMatrices(const LinearLayout &layout, const Registers &registers, Window window);
  /// Registers in aligned groups of this many hold neighbours of one row.
  unsigned groupOf(const LinearLayout &layout) const;
  mlir::Value positionOf(const LinearLayout &layout, uint32_t reg);

  Lowering &on_;
  mlir::Value base_;
  mlir::Type element_;
  unsigned columns_, rowElements_;
};

} // namespace tilewise::gpu
