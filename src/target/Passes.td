// Passes that back ends share once a kernel is in the LLVM dialect.
#ifndef TILEWISE_TARGET_PASSES
#define TILEWISE_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def LineTables : Pass<"llvm-line-tables", "::mlir::ModuleOp"> {
  let summary = "say of every op, in LLVM's own terms, which line of the kernel it comes from";
  let description = [{
    MLIR's locations => LLVM's debug scopes and locations (src/target/LineTables.h). The driver calls the function behind it, since MLIR would verify the
    whole module again after a pass, for 1 % of the compile of a small kernel.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
