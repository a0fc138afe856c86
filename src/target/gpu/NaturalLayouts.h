// Where each block of a kernel wants to live, asked of tile IR before any layout is written into
// it.
//
// Some ops fix a layout: loads and stores by how they walk through memory, dot by its accumulator,
// reduce by its source. What follows from them elementwise lives there, too: that is a block's
// *natural* layout. Blocks that follow from nothing but program ids, ranges and constants have
// none: they are *free*, and are computed wherever they are needed, in each layout they are needed
// in. So pointers and masks never cross threads.
//
// A block carried by a loop lives where its initial value does; if that is free, where the yielded
// value does; if that is free, too, where a use inside the loop wants it (carried pointers: at the
// load).
#pragma once

#include "passes/AccessInference.h"
#include "target/gpu/Gpu.h"
#include "target/gpu/LayoutRules.h"
#include "target/gpu/Machine.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace tilewise::gpu {

/// Ops whose block can be computed anew in whatever layout it is wanted in.
bool isFree(mlir::Operation *op);
/// Ops on blocks that say themselves where these live, and are never computed twice.
bool isAnchor(mlir::Operation *op);

class NaturalLayouts {
public:
  NaturalLayouts(mlir::func::FuncOp kernel, const Machine &machine, Team team);

  /// Null for a free block and for scalars.
  LayoutAttr of(mlir::Value block);
  /// The layout an anchor works in: of a load's pointers, a dot's accumulator, a reduction's
  /// sources.
  LayoutAttr at(mlir::Operation *op) const { return anchors_.lookup(op); }
  /// Where a dot wants its left (0) or right (1) operand; null: anywhere.
  LayoutAttr dotOperandAt(tile::DotOp dot, unsigned index) const;
  /// Where an anchor leaves a result, a block.
  LayoutAttr resultAt(mlir::OpResult result) const;
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
  LayoutAttr dotLayoutFor(tile::DotOp dot) const;
  /// Whether an asynchronous instruction can read a loaded operand from a tile whose rows are those
  /// of memory.
  bool isReadAsItLies(tile::DotOp dot, unsigned index, const MatrixInstruction &instruction) const;
  LayoutAttr storeLayout(tile::StoreOp store);
  LayoutAttr splitLayout(tile::SplitOp split);
  LayoutAttr scanLayout(tile::ScanOp scan);
  LayoutAttr packedLayout(mlir::Operation *op, unsigned pack);
  /// Of an op whose blocks all live in one place: that of the first which has one.
  LayoutAttr commonLayout(mlir::Operation *op);
  /// The layout of an anchor that follows from its operands; null for what is none.
  LayoutAttr anchorFor(mlir::Operation *op);
  LayoutAttr compute(mlir::Value block);
  LayoutAttr ofCarried(mlir::Value block, llvm::ArrayRef<mlir::Value> sources);
  LayoutAttr wantedByUses(mlir::Value block);
  LayoutAttr attr(const LinearLayout &layout) const { return LayoutAttr::get(context_, layout); }

  mlir::MLIRContext *context_;
  const Machine &machine_;
  Team team_;
  llvm::DenseMap<mlir::Operation *, Access> accesses_;
  /// Per shape and fastest dimension the widest vector that any access wants: one layout for all of
  /// them saves conversions between, say, the f16 and the f32 blocks of one kernel.
  std::map<std::pair<llvm::SmallVector<int64_t>, unsigned>, unsigned> groups_;
  llvm::DenseMap<mlir::Operation *, LayoutAttr> anchors_;
  llvm::DenseMap<mlir::Value, LayoutAttr> known_;
  llvm::DenseSet<mlir::Value> free_, inProgress_;
};

} // namespace tilewise::gpu
