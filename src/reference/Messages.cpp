// What a kernel says: print and assert.
#include "reference/Checked.h"

#include "ir/PrintedText.h"
#include "ir/Tile.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace tilewise::reference {
namespace {

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
    if (value.kind == Kind::Ptr)
      os << llvm::format("0x%llx", (unsigned long long)I::zext(element));
    else if (hex)
      os << llvm::format_hex(I::zext(element), 2 + (value.kind == Kind::Bool ? 1 : bytesOf(value.kind) * 2));
    else if (value.isSigned && value.kind != Kind::Bool)
      os << int64_t(I::sext(element));
    else
      os << uint64_t(I::zext(element));
  });
  visitFloat(value.kind, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    os << llvm::format(hex ? "%a" : "%f", double(Float<T>::widen(frame.at<T>(value.slot)[at])));
  });
}

/// pid (0, 0, 0) idx ( 3) prefix: 1.500000
void print(const Instruction &i, Frame &frame) {
  const auto &details = i.as<PrintDetails>();
  std::string text, program = "pid " + programOf(frame);
  llvm::raw_string_ostream os(text);
  if (details.values.empty())
    os << program << details.prefix << '\n';
  for (const auto &[operand, value] : llvm::enumerate(details.values))
    for (size_t at = 0; at < value.count; ++at) {
      os << program << " idx (";
      for (auto [dim, index] : llvm::enumerate(indexOf(at, value.shape)))
        os << (dim ? ", " : "") << llvm::format("%*d", tile::printedWidth(value.shape[dim]), int(index));
      os << ')' << details.prefix;
      if (details.values.size() > 1)
        os << "(operand " << operand << ") ";
      writeElement(os, value, at, details.hex, frame);
      os << '\n';
    }
  frame.launch->print(text);
}

bool decodePrint(tile::PrintOp op, Decoder &decoder) {
  decoder.hasMessages = true;
  auto details = std::make_unique<PrintDetails>();
  details->prefix = tile::printedPrefix(op.getPrefix(), !op.getValues().empty());
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
  Place place;
  std::string message;
  SmallVector<int64_t> shape;
  Slot mask = kNoSlot;
};

void check(const Instruction &i, Frame &frame) {
  const auto &details = i.as<AssertDetails>();
  const uint8_t *condition = frame.at<uint8_t>(i.in[0]);
  const uint8_t *mask = details.mask == kNoSlot ? nullptr : frame.at<uint8_t>(details.mask);
  for (size_t k = 0; k < i.count; ++k)
    if (!condition[k] && (!mask || mask[k])) {
      std::string message = details.message.empty() ? "" : ": " + details.message;
      frame.failure =
          failureAt(details.place, "assertion failed" + message + ", in " + laneOf(k, details.shape, frame));
      return;
    }
}

bool decodeAssert(tile::AssertOp op, Decoder &decoder) {
  auto details = std::make_unique<AssertDetails>();
  details->place = placeIn(op);
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
