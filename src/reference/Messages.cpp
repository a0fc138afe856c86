// What a kernel says: print and assert.
#include "reference/Code.h"

#include "ir/Tile.h"

#include "llvm/Support/Format.h"

#include <cstdio>

using namespace mlir;

namespace tilewise::reference {
namespace {

std::string tupleOf(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "(" : ", ") + std::to_string(value);
  return text.empty() ? "()" : text + ")";
}

std::string programOf(const Frame &frame) {
  return tupleOf({int64_t(frame.program[0]), int64_t(frame.program[1]), int64_t(frame.program[2])});
}

SmallVector<int64_t> indexOf(size_t position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= size_t(shape[d]))
    index[d] = int64_t(position % size_t(shape[d]));
  return index;
}

struct Printed {
  Slot slot;
  Kind kind;
  bool isSigned;
  SmallVector<int64_t> shape;
  size_t count;
};

struct PrintDetails : Details {
  std::string prefix;
  bool hex = false;
  std::vector<Printed> values;
};

void writeElement(llvm::raw_ostream &os, const Printed &value, size_t at, bool hex, Frame &frame) {
  visitInt(value.kind, [&](auto tag) {
    using I = Int<typename decltype(tag)::Type>;
    auto element = frame.at<typename decltype(tag)::Type>(value.slot)[at];
    if (hex || value.kind == Kind::Ptr)
      os << llvm::format_hex(I::zext(element), 2 + bytesOf(value.kind) * 2);
    else if (value.isSigned && value.kind != Kind::Bool)
      os << int64_t(I::sext(element));
    else
      os << uint64_t(I::zext(element));
  });
  visitFloat(value.kind, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    os << llvm::format("%.9g", double(Float<T>::widen(frame.at<T>(value.slot)[at])));
  });
}

/// pid (0, 0, 0) idx (3) prefix: 1.5
void print(const Instruction &i, Frame &frame) {
  const auto &details = i.as<PrintDetails>();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (details.values.empty())
    os << "pid " << programOf(frame) << ' ' << details.prefix << '\n';
  for (const auto &[operand, value] : llvm::enumerate(details.values))
    for (size_t at = 0; at < value.count; ++at) {
      os << "pid " << programOf(frame) << " idx " << tupleOf(indexOf(at, value.shape)) << ' ' << details.prefix << ": ";
      if (details.values.size() > 1)
        os << "(operand " << operand << ") ";
      writeElement(os, value, at, details.hex, frame);
      os << '\n';
    }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

bool decodePrint(tile::PrintOp op, Decoder &decoder) {
  decoder.hasMessages = true;
  auto details = std::make_unique<PrintDetails>();
  details->prefix = op.getPrefix().str();
  details->hex = op.getHex();
  for (auto [at, value] : llvm::enumerate(op.getValues())) {
    bool isSigned = at < op.getIsSigned().size() && op.getIsSigned()[at];
    details->values.push_back({decoder.slotOf(value), *kindOf(value.getType()), isSigned,
                               SmallVector<int64_t>(tile::shapeOf(value.getType())), decoder.countOf(value)});
  }
  Instruction &instruction = decoder.append(op);
  instruction.execute = print;
  instruction.details = std::move(details);
  return true;
}

struct AssertDetails : Details {
  std::string place, message;
  SmallVector<int64_t> shape;
  Slot mask = kNoSlot;
};

void check(const Instruction &i, Frame &frame) {
  const auto &details = i.as<AssertDetails>();
  const uint8_t *condition = frame.at<uint8_t>(i.in[0]);
  const uint8_t *mask = details.mask == kNoSlot ? nullptr : frame.at<uint8_t>(details.mask);
  for (size_t k = 0; k < i.count; ++k)
    if (!condition[k] && (!mask || mask[k])) {
      std::string where = " in program " + programOf(frame) +
                          (details.shape.empty() ? "" : " at " + tupleOf(indexOf(k, details.shape)));
      frame.failure = launchFailure(details.place + "assertion failed" + where + ": " + details.message);
      return;
    }
}

bool decodeAssert(tile::AssertOp op, Decoder &decoder) {
  auto details = std::make_unique<AssertDetails>();
  details->place = placeOf(op);
  details->message = op.getMessage().str();
  details->shape.assign(tile::shapeOf(op.getCondition().getType()).begin(),
                        tile::shapeOf(op.getCondition().getType()).end());
  if (op.getMask())
    details->mask = decoder.slotOf(op.getMask());
  Instruction &instruction = decoder.append(op);
  instruction.count = decoder.countOf(op.getCondition());
  instruction.execute = check;
  instruction.details = std::move(details);
  return true;
}

} // namespace

bool decodeMessages(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::PrintOp op) { return decodePrint(op, decoder); })
      .Case([&](tile::AssertOp op) { return decodeAssert(op, decoder); })
      .Default(false);
}

} // namespace tilewise::reference
