// How elements lie in memory, and what stands for them in registers.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace tilewise::cpu {

/// How a block's element lies in memory: i1 as one byte, a pointer as 8; floats below f32 as
/// integers, which every machine can load and mask.
mlir::Type storageType(mlir::Type element);
int64_t storageBytes(mlir::Type element);

/// The scalar that stands for an element in the CPU stage: `!llvm.ptr` for a pointer, else the type
/// itself.
mlir::Type scalarType(mlir::Type element);
/// The vector that stands for `lanes` elements: addresses as i64 for pointers.
mlir::VectorType vectorType(mlir::Type element, int64_t lanes);

} // namespace tilewise::cpu
