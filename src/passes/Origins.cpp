// Where addresses come from: the chain of values behind a pointer, and the arguments at its end.
#include "passes/Origins.h"

#include "ir/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::tile {

static bool isPointer(Value value) { return isa<tile::PtrType>(tile::elementTypeOf(value.getType())); }

static SmallVector<Value> carriedIntoBlock(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return {};
    return {loop.getInitArgs()[number - 1], loop.getYieldedValues()[number - 1]};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody())
      return {loop.getInits()[number], loop.getYieldOp().getResults()[number]};
    return {loop.getConditionOp().getArgs()[number]};
  }
  return {};
}

SmallVector<Value> carriedFrom(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return carriedIntoBlock(argument);
  unsigned number = cast<OpResult>(value).getResultNumber();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(value.getDefiningOp())
      .Case<tile::PtrAddOp, tile::JoinOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(
          [](auto op) { return SmallVector<Value>(op->getOperands()); })
      .Case<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp, tile::SplitOp,
            tile::PtrCastOp, tile::HintOp, arith::ExtSIOp>(
          [](auto op) { return SmallVector<Value>{op->getOperand(0)}; })
      .Case([](arith::SelectOp op) { return SmallVector<Value>{op.getTrueValue(), op.getFalseValue()}; })
      .Case([&](scf::ForOp op) { return SmallVector<Value>{op.getRegionIterArg(number)}; })
      .Case([&](scf::WhileOp op) { return SmallVector<Value>{op.getAfterArguments()[number]}; })
      .Case([&](scf::IfOp op) {
        return SmallVector<Value>{op.thenYield()->getOperand(number), op.elseYield()->getOperand(number)};
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

Origins originsOf(Value pointer) {
  Origins origins;
  llvm::DenseSet<Value> seen = {pointer};
  SmallVector<Value> work = {pointer};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isFunctionArgument(value)) {
      origins.arguments.push_back(cast<BlockArgument>(value).getArgNumber());
      continue;
    }
    SmallVector<Value> sources = carriedFrom(value);
    llvm::erase_if(sources, [](Value source) { return !isPointer(source); });
    origins.foreign |= sources.empty();
    for (Value source : sources)
      if (seen.insert(source).second)
        work.push_back(source);
  }
  llvm::sort(origins.arguments);
  return origins;
}

llvm::DenseSet<Value> findOffsets(Operation *kernel) {
  llvm::DenseSet<Value> offsets;
  SmallVector<Value> work;
  kernel->walk([&](Operation *op) {
    if (auto access = dyn_cast<tile::MemoryAccess>(op))
      work.push_back(access.getPointer());
    else if (isa<func::ReturnOp>(op)) // Addresses for another engine, see ir/DelegatedOps.h.
      work.append(op->operand_begin(), op->operand_end());
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (offsets.insert(value).second)
      llvm::append_range(work, carriedFrom(value));
  }
  return offsets;
}

} // namespace tilewise::tile
