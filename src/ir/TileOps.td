// The ops of the tile dialect, by family: program, shape, integers and conversions, memory, dot and
// reduce.
#ifndef TILEWISE_IR_TILE_OPS
#define TILEWISE_IR_TILE_OPS

include "TileDialect.td"
include "TileInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileOp<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

// ---- program ----

class ProgramOp<string mnemonic> : TileOp<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ProgramIdOp : ProgramOp<"program_id"> {
  let summary = "index of this program along an axis of the grid";
}

def Tile_NumProgramsOp : ProgramOp<"num_programs"> {
  let summary = "extent of the grid along an axis";
}

// ---- shape ----

def Tile_RangeOp : TileOp<"range", [Pure]> {
  let summary = "the integers start, start+1, ..., end-1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : TileOp<"splat", [DeclareOpInterfaceMethods<Tile_MovesElements>, Pure, TypesMatchWith<"the block's elements are the scalar", "result", "source",
      "::mlir::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "a block whose elements all equal a scalar";
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : TileOp<"expand_dims", [DeclareOpInterfaceMethods<Tile_MovesElements>, Pure]> {
  let summary = "insert a dimension of extent 1 at `axis` of the result";
  let arguments = (ins Tile_Block:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source `at` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_BroadcastOp : TileOp<"broadcast", [DeclareOpInterfaceMethods<Tile_MovesElements>, Pure]> {
  let summary = "stretch dimensions of extent 1; the rank stays";
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : TileOp<"reshape", [DeclareOpInterfaceMethods<Tile_MovesElements>, Tile_WholeBlocks, Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_PermuteOp : TileOp<"permute", [DeclareOpInterfaceMethods<Tile_MovesElements>, Pure]> {
  let summary = "dimension d of the result is dimension order[d] of the source";
  let arguments = (ins Tile_Block:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source `by` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_JoinOp : TileOp<"join", [Tile_WholeBlocks, Pure, SameTypeOperands]> {
  let summary = "two blocks side by side in a new last dimension of extent 2; two scalars give a block of shape [2]";
  let arguments = (ins Tile_Any:$lhs, Tile_Any:$rhs);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : TileOp<"split", [Tile_WholeBlocks, Pure, TypesMatchWith<"both halves have one type", "lhs", "rhs", "$_self">]> {
  let summary = "the two halves of a last dimension of extent 2";
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Any:$lhs, Tile_Any:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_GatherOp : TileOp<"gather", [DeclareOpInterfaceMethods<Tile_WholeBlocks, ["getWholeOperands", "givesElements"]>, Pure]> {
  let summary = "result[.., i, ..] = source[.., indices[.., i, ..], ..] along an axis; an index outside the axis gives 0";
  let arguments = (ins Tile_Block:$source, Tile_Int:$indices, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source `[` $indices `]` `along` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

// ---- integers and conversions, made total ----

class IntBinaryOp<string mnemonic, list<Trait> traits> : TileOp<mnemonic,
    [Pure, SameOperandsAndResultType, Elementwise, Scalarizable, Vectorizable, Tensorizable] # traits> {
  let arguments = (ins Tile_Int:$lhs, Tile_Int:$rhs);
  let results = (outs Tile_Int:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

class IntDivisionOp<string mnemonic, bit isSigned, bit givesQuotient> : IntBinaryOp<mnemonic, [Tile_IntegerDivision]> {
  let extraClassDeclaration = "static bool isSigned() { return " # isSigned # "; } static bool givesQuotient() { return " # givesQuotient # "; }";
}

class IntShiftOp<string mnemonic, bit isLeft, bit isSigned> : IntBinaryOp<mnemonic, [Tile_IntegerShift]> {
  let extraClassDeclaration = "static bool isLeft() { return " # isLeft # "; } static bool isSigned() { return " # isSigned # "; }";
}

def Tile_DivSOp : IntDivisionOp<"div_s", /*isSigned=*/1, /*givesQuotient=*/1> {
  let summary = "signed division towards zero; x / 0 is all ones, INT_MIN / -1 is INT_MIN";
}
def Tile_DivUOp : IntDivisionOp<"div_u", 0, 1> {
  let summary = "unsigned division; x / 0 is all ones";
}
def Tile_RemSOp : IntDivisionOp<"rem_s", 1, 0> {
  let summary = "signed remainder with the dividend's sign; x % 0 is x, INT_MIN % -1 is 0";
}
def Tile_RemUOp : IntDivisionOp<"rem_u", 0, 0> {
  let summary = "unsigned remainder; x % 0 is x";
}
def Tile_ShlOp : IntShiftOp<"shl", /*isLeft=*/1, /*isSigned=*/0> {
  let summary = "shift left; an (unsigned) amount of at least the width gives 0";
}
def Tile_ShrSOp : IntShiftOp<"shr_s", 0, 1> {
  let summary = "arithmetic shift right; an (unsigned) amount of at least the width gives the sign fill";
}
def Tile_ShrUOp : IntShiftOp<"shr_u", 0, 0> {
  let summary = "logical shift right; an (unsigned) amount of at least the width gives 0";
}

class FloatToIntOp<string mnemonic, bit isSigned> : TileOp<mnemonic,
    [Tile_FloatToInteger, Pure, SameOperandsAndResultShape, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let arguments = (ins Tile_Float:$source);
  let results = (outs Tile_Int:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let extraClassDeclaration = "static bool isSigned() { return " # isSigned # "; }";
}

def Tile_FpToSiOp : FloatToIntOp<"fp_to_si", /*isSigned=*/1> {
  let summary = "truncate towards zero, saturate at the signed range; NaN gives 0";
}
def Tile_FpToUiOp : FloatToIntOp<"fp_to_ui", 0> {
  let summary = "truncate towards zero, saturate at the unsigned range; NaN gives 0";
}

def Tile_PtrToIntOp : TileOp<"ptr_to_int", [Pure, SameOperandsAndResultShape, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "the address in bytes, as 64 bits";
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_Int:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_IntToPtrOp : TileOp<"int_to_ptr", [Pure, SameOperandsAndResultShape, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "the pointer with this address in bytes";
  let arguments = (ins Tile_Int:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_PtrCastOp : TileOp<"ptr_cast", [Pure, SameOperandsAndResultShape, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "the same address as a pointer to another type";
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

// ---- memory ----

def Tile_PtrAddOp : TileOp<"ptr_add", [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable, SameOperandsAndResultShape,
    TypesMatchWith<"the result is the pointer's type", "pointer", "result", "$_self">]> {
  let summary = "move a pointer by a signed number of elements";
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Int:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasFolder = 1;
}

def Tile_LoadOp : TileOp<"load", [Tile_MemoryAccess, AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read the elements at the pointers; a lane whose mask is false gives `other`, or 0 without it, and touches no memory";
  let arguments = (ins Tile_PtrLike:$pointer, Optional<Tile_Bool>:$mask, Optional<Tile_Any>:$other,
      DefaultValuedAttr<Tile_CacheModifier, "::tilewise::tile::CacheModifier::none">:$cache,
      DefaultValuedAttr<Tile_Eviction, "::tilewise::tile::Eviction::normal">:$eviction, UnitAttr:$isVolatile);
  let results = (outs Tile_Any:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$pointer, "::mlir::Value":$mask, "::mlir::Value":$other)>];
  let assemblyFormat = [{
    $pointer (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? attr-dict `:` type($pointer) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_StoreOp : TileOp<"store", [Tile_MemoryAccess, Tile_ChangesMemory, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write the elements at the pointers; a lane whose mask is false touches no memory";
  let description = "Lanes that hit one address write in unspecified order.";
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Any:$value, Optional<Tile_Bool>:$mask,
      DefaultValuedAttr<Tile_CacheModifier, "::tilewise::tile::CacheModifier::none">:$cache,
      DefaultValuedAttr<Tile_Eviction, "::tilewise::tile::Eviction::normal">:$eviction);
  let assemblyFormat = [{
    $pointer `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($pointer) `,` type($value)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_AtomicRmwOp : TileOp<"atomic_rmw", [Tile_MemoryAccess, Tile_ChangesMemory, Tile_WholeBlocks, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "replace each element by op(element, value) in one step and give the old one; a lane whose mask is false gives 0 and touches no memory";
  let description = "Lanes of one op that hit one address are applied one after another, in unspecified order.";
  let arguments = (ins Tile_AtomicKind:$kind, Tile_PtrLike:$pointer, Tile_Any:$value, Optional<Tile_Bool>:$mask,
      DefaultValuedAttr<Tile_MemOrder, "::tilewise::tile::MemOrder::acq_rel">:$order,
      DefaultValuedAttr<Tile_MemScope, "::tilewise::tile::MemScope::gpu">:$scope);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $kind $pointer `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($pointer) `,` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : TileOp<"atomic_cas", [Tile_MemoryAccess, Tile_ChangesMemory, Tile_WholeBlocks, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "replace each element that equals `expected`, bit by bit, by `value` in one step and give the old one";
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Any:$expected, Tile_Any:$value,
      DefaultValuedAttr<Tile_MemOrder, "::tilewise::tile::MemOrder::acq_rel">:$order,
      DefaultValuedAttr<Tile_MemScope, "::tilewise::tile::MemScope::gpu">:$scope);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$pointer `,` $expected `,` $value attr-dict `:` type($pointer) `->` type($result)";
  let hasVerifier = 1;
}

// ---- dot and reduce ----

def Tile_DotOp : TileOp<"dot", [Tile_WholeBlocks, Pure, TypesMatchWith<"the result is the accumulator's type", "acc", "result", "$_self">]> {
  let summary = "acc + a @ b for blocks [M, K] and [K, N], or [B, M, K] and [B, K, N]";
  let description = [{
    The operands have one element type, or two formats of 8-bit floats.
    Products are exact in the accumulator's precision where it can hold them and are added in any order:
    |error| <= c * K * eps * sum |a_i b_i|. Integer dots wrap and are exact.
  }];
  let arguments = (ins Tile_Block:$a, Tile_Block:$b, Tile_Block:$acc,
      DefaultValuedAttr<Tile_Precision, "::tilewise::tile::Precision::tf32">:$precision);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($acc)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : TileOp<"reduce", [Tile_CombinesAlong, SingleBlock, RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let summary = "combine the elements along an axis; the axis disappears";
  let description = [{
    The region takes two partial results per operand, (a0, .., an, b0, .., bn), and yields the combined one. It must be associative and
    commutative up to rounding: engines combine in any order. A rank-1 operand gives a scalar.
  }];
  let arguments = (ins Variadic<Tile_Block>:$sources, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "`(` $sources `)` `along` $axis attr-dict-with-keyword $combine `:` functional-type($sources, $results)";
  let extraClassDeclaration = "static bool dropsAxis() { return true; }";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : TileOp<"scan", [Tile_CombinesAlong, Tile_WholeBlocks, SingleBlock, RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let summary = "inclusive scan along an axis: element i combines elements 0..i, or i..n-1 in reverse";
  let description = "The region is as in `tile.reduce`; it must be associative up to rounding.";
  let arguments = (ins Variadic<Tile_Block>:$sources, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Block>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $sources `)` `along` $axis (`reverse` $reverse^)? attr-dict-with-keyword $combine `:` functional-type($sources, $results)
  }];
  let extraClassDeclaration = "static bool dropsAxis() { return false; }";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_HistogramOp : TileOp<"histogram", [Tile_WholeBlocks, Pure]> {
  let summary = "how often each of 0..bins-1 occurs in a block of integers; other values, and lanes whose mask is false, do not count";
  let arguments = (ins RankedTensorOf<[AnySignlessInteger]>:$source, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$source (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_MapOp : TileOp<"map", [Tile_WholeBlocks, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "run a region of scalars, which may branch and loop, on each element";
  let description = [{
    The region takes `pack` neighbouring elements (in row-major order) of each operand, operand by operand, (a0, .., ap, b0, .., bp), and
    yields as many of each result.
  }];
  let arguments = (ins Variadic<Tile_Block>:$sources, DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$pack);
  let results = (outs Variadic<Tile_Block>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $sources `)` (`pack` $pack^)? attr-dict-with-keyword $body `:` functional-type($sources, $results)";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : TileOp<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["MapOp", "ReduceOp", "ScanOp"]>]> {
  let summary = "the scalars that a region gives to its op";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

// ---- what an engine may know ----

def Tile_HintOp : TileOp<"hint", [DeclareOpInterfaceMethods<Tile_MovesElements>, Elementwise, Scalarizable, Vectorizable, Tensorizable, Pure, SameOperandsAndResultType]> {
  let summary = "the source itself, with what the kernel's author promises of it";
  let description = [{
    One number per dimension, or one for a scalar. `divisibility`: each run of `contiguity` elements starts at a multiple of it (in elements
    of integers, in bytes of pointers). `contiguity`: elements come in runs x, x+1, ... of this length. `constancy`: in runs of equal ones.
    A promise that does not hold leaves the kernel without a meaning.
  }];
  let arguments = (ins Tile_Any:$source, OptionalAttr<DenseI64ArrayAttr>:$divisibility,
      OptionalAttr<DenseI64ArrayAttr>:$contiguity, OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $source (`divisibility` $divisibility^)? (`contiguity` $contiguity^)? (`constancy` $constancy^)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Tile_FactsResource : Resource<"::tilewise::tile::FactsResource">;

def Tile_AssumeOp : TileOp<"assume", [MemoryEffects<[MemWrite<Tile_FactsResource>]>]> {
  let summary = "the kernel's author promises that this scalar is true whenever control comes here";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

// ---- what comes from outside ----

def Tile_ExternCallOp : TileOp<"extern_call", [DeclareOpInterfaceMethods<Tile_PerElement>, DeclareOpInterfaceMethods<Tile_ChangesMemory, ["changesMemory"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a named scalar function of the engine's mathematics library, element by element";
  let description = [{
    Operands and result have one shape. The symbols are those of libdevice without `__nv_` (`asinf`, `fdiv_rn`), each of which has one type;
    src/libdevice/Libdevice.def lists them and says how exact each is.
    An impure call (a clock) is neither removed nor moved across memory accesses.
  }];
  let arguments = (ins StrAttr:$symbol, Variadic<Tile_Any>:$operands, UnitAttr:$impure);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$symbol `(` $operands `)` (`impure` $impure^)? attr-dict `:` functional-type($operands, $result)";
  let hasVerifier = 1;
}

def Tile_InlineAsmOp : TileOp<"inline_asm", [DeclareOpInterfaceMethods<Tile_ChangesMemory, ["changesMemory"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "machine text run on `pack` elements at a time, with LLVM's constraint string";
  let description = "Impure text may store, wait or read a clock: it is neither removed nor moved across memory accesses.";
  let arguments = (ins StrAttr:$assembly, StrAttr:$constraints, Variadic<Tile_Any>:$operands,
      DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$pack, UnitAttr:$impure);
  let results = (outs Variadic<Tile_Any>:$results);
  let assemblyFormat = [{
    $assembly `,` $constraints `(` $operands `)` (`pack` $pack^)? (`impure` $impure^)? attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

// ---- what a person sees ----

def Tile_PrintOp : TileOp<"print", [Tile_TellsPeople, MemoryEffects<[MemWrite]>]> {
  let summary = "print every element with its program and index, one line each";
  let arguments = (ins StrAttr:$prefix, Variadic<Tile_Any>:$values, DenseBoolArrayAttr:$isSigned, UnitAttr:$hex);
  let assemblyFormat = "$prefix (`,` $values^)? attr-dict (`:` type($values)^)?";
}

def Tile_AssertOp : TileOp<"assert", [Tile_TellsPeople, MemoryEffects<[MemWrite]>]> {
  let summary = "stop the launch with a message when an element is false; lanes whose mask is false are not looked at";
  let arguments = (ins Tile_Bool:$condition, StrAttr:$message, Optional<Tile_Bool>:$mask);
  let assemblyFormat = "$condition `,` $message (`mask` $mask^ `:` type($mask))? attr-dict `:` type($condition)";
}

def Tile_BarrierOp : TileOp<"barrier", [Tile_ChangesMemory, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "no memory access of this program moves across";
  let assemblyFormat = "attr-dict";
}

#endif
