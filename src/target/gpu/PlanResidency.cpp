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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_PLANRESIDENCY
#include "target/gpu/Passes.h.inc"

namespace {

constexpr unsigned kThreads = 1024, kMostWords = 32, kLeastThreads = 256, kTooManyWords = 192;

/// How many 32-bit registers a thread holds of a kernel's blocks at one time, at most.
///
/// What follows from ranges and scalars alone is computed where it is used, mostly by the address
/// of an access itself; pointers of a block are a base and such offsets. They count for nothing.
class Pressure {
public:
  unsigned peakOf(Block &block, unsigned around = 0) {
    DenseMap<Operation *, SmallVector<Value>> ending;
    unsigned live = 0, peak = 0;
    auto begin = [&](Value value, unsigned words) {
      words_[value] = words;
      Operation *last = nullptr;
      for (Operation *user : value.getUsers())
        if (Operation *here = block.findAncestorOpInBlock(*user); here && (!last || last->isBeforeInBlock(here)))
          last = here;
      if (last && words) {
        ending[last].push_back(value);
        live += words;
      }
    };
    for (BlockArgument argument : block.getArguments())
      begin(argument, wordsOf(argument.getType()));
    for (Operation &op : block) {
      // What a loop begins with becomes its own arguments.
      unsigned before = live;
      for (Value value : ending.lookup(&op)) {
        live -= words_[value];
        if (!isUsedInside(value, op))
          before -= words_[value];
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          peak = std::max(peak, peakOf(inner, around + before));
      for (Value result : op.getResults())
        begin(result, wordsOfResult(op, result));
      peak = std::max(peak, around + live);
    }
    return peak;
  }

private:
  static unsigned wordsOf(Type type) {
    LayoutAttr layout = layoutAttrOf(type);
    if (!layout || isa<tile::PtrType>(tile::elementTypeOf(type)))
      return 0;
    return llvm::divideCeil(layout.layout().registers() * elementBytes(tile::elementTypeOf(type)), 4);
  }

  unsigned wordsOfResult(Operation &op, Value result) {
    if (isa<tile::SplatOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      return 0;
    // The same registers under other names.
    if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
      return words_.lookup(op.getOperand(0));
    bool isComputed = isa<FloatType>(tile::elementTypeOf(result.getType())) || !isMemoryEffectFree(&op) ||
                      llvm::any_of(op.getOperands(), [&](Value operand) { return words_.lookup(operand); });
    return isComputed ? wordsOf(result.getType()) : 0;
  }

  static bool isUsedInside(Value value, Operation &op) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return op.isProperAncestor(user); });
  }

  DenseMap<Value, unsigned> words_;
};

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
        words = std::max(words, Pressure().peakOf(block));
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
