// The target-independent pipeline: tile IR -> tile IR. Nothing but the list.
#include "passes/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewise {

void buildTilePipeline(OpPassManager &passes, bool fpFusion) {
  // Before a hint without uses is dropped.
  passes.addNestedPass<func::FuncOp>(tile::createApplyHints());
  // Folds what specialisation made constant, so that equal values look equal to CSE.
  passes.addPass(createCanonicalizerPass());
  // Offsets and masks are often spelled inside the loop though they do not change there.
  passes.addPass(createLoopInvariantCodeMotionPass());
  // After hoisting: what left a loop is often spelled again behind it.
  passes.addPass(createCSEPass());
  // After CSE: a product shared by two sums must be seen as shared.
  if (fpFusion) {
    passes.addNestedPass<func::FuncOp>(tile::createFormDots());
    passes.addNestedPass<func::FuncOp>(tile::createFormFma());
  }
  // Drops the products that fma formation left, and folds negated constants.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(tile::createVerifyTileStage());
}

void buildEnginePipeline(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(tile::createExpandLibdevice());
  passes.addNestedPass<func::FuncOp>(tile::createUnwrapOffsets());
  // Masks that loads of one shape got from one wrap are the same.
  passes.addPass(createCSEPass());
}

namespace {
struct TilePipelineOptions : PassPipelineOptions<TilePipelineOptions> {
  Option<bool> fpFusion{*this, "fp-fusion", llvm::cl::desc("form fused multiply-adds"), llvm::cl::init(true)};
};
} // namespace

void registerTilePipeline() {
  tile::registerTilePasses();
  PassPipelineRegistration<TilePipelineOptions>(
      "tile-optimize", "the target-independent passes, as the driver runs them",
      [](OpPassManager &passes, const TilePipelineOptions &options) { buildTilePipeline(passes, options.fpFusion); });
  PassPipelineRegistration<>("tile-prepare", "what the compiling engines run before their own passes",
                             buildEnginePipeline);
}

} // namespace tilewise
