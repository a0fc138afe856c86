// The gpu dialect: what blocks need once they are spread over the threads of a GPU.
#ifndef TILEWISE_TARGET_GPU_DIALECT
#define TILEWISE_TARGET_GPU_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/TileDialect.td"

def GpuDialect : Dialect {
  let name = "gpu";
  let cppNamespace = "::tilewise::gpu";
  let summary = "Blocks spread over registers, lanes and warps";
  let description = [{
    After `gpu-assign-layouts` every block carries a `#gpu.layout` as its tensor type's encoding. The module then carries
    `gpu.num_warps` (threads of a program = lanes * warps), `gpu.machine` (Machine.h) and, after `gpu-allocate-shared`, `gpu.shared_bytes`.
    An op that works through shared memory carries `gpu.shared`: the offset of its scratch.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tilewise::tile::TileDialect"];
  let extraClassDeclaration = [{
    static constexpr llvm::StringLiteral kNumWarpsAttr = "gpu.num_warps";
    static constexpr llvm::StringLiteral kMachineAttr = "gpu.machine";
    static constexpr llvm::StringLiteral kSharedBytesAttr = "gpu.shared_bytes";
    static constexpr llvm::StringLiteral kMinProgramsAttr = "gpu.min_programs";
    /// On dots: the name of the matrix instruction that multiplies them; without it FMAs do.
    static constexpr llvm::StringLiteral kMmaAttr = "gpu.mma";
    /// On ops: the offset of their scratch in shared memory, in bytes.
    static constexpr llvm::StringLiteral kSharedAttr = "gpu.shared";
    /// On loads and stores: registers in aligned groups of this many hold neighbours in memory,
    /// aligned to the group's size.
    static constexpr llvm::StringLiteral kVectorAttr = "gpu.vector";
    /// On loads and stores: within such a group the mask is all on or all off.
    static constexpr llvm::StringLiteral kUniformMaskAttr = "gpu.uniform_mask";
  }];
}

def Gpu_Layout : AttrDef<GpuDialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "a linear layout: the element that each bit of register, lane, warp and block stands for";
  let description = "src/ir/LinearLayout.h teaches what the numbers mean: row-major element numbers of `shape`.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, OptionalArrayRefParameter<"uint32_t">:$registers,
      OptionalArrayRefParameter<"uint32_t">:$lanes, OptionalArrayRefParameter<"uint32_t">:$warps,
      OptionalArrayRefParameter<"uint32_t">:$blocks);
  // `#gpu.layout<[64], register = [1], lane = [2, 4, 8, 16, 32]>`, empty levels left out
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static LayoutAttr get(::mlir::MLIRContext *context, const ::tilewise::LinearLayout &layout);
    ::tilewise::LinearLayout layout() const;
  }];
}

def Gpu_ConvertLayoutOp : Op<GpuDialect, "convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same block in another layout";
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Gpu_BarrierOp : Op<GpuDialect, "barrier", []> {
  let summary = "all threads of the program meet; what they wrote to shared and global memory before is seen by all after";
  let assemblyFormat = "attr-dict";
}

#endif
