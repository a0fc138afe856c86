// RUN: %tilewise-opt --tile-to-cpu --dump-pass-pipeline %s 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: %tilewise-opt --tile-to-cpu %s | %tilewise-opt --cpu-to-llvm-dialect --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=LLVM

// STAGE: builtin.module(func.func(tile-expand-assembly),func.func(tile-expand-libdevice),func.func(tile-unwrap-offsets),cse,func.func(cpu-guard-assertions),func.func(cpu-split-clamps),func.func(cpu-merge-branches),func.func(cpu-split-runs),cpu-form-nests{{.*}},cpu-choose-lanes{{.*}},cpu-plan-dots,cpu-share-rows,cpu-guard-aliases,cpu-prefetch,cpu-order-programs,cpu-stream,cpu-weigh-updates,cpu-verify-plan,cpu-emit-nests{{.*}},cpu-expand-math,cpu-expand-narrow-floats,cse,cpu-verify-stage)
// LLVM: builtin.module(cpu-to-llvm,cpu-verify-llvm-stage)
func.func @empty() attributes {tile.kernel} {
  return
}
