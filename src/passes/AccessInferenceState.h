// The memory of access inference, shared by its parts: AffineForms.cpp, CarriedBlocks.cpp,
// AccessFacts.cpp, Assumptions.cpp, MaskBounds.cpp.
#pragma once

#include "passes/AccessInference.h"

#include "llvm/ADT/DenseSet.h"

namespace tilewise::tile {

struct AccessInference::State {
  // Answers live behind pointers so that references to them survive growth of the maps.
  llvm::DenseMap<mlir::Value, std::unique_ptr<AffineForm>> forms;
  llvm::DenseMap<mlir::Value, std::unique_ptr<CarriedBlock>> carried;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Facts>> facts;
  llvm::DenseMap<mlir::Value, int64_t> divisors;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<StructuredAccess>> accesses;
  // What `tile.assume` ops promise of scalars: that they are not negative; powers of two that
  // divide them.
  llvm::DenseSet<mlir::Value> assumedNonNegative;
  llvm::DenseMap<mlir::Value, int64_t> assumedDivisors;
  // In order of insertion: what to forget when an assumption about a loop's carried blocks turns
  // out wrong.
  std::vector<mlir::Value> log;

  const AffineForm &remember(mlir::Value value, AffineForm form) {
    log.push_back(value);
    auto &slot = forms[value];
    slot = std::make_unique<AffineForm>(std::move(form));
    return *slot;
  }

  void forgetSince(size_t mark) {
    for (; log.size() > mark; log.pop_back()) {
      forms.erase(log.back());
      carried.erase(log.back());
    }
  }
};

/// Where a region's argument or result comes from: what a loop starts with and yields, what the
/// test of a while loop passes on, what either branch gives; and the two blocks of which a select
/// takes one or the other as a whole. `key` is the same for values that are one and the same in
/// this.
struct RegionSources {
  const void *key = nullptr;
  llvm::SmallVector<mlir::Value, 2> values;
};
std::optional<RegionSources> regionSourcesOf(mlir::Value value);

/// Finds the forms of all blocks that the loop carries or the choice gives.
void inferRegion(AccessInference &inference, AccessInference::State &state, mlir::Operation *op);

/// Nothing is known; and: a value that stands for itself, or for its first element.
AffineForm unknownForm(mlir::Type type);
AffineForm leafForm(mlir::Value value);

/// Notes what the function's `tile.assume` ops promise.
void readAssumptions(mlir::Operation *function, AccessInference::State &state);

/// Bytes that one element takes in memory; a bool takes one.
int64_t bytesOf(mlir::Type element);

} // namespace tilewise::tile
