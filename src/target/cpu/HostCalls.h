// Calls from a kernel into the process that runs it: functions of libdevice that have no vector
// code, the machine's clock, and whole ops.
//
// An object refers to them by a symbol that starts with `tilewise_`, which the linker resolves
// (runtime/JitLinker.cpp). A function of the library runs over the elements of a chunk in memory,
// by the very function that the reference engine calls, so that both give the same bits:
//
//     void tilewise_libdevice_asinf(const void *const *operands, void *result, size_t count);
//
// Ops that a person sees the effect of (a print, a failed assertion, an access outside of its
// argument's memory) are run by the reference engine itself, so that the text is the same: tile IR
// with one function per op travels with the artifact (LaunchPlan::delegatedOps), and the kernel,
// with the operands in scratch, calls
//
//     void tilewise_delegated(CallRecord *record, int64_t number, const void *const *operands, int32_t x, int32_t y, int32_t z);
//
// which does not return when the op ends the program. The record is the last slot of the arguments;
// its first word points to the spans of the arguments (ArgumentSpan.h), against which compiled code
// holds addresses itself: only what looks wrong is asked outside.
#pragma once

#include "artifact/HostNames.h"

#include "mlir/IR/Builders.h"

namespace tilewise::cpu {

/// Function `symbol` of libdevice on operands that are all scalars or all vectors of one length;
/// null when it has no such function.
mlir::Value callLibdevice(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef symbol,
                          llvm::ArrayRef<mlir::Value> operands, mlir::Type result);

/// Calls the host's function `name`, prefix included.
mlir::Value callHost(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name, mlir::ValueRange operands,
                     mlir::TypeRange results);

} // namespace tilewise::cpu
