// Constants, ranges and ops that only rearrange elements -> constants, element numbers and renamed
// registers.
#include "target/gpu/LayoutRules.h"
#include "target/gpu/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

/// The bits of a constant element, as its register holds them.
static Attribute registerAttr(Builder &builder, Attribute value, Type reg) {
  if (auto number = dyn_cast<FloatAttr>(value); number && isa<IntegerType>(reg))
    return builder.getIntegerAttr(reg, number.getValue().bitcastToAPInt());
  if (auto number = dyn_cast<IntegerAttr>(value); number && number.getType() != reg)
    return builder.getIntegerAttr(reg, number.getInt());
  return value;
}

LogicalResult Lowering::lowerConstant(arith::ConstantOp op) {
  Type type = op.getType(), element = tile::elementTypeOf(type), reg = registerType(element);
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.isSplat()) {
    Attribute value = elements ? elements.getSplatValue<Attribute>() : op.getValue();
    unsigned count = isBlock(type) ? layoutOf(type).registers() : 1;
    set(op, Registers(count, make<LLVM::ConstantOp>(reg, cast<TypedAttr>(registerAttr(builder, value, reg)))));
    return success();
  }
  // Different elements are a table in memory, from which each thread takes its own.
  Type memory = memoryType(element);
  SmallVector<Attribute> table;
  for (Attribute value : elements.getValues<Attribute>())
    table.push_back(registerAttr(builder, value, memory));
  auto array = LLVM::LLVMArrayType::get(memory, table.size());
  auto tensor = RankedTensorType::get({int64_t(table.size())}, memory);
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = builder.create<LLVM::GlobalOp>(loc, array, /*isConstant=*/true, LLVM::Linkage::Internal,
                                            "tilewise_table" + std::to_string(constants_++),
                                            DenseElementsAttr::get(tensor, table), /*alignment=*/16, /*addrSpace=*/1);
  }
  Value base = make<LLVM::AddressOfOp>(global);
  Registers registers;
  for (Value element : elementsOf(layoutOf(type))) {
    Value address = make<LLVM::GEPOp>(base.getType(), memory, base, ArrayRef<LLVM::GEPArg>{element});
    registers.push_back(fromMemory(make<LLVM::LoadOp>(memory, address), tile::elementTypeOf(type)));
  }
  set(op, std::move(registers));
  return success();
}

LogicalResult Lowering::lowerRange(tile::RangeOp op) {
  Registers registers;
  for (Value element : elementsOf(layoutOf(op.getType())))
    registers.push_back(op.getStart() == 0 ? element : make<LLVM::AddOp>(element, i32(int32_t(op.getStart()))));
  set(op, std::move(registers));
  return success();
}

LogicalResult Lowering::lowerSplat(tile::SplatOp op) {
  set(op, Registers(layoutOf(op.getType()).registers(), scalarOf(op.getSource())));
  return success();
}

LogicalResult Lowering::lowerRearranged(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  LinearLayout from = layoutOf(source.getType()), to = layoutOf(result.getType());
  if (auto permute = dyn_cast<tile::PermuteOp>(op))
    from = permuted(from, permute.getOrder());
  else if (!isa<tile::BroadcastOp>(op))
    from = from.reshaped(to.shape());
  // Along stretched dimensions every register has the one element that there is.
  for (unsigned dim = 0; dim < to.shape().size(); ++dim)
    if (from.shape()[dim] != to.shape()[dim])
      to = to.withUnitDimKeepingCopies(dim);
  Registers registers;
  const Registers sources = registersOf(source);
  const SmallVector<uint32_t> places = *matchRegisters(from, to);
  for (uint32_t reg : places)
    registers.push_back(sources[reg]);
  set(result, std::move(registers));
  return success();
}

LogicalResult Lowering::lowerJoin(tile::JoinOp op) {
  const Registers left = registersOf(op.getLhs()), right = registersOf(op.getRhs());
  Registers registers;
  for (auto [a, b] : llvm::zip(left, right))
    registers.append({a, b});
  set(op, std::move(registers));
  return success();
}

LogicalResult Lowering::lowerSplit(tile::SplitOp op) {
  const Registers pairs = registersOf(op.getSource());
  LinearLayout source = layoutOf(op.getSource().getType());
  LinearLayout halves = source.withoutDim(source.shape().size() - 1);
  const SmallVector<uint32_t> places = *matchRegisters(source, withPairs(halves));
  Registers left, right;
  for (auto [index, reg] : llvm::enumerate(places))
    (index % 2 ? right : left).push_back(pairs[reg]);
  set(op.getLhs(), std::move(left));
  set(op.getRhs(), std::move(right));
  return success();
}

} // namespace tilewise::gpu
