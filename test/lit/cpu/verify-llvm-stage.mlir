// RUN: not %tilewise-opt --cpu-verify-llvm-stage %s 2>&1 | FileCheck %s

// CHECK: error: internal: 'func.func' is left after cpu-to-llvm
func.func @left() {
  return
}
