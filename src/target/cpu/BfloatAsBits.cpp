// LLVM IR -> LLVM IR: values of type bfloat are carried as i16.
//
// All arithmetic on bf16 has become integer ops by now; what is left only moves bits. LLVM still treats a bfloat that crosses basic blocks as
// a float32 in a register and rounds it again by a call to __truncsfbf2, which libgcc may lack.
#include "target/cpu/LlvmTarget.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace tilewise::cpu {

using namespace llvm;

/// The integers of the same shape, or null if the type holds no bfloat.
static Type *bitsOf(Type *type) {
  return type->getScalarType()->isBFloatTy() ? type->getWithNewType(Type::getInt16Ty(type->getContext())) : nullptr;
}

/// load bfloat => bitcast (load i16);  and so for stores, selects and phis
static void carryAsBits(Instruction *instruction) {
  IRBuilder<> b(instruction);
  Type *type = instruction->getType();
  Value *bits = nullptr;
  if (auto *store = dyn_cast<StoreInst>(instruction)) {
    store->setOperand(0, b.CreateBitCast(store->getValueOperand(), bitsOf(store->getValueOperand()->getType())));
    return;
  }
  if (auto *load = dyn_cast<LoadInst>(instruction)) {
    auto *made = b.CreateAlignedLoad(bitsOf(type), load->getPointerOperand(), load->getAlign(), load->isVolatile());
    made->copyMetadata(*load);
    bits = made;
  } else if (auto *select = dyn_cast<SelectInst>(instruction)) {
    bits = b.CreateSelect(select->getCondition(), b.CreateBitCast(select->getTrueValue(), bitsOf(type)),
                          b.CreateBitCast(select->getFalseValue(), bitsOf(type)));
  } else if (auto *phi = dyn_cast<PHINode>(instruction)) {
    auto *made = b.CreatePHI(bitsOf(type), phi->getNumIncomingValues());
    for (auto [block, value] : zip(phi->blocks(), phi->incoming_values()))
      made->addIncoming(IRBuilder<>(block->getTerminator()).CreateBitCast(value, bitsOf(type)), block);
    b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    bits = made;
  }
  instruction->replaceAllUsesWith(b.CreateBitCast(bits, type));
  instruction->eraseFromParent();
}

void carryBfloatAsBits(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *> work;
    for (Instruction &each : instructions(function)) {
      auto *store = dyn_cast<StoreInst>(&each);
      Type *carried = store                                      ? store->getValueOperand()->getType()
                      : isa<LoadInst, SelectInst, PHINode>(each) ? each.getType()
                                                                 : nullptr;
      if (carried && bitsOf(carried))
        work.push_back(&each);
    }
    for (Instruction *each : work)
      carryAsBits(each);
  }
}

} // namespace tilewise::cpu
