// The functions of this process that a CPU kernel may call, by the names under which objects refer
// to them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewise {

/// Null when kernels may not call this: what else an object calls is an error of the back end.
void *hostFunction(llvm::StringRef name);

} // namespace tilewise
