// LLVM IR -> LLVM IR: values of type bfloat, and of half where the processor has no instructions
// for it, are carried as i16.
//
// All arithmetic on such types has become integer ops by now; what is left only moves bits. LLVM
// still treats a bfloat that crosses basic blocks, or a half in a masked load, as a float32 in a
// register and converts it by a call to a function that libgcc may lack.
#include "target/cpu/llvm/EmitObject.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tilewise::cpu {

using namespace llvm;

namespace {

class Carrier {
public:
  explicit Carrier(bool carryHalf) : carryHalf_(carryHalf) {}

  void run(Function &function) {
    SmallVector<Instruction *> work;
    for (Instruction &each : instructions(function))
      if (Type *carried = carriedType(each); (carried && bitsOf(carried)) || castsBetween(each))
        work.push_back(&each);
    for (Instruction *each : work)
      carryAsBits(each);
  }

private:
  /// The integers of the same shape, or null if the type holds nothing that is carried as bits.
  Type *bitsOf(Type *type) const {
    Type *scalar = type->getScalarType();
    bool carried = scalar->isBFloatTy() || (carryHalf_ && scalar->isHalfTy());
    return carried ? type->getWithNewType(Type::getInt16Ty(type->getContext())) : nullptr;
  }

  /// half <-> bfloat, which LLVM would make by way of float32.
  bool castsBetween(Instruction &instruction) const {
    auto *cast = dyn_cast<BitCastInst>(&instruction);
    return cast && (bitsOf(cast->getSrcTy()) || bitsOf(cast->getDestTy())) &&
           cast->getSrcTy()->getScalarType()->isFloatingPointTy() &&
           cast->getDestTy()->getScalarType()->isFloatingPointTy();
  }

  static Intrinsic::ID intrinsicOf(Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
  }

  /// What the instruction moves: the type it loads, stores, selects, merges or rearranges; null for
  /// all others.
  static Type *carriedType(Instruction &instruction) {
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return store->getValueOperand()->getType();
    switch (intrinsicOf(instruction)) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      return instruction.getType();
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return instruction.getOperand(0)->getType();
    default:
      return isa<LoadInst, SelectInst, PHINode, InsertElementInst, ExtractElementInst, ShuffleVectorInst>(instruction)
                 ? instruction.getType()
                 : nullptr;
    }
  }

  /// load half => bitcast (load i16);  and so for every other way to move one
  void carryAsBits(Instruction *instruction) const {
    IRBuilder<> b(instruction);
    auto asBits = [&](Value *value) -> Value * {
      Type *bits = value->getType()->getWithNewType(b.getInt16Ty());
      // What was carried as bits already is taken as it was.
      if (auto *made = dyn_cast<BitCastInst>(value); made && made->getSrcTy() == bits)
        return made->getOperand(0);
      return b.CreateBitCast(value, bits);
    };
    auto operand = [&](unsigned index) { return instruction->getOperand(index); };
    auto alignment = [&](unsigned index) { return cast<ConstantInt>(operand(index))->getAlignValue(); };
    Type *type = instruction->getType();
    Value *bits = nullptr;
    if (auto *store = dyn_cast<StoreInst>(instruction)) {
      store->setOperand(0, asBits(store->getValueOperand()));
      return;
    }
    if (auto *load = dyn_cast<LoadInst>(instruction)) {
      auto *made = b.CreateAlignedLoad(bitsOf(type), load->getPointerOperand(), load->getAlign(), load->isVolatile());
      made->copyMetadata(*load);
      bits = made;
    } else if (auto *select = dyn_cast<SelectInst>(instruction)) {
      bits = b.CreateSelect(select->getCondition(), asBits(select->getTrueValue()), asBits(select->getFalseValue()));
    } else if (auto *phi = dyn_cast<PHINode>(instruction)) {
      auto *made = b.CreatePHI(bitsOf(type), phi->getNumIncomingValues());
      for (auto [block, value] : zip(phi->blocks(), phi->incoming_values()))
        made->addIncoming(IRBuilder<>(block->getTerminator()).CreateBitCast(value, bitsOf(type)), block);
      b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
      bits = made;
    } else if (isa<BitCastInst>(instruction)) {
      bits = asBits(operand(0));
    } else if (isa<InsertElementInst>(instruction)) {
      bits = b.CreateInsertElement(asBits(operand(0)), asBits(operand(1)), operand(2));
    } else if (isa<ExtractElementInst>(instruction)) {
      bits = b.CreateExtractElement(asBits(operand(0)), operand(1));
    } else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(instruction)) {
      bits = b.CreateShuffleVector(asBits(operand(0)), asBits(operand(1)), shuffle->getShuffleMask());
    } else if (intrinsicOf(*instruction) == Intrinsic::masked_load) {
      bits = b.CreateMaskedLoad(bitsOf(type), operand(0), alignment(1), operand(2), asBits(operand(3)));
    } else if (intrinsicOf(*instruction) == Intrinsic::masked_gather) {
      bits = b.CreateMaskedGather(bitsOf(type), operand(0), alignment(1), operand(2), asBits(operand(3)));
    } else if (intrinsicOf(*instruction) == Intrinsic::masked_store) {
      b.CreateMaskedStore(asBits(operand(0)), operand(1), alignment(2), operand(3));
    } else if (intrinsicOf(*instruction) == Intrinsic::masked_scatter) {
      b.CreateMaskedScatter(asBits(operand(0)), operand(1), alignment(2), operand(3));
    }
    if (bits)
      instruction->replaceAllUsesWith(b.CreateBitCast(bits, type));
    instruction->eraseFromParent();
  }

  bool carryHalf_;
};

} // namespace

void carryNarrowFloatsAsBits(Module &module, bool carryHalf) {
  for (Function &function : module)
    Carrier(carryHalf).run(function);
}

} // namespace tilewise::cpu
