// The cpu dialect: a kernel's loop nests, what lies in scratch between them and what they ask for
// ahead, before any loop is written.
#ifndef TILEWISE_TARGET_CPU_DIALECT
#define TILEWISE_TARGET_CPU_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/TileDialect.td"
include "CpuEnums.td"

def CpuDialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::tilewise::cpu";
  let summary = "The plan of a kernel on a CPU: which ops run together in one loop nest";
  let description = [{
    A kernel in this form is still tile IR: every op computes whole blocks and means what it means there. What has been decided is where the
    blocks are computed. FormNests.h teaches how, with softmax as its example.

    - `cpu.nest` holds what one loop nest computes, chunk by chunk: nothing of it exists as a block but what it keeps.
    - Blocks that cross nests, and those that loops carry, lie in `cpu.scratch`: `cpu.keep` writes one, `cpu.read` is the block that lies there.
    - Outside of nests stand scalars, loops and branches of scalars, and ops that want whole blocks (`tile::WholeBlocks`). Blocks of index arithmetic
      (ranges, splats, offsets, masks) may stand there, too: nobody computes them before a nest or an op asks for a chunk.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tilewise::tile::TileDialect"];
}

def Cpu_Scratch : TypeDef<CpuDialect, "Scratch"> {
  let mnemonic = "scratch";
  let summary = "room for one block in the thread's scratch memory";
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$block), [{
    return $_get(block.getContext(), block);
  }]>];
  let assemblyFormat = "`<` $block `>`";
}

class CpuOp<string mnemonic, list<Trait> traits = []> : Op<CpuDialect, mnemonic, traits>;

/// A block and the scratch that it lies in.
class BlockIn<string block, string scratch> : TypesMatchWith<"the scratch is for blocks of this type", block, scratch,
    "::tilewise::cpu::ScratchType::get(::mlir::cast<::mlir::RankedTensorType>($_self))">;

def Cpu_ScratchOp : CpuOp<"scratch"> {
  let summary = "room for a block";
  let results = (outs Res<Cpu_Scratch, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cpu_ReadOp : CpuOp<"read", [BlockIn<"result", "scratch">]> {
  let summary = "the block that lies in scratch here; nobody writes another one there before the last chunk of it was asked for";
  let arguments = (ins Arg<Cpu_Scratch, "", [MemRead]>:$scratch);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$scratch attr-dict `:` type($result)";
}

def Cpu_KeepOp : CpuOp<"keep", [BlockIn<"value", "scratch">]> {
  let summary = "write a block to scratch, chunk by chunk as its nest computes it";
  let description = [{
    Of a reduction's result: when its loop is over. Outside of nests it stands behind a dot, which then works in that scratch.
  }];
  let arguments = (ins Tile_Block:$value, Arg<Cpu_Scratch, "", [MemWrite]>:$scratch);
  let assemblyFormat = "$value `into` $scratch attr-dict `:` type($value)";
}

def Cpu_Guard : EnumAttr<CpuDialect, Cpu_GuardEnum, "guard">;

def Cpu_NestOp : CpuOp<"nest", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "one loop nest over `shape`: the ops of its region run together, chunk by chunk";
  let description = [{
    Effects (stores, reductions, keeps) take the elements of a chunk in the order in which they stand, after all values of the chunk. The scalars of
    reductions are the op's results. What later passes decide about it is said behind the shape:

    - `lanes 16 along 1`: a chunk is a vector of 16 neighbours along dimension 1, and `copies 4` of them are computed in a step, each with accumulators of
      its own (NestLanes.h). Without lanes a chunk is one element.
    - `rows 4 along 0`: four neighbours along dimension 0 are computed at once, since they load the same elements (ShareRows.h).
    - `guard unless_overlapping`: where its stores meet one another or its loads, which a test at run time tells, everything runs one after another; or
      always, `guard one_by_one` (GuardAliases.h).
    - `streams`: stores may pass the caches by where the launch asks for it (Streaming.h).
  }];
  let arguments = (ins DenseI64ArrayAttr:$shape, OptionalAttr<I64Attr>:$lanes, OptionalAttr<I64Attr>:$laneDim,
      OptionalAttr<I64Attr>:$copies, OptionalAttr<I64Attr>:$rows, OptionalAttr<I64Attr>:$rowDim,
      OptionalAttr<Cpu_Guard>:$guard, UnitAttr:$streams);
  let results = (outs Variadic<Tile_Scalar>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::llvm::ArrayRef<int64_t>":$shape), [{
    build($_builder, $_state, results, shape, /*lanes=*/nullptr, /*laneDim=*/nullptr, /*copies=*/nullptr, /*rows=*/nullptr, /*rowDim=*/nullptr, /*guard=*/nullptr, /*streams=*/false);
  }]>];
  let hasVerifier = 1;
  let assemblyFormat = "`over` $shape (`lanes` $lanes^ `along` $laneDim)? (`copies` $copies^)? (`rows` $rows^ `along` $rowDim)? (`guard` $guard^)? (`streams` $streams^)? attr-dict-with-keyword $body (`->` type($results)^)?";
}

def Cpu_YieldOp : CpuOp<"yield", [Pure, Terminator, ParentOneOf<["NestOp"]>]> {
  let summary = "the scalars of a nest's reductions";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Cpu_CheckOp : CpuOp<"check", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "test that the access that is the region's last op stays inside the memory of its arguments; the access itself follows elsewhere";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def Cpu_DotPlan : AttrDef<CpuDialect, "DotPlan"> {
  let mnemonic = "dot";
  let summary = "which unit computes a dot, and how its operands are given to it (PlanDots.h)";
  let parameters = (ins EnumParameter<Cpu_UnitEnum>:$unit, EnumParameter<Cpu_GivenEnum>:$left, EnumParameter<Cpu_GivenEnum>:$right);
  let assemblyFormat = "`<` `by` $unit `,` `left` $left `,` `right` $right `>`";
}

def Cpu_Part : EnumAttr<CpuDialect, Cpu_PartEnum, "part">;

def Cpu_PrefetchOp : CpuOp<"prefetch", [MemoryEffects<[MemWrite]>]> {
  let summary = "ask for what the next program loads, or stores, at these pointers, while this nest runs (Prefetch.h)";
  let description = [{
    `beside` its load in this nest; or chunk by chunk whether or not the nest has it: `all` of it, the `first` three quarters of its row, the `last`
    quarter. What is used `once` goes to the first-level cache, other loads to the second.
  }];
  let arguments = (ins Cpu_Part:$part, Tile_PtrLike:$pointer, UnitAttr:$isStored, UnitAttr:$isUsedOnce);
  let assemblyFormat = "$part $pointer (`stored` $isStored^)? (`once` $isUsedOnce^)? attr-dict `:` type($pointer)";
}

#endif
