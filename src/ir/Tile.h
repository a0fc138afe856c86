// The tile dialect in C++: its types, ops and a few questions every room asks of a type.
#pragma once

#include "ir/TileInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewise::tile {

/// What `tile.assume` writes to: kept where it is, in the way of no memory access.
struct FactsResource : mlir::SideEffects::Resource::Base<FactsResource> {
  llvm::StringRef getName() override { return "tile facts"; }
};

} // namespace tilewise::tile

#include "ir/TileDialect.h.inc"
#include "ir/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/TileOps.h.inc"

namespace tilewise::tile {

/// The shape of a block; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);

/// The type of one element: of a block's elements, or the scalar itself.
mlir::Type elementTypeOf(mlir::Type type);

/// `type` with its elements replaced: a block keeps its shape and encoding, a scalar becomes
/// `element`.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// A block of `element`, or `element` itself when `shape` is empty.
mlir::Type blockOrScalar(llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// The kernel of a module: its one function with the attribute `tile.kernel`; null when there is
/// none.
mlir::func::FuncOp kernelOf(mlir::ModuleOp module);

} // namespace tilewise::tile
