// The LLVM dialect -> optimised LLVM IR -> PTX.
#pragma once

#include "support/Error.h"
#include "target/PassObserver.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tilewise::nvidia {

/// Translates and optimises for a compute capability such as 90; a thread has at most
/// `maxRegisters`, or as many as the assembler likes.
Result<std::unique_ptr<llvm::Module>> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                      unsigned capability, unsigned maxRegisters,
                                                      PassObserver observer);

Result<std::string> emitPtx(const llvm::Module &module, unsigned capability, PassObserver observer);

} // namespace tilewise::nvidia
