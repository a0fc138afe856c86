// scf.for, scf.if and scf.while: codes inside an instruction, values moved between their slots.
#include "reference/Checked.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {
namespace {

struct Move {
  Slot from, to;
  size_t bytes;
};
using Moves = SmallVector<Move, 2>;

void run(const Moves &moves, Frame &frame) {
  for (const Move &move : moves)
    std::memcpy(frame.at<std::byte>(move.to), frame.at<std::byte>(move.from), move.bytes);
}

/// Moves that happen at once, as a list: where a target is also a source, all go by way of spare
/// slots.
Moves movesBetween(ValueRange from, ValueRange to, Decoder &decoder) {
  Moves moves;
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    Buffer buffer = decoder.bufferOf(target);
    Slot slot = decoder.slotOf(source);
    if (slot != buffer.slot)
      moves.push_back({slot, buffer.slot, buffer.bytes});
    if (decoder.isOffset(target))
      if (Slot taint = decoder.taintOf(source), to = decoder.taintOf(target); taint != to)
        moves.push_back({taint, to, kTaintHead + elementCountOf(target.getType())});
  }
  bool clash = llvm::any_of(
      moves, [&](const Move &a) { return llvm::any_of(moves, [&](const Move &b) { return a.to == b.from; }); });
  if (!clash)
    return moves;
  Moves out, back;
  for (const Move &move : moves) {
    Slot spare = decoder.allocate(move.bytes);
    out.push_back({move.from, spare, move.bytes});
    back.push_back({spare, move.to, move.bytes});
  }
  llvm::append_range(out, back);
  return out;
}

Code decodeRegion(Region &region, Decoder &decoder) {
  if (region.empty())
    return {};
  Result<Code> code = decoder.decode(region.front());
  if (code)
    return std::move(*code);
  decoder.fail(code.takeFailure());
  return {};
}

struct ForDetails : Details {
  Moves before, after;
  Code body;
  Slot lower, upper, step, index;
};

/// Signed bounds; nothing runs when the step is not above zero. The trip count is taken first, so
/// that the index cannot overflow.
template <typename T> void runFor(const Instruction &i, Frame &frame) {
  const auto &details = i.as<ForDetails>();
  int64_t lower = Int<T>::sext(*frame.at<T>(details.lower)), upper = Int<T>::sext(*frame.at<T>(details.upper));
  int64_t step = Int<T>::sext(*frame.at<T>(details.step));
  run(details.before, frame);
  if (step <= 0 || upper <= lower)
    return;
  uint64_t trips = (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(step) + 1;
  for (uint64_t trip = 0; trip < trips; ++trip) {
    *frame.at<T>(details.index) = T(uint64_t(lower) + trip * uint64_t(step));
    if (!details.body.run(frame) || frame.isInterrupted())
      return;
    run(details.after, frame);
  }
}

bool decodeFor(scf::ForOp op, Decoder &decoder) {
  auto details = std::make_unique<ForDetails>();
  details->lower = decoder.slotOf(op.getLowerBound());
  details->upper = decoder.slotOf(op.getUpperBound());
  details->step = decoder.slotOf(op.getStep());
  details->index = decoder.slotOf(op.getInductionVar());
  details->before = movesBetween(op.getInitArgs(), op.getRegionIterArgs(), decoder);
  details->body = decodeRegion(op.getRegion(), decoder);
  details->after = movesBetween(op.getYieldedValues(), op.getRegionIterArgs(), decoder);
  // What the carried values are after the last trip is the result; nothing reads a result once the
  // loop runs again.
  for (auto [result, argument] : llvm::zip_equal(op.getResults(), op.getRegionIterArgs()))
    decoder.alias(result, argument);
  Instruction &instruction = decoder.append(op);
  instruction.details = std::move(details);
  switch (*kindOf(op.getInductionVar().getType())) {
  case Kind::I32:
    instruction.execute = runFor<uint32_t>;
    return true;
  case Kind::I64:
    instruction.execute = runFor<uint64_t>;
    return true;
  default:
    return false;
  }
}

struct IfDetails : Details {
  Slot condition;
  Code bodies[2];
  Moves after[2];
};

void runIf(const Instruction &i, Frame &frame) {
  const auto &details = i.as<IfDetails>();
  unsigned branch = *frame.at<uint8_t>(details.condition) ? 0 : 1;
  if (details.bodies[branch].run(frame))
    run(details.after[branch], frame);
}

bool decodeIf(scf::IfOp op, Decoder &decoder) {
  auto details = std::make_unique<IfDetails>();
  details->condition = decoder.slotOf(op.getCondition());
  for (auto [branch, region] : llvm::enumerate(op->getRegions())) {
    details->bodies[branch] = decodeRegion(region, decoder);
    if (!region.empty())
      details->after[branch] = movesBetween(region.front().getTerminator()->getOperands(), op.getResults(), decoder);
  }
  Instruction &instruction = decoder.append(op);
  instruction.details = std::move(details);
  instruction.execute = runIf;
  return true;
}

struct WhileDetails : Details {
  Moves start, forward, again;
  Code before, after;
  Slot condition;
};

void runWhile(const Instruction &i, Frame &frame) {
  const auto &details = i.as<WhileDetails>();
  run(details.start, frame);
  while (details.before.run(frame)) {
    run(details.forward, frame);
    if (!*frame.at<uint8_t>(details.condition) || !details.after.run(frame) || frame.isInterrupted())
      return;
    run(details.again, frame);
  }
}

bool decodeWhile(scf::WhileOp op, Decoder &decoder) {
  auto details = std::make_unique<WhileDetails>();
  details->start = movesBetween(op.getInits(), op.getBeforeArguments(), decoder);
  details->before = decodeRegion(op.getBefore(), decoder);
  scf::ConditionOp condition = op.getConditionOp();
  details->condition = decoder.slotOf(condition.getCondition());
  details->forward = movesBetween(condition.getArgs(), op.getAfterArguments(), decoder);
  details->after = decodeRegion(op.getAfter(), decoder);
  details->again = movesBetween(op.getYieldOp().getResults(), op.getBeforeArguments(), decoder);
  for (auto [result, argument] : llvm::zip_equal(op.getResults(), op.getAfterArguments()))
    decoder.alias(result, argument);
  Instruction &instruction = decoder.append(op);
  instruction.details = std::move(details);
  instruction.execute = runWhile;
  return true;
}

} // namespace

bool decodeControl(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::ForOp op) { return decodeFor(op, decoder); })
      .Case([&](scf::IfOp op) { return decodeIf(op, decoder); })
      .Case([&](scf::WhileOp op) { return decodeWhile(op, decoder); })
      .Default(false);
}

} // namespace tilewise::reference
