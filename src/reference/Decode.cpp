// Tile IR -> decoded code: slots for values, one instruction per op.
#include "reference/Code.h"

#include "ir/Tile.h"
#include "passes/ExpandAssembly.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {

std::optional<Kind> kindOf(Type type) {
  Type element = tile::elementTypeOf(type);
  if (isa<tile::PtrType>(element))
    return Kind::Ptr;
  if (auto integer = dyn_cast<IntegerType>(element)) {
    switch (integer.getWidth()) {
    case 1:
      return Kind::Bool;
    case 8:
      return Kind::I8;
    case 16:
      return Kind::I16;
    case 32:
      return Kind::I32;
    case 64:
      return Kind::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<Kind>>(element)
      .Case<Float64Type>([](Type) { return Kind::F64; })
      .Case<Float32Type>([](Type) { return Kind::F32; })
      .Case<Float16Type>([](Type) { return Kind::F16; })
      .Case<BFloat16Type>([](Type) { return Kind::BF16; })
      .Case<Float8E5M2Type>([](Type) { return Kind::F8E5M2; })
      .Case<Float8E4M3FNType>([](Type) { return Kind::F8E4M3FN; })
      .Case<Float8E5M2FNUZType>([](Type) { return Kind::F8E5M2FNUZ; })
      .Case<Float8E4M3FNUZType>([](Type) { return Kind::F8E4M3FNUZ; })
      .Case<Float8E4M3B11FNUZType>([](Type) { return Kind::F8E4M3B11FNUZ; })
      .Default([](Type) { return std::nullopt; });
}

size_t elementCountOf(Type type) {
  size_t count = 1;
  for (int64_t extent : tile::shapeOf(type))
    count *= size_t(extent);
  return count;
}

std::string placeOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn()) +
         ": ";
}

Slot Decoder::allocate(size_t bytes) {
  // A cache line each: buffers of one thread never share a line with a vector that crosses their
  // end.
  Slot slot = Slot(frameBytes_);
  frameBytes_ += (bytes + 63) / 64 * 64;
  if (frameBytes_ >= kNoSlot)
    failure_ = internalFailure("the kernel's blocks need more than 4 GiB in the reference engine");
  return slot;
}

namespace {
template <typename T> void spread(const Instruction &i, Frame &frame) {
  std::fill_n(frame.at<T>(i.out[0]), i.count, *frame.at<T>(i.in[0]));
}
} // namespace

Slot Decoder::slotOf(Value value) {
  auto kind = kindOf(value.getType());
  if (!kind) {
    std::string text;
    llvm::raw_string_ostream(text) << "the reference engine has no values of type " << value.getType();
    failure_ = internalFailure(text);
    return 0;
  }
  bool captured = laneRegion_ && !laneRegion_->isAncestor(value.getParentRegion());
  auto found = slots_.find(value);
  if (!captured)
    return found != slots_.end() ? found->second : slots_[value] = allocate(countOf(value) * bytesOf(*kind));

  Instruction instruction;
  instruction.count = lanes_;
  instruction.in = {found->second};
  instruction.out = {allocate(lanes_ * bytesOf(*kind))};
  visitBytes(bytesOf(*kind), [&](auto tag) { instruction.execute = spread<typename decltype(tag)::Type>; });
  Slot slot = instruction.out[0];
  captures_->instructions.push_back(std::move(instruction));
  return slot;
}

Buffer Decoder::bufferOf(Value value) {
  Slot slot = slotOf(value);
  return {slot, failure_ ? 0 : countOf(value) * bytesOf(*kindOf(value.getType()))};
}

Instruction &Decoder::append(Operation *op) {
  Instruction instruction;
  for (Value operand : op->getOperands())
    instruction.in.push_back(slotOf(operand));
  for (Value result : op->getResults())
    instruction.out.push_back(slotOf(result));
  if (op->getNumResults() != 0)
    instruction.count = countOf(op->getResult(0));
  // What combines elements inside of a reduction counts as the reduction.
  if (!laneRegion_) {
    instruction.operations = operationsOf(op);
    instruction.isDot = isa<tile::DotOp>(op);
  }
  return current_->instructions.emplace_back(std::move(instruction));
}

Instruction &Decoder::appendConstant() { return prologue.instructions.emplace_back(); }

Result<void> Decoder::decodeOp(Operation *op) {
  static constexpr bool (*families[])(Operation *, Decoder &) = {
      decodeIntegers, decodeFloats,   decodeMath,    decodeCasts,    decodeShapes, decodeMemory,   decodeAtomics,
      decodeDot,      decodeCombines, decodeControl, decodeMessages, decodeOpaque, decodeLibdevice};
  bool decoded = llvm::any_of(families, [&](auto *family) { return family(op, *this); });
  if (failure_)
    return Failure{failure_->kind, placeOf(op) + failure_->message};
  if (!decoded)
    return internalFailure(placeOf(op) + "the reference engine does not execute op '" +
                           op->getName().getStringRef().str() + "'");
  decodeTaint(op, *this);
  return {};
}

Result<Code> Decoder::decode(Block &block) {
  Code code;
  Code *outer = std::exchange(current_, &code);
  Result<void> done;
  // Terminators move values to where their region's op expects them; that op does it.
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (isa<tile::InlineAsmOp>(op))
      tile::expandAssembly(&op);
  for (Operation &op : block.without_terminator())
    if (done = decodeOp(&op); !done)
      break;
  current_ = outer;
  if (!done)
    return done.takeFailure();
  return code;
}

Result<LaneCode> Decoder::decodeLanes(Block &block, size_t lanes) {
  LaneCode code;
  size_t outerLanes = std::exchange(lanes_, lanes);
  Region *outerRegion = std::exchange(laneRegion_, block.getParent());
  Code *outerCaptures = std::exchange(captures_, &code.captures);
  Result<Code> body = decode(block);
  for (Value argument : block.getArguments())
    code.arguments.push_back(slotOf(argument));
  for (Value yielded : block.getTerminator()->getOperands())
    code.yields.push_back(slotOf(yielded));
  lanes_ = outerLanes;
  laneRegion_ = outerRegion;
  captures_ = outerCaptures;
  if (!body)
    return body.takeFailure();
  code.body = std::move(*body);
  return code;
}

} // namespace tilewise::reference
