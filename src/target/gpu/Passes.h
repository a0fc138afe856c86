// The GPU room's passes, one file each; Passes.td documents them.
#pragma once

#include "target/gpu/Gpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tilewise::gpu {

#define GEN_PASS_DECL
#include "target/gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "target/gpu/Passes.h.inc"

} // namespace tilewise::gpu
