// The NVIDIA engine's passes in order. Nothing but the list.
#include "passes/Passes.h"
#include "target/gpu/Gpu.h"
#include "target/gpu/Passes.h"
#include "target/nvidia/NvidiaMachine.h"
#include "target/nvidia/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewise::nvidia {

void buildPlacePipeline(OpPassManager &passes, const LaunchOptions &options, unsigned capability) {
  NvidiaMachine::registerMaker();
  // Before anything knows what an access may leave out.
  if (options.checked)
    passes.addPass(gpu::createInsertChecks());
  buildEnginePipeline(passes);
  const std::string machine = NvidiaMachine::nameFor(capability);
  gpu::ExpandPrecisionOptions parts;
  parts.numWarps = options.numWarps;
  parts.machine = machine;
  passes.addPass(gpu::createExpandPrecision(parts));
  gpu::ChooseMmaOptions matrix;
  matrix.numWarps = options.numWarps;
  matrix.machine = machine;
  passes.addPass(gpu::createChooseMma(matrix));
  // 8-bit floats have no arithmetic of their own but for some dots; before layouts, so that what
  // they become is laid out like everything else.
  tile::ExpandNarrowFloatsOptions narrow;
  narrow.takesNarrow = gpu::GpuDialect::kTakesNarrowAttr.str();
  passes.addNestedPass<func::FuncOp>(tile::createExpandNarrowFloats(narrow));
  gpu::SplitDotsOptions split;
  split.machine = machine;
  passes.addPass(gpu::createSplitDots(split));
  passes.addPass(gpu::createNoteExchanges());
  gpu::AssignLayoutsOptions layouts;
  layouts.numWarps = options.numWarps;
  layouts.machine = machine;
  passes.addPass(gpu::createAssignLayouts(layouts));
  // Blocks computed anew in a layout are often computed twice: a pointer's offsets and its mask
  // share most of their ops.
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  gpu::PlaceCopiesOptions copies;
  copies.numStages = options.numStages;
  copies.boxes = !options.plainCopies && !options.checked;
  passes.addPass(gpu::createPlaceCopies(copies));
  gpu::SpecializeWarpsOptions beside;
  beside.keepsRegisters = options.maxRegisters != 0;
  passes.addPass(gpu::createSpecializeWarps(beside));
}

void buildSchedulePipeline(OpPassManager &passes) {
  passes.addPass(gpu::createPipelineLoops());
  passes.addPass(createCSEPass());
  passes.addPass(gpu::createSinkWidenings());
  passes.addPass(gpu::createAllocateShared());
  // Barriers last: any motion after them could carry an op across one.
  passes.addPass(gpu::createInsertBarriers());
  passes.addPass(gpu::createCheckBarriers());
  passes.addPass(gpu::createPlanResidency());
  passes.addPass(gpu::createVerifyStage());
}

void buildStagePipeline(OpPassManager &passes, const LaunchOptions &options, unsigned capability) {
  buildPlacePipeline(passes, options, capability);
  buildSchedulePipeline(passes);
}

void buildLlvmPipeline(OpPassManager &passes) {
  passes.addPass(gpu::createToLlvm());
  passes.addPass(createVerifyLlvmStage());
}

namespace {

struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("warps of a program"), llvm::cl::init(4)};
  Option<unsigned> numStages{*this, "num-stages", llvm::cl::desc("iterations of a loop in flight"), llvm::cl::init(3)};
  Option<unsigned> capability{*this, "capability", llvm::cl::desc("compute capability, such as 90"),
                              llvm::cl::init(90)};
  Option<bool> checked{*this, "checked", llvm::cl::desc("accesses are held against the memory of the arguments"),
                       llvm::cl::init(false)};
};

} // namespace

void addNvidiaPipelines() {
  NvidiaMachine::registerMaker();
  gpu::registerGpuPasses();
  registerNvidiaPasses();
  static PassPipelineRegistration<StageOptions> stage("tile-to-nvidia",
                                                      "tile IR -> the stage 'nvidia', as the driver does it",
                                                      [](OpPassManager &passes, const StageOptions &options) {
                                                        LaunchOptions launch;
                                                        launch.numWarps = options.numWarps;
                                                        launch.numStages = options.numStages;
                                                        launch.checked = options.checked;
                                                        buildStagePipeline(passes, launch, options.capability);
                                                      });
  static PassPipelineRegistration<> llvm("nvidia-to-llvm",
                                         "the stage 'nvidia' -> the LLVM dialect, as the driver does it",
                                         [](OpPassManager &passes) { buildLlvmPipeline(passes); });
}

} // namespace tilewise::nvidia
