// What an op is, for code that must not depend on which op it is: memory access, elementwise, whole
// blocks, order of memory, moved elements, reductions, kinds of integer arithmetic.
//
// An engine or a pass that handles ops of one sort asks an interface of this file, or a question of
// TileInterfaces.h if ops of arith and math belong to the sort as well. A new op states its sorts
// in TileOps.td; nothing else has to list it. `dev/lint` refuses a list of ops that occurs twice.
#ifndef TILEWISE_IR_TILE_INTERFACES
#define TILEWISE_IR_TILE_INTERFACES

include "mlir/IR/OpBase.td"

class TileInterface<string name> : OpInterface<name> {
  let cppNamespace = "::tilewise::tile";
}

def Tile_MemoryAccess : TileInterface<"MemoryAccess"> {
  let description = [{
    Touches the elements at a pointer or a block of them: a load, a store, an atomic. Lanes whose mask is false touch none.
  }];
  let methods = [
    InterfaceMethod<"The addresses.", "::mlir::Value", "getPointer">,
    InterfaceMethod<"The lanes that take part; null: all.", "::mlir::Value", "getMask", (ins), "", "return {};">,
    InterfaceMethod<"What it writes, or combines with what is there; null: it only reads.", "::mlir::Value", "getValue", (ins),
                    "", "return {};">];
  let extraClassDeclaration = [{
    bool reads() { return getOperation()->getNumResults() != 0; }
    bool writes() { return bool(getValue()); }
    bool isAtomic() { return reads() && writes(); }
    bool onlyReads() { return reads() && !writes(); }
    bool onlyWrites() { return writes() && !reads(); }
    /// For messages: "load", "store" or "atomic".
    ::llvm::StringRef getVerb() { return isAtomic() ? "atomic" : writes() ? "store" : "load"; }
  }];
}

def Tile_ChangesMemory : TileInterface<"ChangesMemory"> {
  let description = [{
    No load moves across it: it writes, or what it reads beside memory (a clock) is ordered like a write.
  }];
  let methods = [InterfaceMethod<"Whether this one does: ask `changesMemory(op)`, not for the interface.", "bool", "changesMemory", (ins), "",
                                 "return true;">];
}

def Tile_PerElement : TileInterface<"PerElement"> {
  let description = [{
    May compute each element of its result from the same elements of its operands. For ops of which only some do; those that always do have
    MLIR's own traits, `ElementwiseMappable`. Ask `isElementwise`, which knows both.
  }];
  let methods = [InterfaceMethod<"Whether this one does.", "bool", "isPerElement">];
}

def Tile_WholeBlocks : TileInterface<"WholeBlocks"> {
  let description = [{
    Wants operands as whole blocks: an element of the result, or the effect of an element, needs other elements than its own. Such an op ends
    a stretch of ops that can run chunk by chunk.
  }];
  let methods = [
    InterfaceMethod<"The operands that it wants whole.", "::llvm::SmallVector<::mlir::Value>", "getWholeOperands", (ins), "",
                    "return ::llvm::SmallVector<::mlir::Value>($_op->getOperands());">,
    InterfaceMethod<[{Whether elements of the result are computed one by one once the whole operands are there, as those of a gather are; the result
                      is then no whole block itself.}],
                    "bool", "givesElements", (ins), "", "return false;">];
}

def Tile_MovesElements : TileInterface<"MovesElements"> {
  let description = [{
    The elements of the result are elements of `source`, as they are, under other indices.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::Value", "getSource">,
    InterfaceMethod<[{For each dimension of the source the dimension of the result that it became; -1: it was dropped. Dimensions of extent 1 may be
                      dropped, added and stretched. Nothing at all where no such list says it: a reshape that folds dimensions.}],
                    "::std::optional<::llvm::SmallVector<int, 4>>", "getResultDims">];
}

def Tile_CombinesAlong : TileInterface<"CombinesAlong"> {
  let description = [{
    Combines the elements along a dimension by the function in its region.
  }];
  let methods = [
    InterfaceMethod<"", "uint32_t", "getAxis">,
    InterfaceMethod<"Whether one element is left of that dimension, which goes; else each gets what comes before it.", "bool", "dropsAxis">];
}

def Tile_IntegerDivision : TileInterface<"IntegerDivision"> {
  let description = [{
    A quotient or remainder of integers: of `lhs` by `rhs`.
  }];
  let methods = [InterfaceMethod<"", "bool", "isSigned">, InterfaceMethod<"Else it gives the remainder.", "bool", "givesQuotient">];
}

def Tile_IntegerShift : TileInterface<"IntegerShift"> {
  let description = [{
    Moves the bits of `lhs` by an amount, which is unsigned.
  }];
  let methods = [
    InterfaceMethod<"", "bool", "isLeft">,
    InterfaceMethod<"What comes in from the left is the sign, else 0.", "bool", "isSigned">];
}

def Tile_FloatToInteger : TileInterface<"FloatToInteger"> {
  let description = [{
    Truncates a float towards zero and saturates at the range of the result.
  }];
  let methods = [InterfaceMethod<"Whether that range is the signed one.", "bool", "isSigned">];
}

def Tile_TellsPeople : TileInterface<"TellsPeople"> {
  let description = [{
    Tells the person who runs the kernel something, and is never left out: a print, an assertion. Takes whole blocks, gives nothing.
  }];
}

#endif
