// Which multiplications a wait is for.
#pragma once

#include "target/gpu/Gpu.h"

namespace tilewise::gpu {

/// Those whose sums pass through the wait, this iteration's and, where a loop carries them, an
/// earlier one's. Until then they read their tiles.
llvm::SmallVector<MmaOp> multiplicationsOf(MmaWaitOp wait);

} // namespace tilewise::gpu
