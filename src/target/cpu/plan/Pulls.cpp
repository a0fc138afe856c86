// What an op pulls: operands as blocks, accesses by what the inference left over, regions by what
// they carry.
#include "target/cpu/plan/Pulls.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

/// The region's argument or result that becomes the operand of a loop, of its yield or of its test;
/// null for bounds and conditions.
static Value targetOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return index < loop.getNumControlOperands() ? Value() : loop.getRegionIterArg(index - loop.getNumControlOperands());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getBeforeArguments()[index];
  Operation *parent = op->getParentOp();
  if (isa<scf::ConditionOp>(op))
    return index == 0 ? Value() : parent->getResult(index - 1);
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return loop.getBeforeArguments()[index];
  return parent->getResult(index);
}

bool isChoiceOfCarried(tile::AccessInference &inference, Operation *op) {
  return isa<arith::SelectOp>(op) && isBlock(op->getResult(0)) && inference.carried(op->getResult(0));
}

bool isNestRoot(Operation *op) { return tile::isStore(op) || isa<tile::ReduceOp>(op); }

SmallVector<Value> pulledOperands(tile::AccessInference &inference, Operation *op) {
  SmallVector<Value> pulled;
  auto add = [&](Value value) {
    if (value && isBlock(value))
      pulled.push_back(value);
  };
  auto access = dyn_cast<tile::MemoryAccess>(op);
  auto whole = dyn_cast<tile::WholeBlocks>(op);
  if (access && !access.isAtomic()) {
    const tile::StructuredAccess &known = inference.access(access);
    if (!known.address.isAffine())
      add(access.getPointer());
    if (known.mask)
      for (Value rest : known.mask->remainder)
        add(rest);
    auto load = dyn_cast<tile::LoadOp>(op);
    add(load ? Value(load.getOther()) : access.getValue());
  } else if (whole && whole.givesElements()) { // From what lies in scratch by then.
    SmallVector<Value> lying = whole.getWholeOperands();
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(lying, operand))
        add(operand);
  } else if (tile::handsOn(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value target = targetOf(operand); !target || !inference.carried(target))
        add(operand.get());
  } else {
    for (Value operand : op->getOperands())
      add(operand);
  }
  return pulled;
}

} // namespace tilewise::cpu
