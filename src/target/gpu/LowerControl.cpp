// One op after the other, and structured control flow -> branches between LLVM blocks.
#include "target/gpu/Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::gpu {

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

std::optional<SmallVector<Value, 2>> Lowering::lowerBody(Region &region, ArrayRef<Value> arguments) {
  Block &body = region.front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    set(argument, {value});
  Location outside = loc;
  if (failed(lowerBlock(body)))
    return std::nullopt;
  loc = outside;
  SmallVector<Value, 2> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(scalarOf(value));
  return yielded;
}

LogicalResult Lowering::lower(Operation *op) {
  loc = op->getLoc();
#define TILEWISE_LOWERING(OP, FUNCTION)                                                                                \
  if (auto each = dyn_cast<OP>(op))                                                                                    \
    return FUNCTION(each);
#include "target/gpu/Lowering.def"
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::PermuteOp>(
          [&](auto) { return lowerRearranged(op); })
      .Case<tile::ProgramIdOp>([&](auto each) {
        set(each, {machine.programId(*this, each.getAxis())});
        return success();
      })
      .Case<tile::NumProgramsOp>([&](auto each) {
        set(each, {machine.numPrograms(*this, each.getAxis())});
        return success();
      })
      .Case<TransposeOp>([&](auto each) {
        set(each, {scalarOf(each.getSource())});
        return success();
      })
      .Case<CommitOp>([&](auto) {
        machine.commitCopies(*this);
        return success();
      })
      // Promises are for the access inference, which has read them.
      .Case<tile::AssumeOp>([](auto) { return success(); })
      .Case<BarrierOp>([&](auto) {
        barrier();
        return success();
      })
      .Default([&](Operation *) { return lowerElementwise(op); });
}

namespace {

/// The registers of several values, one after the other, as LLVM block arguments pass them.
struct Flat {
  SmallVector<Value> values;
  SmallVector<Type> types() const { return llvm::to_vector(ValueRange(values).getTypes()); }
};

/// Elements of 16 bits travel in pairs: a register of the machine has 32.
bool travelsInPairs(const Registers &registers) {
  Type type = registers.front().getType();
  return registers.size() % 2 == 0 && type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 16;
}

Flat flatten(Lowering &lowering, ValueRange values) {
  Flat flat;
  for (Value value : values) {
    const Registers &registers = lowering.registersOf(value);
    if (!travelsInPairs(registers)) {
      llvm::append_range(flat.values, registers);
      continue;
    }
    for (size_t first = 0; first < registers.size(); first += 2) {
      Value pair = lowering.make<LLVM::UndefOp>(VectorType::get({2}, registers[first].getType()));
      for (unsigned i = 0; i < 2; ++i)
        pair = lowering.make<LLVM::InsertElementOp>(pair, registers[first + i], lowering.i32(i));
      flat.values.push_back(lowering.make<LLVM::BitcastOp>(lowering.builder.getI32Type(), pair));
    }
  }
  return flat;
}

/// Names the block's arguments as the registers of `values`, whose counts `like` has.
void unflatten(Lowering &lowering, ValueRange values, ValueRange like, ArrayRef<BlockArgument> arguments) {
  for (auto [value, model] : llvm::zip(values, like)) {
    const Registers models = lowering.registersOf(model);
    size_t count = models.size();
    if (travelsInPairs(models)) {
      Registers registers;
      for (BlockArgument word : arguments.take_front(count / 2)) {
        Value pair = lowering.make<LLVM::BitcastOp>(VectorType::get({2}, models.front().getType()), word);
        for (unsigned i = 0; i < 2; ++i)
          registers.push_back(lowering.make<LLVM::ExtractElementOp>(pair, lowering.i32(i)));
      }
      lowering.set(value, std::move(registers));
      arguments = arguments.drop_front(count / 2);
      continue;
    }
    lowering.set(value, Registers(arguments.begin(), arguments.begin() + count));
    arguments = arguments.drop_front(count);
  }
}

Block *blockWith(OpBuilder &builder, Location loc, ArrayRef<Type> types) {
  OpBuilder::InsertionGuard guard(builder);
  Region *region = builder.getBlock()->getParent();
  return builder.createBlock(region, region->end(), types, SmallVector<Location>(types.size(), loc));
}

} // namespace

LogicalResult Lowering::lowerFor(scf::ForOp op) {
  // The test stands at the loop's end, with a copy before it: loop-invariant code can then move
  // out.
  Value begin = scalarOf(op.getLowerBound()), end = scalarOf(op.getUpperBound()), step = scalarOf(op.getStep());
  Flat inits = flatten(*this, op.getInitArgs());
  SmallVector<Type> types = inits.types();
  Block *exit = blockWith(builder, loc, types);
  types.insert(types.begin(), begin.getType());
  Block *body = blockWith(builder, loc, types);

  SmallVector<Value> entry = inits.values;
  entry.insert(entry.begin(), begin);
  Value enter = compare(LLVM::ICmpPredicate::slt, begin, end);
  builder.create<LLVM::CondBrOp>(loc, enter, body, entry, exit, inits.values);

  builder.setInsertionPointToEnd(body);
  set(op.getInductionVar(), {body->getArgument(0)});
  unflatten(*this, op.getRegionIterArgs(), op.getInitArgs(), body->getArguments().drop_front());
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  loc = op.getLoc();
  Flat yielded = flatten(*this, op.getBody()->getTerminator()->getOperands());
  Value next = make<LLVM::AddOp>(body->getArgument(0), step);
  SmallVector<Value> again = yielded.values;
  again.insert(again.begin(), next);
  builder.create<LLVM::CondBrOp>(loc, compare(LLVM::ICmpPredicate::slt, next, end), body, again, exit, yielded.values);

  exit->moveBefore(exit->getParent(), exit->getParent()->end());
  builder.setInsertionPointToEnd(exit);
  unflatten(*this, op.getResults(), op.getInitArgs(), exit->getArguments());
  return success();
}

LogicalResult Lowering::lowerIf(scf::IfOp op) {
  Value condition = scalarOf(op.getCondition());
  Block *then = blockWith(builder, loc, {}), *other = blockWith(builder, loc, {});
  builder.create<LLVM::CondBrOp>(loc, condition, then, ValueRange(), other, ValueRange());
  Block *exit = nullptr;
  ValueRange like;
  for (auto [block, region] : {std::pair(then, &op.getThenRegion()), std::pair(other, &op.getElseRegion())}) {
    builder.setInsertionPointToEnd(block);
    Flat yielded;
    if (!region->empty()) {
      if (failed(lowerBlock(region->front())))
        return failure();
      like = region->front().getTerminator()->getOperands();
      yielded = flatten(*this, like);
    }
    loc = op.getLoc();
    if (!exit)
      exit = blockWith(builder, loc, yielded.types());
    builder.create<LLVM::BrOp>(loc, yielded.values, exit);
  }
  exit->moveBefore(exit->getParent(), exit->getParent()->end());
  builder.setInsertionPointToEnd(exit);
  unflatten(*this, op.getResults(), like, exit->getArguments());
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp op) {
  Flat inits = flatten(*this, op.getInits());
  Block *before = blockWith(builder, loc, inits.types());
  builder.create<LLVM::BrOp>(loc, inits.values, before);
  builder.setInsertionPointToEnd(before);
  unflatten(*this, op.getBeforeArguments(), op.getInits(), before->getArguments());
  if (failed(lowerBlock(*op.getBeforeBody())))
    return failure();
  loc = op.getLoc();
  ValueRange passed = op.getConditionOp().getArgs();
  Flat arguments = flatten(*this, passed);
  Block *after = blockWith(builder, loc, arguments.types()), *exit = blockWith(builder, loc, arguments.types());
  builder.create<LLVM::CondBrOp>(loc, scalarOf(op.getConditionOp().getCondition()), after, arguments.values, exit,
                                 arguments.values);
  builder.setInsertionPointToEnd(after);
  unflatten(*this, op.getAfterArguments(), passed, after->getArguments());
  if (failed(lowerBlock(*op.getAfterBody())))
    return failure();
  loc = op.getLoc();
  builder.create<LLVM::BrOp>(loc, flatten(*this, op.getYieldOp().getOperands()).values, before);
  exit->moveBefore(exit->getParent(), exit->getParent()->end());
  builder.setInsertionPointToEnd(exit);
  unflatten(*this, op.getResults(), passed, exit->getArguments());
  return success();
}

} // namespace tilewise::gpu
