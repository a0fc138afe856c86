// NVIDIA's own programs around PTX, where there are any: ptxas, which makes machine code of it, and
// nvdisasm, which shows that. Below the engine and the runtime, which both run them.
#pragma once

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewise {

/// The ptxas to use: TILEWISE_PTXAS, else one in PATH, else CUDA's usual folder; empty when there
/// is none.
std::string findPtxas();

/// Machine code for a compute capability such as 90; the failure holds what ptxas said.
Result<std::string> assemblePtx(const std::string &ptxas, llvm::StringRef ptx, int capability);

/// Machine code as text, by nvdisasm: TILEWISE_NVDISASM, else one in PATH, else in CUDA's usual
/// folder.
Result<std::string> disassemble(llvm::StringRef machineCode);

} // namespace tilewise
