// The passes of the CPU engine, and its two pipelines: tile IR -> CPU stage, CPU stage -> LLVM
// dialect.
#pragma once

#include "target/cpu/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tilewise::cpu {

#define GEN_PASS_DECL
#include "target/cpu/Passes.h.inc"

/// Passes that ask what the machine has; those of tilewise-opt are for one with AVX-512.
std::unique_ptr<mlir::Pass> createChooseLanesPass(const Machine &machine);
std::unique_ptr<mlir::Pass> createPlanDotsPass(const Machine &machine);
std::unique_ptr<mlir::Pass> createShareRowsPass(const Machine &machine);
std::unique_ptr<mlir::Pass> createEmitNestsPass(const Machine &machine);
std::unique_ptr<mlir::Pass> createExpandMathPass(const Machine &machine);
std::unique_ptr<mlir::Pass> createExpandNarrowFloatsPass(const Machine &machine);

/// Whether LLVM turns an op of the math dialect into instructions; the others would become calls
/// into libm.
bool isSelectable(mlir::Operation *op);

/// Tile IR -> the plan: loop nests over blocks in scratch, and what was decided about each
/// (`--stage=nests`).
void buildCpuPlanPipeline(mlir::OpPassManager &passes, const Machine &machine, bool checked);
/// The plan -> the CPU stage (`--stage=cpu`).
void buildCpuEmitPipeline(mlir::OpPassManager &passes, const Machine &machine);
/// Both of them.
void buildCpuStagePipeline(mlir::OpPassManager &passes, const Machine &machine, bool checked);
void buildCpuLlvmPipeline(mlir::OpPassManager &passes);

/// Name of the module's attribute that holds the bytes of scratch per thread.
inline constexpr char kScratchBytesAttr[] = "tile.scratch_bytes";
/// And of the one that holds what a program stores, where its stores may pass the caches by.
inline constexpr char kStoredBytesAttr[] = "tile.stored_bytes";
/// And of the one that holds on how many threads a launch is faster alone on one.
inline constexpr char kAloneThreadsAttr[] = "tile.alone_threads";
/// Of the one that holds the axes of the grid, fastest first, where a thread walks through them in
/// another order than their own.
inline constexpr char kProgramOrderAttr[] = "tile.program_order";
/// Of the attribute that holds the ops which the reference engine runs, see HostCalls.h.
inline constexpr char kDelegatedOpsAttr[] = "tile.delegated_ops";

} // namespace tilewise::cpu

namespace tilewise {

/// Registers the passes above and `--tile-to-cpu`, `--cpu-to-llvm-dialect` for tilewise-opt.
void addCpuPipelines();

} // namespace tilewise
