// The LLVM dialect -> optimised LLVM IR -> PTX.
#pragma once

#include "support/Error.h"
#include "target/PassWatch.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tilewise::nvidia {

/// Translates and optimises for a compute capability such as 90.
Result<std::unique_ptr<llvm::Module>> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                      unsigned capability, PassWatch watch);

Result<std::string> emitPtx(const llvm::Module &module, unsigned capability, PassWatch watch);

} // namespace tilewise::nvidia
