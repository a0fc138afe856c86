// Program ids, and the stores that go with them -> warnings about grids.
#include "passes/GridLints.h"

#include "passes/AccessInference.h"

using namespace mlir;

namespace tilewise::tile {

/// What a kernel may share its work out by without a program id: a counter in memory, the hardware.
static bool sharesOtherwise(Operation *op) { return isa<AtomicRmwOp, AtomicCasOp, InlineAsmOp, ExternCallOp>(op); }

/// The first op that asks for each axis.
static std::array<ProgramIdOp, 3> askedAxes(func::FuncOp kernel) {
  std::array<ProgramIdOp, 3> asked;
  kernel.walk([&](ProgramIdOp op) {
    if (ProgramIdOp &first = asked[op.getAxis()]; !first)
      first = op;
  });
  return asked;
}

/// A store to one row of neighbouring elements whose first moves by `step` with the program id, so
/// that neighbours share `extent - step` of them.
static std::optional<GridLint> overlapOf(StoreOp store, AccessInference &inference) {
  const StructuredAccess &access = inference.access(store);
  if (access.shape.size() != 1 || !access.address.isAffine() || (access.mask && !access.mask->isUnderstood()))
    return std::nullopt;
  if (!access.address.strides[0]->isConstant(1))
    return std::nullopt;
  for (const ScalarTerm &term : lookInto(*access.address.base).terms()) {
    auto id = term.factors.size() == 1 ? term.factors.front().getDefiningOp<ProgramIdOp>() : ProgramIdOp();
    const int64_t step = std::abs(term.coefficient);
    if (!id || step >= access.shape[0])
      continue;
    const std::string axis = std::to_string(id.getAxis());
    return GridLint{uint8_t(1u << id.getAxis()),
                    0,
                    Warning::OverlappingStore,
                    store.getLoc(),
                    "neighbouring programs store to the same addresses: a block has " +
                        std::to_string(access.shape[0]) + " elements, but the next program begins " +
                        std::to_string(step) + (step == 1 ? " element" : " elements") + " further",
                    "write tl.program_id(" + axis + ") * " + std::to_string(access.shape[0]) + " + tl.arange(0, " +
                        std::to_string(access.shape[0]) + ")"};
  }
  return std::nullopt;
}

std::vector<GridLint> findGridLints(func::FuncOp kernel, const WarningSet &on) {
  std::vector<GridLint> lints;
  std::array<ProgramIdOp, 3> asked = askedAxes(kernel);
  if (on.has(Warning::LaunchGrid)) {
    // A kernel that stores nothing, as one that only prints, does no work twice.
    bool stores = false, isShared = false;
    kernel.walk([&](Operation *op) {
      stores |= isa<StoreOp>(op);
      isShared |= sharesOtherwise(op);
    });
    for (unsigned axis = 0; axis < asked.size(); ++axis) {
      const std::string id = "tl.program_id(" + std::to_string(axis) + ")";
      if (asked[axis] && axis > 0)
        lints.push_back({0, uint8_t(axis), Warning::LaunchGrid, asked[axis].getLoc(),
                         id + " is always 0: the launch's grid has no dimension " + std::to_string(axis),
                         "give the grid " + std::to_string(axis + 1) + " dimensions"});
      else if (!asked[axis] && stores && !isShared)
        lints.push_back({uint8_t(1u << axis), 0, Warning::LaunchGrid, kernel.getLoc(),
                         "the launch's grid has several programs along dimension " + std::to_string(axis) +
                             ", and all of them do the same: the kernel never asks for " + id,
                         "let each program handle a block of its own, or launch one"});
    }
  }
  if (on.has(Warning::OverlappingStore)) {
    AccessInference inference(kernel);
    kernel.walk([&](StoreOp store) {
      if (std::optional<GridLint> lint = overlapOf(store, inference))
        lints.push_back(std::move(*lint));
    });
  }
  return lints;
}

} // namespace tilewise::tile
