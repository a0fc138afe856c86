// Layouts of blocks that are multiplied tile by tile.
#include "target/gpu/MatrixInstruction.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewise::gpu {

namespace {

/// Bits of a block's element numbers, dimension by dimension.
class Places {
public:
  explicit Places(ArrayRef<int64_t> shape) : plain_(shape, {}, {}, {}), rank_(shape.size()) {}

  uint32_t at(unsigned dim, uint32_t coordinate) const { return coordinate << plain_.dimShift(dim); }
  /// A basis of a tile, which has the block's last two dimensions.
  uint32_t ofTile(const LinearLayout &tile, uint32_t basis) const {
    SmallVector<int64_t> at = tile.coordinates(basis);
    return this->at(rank_ - 2, at[0]) | this->at(rank_ - 1, at[1]);
  }

private:
  LinearLayout plain_;
  unsigned rank_;
};

void addTile(LinearLayout::Bases &to, const Places &places, const LinearLayout &tile, Level level) {
  for (uint32_t basis : tile.bases(level))
    to.push_back(places.ofTile(tile, basis));
}

/// An operand: its tile, then along k, then as the accumulators repeat. `shared` is the dimension
/// that it has in common with them, `deep` is k's.
LinearLayout operandLayout(ArrayRef<int64_t> shape, const LinearLayout &tile, const LinearLayout &accumulators,
                           unsigned shared, unsigned deep) {
  Places places(shape);
  unsigned rank = shape.size(), deepTile = deep - (rank - 2), sharedTile = shared - (rank - 2);
  LinearLayout::Bases registers, lanes, warps;
  addTile(registers, places, tile, Level::Register);
  addTile(lanes, places, tile, Level::Lane);
  for (int64_t step = tile.shape()[deepTile]; step < shape[deep]; step *= 2)
    registers.push_back(places.at(deep, step));
  // The accumulators' coordinates without the dimension that the operand lacks.
  auto common = [&](uint32_t basis) {
    uint32_t kept = 0;
    for (auto [dim, coordinate] : enumerate(accumulators.coordinates(basis)))
      if (dim == shared || dim + 2 < rank)
        kept |= places.at(dim, coordinate);
    return kept;
  };
  uint32_t tileExtent = tile.shape()[sharedTile];
  for (uint32_t basis : accumulators.bases(Level::Register))
    if (uint32_t kept = common(basis);
        kept && (accumulators.coordinates(basis)[shared] == 0 || accumulators.coordinates(basis)[shared] >= tileExtent))
      registers.push_back(kept);
  for (uint32_t basis : accumulators.bases(Level::Warp))
    warps.push_back(common(basis));
  return LinearLayout(shape, registers, lanes, warps);
}

} // namespace

LinearLayout accumulatorLayout(ArrayRef<int64_t> shape, const MatrixInstruction &instruction, Team team,
                               WarpSplit split) {
  Places places(shape);
  unsigned rows = shape.size() - 2, columns = shape.size() - 1;
  LinearLayout::Bases registers, lanes, warps;
  addTile(registers, places, instruction.c, Level::Register);
  addTile(lanes, places, instruction.c, Level::Lane);
  addTile(warps, places, instruction.c, Level::Warp);
  SmallVector<int64_t, 4> next(shape.size(), 1);
  next[rows] = instruction.m();
  next[columns] = instruction.n();
  auto left = [&](unsigned dim) { return shape[dim] / next[dim]; };
  auto deal = [&](LinearLayout::Bases &to, unsigned dim) {
    to.push_back(places.at(dim, next[dim]));
    next[dim] *= 2;
  };
  while (warps.size() < team.warpBits && (left(rows) > 1 || left(columns) > 1)) {
    // By what is left in elements, not tiles: a warp that has 64 x 64 reads less than one that has
    // 32 x 128.
    bool byRows =
        split == WarpSplit::Rows
            ? left(rows) > 1
            : left(columns) == 1 || (left(rows) > 1 && left(rows) * instruction.m() >= left(columns) * instruction.n());
    deal(warps, byRows ? rows : columns);
  }
  for (unsigned dim = 0; dim < rows; ++dim)
    while (warps.size() < team.warpBits && left(dim) > 1)
      deal(warps, dim);
  warps.resize(team.warpBits, 0);
  for (unsigned dim = shape.size(); dim-- > 0;)
    while (left(dim) > 1)
      deal(registers, dim);
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout leftLayout(ArrayRef<int64_t> shape, const MatrixInstruction &instruction,
                        const LinearLayout &accumulators) {
  return operandLayout(shape, instruction.a, accumulators, shape.size() - 2, shape.size() - 1);
}

LinearLayout rightLayout(ArrayRef<int64_t> shape, const MatrixInstruction &instruction,
                         const LinearLayout &accumulators) {
  return operandLayout(shape, instruction.b, accumulators, shape.size() - 1, shape.size() - 2);
}

} // namespace tilewise::gpu
