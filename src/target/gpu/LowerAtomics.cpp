// Atomics -> one instruction per element, in the one thread that speaks for it; others get what it
// got through shared memory.
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

/// What the owners got, in every thread that asks for it.
void shareResult(Lowering &on, Operation *op, Registers &registers, Value owner) {
  Type type = op->getResult(0).getType(), element = tile::elementTypeOf(type);
  uint32_t offset = Lowering::scratchOffset(op);
  if (!isBlock(type)) {
    SharedTile tile(on, offset, element, 1, 1);
    on.branchAround(owner, {}, [&] {
      tile.storeOne(on.i32(0), registers.front());
      return Registers();
    });
    on.barrier();
    registers = tile.loadRun(on.i32(0), 1);
    return;
  }
  LinearLayout layout = layoutOf(type);
  BlockScratch scratch = blockScratch(type);
  SharedTile tile(on, offset, element, layout.elements(), layout.elements());
  Registers result(registers.size());
  for (uint32_t round = 0; round < scratch.rounds; ++round) {
    if (round)
      on.barrier();
    SharedTile::Window window{round * scratch.elements, scratch.elements};
    on.branchAround(owner, {}, [&] {
      tile.store(layout, registers, window);
      return Registers();
    });
    on.barrier();
    tile.load(layout, result, window);
  }
  registers = std::move(result);
}

/// One element after the other, by `perform(register, enabled)`.
LogicalResult lowerAtomic(Lowering &on, Operation *op, Value mask, llvm::function_ref<Value(unsigned, Value)> perform) {
  Type type = op->getResult(0).getType(), element = tile::elementTypeOf(type);
  Value owner = isBlock(type) ? on.ownerOf(layoutOf(type)) : on.isFirstThread();
  unsigned count = isBlock(type) ? layoutOf(type).registers() : 1;
  Registers masks = mask ? on.registersOf(mask) : Registers(count, Value());
  Registers result;
  for (unsigned reg = 0; reg < count; ++reg) {
    Value old = perform(reg, on.both(owner, masks[reg]));
    if (!old)
      return failure();
    // A lane that is off gives 0.
    result.push_back(masks[reg] && !op->use_empty() ? on.select(masks[reg], old, on.zero(element)) : old);
  }
  if (sharesResult(op))
    shareResult(on, op, result, owner);
  on.set(op->getResult(0), std::move(result));
  return success();
}

} // namespace

LogicalResult Lowering::lowerAtomicRmw(tile::AtomicRmwOp op) {
  const Registers pointers = registersOf(op.getPointer()), values = registersOf(op.getValue());
  return lowerAtomic(*this, op, op.getMask(), [&](unsigned reg, Value enabled) {
    return machine.atomicRmw(*this, op, pointers[reg], values[reg], enabled);
  });
}

LogicalResult Lowering::lowerAtomicCas(tile::AtomicCasOp op) {
  const Registers pointers = registersOf(op.getPointer()), values = registersOf(op.getValue()),
                  expected = registersOf(op.getExpected());
  return lowerAtomic(*this, op, {}, [&](unsigned reg, Value enabled) {
    return machine.atomicCas(*this, op, pointers[reg], expected[reg], values[reg], enabled);
  });
}

} // namespace tilewise::gpu
