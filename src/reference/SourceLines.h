// The kernel's own lines, carried inside a reference artifact so that a launch can show them.
#pragma once

#include "support/SourceLoc.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewise::reference {

/// On the module: {"kernel.py" = {"12" = "    x = tl.load(p)"}}.
inline constexpr llvm::StringLiteral kSourceLinesAttr = "tile.source_lines";

/// Adds the lines of `file` that ops of the module come from.
void attachSourceLines(mlir::ModuleOp module, const SourceFile &file);

} // namespace tilewise::reference
