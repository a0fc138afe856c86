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

    After `gpu-place-copies` operands of matrix instructions lie in shared memory, as tiles (TileForm.h). A loop that fills tiles in
    advance does so in a ring: slots that are filled and taken in turn.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::tilewise::tile::TileDialect"];
  let extraClassDeclaration = [{
    static constexpr llvm::StringLiteral kNumWarpsAttr = "gpu.num_warps";
    static constexpr llvm::StringLiteral kMachineAttr = "gpu.machine";
    static constexpr llvm::StringLiteral kSharedBytesAttr = "gpu.shared_bytes";
    static constexpr llvm::StringLiteral kMinProgramsAttr = "gpu.min_programs";
    /// On the module: warps of a program beside those that compute.
    static constexpr llvm::StringLiteral kBesideWarpsAttr = "gpu.beside_warps";
    /// On dots: the name of the matrix instruction that multiplies them; without it FMAs do.
    static constexpr llvm::StringLiteral kMmaAttr = "gpu.mma";
    /// On dots: the instruction multiplies 8-bit floats as they are.
    static constexpr llvm::StringLiteral kTakesNarrowAttr = "gpu.takes_narrow";
    /// On the module: the kernel's arguments whose memory its last arguments give, begin and end.
    static constexpr llvm::StringLiteral kCheckedAttr = "gpu.checked_arguments";
    /// On the module: for each argument of type !gpu.map, the plan of its tensor map as numbers
    /// (artifact/TensorMap.h).
    static constexpr llvm::StringLiteral kTensorMapsAttr = "gpu.tensor_maps";
    /// On ops: the offset of their scratch in shared memory, in bytes.
    static constexpr llvm::StringLiteral kSharedAttr = "gpu.shared";
    /// On rings: the offset of the signals of their slots.
    static constexpr llvm::StringLiteral kSignalsAttr = "gpu.signals";
    /// On loads and stores: registers in aligned groups of this many hold neighbours in memory,
    /// aligned to the group's size.
    static constexpr llvm::StringLiteral kVectorAttr = "gpu.vector";
    /// On gathers that exchange elements in pairs: the bits in which the numbers of a pair differ.
    static constexpr llvm::StringLiteral kExchangeAttr = "gpu.exchange";
    /// On loops: iterations by which the copies into rings run ahead.
    static constexpr llvm::StringLiteral kAheadAttr = "gpu.ahead";
    /// On a kernel's outermost loop: its iterations are programs, which have no order among each
    /// other.
    static constexpr llvm::StringLiteral kProgramsAttr = "gpu.programs";
    /// On the module: a launch has as many programs as the GPU has multiprocessors, which go
    /// through those of the grid that was asked for.
    static constexpr llvm::StringLiteral kRepeatsAttr = "gpu.repeats";
    /// On loops whose copies do not run ahead as far as num_stages asks for: by how many iterations
    /// they do and should, the bytes that one copies, and those that there is room for.
    static constexpr llvm::StringLiteral kShortOfRoomAttr = "gpu.short_of_room";
    /// On rings: slots that num_stages asks for, where there was room for fewer.
    static constexpr llvm::StringLiteral kWantedSlotsAttr = "gpu.wanted_slots";
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

class GpuTrait<string name> : NativeOpTrait<name> { let cppNamespace = "::tilewise::gpu"; }

// What passes ask of an op instead of which it is; Gpu.h says what each means.
def Gpu_FillsTile : GpuTrait<"FillsTile">;
def Gpu_ViewsTile : GpuTrait<"ViewsTile">;

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

def Gpu_CheckOp : Op<GpuDialect, "check", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "end the launch, with a message, if a lane's element lies outside of the memory of all these arguments";
  let description = [{
    Argument i has the bytes from `begins[i]` up to `ends[i]` and the name `names[i]`. `verb` is what the access behind it does.
  }];
  let arguments = (ins StrAttr:$verb, Tile_Any:$pointer, Optional<Tile_Bool>:$mask, Variadic<I64>:$begins, Variadic<I64>:$ends,
      StrArrayAttr:$names);
  let assemblyFormat = [{
    $verb $pointer (`mask` $mask^ `:` type($mask))? `in` $names `from` $begins `to` $ends attr-dict `:` type($pointer)
  }];
}

class Gpu_Type<string name, string typeMnemonic> : TypeDef<GpuDialect, name> { let mnemonic = typeMnemonic; }

def Gpu_Tile : Gpu_Type<"Tile", "tile"> {
  let summary = "a matrix in shared memory";
  let description = "TileForm.h teaches where its elements lie: `minor` is the dimension of neighbours, in rows of `swizzle` bytes.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element, "unsigned":$minor, "unsigned":$swizzle);
  let assemblyFormat = "`<` `[` $shape `]` `,` $element `,` `minor` `=` $minor `,` `swizzle` `=` $swizzle `>`";
  let genVerifyDecl = 1;
}

def Gpu_Ring : Gpu_Type<"Ring", "ring"> {
  let summary = "tiles of one kind, used in turn";
  let parameters = (ins "unsigned":$slots, "TileType":$tile);
  let assemblyFormat = "`<` $slots `,` $tile `>`";
}

def Gpu_RingOp : Op<GpuDialect, "ring", []> {
  let summary = "room for a ring in shared memory";
  let description = [{
    With `signalled` each slot has a signal behind the tiles, which the machine's copy engine gives when the slot is full; with `released` another
    one, which the warps give that compute, when they are done with it. All threads meet when the signals are ready.
  }];
  let arguments = (ins UnitAttr:$signalled, UnitAttr:$released);
  let results = (outs Gpu_Ring:$result);
  let assemblyFormat = "(`signalled` $signalled^)? (`released` $released^)? attr-dict `:` type($result)";
}

def Gpu_SlotOp : Op<GpuDialect, "slot", [Gpu_ViewsTile, Pure]> {
  let summary = "the tile of a ring that turn `n` uses: n modulo the number of slots";
  let arguments = (ins Gpu_Ring:$ring, I32:$n);
  let results = (outs Gpu_Tile:$result);
  let assemblyFormat = "$ring `[` $n `]` attr-dict `:` type($ring) `->` type($result)";
}

def Gpu_TransposeOp : Op<GpuDialect, "transpose", [Gpu_ViewsTile, Pure]> {
  let summary = "the same tile with rows for columns: nothing moves";
  let arguments = (ins Gpu_Tile:$source);
  let results = (outs Gpu_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Gpu_FillOp : Op<GpuDialect, "fill", [Gpu_FillsTile, AttrSizedOperandSegments]> {
  let summary = "begin to copy from global memory into a tile; zeros where the mask is off";
  let description = [{
    Each thread copies what its layout gives it. `enabled` false: nothing is copied at all. With `guarded` the schedule of the loop
    keeps every reader of what was there before at a distance, and no barrier is needed for it.
  }];
  let arguments = (ins Gpu_Tile:$tile, Tile_Block:$pointer, Optional<Tile_Block>:$mask, Optional<I1>:$enabled, UnitAttr:$guarded);
  let assemblyFormat = "$tile `,` $pointer (`mask` $mask^)? (`if` $enabled^)? attr-dict `:` type($tile) `,` type($pointer) (`mask` type($mask)^)?";
}

def Gpu_Map : Gpu_Type<"Map", "map"> {
  let summary = "where a tensor lies in global memory, for the copy engine: made by the host at each launch, taken by the kernel as an argument";
}

def Gpu_FillBoxOp : Op<GpuDialect, "fill_box", [Gpu_FillsTile, AttrSizedOperandSegments]> {
  let summary = "have the copy engine fill a ring's slot of turn `n` from a box of a tensor; zeros for what lies outside";
  let description = [{
    One thread asks for it. `coordinates` are those of the box's first element, neighbours in memory first. `pointer` is the argument that the map
    is made from: where it is read. `enabled` false: nothing is copied, and no signal given.
  }];
  let arguments = (ins Gpu_Ring:$ring, I32:$n, Gpu_Map:$map, Tile_Any:$pointer, Variadic<I32>:$coordinates, Optional<I1>:$enabled);
  let assemblyFormat = [{
    $ring `[` $n `]` `,` $map `of` $pointer `at` `[` $coordinates `]` (`if` $enabled^)? attr-dict `:` type($ring) `,` type($pointer)
  }];
}

def Gpu_AwaitBoxOp : Op<GpuDialect, "await_box", []> {
  let summary = "the slot of turn `n` is full, for this thread to see";
  let arguments = (ins Gpu_Ring:$ring, I32:$n, Optional<I1>:$enabled);
  let assemblyFormat = "$ring `[` $n `]` (`if` $enabled^)? attr-dict `:` type($ring)";
}

def Gpu_ReleaseOp : Op<GpuDialect, "release", []> {
  let summary = "this warp is done with the slot of turn `n`";
  let arguments = (ins Gpu_Ring:$ring, I32:$n, Optional<I1>:$enabled);
  let assemblyFormat = "$ring `[` $n `]` (`if` $enabled^)? attr-dict `:` type($ring)";
}

def Gpu_AwaitReleaseOp : Op<GpuDialect, "await_release", []> {
  let summary = "all warps that compute are done with what the slot of turn `n` held before";
  let arguments = (ins Gpu_Ring:$ring, I32:$n);
  let assemblyFormat = "$ring `[` $n `]` attr-dict `:` type($ring)";
}

def Gpu_BesideOp : Op<GpuDialect, "beside", [SingleBlock, NoTerminator]> {
  let summary = "a program for warps beside those that compute, which go on behind it";
  let description = [{
    The first of `warps` more warps runs the body and ends; the others end at once: machines share out registers by several warps. With `registers` they
    keep so many of a thread's, and leave the rest to those that compute, who then have `leaving`.
  }];
  let arguments = (ins I32Attr:$warps, OptionalAttr<I32Attr>:$registers, OptionalAttr<I32Attr>:$leaving);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`warps` $warps (`registers` $registers^ `leaving` $leaving)? $body attr-dict";
}

def Gpu_CommitOp : Op<GpuDialect, "commit", []> {
  let summary = "what was begun to be copied since the last commit is one group";
  let assemblyFormat = "attr-dict";
}

def Gpu_AwaitOp : Op<GpuDialect, "await", []> {
  let summary = "all threads meet; of the groups of copies all but the last `pending` have arrived, for all of them to see";
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Gpu_StageOp : Op<GpuDialect, "stage", []> {
  let summary = "a block as a tile in shared memory, for all threads to see";
  let arguments = (ins Tile_Block:$source);
  let results = (outs Gpu_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Gpu_ReadOp : Op<GpuDialect, "read", []> {
  let summary = "a tile as a block: each thread reads what the layout gives it";
  let arguments = (ins Gpu_Tile:$tile);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
}

def Gpu_MmaOp : Op<GpuDialect, "mma", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "begin to multiply: acc + a b, with `b`, and `a` unless it is a block, in shared memory";
  let description = [{
    The instruction works on behind the threads' backs: its sums are there, and its operands may be written over, after an `mma_wait`
    that lets no more pass than were begun since.
  }];
  let arguments = (ins AnyTypeOf<[Gpu_Tile, Tile_Block]>:$a, Gpu_Tile:$b, Tile_Block:$acc, StrAttr:$instruction);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$instruction $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def Gpu_MmaWaitOp : Op<GpuDialect, "mma_wait", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "all but the last `pending` of the multiplications that were begun are done; the sums pass through";
  let arguments = (ins Tile_Block:$acc, I32Attr:$pending);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$pending $acc attr-dict `:` type($result)";
}

#endif
