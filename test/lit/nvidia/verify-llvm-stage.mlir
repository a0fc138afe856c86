// RUN: not %tilewise-opt %s --split-input-file --nvidia-verify-llvm-stage 2>&1 | FileCheck %s

// CHECK: error: internal error: after 'gpu-to-llvm' llvm.intr.exp cannot be selected by NVPTX
llvm.func @exp(%x: f32) -> f32 {
  %y = llvm.intr.exp(%x) : (f32) -> f32
  llvm.return %y : f32
}

// -----

// CHECK: error: internal error: after 'gpu-to-llvm' tile.program_id is left
llvm.func @left() {
  %x = tile.program_id 0
  llvm.return
}
