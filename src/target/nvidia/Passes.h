// The NVIDIA engine's passes, one file each, and its named pipelines.
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tilewise::nv {

/// nv-assign-layouts: tile IR -> tile IR in which every block has a layout; conversions where two of them meet.
std::unique_ptr<mlir::Pass> createAssignLayoutsPass(unsigned numWarps = 4, unsigned capability = 90);
/// nv-allocate-shared: gives every op that works through shared memory the offset of its scratch.
std::unique_ptr<mlir::Pass> createAllocateSharedPass();
/// nv-insert-barriers: barriers between ops that use one place in shared or global memory.
std::unique_ptr<mlir::Pass> createInsertBarriersPass();
/// nv-verify-stage: the contract of `--stage=nvidia`.
std::unique_ptr<mlir::Pass> createVerifyStagePass();
/// nv-lower-to-llvm: laid-out blocks -> one thread's registers, in the LLVM dialect.
std::unique_ptr<mlir::Pass> createLowerToLlvmPass();
/// nv-llvm-verify-stage: nothing but LLVM dialect is left, and nothing in it that NVPTX cannot select.
std::unique_ptr<mlir::Pass> createVerifyLlvmStagePass();

void buildStagePipeline(mlir::OpPassManager &passes, unsigned numWarps, unsigned capability);
void buildLlvmPipeline(mlir::OpPassManager &passes);

/// For tilewise-opt: the passes by their flags, and `tile-to-nvidia`, `nvidia-to-llvm`.
void addNvidiaPipelines();

} // namespace tilewise::nv
