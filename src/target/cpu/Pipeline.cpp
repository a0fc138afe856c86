// The CPU engine's passes in order: the list that the driver runs and that tilewise-opt runs under
// the same names.
#include "target/cpu/Passes.h"

#include "passes/Passes.h"
#include "target/LineTables.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_REGISTRATION
#include "target/cpu/Passes.h.inc"

namespace {
struct NestOptions : PassPipelineOptions<NestOptions> {
  Option<unsigned> vectorBytes{*this, "vector-bytes", llvm::cl::desc("width of a vector register"),
                               llvm::cl::init(Machine().vectorBytes)};
};
} // namespace

/// Tile IR that the engine has prepared -> the plan.
static void addPlanPasses(OpPassManager &passes, const Machine &machine, bool checked) {
  passes.addNestedPass<func::FuncOp>(createGuardAssertions());
  passes.addNestedPass<func::FuncOp>(createSplitClamps());
  passes.addNestedPass<func::FuncOp>(createMergeBranches());
  // What a checked kernel is told names lanes as its author numbered them.
  if (!checked)
    passes.addNestedPass<func::FuncOp>(createSplitRuns());
  passes.addPass(createFormNests({checked}));
  passes.addPass(createChooseLanesPass(machine));
  passes.addPass(createPlanDotsPass(machine));
  passes.addPass(createShareRowsPass(machine));
  // After rows: those that are taken together are guarded together.
  passes.addPass(createGuardAliases());
  // What a checked kernel is told must come from its own program, in the order of the ids.
  if (!checked) {
    passes.addPass(createPrefetch());
    passes.addPass(createOrderPrograms());
  }
  passes.addPass(createStream());
  passes.addPass(createWeighUpdates());
  passes.addPass(createVerifyPlan());
}

void buildCpuPlanPipeline(OpPassManager &passes, const Machine &machine, bool checked) {
  passes.addNestedPass<func::FuncOp>(tile::createExpandAssembly());
  buildEnginePipeline(passes);
  addPlanPasses(passes, machine, checked);
}

void buildCpuEmitPipeline(OpPassManager &passes, const Machine &machine) {
  passes.addPass(createEmitNestsPass(machine));
  // Math before narrow floats: exp of a bf16 first becomes exp of an f32.
  passes.addPass(createExpandMathPass(machine));
  passes.addPass(createExpandNarrowFloatsPass(machine));
  passes.addPass(createCSEPass()); // Nests are emitted with a constant wherever one is needed.
  passes.addPass(createVerifyStage());
}

void buildCpuStagePipeline(OpPassManager &passes, const Machine &machine, bool checked) {
  buildCpuPlanPipeline(passes, machine, checked);
  buildCpuEmitPipeline(passes, machine);
}

void buildCpuLlvmPipeline(OpPassManager &passes) {
  passes.addPass(createToLlvm());
  passes.addPass(createVerifyLlvmStage());
}

} // namespace tilewise::cpu

namespace tilewise {

void addCpuPipelines() {
  using namespace cpu;
  registerCpuPasses();
  addLlvmPasses();
  PassPipelineRegistration<> plan("tile-to-cpu-plan", "Tile IR to the plan of the CPU engine",
                                  [](OpPassManager &passes) { addPlanPasses(passes, {}, /*checked=*/false); });
  PassPipelineRegistration<NestOptions> nests("tile-to-cpu-nests", "Tile IR to loops over vectors, by way of the plan",
                                              [](OpPassManager &passes, const NestOptions &options) {
                                                Machine machine;
                                                machine.vectorBytes = options.vectorBytes;
                                                addPlanPasses(passes, machine, /*checked=*/false);
                                                passes.addPass(createEmitNestsPass(machine));
                                              });
  PassPipelineRegistration<> stage("tile-to-cpu", "Tile IR to the CPU stage, for a machine with AVX-512",
                                   [](OpPassManager &passes) { buildCpuStagePipeline(passes, {}, /*checked=*/false); });
  PassPipelineRegistration<> llvm("cpu-to-llvm-dialect", "The CPU stage to the LLVM dialect", buildCpuLlvmPipeline);
}

} // namespace tilewise
