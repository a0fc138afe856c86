// The target-independent passes over tile IR, and the pipeline made of them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tilewise {

namespace tile {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace tile

/// Tile IR as the front end emits it -> tile IR as the engines take it; `fpFusion` forms fused
/// multiply-adds.
void buildTilePipeline(mlir::OpPassManager &passes, bool fpFusion);

/// What every compiling engine runs first, before it asks access inference; the reference engine
/// does without.
void buildEnginePipeline(mlir::OpPassManager &passes);

/// On an `arith.divf` that must be rounded correctly; without it a quotient may be 2 ulp off.
inline constexpr char kExactAttr[] = "tile.exact";

/// Makes the passes and the pipeline `--tile-optimize` known to tilewise-opt.
void registerTilePipeline();

} // namespace tilewise
