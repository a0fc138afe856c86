// Regions and machine text that run on each element, or on a few neighbours -> once per register,
// or group of registers.
#include "target/gpu/Lowering.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

/// Runs `each` on every group of `pack` registers: operand by operand in, result by result out.
LogicalResult inPacks(Lowering &on, Operation *op, unsigned pack,
                      llvm::function_ref<bool(ArrayRef<Value>, SmallVectorImpl<Value> &)> each) {
  unsigned count = 1;
  for (auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isBlock(type))
        count = layoutOf(type).registers();
  // A scalar is a block of one element, which fills a pack with copies.
  SmallVector<Registers> inputs, results(op->getNumResults());
  for (Value operand : op->getOperands()) {
    inputs.push_back(on.registersOf(operand));
    if (inputs.back().size() == 1)
      inputs.back().assign(std::max(count, pack), Value(inputs.back().front()));
  }
  for (unsigned first = 0; first < count; first += pack) {
    SmallVector<Value> operands, made;
    for (const Registers &input : inputs)
      operands.append(input.begin() + first, input.begin() + first + pack);
    if (!each(operands, made))
      return failure();
    for (auto [index, result] : llvm::enumerate(results))
      result.append(made.begin() + index * pack, made.begin() + index * pack + std::min(pack, count));
  }
  for (auto [result, registers] : llvm::zip(op->getResults(), results))
    on.set(result, std::move(registers));
  return success();
}

} // namespace

LogicalResult Lowering::lowerMap(tile::MapOp op) {
  return inPacks(*this, op, op.getPack(), [&](ArrayRef<Value> operands, SmallVectorImpl<Value> &results) {
    auto mapped = lowerBody(op.getBody(), operands);
    if (mapped)
      results.append(mapped->begin(), mapped->end());
    return mapped.has_value();
  });
}

LogicalResult Lowering::lowerInlineAsm(tile::InlineAsmOp op) {
  return inPacks(*this, op, op.getPack(), [&](ArrayRef<Value> operands, SmallVectorImpl<Value> &results) {
    return machine.inlineAssembly(*this, op, operands, results);
  });
}

} // namespace tilewise::gpu
