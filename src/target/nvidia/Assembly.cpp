// A kernel's own PTX -> inline assembly with registers as its constraints ask for them.
//
// The text runs on `pack` elements at a time. Elements below 32 bits share a register, as many as
// fit: four int8 are one `r`, two float16 are one `r`, a single float16 is an `h`. So the operands
// of the text are, for each operand of the op, its elements in registers of that kind.
#include "target/Refusal.h"
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// The type that LLVM wants for a constraint's letter; null for one that is not known.
Type typeOfLetter(Builder &builder, char letter) {
  switch (letter) {
  case 'b':
    return builder.getI1Type();
  case 'c':
  case 'h':
    return builder.getI16Type();
  case 'r':
    return builder.getI32Type();
  case 'l':
  case 'N':
    return builder.getI64Type();
  case 'f':
    return builder.getF32Type();
  case 'd':
    return builder.getF64Type();
  default:
    return {};
  }
}

Value asInteger(gpu::Lowering &on, Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return on.make<LLVM::PtrToIntOp>(on.builder.getI64Type(), value);
  Type bits = on.builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return value.getType() == bits ? value : on.make<LLVM::BitcastOp>(bits, value);
}

Value resized(gpu::Lowering &on, Value bits, unsigned width) {
  unsigned from = bits.getType().getIntOrFloatBitWidth();
  Type to = on.builder.getIntegerType(width);
  return from == width ? bits : from < width ? on.make<LLVM::ZExtOp>(to, bits) : on.make<LLVM::TruncOp>(to, bits);
}

/// The bits as a register of the type, and back.
Value toRegister(gpu::Lowering &on, Value bits, Type type) {
  Value fit = resized(on, bits, type.getIntOrFloatBitWidth());
  return fit.getType() == type ? fit : on.make<LLVM::BitcastOp>(type, fit);
}

unsigned perRegister(unsigned width, unsigned pack) { return width < 32 ? std::min(pack, 32 / width) : 1; }

unsigned widthOf(gpu::Lowering &on, Type element) {
  return isa<tile::PtrType>(element) ? 64 : on.registerType(element).getIntOrFloatBitWidth();
}

} // namespace

bool NvidiaMachine::inlineAssembly(gpu::Lowering &on, tile::InlineAsmOp op, ValueRange operands,
                                   SmallVectorImpl<Value> &results) const {
  unsigned pack = op.getPack();
  SmallVector<StringRef> constraints;
  op.getConstraints().split(constraints, ',');
  SmallVector<Type> outputs, inputs;
  for (StringRef &constraint : constraints) {
    constraint = constraint.trim();
    StringRef letters = constraint;
    if (letters.empty() || letters.starts_with("~"))
      continue;
    bool isOutput = letters.consume_front("=");
    letters.consume_front("&");
    unsigned tied = 0;
    Type type = !letters.getAsInteger(10, tied) && tied < outputs.size()
                    ? outputs[tied]
                    : typeOfLetter(on.builder, letters.empty() ? ' ' : letters[0]);
    if (!type) {
      kernelError(op) << "inline assembly: constraint '" << constraint
                      << "' is not known; PTX has b, h, r, l, f, d, with = for results";
      return false;
    }
    (isOutput ? outputs : inputs).push_back(type);
  }

  SmallVector<Value> registers;
  for (unsigned index = 0; index < op.getOperands().size(); ++index) {
    unsigned width = widthOf(on, tile::elementTypeOf(op.getOperands()[index].getType()));
    unsigned share = perRegister(width, pack);
    for (unsigned first = 0; first < pack; first += share) {
      Value bits = asInteger(on, operands[index * pack + first]);
      if (share > 1)
        bits = resized(on, bits, share * width);
      for (unsigned i = 1; i < share; ++i) {
        Value next = resized(on, asInteger(on, operands[index * pack + first + i]), share * width);
        bits = on.make<LLVM::OrOp>(bits, on.make<LLVM::ShlOp>(next, on.constant(next.getType(), i * width)));
      }
      if (registers.size() < inputs.size())
        bits = toRegister(on, bits, inputs[registers.size()]);
      registers.push_back(bits);
    }
  }
  unsigned wanted = 0;
  for (Value result : op.getResults())
    wanted += pack / perRegister(widthOf(on, tile::elementTypeOf(result.getType())), pack);
  if (registers.size() != inputs.size() || wanted != outputs.size()) {
    kernelError(op) << "inline assembly: the constraints have " << outputs.size() << " results and " << inputs.size()
                    << " operands, the call has " << wanted << " and " << registers.size() << " registers of "
                    << "elements; elements below 32 bits share one";
    return false;
  }

  Type type =
      outputs.size() == 1 ? outputs[0] : Type(LLVM::LLVMStructType::getLiteral(on.builder.getContext(), outputs));
  Value made = on.assembly(op.getAssembly(), op.getConstraints(), type, registers, op.getImpure());
  unsigned next = 0;
  for (Value result : op.getResults()) {
    Type element = tile::elementTypeOf(result.getType()), reg = on.registerType(element);
    unsigned width = widthOf(on, element), share = perRegister(width, pack);
    for (unsigned first = 0; first < pack; first += share) {
      Value bits = outputs.size() == 1 ? made : on.make<LLVM::ExtractValueOp>(made, ArrayRef<int64_t>{int64_t(next)});
      ++next;
      bits = asInteger(on, bits);
      for (unsigned i = 0; i < share; ++i) {
        Value part = i ? on.make<LLVM::LShrOp>(bits, on.constant(bits.getType(), i * width)) : bits;
        part = resized(on, part, width);
        if (isa<LLVM::LLVMPointerType>(reg))
          part = on.make<LLVM::IntToPtrOp>(reg, part);
        else if (part.getType() != reg)
          part = on.make<LLVM::BitcastOp>(reg, part);
        results.push_back(part);
      }
    }
  }
  return true;
}

} // namespace tilewise::nvidia
