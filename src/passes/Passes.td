// The target-independent passes over tile IR: the one place where they are named and documented.
#ifndef TILEWISE_PASSES
#define TILEWISE_PASSES

include "mlir/Pass/PassBase.td"

def ApplyHints : Pass<"tile-apply-hints", "::mlir::func::FuncOp"> {
  let summary = "a hint written as a statement applies to its source from there on";
  let description = [{
    `tl.multiple_of(pointers, 16)` may stand alone, with its result unused. Its promise then applies to `pointers` itself, wherever that is
    used after the statement:

        tile.hint %x ..          %y = tile.hint %x ..
        use(%x)             =>   use(%y)

    Uses that the hint does not dominate are unchanged. Runs first, because later passes drop a result without uses.
  }];
}

def FormDots : Pass<"tile-form-dots", "::mlir::func::FuncOp"> {
  let summary = "sum(a[:, :, None] * b[None, :, :], axis=1) => dot(a, b)";
  let description = [{
    A sum along one dimension of the products of two blocks becomes a dot of precision `ieee`, if the blocks are f32 or f64, are broadcast
    against each other along the other two dimensions, and every extent is at least 16. Blocks that were widened from f16 are multiplied as
    f16. Kernels compiled without `enable_fp_fusion` do not run this pass.
  }];
}

def FormFma : Pass<"tile-form-fma", "::mlir::func::FuncOp"> {
  let summary = "a * b + c => fma(a, b, c), decided once for every engine";
  let description = [{
    An addition or subtraction of floats and a product that only it uses become one `math.fma`:

        a * b + c  =>  fma(a, b, c)
        a * b - c  =>  fma(a, b, -c)
        c - a * b  =>  fma(-a, b, c)

    `math.fma` is the exact a * b + c, rounded once to the type, for f16 and bf16 as well as f32 and f64. No engine contracts any
    further, so all give the same bits. If both sides are products, the left one is taken. A product with a second use stays, since
    its rounded value is needed anyway. Kernels compiled without `enable_fp_fusion` do not run this pass.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

def ExpandLibdevice : Pass<"tile-expand-libdevice", "::mlir::func::FuncOp"> {
  let summary = "library calls and casts toward zero => ops of the dialect with the same meaning";
  let description = [{
    The first pass of the engines that generate code; the reference engine calls the library itself. A `tile.extern_call` that an op
    can express becomes that op (`expf` is `math.exp`, `fdiv_rn` is `arith.divf`, `isnanf` a comparison), so that engines support it without
    knowing its name. Other calls stay for the engine to lower or refuse. A cast toward zero becomes

        n = truncf x;  select(|n| > |x|, bitcast(bits(n) - 1), n)
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandNarrowFloats : Pass<"tile-expand-narrow-floats", "::mlir::func::FuncOp"> {
  let summary = "8-bit floats => f32 between conversions made of integer ops";
  let description = [{
    For engines without instructions on 8-bit floats. Arithmetic on them is computed in f32 and rounded back. The conversions are integer
    ops, exact and to nearest even, for all formats. The operands of dots become f16, which holds every 8-bit float, except those of
    dots that the engine has marked to take them as they are. Loads, stores and all other ops that only move 8-bit floats stay.
  }];
  let options = [Option<"takesNarrow", "takes-narrow", "std::string", /*default=*/"", "the attribute of dots whose operands stay">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandAssembly : Pass<"tile-expand-assembly", "::mlir::func::FuncOp"> {
  let summary = "inline assembly => ops of the dialect, where each PTX instruction computes a value";
  let description = [{
    For engines that do not run on a GPU; ExpandAssembly.h says what is understood. Other assembly stays for the engine to refuse.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def Warn : Pass<"tile-warn", "::mlir::func::FuncOp"> {
  let summary = "warn about code that is allowed but rarely intended";
  let description = [{
    Runs first, on tile IR as the front end emits it, because later passes drop what a kernel computes and never uses. Each warning has a
    name in support/Warnings.h, and a file Warn*.cpp that says what it looks for. The kernel is unchanged.
  }];
  let options = [Option<"flags", "flags", "std::string", /*default=*/"", "no-all, NAME or no-NAME, separated by commas; without it, the warnings that are on by default">];
}

def VerifyTileStage : Pass<"tile-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check that a module is tile IR that the engines accept";
  let description = [{
    One kernel; only ops that are total (no divisions, shifts or float-to-integer conversions of `arith`: the tile dialect has total
    ones); blocks with a static shape of powers of two, at least one dimension and no layout. The power-of-two rule is checked here and
    nowhere else. A failure is a fault of ours, not of the kernel.
  }];
}

def UnwrapOffsets : Pass<"tile-unwrap-offsets", "::mlir::func::FuncOp"> {
  let summary = "x % n and other clamps of offsets, in lanes that are never stored => a mask on the loads";
  let description = [{
    For the engines that generate code; the reference engine runs kernels as they are written.

        rows = m % M                                  rows = m
        a = load(a_ptr + rows * s)             =>     a = load(a_ptr + rows * s, mask = m < M)
        store(c_ptr + m * t, f(a), mask = m < M)      store(c_ptr + m * t, f(a), mask = m < M)

    The load's address is then a strided box. The same holds for select(m < M, m, 0) and min(m, M - 1). No lane that is stored may be affected.
  }];
}

def InferAccess : Pass<"tile-infer-access", "::mlir::func::FuncOp"> {
  let summary = "annotate each load and store with the result of access inference";
  let description = [{
    For tests, and for reading: each `tile.load` and `tile.store` gets a string attribute `tile.access`; otherwise the kernel is unchanged.
    Engines call the analysis directly (passes/AccessInference.h). The text reads

        base %arg0 + %3 strides [%arg3, 1] bounds [i0 < %arg5, i1 < %4] contiguous 16 along 1 align 16 vector 4 structured

    where `vector` is the number of elements that one 16-byte access can move. The last word is `structured`, or names what was not
    understood: `address` or `mask`.
  }];
}

#endif
