// cpu-share-rows: which nests compute several rows at once. The idea is told in ShareRows.h.
#include "target/cpu/plan/ShareRows.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/NestLanes.h"

#include <set>

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_SHAREROWS
#include "target/cpu/Passes.h.inc"

// Registers hold the results of so many rows beside what they are made from.
static constexpr int64_t kMostRows = 4;
// Loads further apart than this share nothing that is still in a register.
static constexpr int64_t kMostShift = 16;
// Elements between loads of one row: x86 and AArch64 have them in the instruction.
static constexpr int64_t kMostOffset = 512;
// Ops in the body of a loop: more than this costs more to compile, and to fetch, than the loads do.
static constexpr unsigned kMostOps = 512;
// A square of so many vectors leaves registers for what is made of it.
static constexpr int64_t kWidestSquare = 16;

RowLoads sharedLoads(const NestSurvey &survey, int vectorDim, unsigned dim) {
  RowLoads shared;
  for (auto [at, load] : llvm::enumerate(survey.loads)) {
    tile::LoadOp op = load.op;
    const tile::StructuredAccess &access = survey.inference.access(op);
    const auto *where = llvm::find(load.position, int8_t(dim));
    if (where == load.position.end() || !llvm::is_contained(load.position, vectorDim) || !access.isStructured() ||
        op.getIsVolatile() || llvm::count_if(survey.loads, [&](const LoadAt &other) { return other.op == op; }) != 1)
      continue;
    RowLoad found{op, 0, 0};
    for (const LoadAt &earlier : ArrayRef<LoadAt>(survey.loads).take_front(at)) {
      auto known = shared.find(earlier.op);
      if (known == shared.end() || known->second.first != earlier.op || earlier.position != load.position)
        continue;
      const tile::StructuredAccess &first = survey.inference.access(tile::LoadOp(earlier.op));
      if (first.address.pointer != access.address.pointer || first.element != access.element ||
          !llvm::equal(first.address.strides, access.address.strides))
        continue;
      tile::ScalarExpr stride = tile::lookInto(*access.address.strides[size_t(where - load.position.begin())]);
      tile::ScalarExpr apart = tile::lookInto(*access.address.base - *first.address.base);
      for (int64_t shift = -kMostShift; shift <= kMostShift && !stride.isZero(); ++shift) {
        tile::ScalarExpr rest = apart - stride * tile::ScalarExpr(shift);
        int64_t most = found.first == op ? kMostOffset : std::abs(found.offset);
        if (rest.isConstant() && std::abs(rest.constant()) < most)
          found = {earlier.op, shift, rest.constant()};
      }
    }
    shared[op] = found;
  }
  return shared;
}

bool isTransposed(const NestSurvey &survey, const LoadAt &load, int vectorDim, unsigned dim) {
  tile::LoadOp op = load.op;
  const tile::StructuredAccess &access = survey.inference.access(op);
  if (!access.isStructured() || op.getIsVolatile())
    return false;
  const tile::ScalarExpr *along = nullptr, *across = nullptr;
  for (auto [d, at] : llvm::enumerate(load.position)) {
    if (at == int(dim))
      along = &*access.address.strides[d];
    if (at == vectorDim)
      across = &*access.address.strides[d];
  }
  return along && across && along->isConstant(1) && !across->isConstant(0) && !across->isConstant(1);
}

/// How many loads a chunk of so many rows needs.
static size_t distinctLoads(const NestSurvey &survey, const RowLoads &shared, int64_t rows) {
  std::set<std::tuple<Operation *, int64_t, int64_t>> distinct;
  for (const LoadAt &load : survey.loads) {
    auto known = shared.find(load.op);
    RowLoad found = known == shared.end() ? RowLoad{load.op, 0, 0} : known->second;
    for (int64_t row = 0; row < rows; ++row)
      distinct.insert({found.first, found.shift + row, found.offset});
  }
  return distinct.size();
}

namespace {

struct ShareRows : impl::ShareRowsBase<ShareRows> {
  ShareRows() = default;
  explicit ShareRows(const Machine &machine) : machine(machine) {}

  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = tile::kernelOf(getOperation());
    // Without the instruction a fused multiply-add is some ninety others, beside which loads are
    // nothing.
    if (!kernel || !machine.hasFma)
      return;
    auto &inference = getChildAnalysis<tile::AccessInference>(kernel);
    kernel.walk([&](NestOp nest) { choose(nest, inference); });
  }

  /// As many rows as there are lanes, where a load has its neighbours along them.
  static bool chooseSquare(NestOp nest, const NestSurvey &survey) {
    const NestLanes lanes = lanesOf(nest);
    if (lanes.dim < 0 || lanes.count < 4 || lanes.count > kWidestSquare || survey.ops * lanes.count > kMostOps)
      return false;
    for (const LoadAt &load : survey.loads)
      for (auto [d, extent] : llvm::enumerate(nest.getShape()))
        if (int(d) != lanes.dim && extent % lanes.count == 0 && isTransposed(survey, load, lanes.dim, unsigned(d))) {
          nest.setRows(lanes.count);
          nest.setRowDim(int64_t(d));
          return true;
        }
    return false;
  }

  void choose(NestOp nest, tile::AccessInference &inference) {
    if (nest.getBody().getOps<tile::LoadOp>().empty() || !nest.getBody().getOps<tile::ReduceOp>().empty())
      return;
    NestSurvey survey = surveyOf(nest, inference);
    const int vectorDim = lanesOf(nest).dim;
    if (vectorDim < 0 || chooseSquare(nest, survey) || survey.loads.size() < 2)
      return;
    for (int64_t rows = kMostRows; rows > 1; rows /= 2)
      for (auto [d, extent] : llvm::enumerate(nest.getShape())) {
        if (int(d) == vectorDim || extent == 1 || extent % rows != 0 || survey.ops * rows > kMostOps)
          continue;
        RowLoads shared = sharedLoads(survey, vectorDim, unsigned(d));
        // A quarter of the loads must go.
        if (distinctLoads(survey, shared, rows) * 4 <= survey.loads.size() * size_t(rows) * 3) {
          nest.setRows(rows);
          nest.setRowDim(int64_t(d));
          return;
        }
      }
  }

  Machine machine;
};

} // namespace

std::unique_ptr<Pass> createShareRowsPass(const Machine &machine) { return std::make_unique<ShareRows>(machine); }

} // namespace tilewise::cpu
