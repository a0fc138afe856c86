// The NVIDIA engine's own passes and its named pipelines.
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tilewise::nvidia {

#define GEN_PASS_DECL
#include "target/nvidia/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "target/nvidia/Passes.h.inc"

void buildStagePipeline(mlir::OpPassManager &passes, unsigned numWarps, unsigned numStages, unsigned capability);
void buildLlvmPipeline(mlir::OpPassManager &passes);

/// For tilewise-opt: the passes by their flags, and `tile-to-nvidia`, `nvidia-to-llvm`.
void addNvidiaPipelines();

} // namespace tilewise::nvidia
