// Passes that back ends share once a kernel is in the LLVM dialect.
#ifndef TILEWISE_TARGET_PASSES
#define TILEWISE_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def LineTables : Pass<"llvm-line-tables", "::mlir::ModuleOp"> {
  let summary = "attach the kernel's lines to every op, as LLVM's debug locations";
  let description = [{
    MLIR's locations => LLVM's debug scopes and locations (src/target/LineTables.h). The driver calls the underlying function directly: after a
    pass MLIR would verify the whole module again, which takes 1 % of the compile time of a small kernel.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
