// gpu-plan-residency: how many programs should at least run on one multiprocessor at a time, in the
// attribute `gpu.min_programs`.
//
// A kernel that only moves memory is as fast as there are bytes on their way, so registers had
// better not keep a second program out: softmax of rows of 16384 on 512 threads took 72 registers
// where 64 let two programs run. A thousand threads with 64 registers each fill a multiprocessor.
// The assembler is only asked to make do with 64 where that is no hardship: no dot, and at no place
// more than 32 words of blocks in a thread.
//
// A kernel with dots is as fast as its operands stay in registers. Left alone, the assembler spills
// a word or two to let one more program in; asked for one program, it does not. And where a
// kernel's blocks cannot all be in registers, the assembler left alone gives up on them: for 256
// words in a thread it took 32 registers and spilled 3640 bytes, asked for one program 255 and 824.
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"
#include "target/gpu/RegisterPressure.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_PLANRESIDENCY
#include "target/gpu/Passes.h.inc"

namespace {

constexpr unsigned kThreads = 1024, kMostWords = 32, kLeastThreads = 256, kTooManyWords = 192;

struct PlanResidency : impl::PlanResidencyBase<PlanResidency> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<Machine> machine = machineOf(module);
    if (!machine) {
      module.emitError("names no machine");
      return signalPassFailure();
    }
    unsigned threads = machine->lanes() * numWarpsOf(module);
    bool multiplies = false;
    unsigned words = 0;
    module.walk([&](Operation *op) { multiplies |= isa<tile::DotOp, MmaOp>(op); });
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        words = std::max(words, wordsHeld(block));
    auto ask = [&](unsigned programs) {
      module->setAttr(GpuDialect::kMinProgramsAttr, Builder(&getContext()).getI32IntegerAttr(programs));
    };
    if (multiplies || words > kTooManyWords)
      ask(1);
    else if (words <= kMostWords && threads >= kLeastThreads && threads < kThreads)
      ask(kThreads / threads);
  }
};

} // namespace

} // namespace tilewise::gpu
