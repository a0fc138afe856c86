// The tile dialect: block-level kernels as values; its types and attributes.
#ifndef TILEWISE_IR_TILE_DIALECT
#define TILEWISE_IR_TILE_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewise::tile";
  let summary = "Block-level kernels: what every engine must agree on";
  let description = [{
    Values are scalars (`i32`, `f32`, `!tile.ptr<f32>`) or blocks: ranked tensors of them with a static shape. A rank-0 block does
    not exist: it is a scalar. Integers are signless; signedness lives in the op.

    Every op is total: no operand makes its result undefined. Where `arith`, `math` and `scf` are total and mean the right thing they
    are used as they are; the dialect adds the rest.

    A kernel is a `func.func` with the unit attribute `tile.kernel`, without results. Its arguments may carry `tile.name` (the
    parameter's name in the source) and `tile.divisibility` (a power of two that divides the integer, or the address in bytes).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
  let extraClassDeclaration = [{
    /// Names of the attributes that this dialect attaches to functions and their arguments.
    static constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
    static constexpr llvm::StringLiteral kNameAttr = "tile.name";
    static constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
  }];
}

class TileType<string name, string typeMnemonic> : TypeDef<TileDialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_Ptr : TileType<"Ptr", "ptr"> {
  let summary = "the address of an element in global memory";
  let parameters = (ins "::mlir::Type":$pointee);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

class BlockOf<list<Type> scalars> : RankedTensorOf<scalars>;
class ScalarOrBlockOf<list<Type> scalars, string summary>
    : AnyTypeOf<!listconcat(scalars, [BlockOf<scalars>]), summary>;

def Tile_Int : ScalarOrBlockOf<[AnySignlessInteger], "an integer or a block of integers">;
def Tile_Bool : ScalarOrBlockOf<[I1], "a bool or a block of bools">;
def Tile_Float : ScalarOrBlockOf<[AnyFloat], "a float or a block of floats">;
def Tile_PtrLike : ScalarOrBlockOf<[Tile_Ptr], "a pointer or a block of pointers">;
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Tile_Ptr], "an integer, float or pointer">;
def Tile_Block : BlockOf<[AnySignlessInteger, AnyFloat, Tile_Ptr]>;
def Tile_Any : AnyTypeOf<[Tile_Scalar, Tile_Block], "a scalar or a block">;

def Tile_CacheModifierEnum : I32EnumAttr<"CacheModifier", "which caches a load or store goes through", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"ca", 1>, I32EnumAttrCase<"cg", 2>, I32EnumAttrCase<"cs", 3>,
    I32EnumAttrCase<"cv", 4>, I32EnumAttrCase<"wb", 5>, I32EnumAttrCase<"wt", 6>]> {
  let cppNamespace = "::tilewise::tile";
  let genSpecializedAttr = 0;
}

def Tile_EvictionEnum : I32EnumAttr<"Eviction", "how soon a cache may drop the line", [
    I32EnumAttrCase<"normal", 0>, I32EnumAttrCase<"first", 1>, I32EnumAttrCase<"last", 2>]> {
  let cppNamespace = "::tilewise::tile";
  let genSpecializedAttr = 0;
}

// Precision names are permissions: an engine may round the operands of an f32 dot to tf32 under
// `tf32`, it need not.
def Tile_PrecisionEnum : I32EnumAttr<"Precision", "how far an f32 dot may round its operands", [
    I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"tf32x3", 2>,
    I32EnumAttrCase<"bf16x3", 3>, I32EnumAttrCase<"bf16x6", 4>]> {
  let cppNamespace = "::tilewise::tile";
  let genSpecializedAttr = 0;
}

def Tile_MemOrderEnum : I32EnumAttr<"MemOrder", "what an atomic orders around it", [
    I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
    I32EnumAttrCase<"acq_rel", 3>]> {
  let cppNamespace = "::tilewise::tile";
  let genSpecializedAttr = 0;
}

def Tile_MemScopeEnum : I32EnumAttr<"MemScope", "who takes part in an atomic's order", [
    I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"sys", 2>]> {
  let cppNamespace = "::tilewise::tile";
  let genSpecializedAttr = 0;
}

// Float maxima order as atomics do on a GPU: by sign-split integers, so -0.0 < +0.0 and a NaN
// orders by its bits.
def Tile_AtomicKindEnum : I32EnumAttr<"AtomicKind", "what an atomic does to memory", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"fadd", 1>, I32EnumAttrCase<"max_s", 2>, I32EnumAttrCase<"max_u", 3>,
    I32EnumAttrCase<"min_s", 4>, I32EnumAttrCase<"min_u", 5>, I32EnumAttrCase<"and_", 6, "and">,
    I32EnumAttrCase<"or_", 7, "or">, I32EnumAttrCase<"xor_", 8, "xor">, I32EnumAttrCase<"xchg", 9>]> {
  let cppNamespace = "::tilewise::tile";
  let genSpecializedAttr = 0;
}

def Tile_MemOrder : EnumAttr<TileDialect, Tile_MemOrderEnum, "order">;
def Tile_MemScope : EnumAttr<TileDialect, Tile_MemScopeEnum, "scope">;
def Tile_AtomicKind : EnumAttr<TileDialect, Tile_AtomicKindEnum, "atomic">;
def Tile_CacheModifier : EnumAttr<TileDialect, Tile_CacheModifierEnum, "cache">;
def Tile_Eviction : EnumAttr<TileDialect, Tile_EvictionEnum, "eviction">;
def Tile_Precision : EnumAttr<TileDialect, Tile_PrecisionEnum, "precision">;

#endif
