// The costs of a dimension as the one of the lanes.
#include "target/cpu/plan/NestLanes.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

// Against one instruction for a vector of neighbours:
/// A load of its own for each lane, and putting them together: half of 16, since addresses are
/// cheap.
constexpr unsigned kStrided = 8;
/// The same, with addresses that are computed lane by lane.
constexpr unsigned kScattered = 12;
/// A stride known at run time only: it is 1 as often as not.
constexpr unsigned kPerhapsStrided = 4;
constexpr unsigned kHalfEmpty = 3; ///< Each time that a register is filled by half only.
constexpr unsigned kCombined = 1;  ///< Lanes of a reduction are combined at the end, once.

/// What an access costs along a dimension of its block: nothing when its lanes are neighbours or
/// equal.
unsigned strideCost(const tile::AffineForm &address, size_t dim) {
  if (dim >= address.strides.size() || !address.strides[dim])
    return kScattered;
  const tile::ScalarExpr &stride = *address.strides[dim];
  if (stride.isConstant(0) || stride.isConstant(1))
    return 0;
  // It may well be 1, unless another one is.
  bool mayBeOne = !stride.isConstant() &&
                  llvm::none_of(address.strides, [](const auto &other) { return other && other->isConstant(1); });
  return mayBeOne ? kPerhapsStrided : kStrided;
}

} // namespace

unsigned vectorCost(const NestSurvey &survey, const NestEnds &ends, const Machine &machine, unsigned dim) {
  unsigned cost = 0;
  auto add = [&](const Position &position, llvm::function_ref<unsigned(size_t)> costAlong) {
    for (auto [d, at] : llvm::enumerate(position))
      if (at == int(dim))
        cost += costAlong(d);
  };
  auto addAccess = [&](tile::MemoryAccess access, const Position &position) {
    const tile::AffineForm &address = survey.inference.access(access).address;
    add(position, [&](size_t d) { return strideCost(address, d); });
  };
  auto addScratch = [&](ArrayRef<int64_t> strides, const Position &position) {
    add(position, [&](size_t d) { return strides[d] == 1 ? 0 : kStrided; });
  };
  for (const LoadAt &load : survey.loads)
    addAccess(tile::LoadOp(load.op), load.position);
  for (const auto &[block, position] : survey.reads)
    addScratch(ends.stridesOf(block), position);
  for (tile::StoreOp store : ends.stores)
    addAccess(store, survey.identity());
  for (ArrayRef<int64_t> strides : ends.written)
    addScratch(strides, survey.identity());
  const int64_t full = machine.lanes(survey.widestBits);
  for (int64_t extent = survey.shape[dim]; extent < full; extent *= 2)
    cost += kHalfEmpty;
  return cost + (int(dim) == ends.axis ? kCombined : 0);
}

int chooseVectorDim(const NestSurvey &survey, const NestEnds &ends, const Machine &machine) {
  int found = -1;
  unsigned best = ~0u;
  for (size_t d = 0; d < survey.shape.size(); ++d)
    if (unsigned cost = vectorCost(survey, ends, machine, unsigned(d)); survey.shape[d] > 1 && cost <= best) {
      best = cost;
      found = int(d);
    }
  return found;
}

} // namespace tilewise::cpu
