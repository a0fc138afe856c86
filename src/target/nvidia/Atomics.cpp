// Atomics as PTX, with their order and scope; what no instruction does is a loop of
// compare-and-swap.
#include "target/Refusal.h"
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// PTX takes them in any order; these are upstream's two spellings, which its tests look for.
std::string scopeAndOrder(tile::MemOrder order, tile::MemScope scope) {
  return "." + tile::stringifyMemScope(scope).str() + "." + tile::stringifyMemOrder(order).str();
}
std::string orderAndScope(tile::MemOrder order, tile::MemScope scope) {
  return "." + tile::stringifyMemOrder(order).str() + "." + tile::stringifyMemScope(scope).str();
}

Value asBits(gpu::Lowering &on, Value value) {
  Type bits = on.builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return value.getType() == bits ? value : on.make<LLVM::BitcastOp>(bits, value);
}

Value fromBits(gpu::Lowering &on, Value bits, Type type) {
  return bits.getType() == type ? bits : on.make<LLVM::BitcastOp>(type, bits);
}

std::string letterOf(unsigned width) { return width == 16 ? "h" : width == 32 ? "r" : "l"; }

/// `atom.global<order>.<what> $0, [$1], $2...;` on integers, under a predicate.
Value atom(gpu::Lowering &on, const std::string &modifiers, const std::string &what, Value pointer,
           ArrayRef<Value> values, Value enabled) {
  Type type = values.front().getType();
  std::string letter = letterOf(type.getIntOrFloatBitWidth());
  std::string text = "atom.global" + modifiers + "." + what + " $0, [$1]", constraints = "=" + letter + ",l";
  SmallVector<Value> operands{pointer};
  for (Value value : values) {
    text += ", $" + std::to_string(operands.size() + 1);
    constraints += "," + letter;
    operands.push_back(value);
  }
  if (enabled) {
    text = "@$" + std::to_string(operands.size() + 1) + " " + text;
    constraints += ",b";
    operands.push_back(enabled);
  }
  return on.assembly(text + ";", constraints, type, operands, /*effects=*/true);
}

/// The suffix of the instruction for an op on integers or floats of `type`; empty when there is
/// none.
std::string instructionFor(tile::AtomicKind kind, Type type, unsigned capability) {
  std::string width = std::to_string(type.getIntOrFloatBitWidth());
  using K = tile::AtomicKind;
  switch (kind) {
  case K::add:
    return "add.u" + width;
  case K::fadd:
    if (type.isF32() || type.isF64())
      return "add.f" + width;
    if (type.isF16())
      return "add.noftz.f16";
    return capability >= 90 ? "add.noftz.bf16" : "";
  case K::max_s:
    return "max.s" + width;
  case K::max_u:
    return "max.u" + width;
  case K::min_s:
    return "min.s" + width;
  case K::min_u:
    return "min.u" + width;
  case K::and_:
    return "and.b" + width;
  case K::or_:
    return "or.b" + width;
  case K::xor_:
    return "xor.b" + width;
  case K::xchg:
    return "exch.b" + width;
  }
  return "";
}

} // namespace

/// bf16 addition before sm_90: another try whenever somebody else was faster.
static Value addBf16InLoop(const NvidiaMachine &machine, gpu::Lowering &on, const std::string &modifiers, Value pointer,
                           Value value, Value enabled) {
  Type bf16 = on.builder.getBF16Type(), bits = on.builder.getI16Type();
  auto attempt = [&]() -> gpu::Registers {
    Region *region = on.builder.getBlock()->getParent();
    OpBuilder::InsertPoint here = on.builder.saveInsertionPoint();
    Block *loop = on.builder.createBlock(region, region->end(), bits, on.loc);
    Block *done = on.builder.createBlock(region, region->end());
    on.builder.restoreInsertionPoint(here);
    Value first = on.assembly("ld.relaxed.gpu.global.b16 $0, [$1];", "=h,l", bits, pointer, /*effects=*/true);
    on.builder.create<LLVM::BrOp>(on.loc, ValueRange(first), loop);
    on.builder.setInsertionPointToEnd(loop);
    Value expected = loop->getArgument(0);
    Value sum = on.make<LLVM::FAddOp>(machine.toFloat(on, expected, bf16), machine.toFloat(on, value, bf16));
    Value old = atom(on, modifiers, "cas.b16", pointer, {expected, machine.fromFloat(on, sum, bf16)}, {});
    Value same = on.compare(LLVM::ICmpPredicate::eq, old, expected);
    on.builder.create<LLVM::CondBrOp>(on.loc, same, done, ValueRange(), loop, ValueRange(old));
    on.builder.setInsertionPointToEnd(done);
    return {old};
  };
  if (!enabled)
    return attempt().front();
  return on.branchAround(enabled, {on.constant(bits, 0)}, attempt).front();
}

Value NvidiaMachine::atomicRmw(gpu::Lowering &on, tile::AtomicRmwOp op, Value pointer, Value value,
                               Value enabled) const {
  Type element = tile::elementTypeOf(op.getResult().getType()), type = value.getType();
  std::string modifiers = scopeAndOrder(op.getOrder(), op.getScope());
  std::string what = instructionFor(op.getKind(), element, capability);
  if (what.empty())
    return addBf16InLoop(*this, on, modifiers, pointer, value, enabled);
  // Floats are added as floats; inline assembly has registers for them.
  if (op.getKind() == tile::AtomicKind::fadd && (element.isF32() || element.isF64())) {
    std::string letter = element.isF32() ? "f" : "d";
    std::string text = "atom.global" + modifiers + "." + what + " $0, [$1], $2;",
                constraints = "=" + letter + ",l," + letter;
    SmallVector<Value> operands{pointer, value};
    if (enabled) {
      text = "@$3 " + text;
      constraints += ",b";
      operands.push_back(enabled);
    }
    return on.assembly(text, constraints, type, operands, /*effects=*/true);
  }
  return fromBits(on, atom(on, modifiers, what, pointer, {asBits(on, value)}, enabled), type);
}

Value NvidiaMachine::atomicCas(gpu::Lowering &on, tile::AtomicCasOp op, Value pointer, Value expected, Value value,
                               Value enabled) const {
  std::string what = "cas.b" + std::to_string(value.getType().getIntOrFloatBitWidth());
  Value old = atom(on, orderAndScope(op.getOrder(), op.getScope()), what, pointer,
                   {asBits(on, expected), asBits(on, value)}, enabled);
  return fromBits(on, old, value.getType());
}

void NvidiaMachine::addShared(gpu::Lowering &on, Value address, Value value, Value enabled) const {
  SmallVector<Value> operands{on.make<LLVM::PtrToIntOp>(on.builder.getI32Type(), address), value};
  std::string text = "red.shared.add.u32 [$0], $1;", constraints = "r,r";
  if (enabled) {
    text = "@$2 " + text;
    constraints += ",b";
    operands.push_back(enabled);
  }
  on.assembly(text, constraints, {}, operands, /*effects=*/true);
}

} // namespace tilewise::nvidia
