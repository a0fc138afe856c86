// gpu-plan-residency: how many programs should at least run on one multiprocessor at a time, in the
// attribute `gpu.min_programs`.
//
// A kernel that only moves memory is as fast as there are bytes on their way, so registers had
// better not keep a second program out: softmax of rows of 16384 on 512 threads took 72 registers
// where 64 let two programs run. A thousand threads with 64 registers each fill a multiprocessor.
// The assembler is only asked to make do with 64 where that is no hardship: no dot, and no block
// with more than 32 words in a thread.
//
// A kernel with dots is as fast as its operands stay in registers. Left alone, the assembler spills
// a word or two to let one more program in; asked for one program, it does not.
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_PLANRESIDENCY
#include "target/gpu/Passes.h.inc"

namespace {

constexpr unsigned kThreads = 1024, kMostWords = 32, kLeastThreads = 256;

/// 32-bit registers that a thread holds of the block; 0 for scalars.
unsigned wordsOf(Type type) {
  LayoutAttr layout = layoutAttrOf(type);
  if (!layout)
    return 0;
  return llvm::divideCeil(layout.layout().registers() * elementBytes(tile::elementTypeOf(type)), 4);
}

struct PlanResidency : impl::PlanResidencyBase<PlanResidency> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<Machine> machine = machineOf(module);
    if (!machine) {
      module.emitError("names no machine");
      return signalPassFailure();
    }
    unsigned threads = machine->lanes() * numWarpsOf(module);
    bool isEasy = threads >= kLeastThreads && threads < kThreads, multiplies = false;
    module.walk([&](Operation *op) {
      multiplies |= isa<tile::DotOp, MmaOp>(op);
      for (Type type : op->getResultTypes())
        // Pointers of a block are a base and constants: they take few registers, however many they
        // are.
        isEasy &= wordsOf(type) <= kMostWords || isa<tile::PtrType>(tile::elementTypeOf(type));
    });
    auto ask = [&](unsigned programs) {
      module->setAttr(GpuDialect::kMinProgramsAttr, Builder(&getContext()).getI32IntegerAttr(programs));
    };
    if (multiplies)
      ask(1);
    else if (isEasy)
      ask(kThreads / threads);
  }
};

} // namespace

} // namespace tilewise::gpu
