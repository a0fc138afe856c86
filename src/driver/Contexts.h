// MLIR contexts that a thread keeps between its compiles.
//
// A new context knows no dialect. To load those that a kernel passes through, hundreds of ops with
// their names, attributes and interfaces, and to throw it all away again, was 9 % of the compile of
// vector add. A kept one has them loaded. But a context also never forgets: every type, attribute
// and place of every kernel stays in it. So it is renewed after some compiles, and memory stays
// flat over any number of them.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace tilewise {

/// Gives a context back to the thread, for its next compile.
struct KeepContext {
  unsigned uses = 0;
  bool isSpoilt = false; ///< Something was left in its middle: it is destroyed instead.
  void operator()(mlir::MLIRContext *context) const;
};
using ContextHandle = std::unique_ptr<mlir::MLIRContext, KeepContext>;

/// With the dialects of Dialects.cpp, its threads off: a library does not start threads to compile
/// a kernel.
ContextHandle takeContext();

} // namespace tilewise
