// The passes of the CPU engine: the one place where they are named and documented.
#ifndef TILEWISE_TARGET_CPU_PASSES
#define TILEWISE_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def GuardAssertions : Pass<"cpu-guard-assertions", "::mlir::func::FuncOp"> {
  let summary = "assert(x) => if (any(not x)) assert(x)";
  let description = "What runs in a good kernel is a reduction; the assertion itself is run by the reference engine.";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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

def ShareRows : Pass<"cpu-share-rows", "::mlir::ModuleOp"> {
  let summary = "nests whose neighbouring rows load the same elements compute several rows at once";
  let description = "`rows N along D` on the nest; src/target/cpu/plan/ShareRows.h tells when that pays.";
  let constructor = "::tilewise::cpu::createShareRowsPass({})";
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"0",
                        "width of a vector register; 0 keeps the machine's">];
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

def EmitNests : Pass<"cpu-emit-nests", "::mlir::ModuleOp"> {
  let summary = "a kernel's plan => loops over vectors, in a function with the entry point's ABI";
  let description = "src/target/cpu/nests/NestEmitter.h tells how a nest becomes loops.";
  let constructor = "::tilewise::cpu::createEmitNestsPass({})";
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", /*default=*/"0",
                        "width of a vector register; 0 keeps the machine's">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
      "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif
