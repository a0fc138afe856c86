// The CPU engine's passes in order: the list that the driver runs and that tilewise-opt runs under the same names.
#include "target/cpu/Passes.h"

#include "passes/Passes.h"
#include "target/LineTables.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewise::cpu {

void buildCpuStagePipeline(OpPassManager &passes, const Machine &machine, bool checked) {
  passes.addNestedPass<func::FuncOp>(tile::createExpandAssembly());
  buildEnginePipeline(passes);
  passes.addPass(createToNestsPass(machine, checked));
  // Math before narrow floats: exp of a bf16 first becomes exp of an f32.
  passes.addPass(createExpandMathPass(machine));
  passes.addPass(createExpandNarrowFloatsPass(machine));
  passes.addPass(createCSEPass()); // Nests are emitted with a constant wherever one is needed.
  passes.addPass(createVerifyCpuStagePass());
}

void buildCpuLlvmPipeline(OpPassManager &passes) {
  passes.addPass(createToLlvmPass());
  passes.addPass(createVerifyCpuLlvmStagePass());
}

} // namespace tilewise::cpu

namespace tilewise {

void addCpuPipelines() {
  using namespace cpu;
  registerPass([] { return createToNestsPass(); });
  registerPass([] { return createExpandMathPass(); });
  registerPass([] { return createExpandNarrowFloatsPass(); });
  registerPass([] { return createVerifyCpuStagePass(); });
  registerPass([] { return createToLlvmPass(); });
  registerPass([] { return createVerifyCpuLlvmStagePass(); });
  registerPass([] { return createLineTablesPass(); });
  PassPipelineRegistration<> stage("tile-to-cpu", "Tile IR to the CPU stage, for a machine with AVX-512",
                                   [](OpPassManager &passes) { buildCpuStagePipeline(passes, {}, /*checked=*/false); });
  PassPipelineRegistration<> llvm("cpu-to-llvm-dialect", "The CPU stage to the LLVM dialect", buildCpuLlvmPipeline);
}

} // namespace tilewise
