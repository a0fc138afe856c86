// A block in shared memory, row by row, and the way between it and a thread's registers.
#pragma once

#include "target/nvidia/Lowering.h"

namespace tilewise::nv {

/// Element number e sits at position (e / columns) * rowElements + e % columns; `columns` is a power of two.
class SharedTile {
public:
  SharedTile(Lowering &on, uint32_t offset, mlir::Type element, unsigned columns, unsigned rowElements)
      : on_(on), base_(on.sharedAddress(offset)), element_(element), columns_(columns), rowElements_(rowElements) {}

  /// Every thread writes what it holds; copies write the same value.
  void store(const LinearLayout &layout, const Registers &registers);
  /// Every thread reads what `layout` gives it.
  Registers load(const LinearLayout &layout);

  /// `count` neighbours that start at a position; aligned to their size.
  Registers loadRun(mlir::Value position, unsigned count);

  void storeOne(mlir::Value position, mlir::Value value);

private:
  /// Registers in aligned groups of this many hold neighbours of one row.
  unsigned groupOf(const LinearLayout &layout) const;
  mlir::Value positionOf(const LinearLayout &layout, uint32_t reg);
  mlir::Value addressOf(mlir::Value position);

  Lowering &on_;
  mlir::Value base_;
  mlir::Type element_;
  unsigned columns_, rowElements_;
};

} // namespace tilewise::nv
