// cpu-choose-lanes: the costs of a dimension as the one of the lanes, and the choice by them.
#include "target/cpu/plan/NestLanes.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/ReduceIdentity.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_CHOOSELANES
#include "target/cpu/Passes.h.inc"

namespace {

// A ranking of accesses against a vector of neighbours, not times. Measured (bench/pull_costs.py,
// 16 lanes of fp32), a load of neighbours takes as long as 0.7 additions, one of every third
// element 28, a gather 34: any access that is not of neighbours outweighs all the rest, and among
// them those whose lanes have a stride are better than those that have none.
/// Lanes with a stride: a load of its own for each.
constexpr unsigned kStrided = 8;
/// Lanes whose addresses are computed one by one.
constexpr unsigned kScattered = 12;
/// A stride known at run time only: it is 1 as often as not.
constexpr unsigned kPerhapsStrided = 4;
/// Each time that a register is filled by half only: twice as many registers for the same elements,
/// of all ops in the nest. Three halvings are as bad as one strided access.
constexpr unsigned kHalfEmpty = 3;
/// Lanes of a reduction are combined at the end, once: breaks ties only.
constexpr unsigned kCombined = 1;

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
    add(position, [&](size_t d) {
      return !address.strides[d] && isRun(survey.inference, access, d) ? 0 : strideCost(address, d);
    });
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
  const int64_t full = machine.lanes(survey.widestBits[dim]);
  for (int64_t extent = survey.shape[dim]; extent < full; extent *= 2)
    cost += kHalfEmpty;
  return cost + (int(dim) == ends.axis() ? kCombined : 0);
}

static int chooseVectorDim(const NestSurvey &survey, const NestEnds &ends, const Machine &machine) {
  int found = -1;
  unsigned best = ~0u;
  for (size_t d = 0; d < survey.shape.size(); ++d)
    if (unsigned cost = vectorCost(survey, ends, machine, unsigned(d)); survey.shape[d] > 1 && cost <= best) {
      best = cost;
      found = int(d);
    }
  return found;
}

NestLanes chooseLanes(const NestSurvey &survey, const NestEnds &ends, const Machine &machine) {
  NestLanes lanes{chooseVectorDim(survey, ends, machine)};
  if (lanes.dim < 0)
    return lanes;
  const int64_t extent = survey.shape[lanes.dim];
  lanes.count = std::min(machine.lanes(survey.widestBits[lanes.dim]), int64_t(llvm::bit_floor(uint64_t(extent))));
  // Independent accumulators hide the latency of the combining op, four cycles for a float add,
  // where a chunk has little else to do: a load and three additions, or twice that. A load of
  // neighbours counts three of them (PullCosts.h).
  if (ends.axis() == lanes.dim && haveIdentities(ends.reductions))
    lanes.copies = survey.work <= 6 ? 4 : survey.work <= 12 ? 2 : 1;
  while (lanes.copies > 1 && extent < lanes.count * lanes.copies)
    lanes.copies /= 2;
  return lanes;
}

/// Row-major, as scratch is; the halves that a split leaves lie between each other.
static SmallVector<int64_t, 4> stridesInScratch(Value block) {
  ArrayRef<int64_t> shape = tile::shapeOf(block.getType());
  SmallVector<int64_t, 4> strides(shape.size(), block.getDefiningOp<tile::SplitOp>() ? 2 : 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

NestEnds endsOf(NestOp nest) {
  NestEnds ends{llvm::to_vector<2>(nest.getBody().getOps<tile::StoreOp>()),
                llvm::to_vector<2>(nest.getBody().getOps<tile::ReduceOp>()),
                {},
                stridesInScratch};
  for (auto keep : nest.getBody().getOps<KeepOp>())
    if (!keep.getValue().getDefiningOp<tile::ReduceOp>())
      ends.written.push_back(stridesInScratch(keep.getValue()));
  return ends;
}

unsigned readingCost(tile::AccessInference &inference, const Machine &machine, Value block, unsigned dim) {
  NestSurvey survey = surveyOf(block, inference);
  return vectorCost(survey, {{}, {}, {}, stridesInScratch}, machine, dim);
}

NestLanes lanesOf(NestOp nest) {
  if (!nest.getLanes())
    return {};
  return {int(*nest.getLaneDim()), int64_t(*nest.getLanes()), int64_t(nest.getCopies().value_or(1))};
}

namespace {

struct ChooseLanes : impl::ChooseLanesBase<ChooseLanes> {
  ChooseLanes() = default;
  explicit ChooseLanes(const Machine &machine) : machine(machine) {}

  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    if (vectorBytes)
      machine.vectorBytes = vectorBytes;
    auto &inference = getChildAnalysis<tile::AccessInference>(kernel);
    kernel.walk([&](NestOp nest) {
      const NestLanes lanes = chooseLanes(surveyOf(nest, inference), endsOf(nest), machine);
      if (lanes.dim < 0)
        return;
      nest.setLanes(lanes.count);
      nest.setLaneDim(lanes.dim);
      if (lanes.copies > 1)
        nest.setCopies(lanes.copies);
    });
  }

  Machine machine;
};

} // namespace

std::unique_ptr<Pass> createChooseLanesPass(const Machine &machine) { return std::make_unique<ChooseLanes>(machine); }

} // namespace tilewise::cpu
