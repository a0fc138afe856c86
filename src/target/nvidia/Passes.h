// The NVIDIA engine's own passes and its named pipelines.
#pragma once

#include "artifact/LaunchOptions.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tilewise::nvidia {

#define GEN_PASS_DECL
#include "target/nvidia/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "target/nvidia/Passes.h.inc"

/// Tile IR -> the stage `placed`: layouts, instructions and copies are chosen, nothing is in order
/// yet.
void buildPlacePipeline(mlir::OpPassManager &passes, const LaunchOptions &options, unsigned capability);
/// -> the stage `nvidia`: loops in their order, places in shared memory, barriers.
void buildSchedulePipeline(mlir::OpPassManager &passes);
/// Both of them.
void buildStagePipeline(mlir::OpPassManager &passes, const LaunchOptions &options, unsigned capability);
void buildLlvmPipeline(mlir::OpPassManager &passes);

/// For tilewise-opt: the passes by their flags, and `tile-to-nvidia`, `nvidia-to-llvm`.
void addNvidiaPipelines();

} // namespace tilewise::nvidia
