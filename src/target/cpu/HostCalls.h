// Calls from a kernel into the process that runs it: functions of libdevice that have no vector code, and the machine's clock.
//
// An object refers to them by a symbol that starts with `tilewise_`, which the linker resolves (runtime/JitLinker.cpp). A function of the
// library runs over the elements of a chunk in memory, by the very function that the reference engine calls, so that both give the same
// bits:
//
//     void tilewise_libdevice_asinf(const void *const *operands, void *result, size_t count);
#pragma once

#include "target/cpu/HostNames.h"

#include "mlir/IR/Builders.h"

namespace tilewise::cpu {

/// Function `symbol` of libdevice on operands that are all scalars or all vectors of one length; null when it has no such function.
mlir::Value callLibrary(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef symbol,
                        llvm::ArrayRef<mlir::Value> operands, mlir::Type result);

/// Calls the host's function `name`, prefix included.
mlir::Value callHost(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name, mlir::ValueRange operands,
                     mlir::TypeRange results);

} // namespace tilewise::cpu
