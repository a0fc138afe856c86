// Where each block of a kernel wants to live, asked of tile IR before any layout is written into it.
//
// Some ops fix a layout: loads and stores by how they walk through memory, dot by its accumulator, reduce by its source. What follows
// from them elementwise lives there, too: that is a block's *natural* layout. Blocks that follow from nothing but program ids, ranges and
// constants have none: they are *free*, and are computed wherever they are needed, in each layout they are needed in. So pointers and
// masks never cross threads.
//
// A block carried by a loop lives where its initial value does; if that is free, where the yielded value does; if that is free,
// too, where a use inside the loop wants it (carried pointers: at the load).
#pragma once

#include "passes/AccessInference.h"
#include "target/nvidia/LayoutRules.h"
#include "target/nvidia/Nv.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace tilewise::nv {

class NaturalLayouts {
public:
  NaturalLayouts(mlir::func::FuncOp kernel, unsigned numWarps);

  /// Null for a free block and for scalars.
  LayoutAttr of(mlir::Value block);
  /// The layout a load, store, dot or reduce works in: of its pointers, its accumulator, its sources.
  LayoutAttr at(mlir::Operation *op) const { return anchors_.lookup(op); }
  /// A layout for a block of this shape about which nothing is known.
  LayoutAttr fallback(llvm::ArrayRef<int64_t> shape) const;
  /// Elements that a thread can move at once in a load or store, given its layout.
  unsigned vectorOf(mlir::Operation *access) const;
  /// Whether such a vector is masked on or off as one.
  bool hasUniformMask(mlir::Operation *access) const;

private:
  struct Access {
    std::optional<unsigned> contiguousDim;
    unsigned vector = 1;
    int64_t maskConstancy = 1;
  };

  void readAccesses(mlir::func::FuncOp kernel);
  LayoutAttr memoryLayoutFor(mlir::Operation *access, llvm::ArrayRef<int64_t> shape) const;
  void chooseStoreLayout(tile::StoreOp store);
  LayoutAttr compute(mlir::Value block);
  LayoutAttr ofCarried(mlir::Value block, llvm::ArrayRef<mlir::Value> sources);
  LayoutAttr wantedByUses(mlir::Value block);
  LayoutAttr attr(const LinearLayout &layout) const { return LayoutAttr::get(context_, layout); }

  mlir::MLIRContext *context_;
  unsigned numWarps_;
  llvm::DenseMap<mlir::Operation *, Access> accesses_;
  /// Per shape and fastest dimension the widest vector that any access wants: one layout for all of them saves conversions between,
  /// say, the f16 and the f32 blocks of one kernel.
  std::map<std::pair<llvm::SmallVector<int64_t>, unsigned>, unsigned> groups_;
  llvm::DenseMap<mlir::Operation *, LayoutAttr> anchors_;
  llvm::DenseMap<mlir::Value, LayoutAttr> known_;
  llvm::DenseSet<mlir::Value> free_, inProgress_;
};

} // namespace tilewise::nv
