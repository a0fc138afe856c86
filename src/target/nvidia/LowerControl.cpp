// Structured control flow and ops without arithmetic -> branches between LLVM blocks, and renamed registers.
#include "target/Refusal.h"
#include "target/nvidia/Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::nv {

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

/// For each register of `to`, the register of `from` with the same element; dimensions that differ in extent are stretched ones.
static SmallVector<uint32_t> registerMap(const LinearLayout &from, const LinearLayout &to) {
  uint32_t kept = 0;
  for (unsigned dim = 0; dim < to.shape().size(); ++dim)
    if (from.shape()[dim] == to.shape()[dim])
      kept |= to.dimMask(dim);
  SmallVector<uint32_t> sources;
  for (uint32_t reg = 0; reg < to.registers(); ++reg) {
    // The element number in `from`: the coordinates with stretched ones set to 0.
    uint32_t element = 0;
    SmallVector<int64_t> at = to.coordinates(to.element(reg) & kept);
    for (auto [dim, coordinate] : llvm::enumerate(at))
      element |= uint32_t(coordinate) << from.dimShift(dim);
    uint32_t source = 0;
    while (from.element(source) != element)
      ++source;
    sources.push_back(source);
  }
  return sources;
}

LogicalResult Lowering::lower(Operation *op) {
  loc = op->getLoc();
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    Type type = op->getResult(0).getType(), element = tile::elementTypeOf(type), reg = registerType(element);
    Attribute value = constantOp.getValue();
    if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
      if (!elements.isSplat())
        return refuse(op, "nvidia", "of different elements");
      value = elements.getSplatValue<Attribute>();
    }
    if (auto number = dyn_cast<FloatAttr>(value); number && element.isBF16())
      value = builder.getIntegerAttr(reg, number.getValue().bitcastToAPInt());
    else if (isa<IndexType>(element))
      value = builder.getIntegerAttr(reg, cast<IntegerAttr>(value).getInt());
    unsigned count = isBlock(type) ? layoutOf(type).registers() : 1;
    set(op->getResult(0), Registers(count, make<LLVM::ConstantOp>(reg, cast<TypedAttr>(value))));
    return success();
  }
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    LinearLayout layout = layoutOf(range.getType());
    Value thread = threadElement(layout);
    Registers registers;
    for (uint32_t reg = 0; reg < layout.registers(); ++reg) {
      Value element = elementAt(layout, thread, reg);
      registers.push_back(range.getStart() == 0 ? element : make<LLVM::AddOp>(element, i32(int32_t(range.getStart()))));
    }
    set(range, std::move(registers));
    return success();
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    set(splat, Registers(layoutOf(splat.getType()).registers(), scalarOf(splat.getSource())));
    return success();
  }
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op)) {
    Value source = op->getOperand(0), result = op->getResult(0);
    LinearLayout from = layoutOf(source.getType()), to = layoutOf(result.getType());
    if (isa<tile::ExpandDimsOp>(op))
      from = from.reshaped(to.shape());
    Registers registers;
    for (uint32_t reg : registerMap(from, to))
      registers.push_back(registersOf(source)[reg]);
    set(result, std::move(registers));
    return success();
  }
  if (isa<tile::ProgramIdOp, tile::NumProgramsOp>(op)) {
    static constexpr const char *axes[] = {"x", "y", "z"};
    std::string name =
        isa<tile::ProgramIdOp>(op) ? "llvm.nvvm.read.ptx.sreg.ctaid." : "llvm.nvvm.read.ptx.sreg.nctaid.";
    unsigned axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
    set(op->getResult(0), {call(name + axes[axis], builder.getI32Type(), {})});
    return success();
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return lowerStore(store);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return lowerDot(dot);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return lowerReduce(reduce);
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return lowerConvert(convert);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lowerIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return lowerWhile(loop);
  if (isa<tile::AssumeOp>(op)) // Promises are for the access inference, which has read them.
    return success();
  if (isa<BarrierOp>(op)) {
    barrier();
    return success();
  }
  return lowerElementwise(op);
}

namespace {

/// The registers of several values, one after the other, as LLVM block arguments pass them.
struct Flat {
  SmallVector<Value> values;
  SmallVector<Type> types() const { return llvm::to_vector(ValueRange(values).getTypes()); }
};

Flat flatten(Lowering &lowering, ValueRange values) {
  Flat flat;
  for (Value value : values)
    llvm::append_range(flat.values, lowering.registersOf(value));
  return flat;
}

/// Names the block's arguments as the registers of `values`, whose counts `like` has.
void unflatten(Lowering &lowering, ValueRange values, ValueRange like, ArrayRef<BlockArgument> arguments) {
  for (auto [value, model] : llvm::zip(values, like)) {
    size_t count = lowering.registersOf(model).size();
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
  // The test stands at the loop's end, with a copy before it: loop-invariant code can then move out.
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

} // namespace tilewise::nv
