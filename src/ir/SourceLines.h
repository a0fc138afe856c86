// The lines of a kernel and of what it calls, carried inside tile IR so that a launch can show
// them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilewise::tile {

/// On the module: {"kernel.py" = {"12" = "    x = tl.load(p)"}}.
inline constexpr llvm::StringLiteral kSourceLinesAttr = "tile.source_lines";

/// Adds the lines that ops of the module come from; `textOf` gives that of a file's line, empty
/// where it has none.
void attachSourceLines(mlir::ModuleOp module,
                       llvm::function_ref<llvm::StringRef(llvm::StringRef path, uint32_t line)> textOf);

/// The text of a line that was attached, or empty.
std::string sourceLineAt(mlir::FileLineColLoc at, mlir::Operation *op);

} // namespace tilewise::tile
