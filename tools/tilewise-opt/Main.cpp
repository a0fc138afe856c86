// tilewise-opt: IR text -> passes -> IR text, for tests and for looking at one pass alone.
#include "driver/Compile.h"
#include "passes/Passes.h"
#include "support/Engines.h"
#if TILEWISE_HAS_CPU_ENGINE
#include "target/cpu/Passes.h"
#include "target/cpu/plan/Cpu.h"
#endif
#ifdef TILEWISE_WITH_NVPTX
#include "target/gpu/Gpu.h"
#include "target/nvidia/Passes.h"
#endif

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewise::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  tilewise::registerTilePipeline();
#if TILEWISE_HAS_CPU_ENGINE
  registry.insert<tilewise::cpu::CpuDialect>();
  tilewise::addCpuPipelines();
#endif
#ifdef TILEWISE_WITH_NVPTX
  registry.insert<tilewise::gpu::GpuDialect>();
  tilewise::nvidia::addNvidiaPipelines();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewise optimiser driver\n", registry));
}
