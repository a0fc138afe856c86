// Overflowed offsets on their way to an address: instructions that run behind the ops themselves,
// see Checked.h.
#include "reference/Checked.h"

#include "ir/Tile.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {

Slot Decoder::taintOf(Value value) {
  auto [found, isNew] = taints_.try_emplace(value, 0);
  if (isNew)
    found->second = allocate(kTaintHead + countOf(value));
  return found->second;
}

void failOverflow(const AccessSite &site, size_t lane, uint8_t number, Frame &frame) {
  const OverflowSite &source = *frame.launch->overflowSites[number - 1];
  const Overflow &overflow = frame.overflows[number];
  int64_t exact = source.sign == '+'   ? overflow.left + overflow.right
                  : source.sign == '-' ? overflow.left - overflow.right
                                       : overflow.left * overflow.right;
  // A negative right operand in brackets: 5 - (-3).
  std::string right = std::to_string(overflow.right);
  if (overflow.right < 0)
    right = "(" + right + ")";
  std::string names;
  for (unsigned argument : site.origins.arguments)
    names += (names.empty() ? " through " : " or ") + frame.launch->name(argument);
  std::string message = "an offset overflows int32: " + std::to_string(overflow.left) + ' ' + source.sign + ' ' +
                        right + " is " + std::to_string(exact) + ", in " + laneOf(overflow.lane, source.shape, frame);
  std::vector<std::string> notes = {
      "it reaches the address of a " + site.verb.str() + names +
          (site.shape.empty() ? "" : ", lane " + tupleOf(indexOf(lane, site.shape))) +
          (site.place.line ? ": " + site.place.str() : ""),
      "compute the offset in 64 bits: cast one operand by .to(tl.int64) before this operation"};
  frame.failure = failureAt(source.place, std::move(message), std::move(notes));
}

namespace {

struct ArithmeticDetails : Details {
  uint8_t number = 0;
  Slot left = kNoSlot, right = kNoSlot; ///< Taints of the operands.
};

template <char kSign> int64_t exactOf(int32_t a, int32_t b) {
  if constexpr (kSign == '+')
    return int64_t(a) + b;
  else if constexpr (kSign == '-')
    return int64_t(a) - b;
  else
    return int64_t(a) * b;
}

/// Negative when a sum or difference overflowed, not zero when a product did.
template <char kSign> int32_t signOfOverflow(int32_t a, int32_t b, int32_t result) {
  if constexpr (kSign == '+')
    return (a ^ result) & (b ^ result);
  else if constexpr (kSign == '-')
    return (a ^ b) & (a ^ result);
  else
    return int64_t(a) * b == result ? 0 : -1;
}

template <char kSign> void taintArithmetic(const Instruction &i, Frame &frame) {
  const auto &details = i.as<ArithmeticDetails>();
  const int32_t *__restrict a = frame.at<int32_t>(i.in[0]), *__restrict b = frame.at<int32_t>(i.in[1]),
                            *__restrict result = frame.at<int32_t>(i.in[2]);
  int32_t any = 0;
  for (size_t k = 0, n = i.count; k < n; ++k)
    any |= signOfOverflow<kSign>(a[k], b[k], result[k]);
  uint8_t *taint = frame.at<uint8_t>(i.out[0]);
  const uint8_t *left = frame.at<uint8_t>(details.left), *right = frame.at<uint8_t>(details.right);
  taint[0] = any < 0 || left[0] || right[0];
  if (!taint[0])
    return;
  bool recorded = false;
  for (size_t k = 0; k < i.count; ++k) {
    uint8_t number = left[0] ? left[kTaintHead + k] : 0;
    if (number == 0 && right[0])
      number = right[kTaintHead + k];
    if (number == 0 && exactOf<kSign>(a[k], b[k]) != result[k]) {
      number = details.number;
      if (!recorded)
        frame.overflows[number] = {a[k], b[k], k};
      recorded = true;
    }
    taint[kTaintHead + k] = number;
  }
}

struct SelectDetails : Details {
  bool perLane = false;
};

/// Lane by lane from operands of the result's shape.
void taintElements(const Instruction &i, Frame &frame) {
  uint8_t *taint = frame.at<uint8_t>(i.out[0]);
  uint8_t any = 0;
  for (Slot source : i.in)
    any |= *frame.at<uint8_t>(source);
  taint[0] = any;
  if (!any)
    return;
  std::memset(taint + kTaintHead, 0, i.count);
  for (Slot source : i.in)
    if (const uint8_t *from = frame.at<uint8_t>(source); from[0])
      for (size_t k = 0; k < i.count; ++k)
        if (from[kTaintHead + k])
          taint[kTaintHead + k] = from[kTaintHead + k];
}

/// Of the chosen side alone; the condition is one for all, or one per lane.
void taintSelected(const Instruction &i, Frame &frame) {
  const uint8_t *condition = frame.at<uint8_t>(i.in[0]);
  const uint8_t *sides[2] = {frame.at<uint8_t>(i.in[2]), frame.at<uint8_t>(i.in[1])};
  uint8_t *taint = frame.at<uint8_t>(i.out[0]);
  taint[0] = sides[0][0] | sides[1][0];
  bool perLane = i.as<SelectDetails>().perLane;
  for (size_t k = 0; taint[0] && k < i.count; ++k) {
    const uint8_t *side = sides[condition[perLane ? k : 0] != 0];
    taint[kTaintHead + k] = side[0] ? side[kTaintHead + k] : 0;
  }
}

/// Lane k of the result is lane `offset` + sum of strides * index of the source, for the index of k
/// in `shape`.
struct MovedDetails : Details {
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;
};

void taintMoved(const Instruction &i, Frame &frame) {
  const auto &details = i.as<MovedDetails>();
  const uint8_t *from = frame.at<uint8_t>(i.in[0]);
  uint8_t *taint = frame.at<uint8_t>(i.out[0]);
  taint[0] = from[0];
  if (!taint[0])
    return;
  for (size_t k = 0; k < i.count; ++k) {
    int64_t lane = details.offset;
    for (auto [index, stride] : llvm::zip_equal(indexOf(k, details.shape), details.strides))
      lane += index * stride;
    taint[kTaintHead + k] = from[kTaintHead + size_t(lane)];
  }
}

void taintJoined(const Instruction &i, Frame &frame) {
  const uint8_t *from[2] = {frame.at<uint8_t>(i.in[0]), frame.at<uint8_t>(i.in[1])};
  uint8_t *taint = frame.at<uint8_t>(i.out[0]);
  taint[0] = from[0][0] | from[1][0];
  for (size_t k = 0; taint[0] && k < i.count; ++k)
    taint[kTaintHead + k] = from[k % 2][0] ? from[k % 2][kTaintHead + k / 2] : 0;
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Instruction &appendFor(Value result, ArrayRef<Value> sources, Decoder &decoder) {
  SmallVector<Slot, 4> in;
  for (Value source : sources)
    in.push_back(decoder.taintOf(source));
  Slot out = decoder.taintOf(result);
  Instruction &instruction = decoder.appendPlain();
  instruction.in = in;
  instruction.out = {out};
  instruction.count = elementCountOf(result.getType());
  instruction.execute = taintElements;
  return instruction;
}

void followMoved(Value result, Value source, SmallVector<int64_t> strides, int64_t offset, Decoder &decoder) {
  auto details = std::make_unique<MovedDetails>();
  ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
  details->shape.assign(shape.begin(), shape.end());
  details->strides = std::move(strides);
  details->offset = offset;
  Instruction &instruction = appendFor(result, {source}, decoder);
  instruction.execute = taintMoved;
  instruction.details = std::move(details);
}

template <char kSign> void followArithmetic(Operation *op, Decoder &decoder) {
  Value left = op->getOperand(0), right = op->getOperand(1), result = op->getResult(0);
  if (!tile::elementTypeOf(result.getType()).isInteger(32)) {
    appendFor(result, {left, right}, decoder);
    return;
  }
  auto details = std::make_unique<ArithmeticDetails>();
  details->left = decoder.taintOf(left);
  details->right = decoder.taintOf(right);
  // A taint has room for 255 ops; a kernel with more of them names the last for the rest.
  if (decoder.overflowSites.size() < 255) {
    auto site = std::make_shared<OverflowSite>();
    site->place = placeIn(op);
    site->sign = kSign;
    ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
    site->shape.assign(shape.begin(), shape.end());
    decoder.overflowSites.push_back(std::move(site));
  }
  details->number = uint8_t(decoder.overflowSites.size());
  SmallVector<Slot, 4> in = {decoder.slotOf(left), decoder.slotOf(right), decoder.slotOf(result)};
  Instruction &instruction = appendFor(result, {}, decoder);
  instruction.in = in;
  instruction.execute = taintArithmetic<kSign>;
  instruction.details = std::move(details);
}

} // namespace

void decodeTaint(Operation *op, Decoder &decoder) {
  if (op->getNumRegions() != 0 ||
      llvm::none_of(op->getResults(), [&](Value result) { return decoder.isOffset(result); }))
    return; // Loops and branches move taints with their values.
  Value result = op->getResult(0);
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::AddIOp>([&](auto) { followArithmetic<'+'>(op, decoder); })
      .Case<arith::SubIOp>([&](auto) { followArithmetic<'-'>(op, decoder); })
      .Case<arith::MulIOp>([&](auto) { followArithmetic<'*'>(op, decoder); })
      .Case<tile::PtrAddOp>([&](auto) { appendFor(result, {op->getOperand(0), op->getOperand(1)}, decoder); })
      .Case<arith::ExtSIOp, tile::PtrCastOp>([&](auto) { appendFor(result, {op->getOperand(0)}, decoder); })
      .Case([&](arith::SelectOp select) {
        auto details = std::make_unique<SelectDetails>();
        details->perLane = !tile::shapeOf(select.getCondition().getType()).empty();
        Slot condition = decoder.slotOf(select.getCondition());
        Instruction &instruction = appendFor(result, {select.getTrueValue(), select.getFalseValue()}, decoder);
        instruction.in.insert(instruction.in.begin(), condition);
        instruction.execute = taintSelected;
        instruction.details = std::move(details);
      })
      .Case([&](tile::SplatOp splat) {
        size_t rank = tile::shapeOf(splat.getType()).size();
        followMoved(result, splat.getSource(), SmallVector<int64_t>(rank, 0), 0, decoder);
      })
      .Case([&](tile::BroadcastOp broadcast) {
        ArrayRef<int64_t> from = tile::shapeOf(broadcast.getSource().getType());
        SmallVector<int64_t> strides = rowMajorStrides(from);
        for (size_t d = 0; d < from.size(); ++d)
          strides[d] = from[d] == 1 ? 0 : strides[d];
        followMoved(result, broadcast.getSource(), std::move(strides), 0, decoder);
      })
      .Case([&](tile::PermuteOp permute) {
        SmallVector<int64_t> from = rowMajorStrides(tile::shapeOf(permute.getSource().getType())), strides;
        for (int32_t dim : permute.getOrder())
          strides.push_back(from[dim]);
        followMoved(result, permute.getSource(), std::move(strides), 0, decoder);
      })
      .Case(
          [&](tile::JoinOp join) { appendFor(result, {join.getLhs(), join.getRhs()}, decoder).execute = taintJoined; })
      .Case([&](tile::SplitOp split) {
        for (auto [number, half] : llvm::enumerate(op->getResults())) {
          SmallVector<int64_t> strides = rowMajorStrides(tile::shapeOf(half.getType()));
          for (int64_t &stride : strides)
            stride *= 2;
          followMoved(half, split.getSource(), std::move(strides), int64_t(number), decoder);
        }
      });
}

} // namespace tilewise::reference
