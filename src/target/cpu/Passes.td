// The passes of the CPU engine: the one place where they are named and documented.
#ifndef TILEWISE_TARGET_CPU_PASSES
#define TILEWISE_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def GuardAssertions : Pass<"cpu-guard-assertions", "::mlir::func::FuncOp"> {
  let summary = "assert(x) => if (any(not x)) assert(x)";
  let description = "What runs in a good kernel is a reduction; the assertion itself is run by the reference engine.";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitClamps : Pass<"cpu-split-clamps", "::mlir::func::FuncOp"> {
  let summary = "kernels that clamp offsets get a second body without the clamps, for blocks that lie inside";
  let description = "Loads at clamped offsets are gathers; inside the border, without the clamps, they are straight vectors.";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MergeBranches : Pass<"cpu-merge-branches", "::mlir::func::FuncOp"> {
  let summary = "if (c) { x } else { y }, of blocks that are cheap to compute => select(c, x, y)";
  let description = "What a branch gives lies in scratch; a choice is part of the nest that asks for it. src/target/cpu/plan/MergeBranches.cpp has an example.";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitRuns : Pass<"cpu-split-runs", "::mlir::func::FuncOp"> {
  let summary = "kernels over flat indices that are divided into rows and columns get blocks of rows";
  let description = [{
    What stays over a run of elements, as a quotient does, is computed and loaded once to a run; what counts up, as a remainder does, addresses straight vectors.
    src/target/cpu/plan/SplitRuns.cpp walks an example through it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewise::tile::TileDialect"];
}

def FormNests : Pass<"cpu-form-nests", "::mlir::ModuleOp"> {
  let summary = "tile IR => the same kernel as loop nests over blocks in scratch";
  let description = [{
    Ops that run together become one `cpu.nest`, blocks that cross nests or are carried by loops lie in `cpu.scratch`. src/target/cpu/plan/FormNests.h
    tells how nests are found.
  }];
  let options = [Option<"checked", "checked", "bool", /*default=*/"false", "check every access before it is done">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tilewise::cpu::CpuDialect"];
}

def ChooseLanes : Pass<"cpu-choose-lanes", "::mlir::ModuleOp"> {
  let summary = "say along which dimension the vectors of a nest lie, and how many of them a step takes";
  let description = [{
    `lanes N along D` on the nest, with `copies C` where a step computes several vectors apart; src/target/cpu/plan/NestLanes.h tells how the dimension is
    chosen. A nest without lanes runs element by element: without this pass a kernel is right and slow.
  }];
  let constructor = "::tilewise::cpu::createChooseLanesPass({})";
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"0",
                        "width of a vector register; 0 keeps the machine's">];
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def PlanDots : Pass<"cpu-plan-dots", "::mlir::ModuleOp"> {
  let summary = "say which unit of the processor computes a dot, and how its operands are given to it";
  let description = "`cpu.dot` on the dot; src/target/cpu/plan/PlanDots.h tells what there is, and what is chosen when.";
  let constructor = "::tilewise::cpu::createPlanDotsPass({})";
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def ShareRows : Pass<"cpu-share-rows", "::mlir::ModuleOp"> {
  let summary = "nests whose neighbouring rows load the same elements compute several rows at once";
  let description = "`rows N along D` on the nest; src/target/cpu/plan/ShareRows.h tells when that pays. Needs the lanes.";
  let constructor = "::tilewise::cpu::createShareRowsPass({})";
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def GuardAliases : Pass<"cpu-guard-aliases", "::mlir::ModuleOp"> {
  let summary = "say which loads and stores of a nest may meet in memory";
  let description = [{
    `guard` on the nest, `cpu.tested` and `cpu.copied` on its loads; src/target/cpu/plan/GuardAliases.h tells when. Without this pass a kernel is right only
    where no store of a nest meets its other accesses at other indices.
  }];
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def Prefetch : Pass<"cpu-prefetch", "::mlir::ModuleOp"> {
  let summary = "nests ask for what the next program loads and stores";
  let description = "A `cpu.prefetch` in the nest that asks; src/target/cpu/plan/Prefetch.h tells which.";
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def Stream : Pass<"cpu-stream", "::mlir::ModuleOp"> {
  let summary = "mark nests whose stores may pass the caches by";
  let description = "`streams` on the nest, `tile.stored_bytes` on the module; src/target/cpu/plan/Streaming.h tells when.";
  let dependentDialects = ["::tilewise::cpu::CpuDialect"];
}

def OrderPrograms : Pass<"cpu-order-programs", "::mlir::ModuleOp"> {
  let summary = "the order in which a thread walks through the programs of a grid";
  let description = "`tile.program_order` on the module where it is not the ids' own; src/target/cpu/plan/WalkOrder.h tells which.";
}

def VerifyPlan : Pass<"cpu-verify-plan", "::mlir::ModuleOp"> {
  let summary = "check that the plan says of everything where it is computed";
  let description = [{
    Emission takes what it finds: a store outside of nests, or a dot inside of one, would be left out without a word. So effects on blocks stand in nests,
    and are as large as those; ops over whole blocks, regions and scratch stand outside; loops carry scalars; every dot has its plan.
  }];
}

def EmitNests : Pass<"cpu-emit-nests", "::mlir::ModuleOp"> {
  let summary = "a kernel's plan => loops over vectors, in a function with the entry point's ABI";
  let description = "src/target/cpu/nests/NestEmitter.h tells how a nest becomes loops.";
  let constructor = "::tilewise::cpu::createEmitNestsPass({})";
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"0",
                        "width of a vector register; 0 keeps the machine's">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
      "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "math functions => arithmetic on scalars and vectors";
  let description = [{
    What LLVM would turn into a call of libm: exponentials, logarithms, sines, remainders, and minima and maxima with their rules for NaN and zeros.
    src/target/cpu/math/MathFunctions.h tells by which formulas, and how exact they are; what has none is a call of libdevice's function.
  }];
  let constructor = "::tilewise::cpu::createExpandMathPass({})";
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandNarrowFloats : Pass<"cpu-expand-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "arithmetic below f32 => f32 between conversions, conversions => integer ops";
  let description = [{
    f16, bf16 and the 8-bit formats. Conversions that the processor has (f16 with F16C) stay; 8-bit floats are bytes from here on. What is computed, and
    that it is rounded once, is told in src/passes/NarrowFloats.h.
  }];
  let constructor = "::tilewise::cpu::createExpandNarrowFloatsPass({})";
}

def VerifyStage : Pass<"cpu-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check that the CPU stage holds only what can be lowered to LLVM";
  let description = [{
    No block and no op of the tile and cpu dialects, no vector of more than 64 registers, nothing that LLVM would make a call of libm, and no
    arithmetic on narrow floats.
  }];
}

def ToLlvm : Pass<"cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "the CPU stage => the LLVM dialect, in one conversion";
  let description = "All types are LLVM's already; only ops change.";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def VerifyLlvmStage : Pass<"cpu-verify-llvm-stage", "::mlir::ModuleOp"> {
  let summary = "check that nothing but the LLVM dialect is left";
}

#endif
