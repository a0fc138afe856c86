// The passes of the CPU engine: the one place where they are named and documented.
#ifndef TILEWISE_TARGET_CPU_PASSES
#define TILEWISE_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def GuardAssertions : Pass<"cpu-guard-assertions", "::mlir::func::FuncOp"> {
  let summary = "assert(x) => if (any(not x)) assert(x)";
  let description = [{
    While an assertion holds, only a reduction runs; one that fails is executed by the reference engine.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitClamps : Pass<"cpu-split-clamps", "::mlir::func::FuncOp"> {
  let summary = "kernels that clamp offsets => a second body without the clamps, for blocks inside the border";
  let description = [{
    Loads at clamped offsets are gathers. Inside the border the clamps change nothing, and without them the loads are contiguous vectors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MergeBranches : Pass<"cpu-merge-branches", "::mlir::func::FuncOp"> {
  let summary = "if (c) { x } else { y } of blocks that are cheap to compute => select(c, x, y)";
  let description = [{
    The result of a branch is kept in scratch; a select becomes part of the nest that uses it. src/target/cpu/plan/MergeBranches.cpp has an example.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitRuns : Pass<"cpu-split-runs", "::mlir::func::FuncOp"> {
  let summary = "kernels that divide flat indices into rows and columns => blocks of rows";
  let description = [{
    Values that are constant over a run of elements, such as a quotient, are computed and loaded once per run. Values that count up, such as a
    remainder, become addresses of contiguous vectors. src/target/cpu/plan/SplitRuns.cpp walks through an example.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewise::tile::TileDialect"];
}

def FormNests : Pass<"cpu-form-nests", "::mlir::ModuleOp"> {
  let summary = "tile IR => the same kernel as loop nests over blocks in scratch";
  let description = [{
    Ops that run together become one `cpu.nest`. Blocks that several nests use, or that loops carry, are kept in `cpu.scratch`.
    src/target/cpu/plan/FormNests.h explains how nests are found.
  }];
  let options = [Option<"checked", "checked", "bool", /*default=*/"false", "check every access before it is made">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tilewise::cpu::CpuDialect"];
}

def ChooseLanes : Pass<"cpu-choose-lanes", "::mlir::ModuleOp"> {
  let summary = "choose the dimension along which a nest is vectorized, and the vectors per step";
  let description = [{
    Puts `lanes N along D` on the nest, and `copies C` where a step computes several independent vectors. src/target/cpu/plan/NestLanes.h explains the
    choice. A nest without lanes runs element by element: without this pass a kernel is correct but slow.
  }];
  let constructor = "::tilewise::cpu::createChooseLanesPass({})";
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"0",
                        "width of a vector register; 0 keeps the machine's">];
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def PlanDots : Pass<"cpu-plan-dots", "::mlir::ModuleOp"> {
  let summary = "choose the unit of the processor that computes a dot, and the form of its operands";
  let description = "Puts `cpu.dot` on the dot. src/target/cpu/plan/PlanDots.h lists the choices and when each is made.";
  let constructor = "::tilewise::cpu::createPlanDotsPass({})";
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def ShareRows : Pass<"cpu-share-rows", "::mlir::ModuleOp"> {
  let summary = "nests whose neighbouring rows load the same elements => several rows at once";
  let description = [{
    Puts `rows N along D` on the nest. src/target/cpu/plan/ShareRows.h says when it pays. Needs the lanes to be chosen.
  }];
  let constructor = "::tilewise::cpu::createShareRowsPass({})";
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def GuardAliases : Pass<"cpu-guard-aliases", "::mlir::ModuleOp"> {
  let summary = "mark loads and stores of a nest that may overlap in memory";
  let description = [{
    Puts `guard` on the nest, and `cpu.tested` and `cpu.copied` on its loads. src/target/cpu/plan/GuardAliases.h says when. Without this pass a kernel is
    correct only if no store of a nest overlaps the nest's other accesses at other indices.
  }];
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def Prefetch : Pass<"cpu-prefetch", "::mlir::ModuleOp"> {
  let summary = "prefetch what the next program loads and stores";
  let description = [{
    Adds `cpu.prefetch` to nests. src/target/cpu/plan/Prefetch.h says to which, and for which addresses.
  }];
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def Stream : Pass<"cpu-stream", "::mlir::ModuleOp"> {
  let summary = "mark nests that may use non-temporal stores";
  let description = [{
    Puts `streams` on the nest and `tile.stored_bytes` on the module. src/target/cpu/plan/Streaming.h says when.
  }];
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def WeighUpdates : Pass<"cpu-weigh-updates", "::mlir::ModuleOp"> {
  let summary = "on how many threads atomics are faster done by one of them";
  let description = "`tile.alone_threads` on the module where that is more than one; src/target/cpu/plan/SharedUpdates.cpp tells why.";
}

def OrderPrograms : Pass<"cpu-order-programs", "::mlir::ModuleOp"> {
  let summary = "choose the order in which a thread runs the programs of a grid";
  let description = [{
    Puts `tile.program_order` on the module if the order is not that of the ids. src/target/cpu/plan/WalkOrder.h explains the orders.
  }];
}

def VerifyPlan : Pass<"cpu-verify-plan", "::mlir::ModuleOp"> {
  let summary = "check that the plan places every computation";
  let description = [{
    Emission skips what the plan does not place: a store outside the nests, or a dot inside one, would be lost silently. So effects on blocks
    must be in nests of the same shape; ops on whole blocks, regions and scratch must be outside; loops must carry scalars; and every dot needs a plan.
  }];
}

def EmitNests : Pass<"cpu-emit-nests", "::mlir::ModuleOp"> {
  let summary = "a kernel's plan => loops over vectors, in a function with the entry point's ABI";
  let description = "src/target/cpu/nests/NestEmitter.h explains how a nest becomes loops.";
  let constructor = "::tilewise::cpu::createEmitNestsPass({})";
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"0",
                        "width of a vector register; 0 keeps the machine's">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
      "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "math functions => arithmetic on scalars and vectors";
  let description = [{
    Expands what LLVM would turn into calls of libm: exponentials, logarithms, sines, remainders, and minima and maxima with their rules for NaN and
    zeros. src/target/cpu/math/MathFunctions.h gives the formulas and their error bounds. A function without a formula becomes a call of libdevice's.
  }];
  let constructor = "::tilewise::cpu::createExpandMathPass({})";
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandNarrowFloats : Pass<"cpu-expand-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "arithmetic below f32 => f32 between conversions; conversions => integer ops";
  let description = [{
    For f16, bf16 and the 8-bit formats. Conversions for which the processor has instructions (f16 with F16C) stay; 8-bit floats are bytes from here on.
    src/passes/NarrowFloats.h says what is computed, and why it is rounded only once.
  }];
  let constructor = "::tilewise::cpu::createExpandNarrowFloatsPass({})";
}

def VerifyStage : Pass<"cpu-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check that the CPU stage holds only what can be lowered to LLVM";
  let description = [{
    No block, no op of the tile and cpu dialects, no vector of more than 64 registers, nothing that LLVM would turn into a call of libm, and no
    arithmetic on narrow floats.
  }];
}

def ToLlvm : Pass<"cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "the CPU stage => the LLVM dialect, in one conversion";
  let description = "All types are LLVM's already; only ops change.";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def VerifyLlvmStage : Pass<"cpu-verify-llvm-stage", "::mlir::ModuleOp"> {
  let summary = "check that only the LLVM dialect is left";
}

#endif
