// The plan -> loops and vectors, op by op: what stands between nests, and the walk that finds it
// all.
//
// The plan is IR (plan/CpuDialect.td), and `emitBlock` walks through it. A `cpu.nest` goes to
// nests/, a dot to dot/; ops over whole blocks, loops, branches and what people see are emitted
// here.
#pragma once

#include "target/cpu/nests/Nest.h"

namespace tilewise::cpu {

/// Emits all ops of a block, and a loop or a branch (EmitRegions.cpp).
void emitBlock(KernelEmitter &kernel, mlir::Block &block);
void emitRegionOp(KernelEmitter &kernel, mlir::Operation *op);
/// Emits an op that wants whole blocks, or tells people something (EmitWholeBlocks.cpp).
void emitWholeBlocks(KernelEmitter &kernel, mlir::Operation *op);
/// Scans the copies of its sources in place (EmitScan.cpp).
void emitScan(KernelEmitter &kernel, tile::ScanOp op, llvm::ArrayRef<Buffer> copies);
/// Counts the numbers of a row-major block (EmitHistogram.cpp).
Buffer emitHistogram(KernelEmitter &kernel, tile::HistogramOp op, const Buffer &which,
                     const std::optional<Buffer> &mask);
/// Has the reference engine run a print or an assertion (EmitDelegated.cpp).
void emitDelegated(KernelEmitter &kernel, mlir::Operation *op);
/// Checked mode, before an access: compiled code tests whether all is well, and the reference
/// engine says what is not.
void emitCheck(KernelEmitter &kernel, tile::MemoryAccess access);

} // namespace tilewise::cpu
