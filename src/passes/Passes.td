// The target-independent passes over tile IR: the one place where they are named and documented.
#ifndef TILEWISE_PASSES
#define TILEWISE_PASSES

include "mlir/Pass/PassBase.td"

def ApplyHints : Pass<"tile-apply-hints", "::mlir::func::FuncOp"> {
  let summary = "a hint given as a statement is about its source from there on";
  let description = [{
    `tl.multiple_of(pointers, 16)` may stand alone, its result unused. What it promises is then meant of `pointers` itself, wherever it is
    used after the statement:

        tile.hint %x ..          %y = tile.hint %x ..
        use(%x)             =>   use(%y)

    Uses that the hint does not dominate keep what they had. Runs first: a result without uses would be dropped.
  }];
}

def FormDots : Pass<"tile-form-dots", "::mlir::func::FuncOp"> {
  let summary = "sum(a[:, :, None] * b[None, :, :], axis=1) => dot(a, b)";
  let description = [{
    A sum, along one dimension, of the products of two blocks of f32 or f64 that were broadcast against each other along the other two, each 16
    or more, becomes a dot of precision `ieee`. Blocks that were widened from f16 are multiplied as these. Kernels compiled without
    `enable_fp_fusion` do not run this pass.
  }];
}

def FormFma : Pass<"tile-form-fma", "::mlir::func::FuncOp"> {
  let summary = "a * b + c => fma(a, b, c), decided once for every engine";
  let description = [{
    An addition or subtraction of floats that consumes a product which nothing else uses becomes one `math.fma`:

        a * b + c  =>  fma(a, b, c)
        a * b - c  =>  fma(a, b, -c)
        c - a * b  =>  fma(-a, b, c)

    `math.fma` means the exact a * b + c, rounded once to the type, for f16 and bf16 as for f32 and f64. No engine contracts any
    further, so that all give the same bits. When both sides are products the left one is taken. A product with a second use stays: it is
    needed rounded anyway. Kernels compiled without `enable_fp_fusion` do not run this pass.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

def ExpandLibdevice : Pass<"tile-expand-libdevice", "::mlir::func::FuncOp"> {
  let summary = "library calls and casts toward zero => the dialect's own ops, where those mean the same";
  let description = [{
    The first pass of the engines that generate code; the reference engine calls the library itself. A `tile.extern_call` that an op
    expresses becomes that op (`expf` is `math.exp`, `fdiv_rn` is `arith.divf`, `isnanf` a comparison), so that engines serve it without knowing its
    name; other calls stay, for an engine to lower or to refuse. A cast toward zero becomes

        n = truncf x;  select(|n| > |x|, bitcast(bits(n) - 1), n)
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandNarrowFloats : Pass<"tile-expand-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "8-bit floats => f32 between conversions that are integer ops";
  let description = [{
    For engines without instructions on 8-bit floats. Every arithmetic op on them is computed in f32 and rounded back, and the conversions are integer ops,
    exact and to nearest even, for all formats. Dots get their operands in f16, which holds every 8-bit float. Loads, stores and everything else that moves them stay,
    and so do the operands of dots that an engine has said to multiply them as they are.
  }];
  let options = [Option<"takesNarrow", "takes-narrow", "std::string", /*default=*/"", "an attribute of dots whose operands stay">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandAssembly : Pass<"tile-expand-assembly", "::mlir::func::FuncOp"> {
  let summary = "inline assembly => the dialect's own ops, where each PTX instruction computes a value";
  let description = [{
    For the engines without a GPU; ExpandAssembly.h says what is understood. Other text stays, for the engine to refuse.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def Warn : Pass<"tile-warn", "::mlir::func::FuncOp"> {
  let summary = "warn of what is allowed but seldom meant";
  let description = [{
    Runs first, on tile IR as the front end emits it: later passes drop what a kernel computes and forgets to use. Each warning has a
    name, support/Warnings.h, and a file Warn*.cpp that says what it looks for. The kernel stays as it is.
  }];
  let options = [Option<"flags", "flags", "std::string", /*default=*/"", "no-all, NAME, no-NAME, between commas; all are on but perf and offset-width">];
}

def VerifyTileStage : Pass<"tile-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check that a module is tile IR as the engines take it";
  let description = [{
    One kernel; only ops that are total (of `arith` neither divisions, shifts nor float-to-integer conversions: the tile dialect has
    total ones); blocks with a static shape of powers of two, at least one dimension and no layout. The power-of-two rule lives here and
    nowhere else. What trips this is a mistake of ours, not of the kernel.
  }];
}

def UnwrapOffsets : Pass<"tile-unwrap-offsets", "::mlir::func::FuncOp"> {
  let summary = "x % n, and other clamps of offsets, for lanes that are never stored => a mask of the loads";
  let description = [{
    For the compiling engines; the reference engine runs kernels as they are written.

        rows = m % M                                  rows = m
        a = load(a_ptr + rows * s)             =>     a = load(a_ptr + rows * s, mask = m < M)
        store(c_ptr + m * t, f(a), mask = m < M)      store(c_ptr + m * t, f(a), mask = m < M)

    so that the load's address is a strided box. Likewise select(m < M, m, 0) and min(m, M - 1). The change must not reach a stored lane.
  }];
}

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
