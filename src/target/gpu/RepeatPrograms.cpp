// The kernel's body becomes a loop over programs.
#include "target/gpu/RepeatPrograms.h"

#include "target/gpu/MemoryRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewise::gpu {

/// Whether a number follows from arguments and the program's number alone.
static bool isKnownBefore(Value number) {
  SmallVector<Value> open{number};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (!isa<func::FuncOp>(value.getParentBlock()->getParentOp()))
        return false;
      continue;
    }
    if (tile::isLoad(op) || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

std::string whyNotRepeated(func::FuncOp kernel) {
  std::string why;
  kernel.getBody().walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        if (!isKnownBefore(bound))
          why = "how long a program takes depends on what is in memory";
    } else if (auto load = dyn_cast<tile::LoadOp>(op); load ? load.getIsVolatile() : isa<scf::WhileOp, CheckOp>(op)) {
      why = "it waits, or tells the host";
    } else if (isa<tile::InlineAsmOp>(op)) {
      why = "machine text may ask for the program's number";
    } else if (isa<FillBoxOp, AwaitBoxOp>(op) && isa<scf::IfOp>(op->getParentOp())) {
      why = "it copies a box in a branch";
    } else if (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && hasOtherEffects(op)) {
      why = "it has effects beside stores";
    }
  });
  return why;
}

/// Rings of boxes that are copied once in each program stay, and count its turns.
static void hoistRings(scf::ForOp loop, Value turn) {
  for (auto fill : llvm::to_vector(loop.getBody()->getOps<FillBoxOp>())) {
    auto ring = fill.getRing().getDefiningOp<RingOp>();
    ring->moveBefore(loop);
    fill.getNMutable().assign(turn);
    for (Operation *user : ring->getUsers())
      if (auto await = dyn_cast<AwaitBoxOp>(user))
        await.getNMutable().assign(turn);
      else if (auto slot = dyn_cast<SlotOp>(user))
        slot.getNMutable().assign(turn);
  }
}

void repeatPrograms(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  Location loc = kernel.getLoc();
  OpBuilder builder(kernel.getContext());
  Type i32 = builder.getI32Type();
  Value grid[3];
  for (Value &extent : grid) {
    unsigned index = kernel.getNumArguments();
    kernel.insertArgument(index, i32, {}, loc);
    extent = kernel.getArgument(index);
  }
  SmallVector<Operation *> body;
  for (Operation &op : entry.without_terminator())
    body.push_back(&op);
  builder.setInsertionPointToStart(&entry);
  auto number = [&](int64_t value) -> Value { return builder.create<arith::ConstantIntOp>(loc, value, 32); };
  auto add = [&](Value a, Value b) -> Value { return builder.create<arith::AddIOp>(loc, a, b); };
  auto multiply = [&](Value a, Value b) -> Value { return builder.create<arith::MulIOp>(loc, a, b); };
  Value own = builder.create<tile::ProgramIdOp>(loc, i32, 0), all = builder.create<tile::NumProgramsOp>(loc, i32, 0);
  Value zero = number(0), one = number(1);
  Value backwards = builder.create<arith::SubIOp>(loc, builder.create<arith::SubIOp>(loc, all, one), own);
  auto placeIn = [&](Value turn) -> Value {
    Value isOdd = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                builder.create<arith::AndIOp>(loc, turn, one), zero);
    return builder.create<arith::SelectOp>(loc, isOdd, backwards, own);
  };
  Value plane = multiply(grid[0], grid[1]), programs = multiply(plane, grid[2]);
  // Of the last turn, which is not whole, some have a part.
  Value whole = builder.create<tile::DivUOp>(loc, programs, all),
        rest = builder.create<tile::RemUOp>(loc, programs, all);
  Value hasMore = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, placeIn(whole), rest);
  Value turns = builder.create<arith::SelectOp>(loc, hasMore, add(whole, one), whole);
  auto loop = builder.create<scf::ForOp>(loc, zero, turns, one, ValueRange(zero),
                                         [&](OpBuilder &inside, Location loc, Value, ValueRange carried) {
                                           Value next = inside.create<arith::AddIOp>(loc, carried[0], one);
                                           inside.create<scf::YieldOp>(loc, next);
                                         });
  loop->setAttr(GpuDialect::kProgramsAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(loop.getBody());
  Value turn = loop.getRegionIterArg(0);
  Value n = add(multiply(turn, all), placeIn(turn));
  Value id[3] = {builder.create<tile::RemUOp>(loc, n, grid[0]),
                 builder.create<tile::RemUOp>(loc, builder.create<tile::DivUOp>(loc, n, grid[0]), grid[1]),
                 builder.create<tile::DivUOp>(loc, n, plane)};
  for (Operation *op : body)
    op->moveBefore(loop.getBody()->getTerminator()->getPrevNode());
  hoistRings(loop, turn);
  loop.walk([&](Operation *op) {
    Value by;
    if (auto program = dyn_cast<tile::ProgramIdOp>(op))
      by = id[program.getAxis()];
    else if (auto count = dyn_cast<tile::NumProgramsOp>(op))
      by = grid[count.getAxis()];
    if (!by)
      return;
    op->getResult(0).replaceAllUsesWith(by);
    op->erase();
  });
  kernel->getParentOfType<ModuleOp>()->setAttr(GpuDialect::kRepeatsAttr, builder.getUnitAttr());
}

} // namespace tilewise::gpu
