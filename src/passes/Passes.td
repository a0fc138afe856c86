// The target-independent passes over tile IR: the one place where they are named and documented.
#ifndef TILEWISE_PASSES
#define TILEWISE_PASSES

include "mlir/Pass/PassBase.td"

def InferAccess : Pass<"tile-infer-access", "::mlir::func::FuncOp"> {
  let summary = "write what access inference knows onto each load and store";
  let description = [{
    For tests and for looking: each `tile.load` and `tile.store` gets a string attribute `tile.access`, and the kernel is otherwise
    unchanged. Engines ask the analysis itself (passes/AccessInference.h). The text reads

        base %arg0 + %3 strides [%arg3, 1] bounds [i0 < %arg5, i1 < %4] contiguous 16 along 1 align 16 vector 4 structured

    where `vector` is the number of elements that one 16-byte access can move, and the last word is `structured` or names what was not
    understood: `address`, `mask`.
  }];
}

#endif
