// Multiplications that go on behind the threads' backs, and what waits for them.
#pragma once

#include "target/gpu/Gpu.h"

namespace tilewise::gpu {

/// Those whose sums pass through the wait, this iteration's and, where a loop carries them, an
/// earlier one's. Until then they read their tiles.
llvm::SmallVector<MmaOp> multiplicationsOf(MmaWaitOp wait);

/// Whether the op's result are sums: it begins a multiplication into them, or waits for one.
bool givesSums(mlir::Operation *op);

} // namespace tilewise::gpu
