// The NVIDIA engine's own passes; what it shares with other GPUs is in target/gpu/Passes.td.
#ifndef TILEWISE_TARGET_NVIDIA_PASSES
#define TILEWISE_TARGET_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def VerifyLlvmStage : Pass<"nvidia-verify-llvm-stage", "::mlir::ModuleOp"> {
  let summary = "check that LLVM's NVPTX back end can select what is left";
  let description = [{
    Only the LLVM dialect, and no op that LLVM 19 aborts on or turns into a call of a function that does not exist.
  }];
}

#endif
