// The nv dialect: what blocks need once they are spread over the threads of an NVIDIA GPU.
#ifndef TILEWISE_TARGET_NVIDIA_NV_DIALECT
#define TILEWISE_TARGET_NVIDIA_NV_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/TileDialect.td"

def NvDialect : Dialect {
  let name = "nv";
  let cppNamespace = "::tilewise::nv";
  let summary = "Blocks spread over registers, lanes and warps";
  let description = [{
    After `nv-assign-layouts` every block carries a `#nv.layout` as its tensor type's encoding. The module then carries
    `nv.num_warps` (threads of a program = 32 * warps), `nv.capability` and, after `nv-allocate-shared`, `nv.shared_bytes`.
    An op that works through shared memory carries `nv.shared`: the offset of its scratch.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tilewise::tile::TileDialect"];
  let extraClassDeclaration = [{
    static constexpr llvm::StringLiteral kNumWarpsAttr = "nv.num_warps";
    static constexpr llvm::StringLiteral kCapabilityAttr = "nv.capability";
    static constexpr llvm::StringLiteral kSharedBytesAttr = "nv.shared_bytes";
    /// On ops: the offset of their scratch in shared memory, in bytes.
    static constexpr llvm::StringLiteral kSharedAttr = "nv.shared";
    /// On loads and stores: registers in aligned groups of this many hold neighbours in memory, aligned to the group's size.
    static constexpr llvm::StringLiteral kVectorAttr = "nv.vector";
    /// On loads and stores: within such a group the mask is all on or all off.
    static constexpr llvm::StringLiteral kUniformMaskAttr = "nv.uniform_mask";
  }];
}

def Nv_Layout : AttrDef<NvDialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "a linear layout: the element that each bit of register, lane, warp and block stands for";
  let description = "src/ir/LinearLayout.h teaches what the numbers mean: row-major element numbers of `shape`.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, OptionalArrayRefParameter<"uint32_t">:$registers,
      OptionalArrayRefParameter<"uint32_t">:$lanes, OptionalArrayRefParameter<"uint32_t">:$warps,
      OptionalArrayRefParameter<"uint32_t">:$blocks);
  let hasCustomAssemblyFormat = 1; // `#nv.layout<[64], register = [1], lane = [2, 4, 8, 16, 32]>`, empty levels left out
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static LayoutAttr get(::mlir::MLIRContext *context, const ::tilewise::LinearLayout &layout);
    ::tilewise::LinearLayout layout() const;
  }];
}

def Nv_ConvertLayoutOp : Op<NvDialect, "convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same block in another layout";
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Nv_BarrierOp : Op<NvDialect, "barrier", []> {
  let summary = "all threads of the program meet; what they wrote to shared and global memory before is seen by all after";
  let assemblyFormat = "attr-dict";
}

#endif
