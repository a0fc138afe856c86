// The gpu dialect in C++: the layout attribute, its ops, and questions about laid-out blocks.
#pragma once

#include "artifact/TensorMap.h"
#include "ir/LinearLayout.h"
#include "ir/Tile.h"

#include "mlir/IR/TensorEncoding.h"

namespace tilewise::gpu {

/// The op begins to copy from global memory into a tile in shared memory.
template <typename Op> struct FillsTile : mlir::OpTrait::TraitBase<Op, FillsTile> {};

/// The result is a tile that lies where the first operand does, or in a part of it.
template <typename Op> struct ViewsTile : mlir::OpTrait::TraitBase<Op, ViewsTile> {};

} // namespace tilewise::gpu

#include "target/gpu/GpuDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "target/gpu/GpuAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "target/gpu/GpuTypes.h.inc"
#define GET_OP_CLASSES
#include "target/gpu/GpuOps.h.inc"

namespace tilewise::gpu {

/// The layout attribute of a block; null for scalars and for blocks without one.
LayoutAttr layoutAttrOf(mlir::Type type);
/// The layout of a laid-out block.
LinearLayout layoutOf(mlir::Type type);
/// `type` with this layout; a scalar stays as it is.
mlir::Type withLayout(mlir::Type type, LayoutAttr layout);
inline bool isBlock(mlir::Type type) { return mlir::isa<mlir::RankedTensorType>(type); }

/// Numbers that passes leave on the module.
unsigned numWarpsOf(mlir::ModuleOp module);
unsigned sharedBytesOf(mlir::ModuleOp module);
unsigned minProgramsOf(mlir::ModuleOp module); ///< 0: as they come.
/// All of a program, those beside the ones that compute included.
unsigned allWarpsOf(mlir::ModuleOp module);
llvm::ArrayRef<int32_t> checkedArgumentsOf(mlir::ModuleOp module);

/// The plans of the module's tensor maps, in the order of the arguments that take them.
std::vector<TensorMapPlan> tensorMapsOf(mlir::ModuleOp module);
/// Whether a launch has fewer programs than were asked for; see RepeatPrograms.h.
bool repeatsPrograms(mlir::ModuleOp module);

using tile::isElementwise;

/// Bytes of an element in memory: bools take one, pointers eight.
unsigned elementBytes(mlir::Type element);

} // namespace tilewise::gpu
