// The kernel's body becomes a loop over programs.
#include "target/gpu/RepeatPrograms.h"

#include "target/gpu/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewise::gpu {

/// Whether a number is the same for all programs and known before the launch.
static bool isKnownToAll(Value number) {
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
    if (isa<tile::ProgramIdOp, tile::LoadOp>(op) || op->getNumRegions() || !isMemoryEffectFree(op))
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
        if (!isKnownToAll(bound))
          why = "its programs may take unequally long";
    } else if (auto load = dyn_cast<tile::LoadOp>(op); load ? load.getIsVolatile() : isa<scf::WhileOp, CheckOp>(op)) {
      why = "it waits, or tells the host";
    } else if (isa<FillBoxOp>(op) && !isa<scf::ForOp>(op->getParentOp())) {
      why = "it copies boxes outside of its loops";
    } else if (!isa<tile::LoadOp, tile::StoreOp>(op) && !isa<GpuDialect>(op->getDialect()) && op->getNumRegions() == 0 &&
               !op->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(op)) {
      why = "it has effects beside stores";
    }
  });
  return why;
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
  Value first = builder.create<tile::ProgramIdOp>(loc, i32, 0), step = builder.create<tile::NumProgramsOp>(loc, i32, 0);
  Value plane = builder.create<arith::MulIOp>(loc, grid[0], grid[1]);
  Value programs = builder.create<arith::MulIOp>(loc, plane, grid[2]);
  auto loop = builder.create<scf::ForOp>(loc, first, programs, step);
  loop->setAttr(GpuDialect::kProgramsAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(loop.getBody());
  Value n = loop.getInductionVar();
  Value id[3] = {builder.create<tile::RemUOp>(loc, n, grid[0]),
                 builder.create<tile::RemUOp>(loc, builder.create<tile::DivUOp>(loc, n, grid[0]), grid[1]),
                 builder.create<tile::DivUOp>(loc, n, plane)};
  for (Operation *op : body)
    op->moveBefore(loop.getBody()->getTerminator());
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
