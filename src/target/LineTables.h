// llvm-line-tables: says of every op of the LLVM dialect, in LLVM's own terms, which line of the
// kernel it comes from.
//
// LLVM writes these lines into the object as a DWARF line table; debuggers, profilers and the
// message of a fault (runtime/CodeMap.h) read it. An op of a function that the kernel calls is at
// that function's line, inlined at the call:
//
//     loc(callsite("k.py":3:12 at "k.py":9:5))   ->   line 3 of 'scale', inlined at line 9 of 'kernel'
//
// What the standard library computes is at the user's line that called it: nobody steps through
// text that they cannot open.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace tilewise {

/// A function around a line of the user's texts, and the line of its `def`. No name: the line is
/// not the user's.
struct FunctionInText {
  std::string name;
  unsigned line = 0;
};
using FunctionAt = std::function<FunctionInText(llvm::StringRef path, unsigned line)>;

/// How code says its lines.
enum class LineInfo {
  None,
  Tables,    ///< As DWARF, in the object.
  Directives ///< In the text alone: its assembler makes what it likes of them.
};

/// Without `functionAt` every line is the user's, and functions that were inlined have no names.
void attachLineTables(mlir::ModuleOp module, LineInfo info, const FunctionAt &functionAt);

/// Registers the passes of Passes.td, `llvm-line-tables`, for tilewise-opt.
void addLlvmPasses();

} // namespace tilewise
