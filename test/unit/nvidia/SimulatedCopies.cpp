// Hopper's copy engine in the simulator: tensor maps, boxes, and the signals that are mbarriers.
#include "SimulatedThreads.h"

#include "artifact/Artifact.h"

namespace tilewise::nvidiatest {

/// Maps as a launch makes them, of the same arguments.
void Machine::describeTensors() {
  std::vector<LaunchParameter> parameters(simulation_.arguments.size());
  for (auto function : ModuleOp(simulation_.module).getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      for (auto [parameter, argument] : llvm::zip(parameters, function.getArguments()))
        parameter.bits = uint8_t(widthOf(argument.getType()));
  for (const TensorMapPlan &plan : gpu::tensorMapsOf(simulation_.module)) {
    std::optional<TensorMap> map = resolve(plan, parameters, simulation_.arguments);
    if (!map)
      return fail("the copy engine cannot read a tensor of this launch");
    tensors_.push_back(*map);
  }
}

/// "...NAME_param_7..." -> which of the tensors the 7th argument is.
uint64_t Machine::whichTensor(StringRef text) {
  unsigned argument = 0;
  text.split("_param_").second.consumeInteger(10, argument);
  return argument - simulation_.arguments.size();
}

bool Machine::waits(Thread &thread) {
  auto op = cast<LLVM::InlineAsmOp>(thread.next);
  auto arg = [&](unsigned index) { return thread.values[op.getOperand(index)][0]; };
  if (op->getNumOperands() > 2 && !arg(2))
    return false;
  Signal &signal = signals_[sharedPointer(arg(0))];
  if (signal.half != arg(1))
    return false;
  // As late as it may be: now that somebody needs it.
  for (auto &copy : std::exchange(signal.copies, {}))
    copy();
  signal.turn();
  return signal.half == arg(1);
}

bool Machine::copyEngine(Thread &thread, LLVM::InlineAsmOp op, StringRef text) {
  auto arg = [&](unsigned index) { return thread.values[op.getOperand(index)][0]; };
  if (text.contains("mbarrier.try_wait")) // It has been waited for.
    return true;
  if (text.starts_with("@$1 mbarrier.init")) {
    unsigned givers = 0;
    text.split("], ").second.consumeInteger(10, givers);
    if (!arg(1))
      return true;
    const uint64_t where = sharedPointer(arg(0));
    signals_[where] = Signal(givers);
    races_->keepForSignal(where - uint64_t(uintptr_t(sharedBase())), sizeof(uint64_t));
    if (!races_->error().empty())
      fail(races_->error());
    return true;
  }
  const bool isGuarded = text.contains("bra behind");
  if (text.contains("mbarrier.arrive.shared")) {
    // "@!$1 bra behind; elect.sync _|one, -1; @one mbarrier.arrive.shared::cta.b64 _, [$0];"
    if (isGuarded && !arg(1))
      return true;
    Signal &signal = signals_[sharedPointer(arg(0))];
    if (++signal.lanes[thread.id / 32] % 32 == 0) {
      if (!signal.arrivals)
        fail("a signal is given by more warps than there are");
      --signal.arrivals;
      signal.turn();
    }
    return true;
  }
  if (!text.contains("cp.async.bulk.tensor"))
    return false;
  // "@!$2 bra behind; elect.sync _|one, -1;
  //  @one mbarrier.arrive.expect_tx.[..] _, [$1], BYTES;
  //  @one cp.async.bulk.[..] [$3], [$0, {$4, $5}], [$1]; .."
  if ((isGuarded && !arg(2)) || thread.id % 32 != 0)
    return true;
  const uint64_t where = sharedPointer(arg(1));
  Signal &signal = signals_[where];
  if (!signal.arrivals)
    fail("a signal is told of bytes twice before it was given");
  signal.arrivals = 0;
  int64_t bytes = 0;
  text.split("expect_tx").second.split("], ").second.consumeInteger(10, bytes);
  signal.bytes += bytes;
  signal.turn();
  const TensorMap &map = tensors_[arg(0)];
  for (unsigned operand = isGuarded ? 3 : 2; operand < op->getNumOperands(); operand += 1 + map.rank) {
    SmallVector<int64_t> first;
    for (unsigned i = 0; i < map.rank; ++i)
      first.push_back(int32_t(arg(operand + 1 + i)));
    copyBox(map, first, sharedPointer(arg(operand)), where);
  }
  return true;
}

void Machine::copyBox(const TensorMap &map, const SmallVector<int64_t> &first, uint64_t to, uint64_t where) {
  auto copy = [=, this] {
    Signal &signal = signals_[where];
    const unsigned bytes = map.elementBytes, row = map.box[0] * bytes;
    for (uint32_t y = 0; y < (map.rank > 1 ? map.box[1] : 1); ++y)
      for (uint32_t x = 0; x < map.box[0]; ++x) {
        bool isInside = true;
        uint64_t from = map.address;
        for (unsigned i = 0; i < map.rank; ++i) {
          int64_t at = first[i] + (i == 0 ? x : i == 1 ? y : 0);
          isInside &= at >= 0 && uint64_t(at) < map.extents[i];
          from += uint64_t(at) * map.strides[i];
        }
        // Rows of the box lie one below the other, their pieces dealt by the bits of the address.
        uint64_t plain = to + uint64_t(y) * row + x * bytes, offset = plain - uint64_t(uintptr_t(sharedBase()));
        uint64_t place = plain ^ (offset / 128 % (map.swizzleBytes / 16) * 16);
        uint8_t *target = address(place, bytes), *source = isInside ? address(from, bytes) : nullptr;
        if (!target || (isInside && !source))
          return;
        std::memset(target, 0, bytes);
        if (source)
          std::memcpy(target, source, bytes);
        signal.bytes -= bytes;
      }
  };
  Signal &signal = signals_[where];
  if (simulation_.backwards && !simulation_.copiesAtOnce) {
    signal.copies.push_back(copy);
    return;
  }
  copy();
  signal.turn();
}

} // namespace tilewise::nvidiatest
