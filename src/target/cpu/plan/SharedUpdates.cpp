// cpu-weigh-updates: on how many threads a kernel's atomics are still faster done by one of them.
//
// A locked addition takes 4.9 ns (an AMD EPYC; on memory that both of two threads add to, a good
// deal more), a plain one on vectors 0.3 with what it loads and stores. So a launch that does
// little else is faster on one thread, alone (runtime/Alone.h), unless it has many: rows scattered
// into a matrix took 1.28 ms on two threads, and take 0.08 on one.
//
//     locked, on T threads    (kLocked * updates + work) / T
//     alone                   kAlone * updates + work
#include "passes/AccessInference.h"
#include "passes/AtomicUse.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/KnownRounds.h"
#include "target/cpu/plan/PullCosts.h"

#include <cmath>

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_WEIGHUPDATES
#include "target/cpu/Passes.h.inc"

namespace {

/// Of an element, in the unit of PullCosts.h, which are of 16.
constexpr double kLocked = 25, kAlone = 1.5, kChunk = 16;

/// The larger of what an op takes and what it gives.
double elementsOf(Operation *op) {
  int64_t elements = 1;
  auto take = [&](TypeRange types) {
    for (Type type : types)
      if (auto block = dyn_cast<RankedTensorType>(type))
        elements = std::max(elements, block.getNumElements());
  };
  take(op->getOperandTypes());
  take(op->getResultTypes());
  return double(elements);
}

/// Whether the op is in a loop of which only the launch knows how long it is, and in which nothing
/// is updated.
bool mayTakeLong(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
    if (!knownRounds(loop) && !loop.walk([](Operation *inner) {
                                     return tile::isUpdate(inner) ? WalkResult::interrupt() : WalkResult::advance();
                                   })
                                   .wasInterrupted())
      return true;
  return false;
}

/// Whether the op is what a failed assertion runs, or prints: at most once, or slow anyway.
bool isForPeople(Operation *op) {
  if (isa<tile::TellsPeople>(op))
    return true;
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (llvm::any_of(*branch.thenBlock(), [](Operation &inner) { return isa<tile::TellsPeople>(inner); }))
      return true;
  return false;
}

/// 1: on several threads it is faster on all of them.
int64_t mostThreadsForOne(func::FuncOp kernel, tile::AccessInference &inference) {
  double updates = 0, work = 0;
  bool isKnown = true;
  kernel.walk([&](Operation *op) {
    if (isForPeople(op))
      return;
    const double elements = elementsOf(op) * double(knownRoundsAround(op));
    auto whole = dyn_cast<tile::WholeBlocks>(op);
    if (tile::isUpdate(op))
      updates += elements;
    else if (mayTakeLong(op) || (whole && !whole.givesElements() && !isa<tile::MemoryAccess>(op)))
      isKnown = false;
    else if (op->getNumResults() > 0 || isa<tile::MemoryAccess>(op))
      work += elements / kChunk * PullCosts::of(inference, op);
  });
  if (!isKnown || updates == 0)
    return 1;
  const double gain = (kLocked * updates + work) / (kAlone * updates + work);
  return std::max<int64_t>(1, int64_t(std::ceil(gain)) - 1);
}

struct WeighUpdates : impl::WeighUpdatesBase<WeighUpdates> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    markAllAnalysesPreserved();
    if (!tile::atomicUseOf(kernel).updatesOnly)
      return;
    if (int64_t threads = mostThreadsForOne(kernel, getChildAnalysis<tile::AccessInference>(kernel)); threads > 1)
      getOperation()->setAttr(kAloneThreadsAttr, Builder(&getContext()).getI64IntegerAttr(threads));
  }
};

} // namespace

} // namespace tilewise::cpu
