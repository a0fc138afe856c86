// cp.async.bulk.tensor: Hopper's engine for copies of boxes, and mbarriers, which are its signals.
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

Value sharedWord(gpu::Lowering &on, Value address);

Value NvidiaMachine::tensorMap(gpu::Lowering &on, unsigned argument) const {
  // The engine reads the map where the parameter lies: a copy of it would be read too late.
  std::string name = on.kernel.getName().str() + "_param_" + std::to_string(argument);
  return on.assembly("{ .reg .b64 map; mov.b64 map, " + name + "; cvta.param.u64 $0, map; }", "=l",
                     on.builder.getI64Type(), {}, /*effects=*/false);
}

void NvidiaMachine::makeSignal(gpu::Lowering &on, Value signal, unsigned givers, Value enabled) const {
  on.assembly("@$1 mbarrier.init.shared::cta.b64 [$0], " + std::to_string(givers) + ";", "r,b,~{memory}", {},
              {sharedWord(on, signal), enabled}, /*effects=*/true);
}

void NvidiaMachine::giveSignal(gpu::Lowering &on, Value signal, Value enabled) const {
  std::string text = "{ .reg .pred one; ", constraints = "r";
  SmallVector<Value> operands{sharedWord(on, signal)};
  if (enabled) {
    text += "@!$1 bra behind; ";
    constraints += ",b";
    operands.push_back(enabled);
  }
  text += "elect.sync _|one, -1; @one mbarrier.arrive.shared::cta.b64 _, [$0]; ";
  on.assembly(text + (enabled ? "behind: }" : "}"), constraints + ",~{memory}", {}, operands, /*effects=*/true);
}

/// One thread asks for boxes. Warps that do not go around it all; the thread is elected, because
/// the assembler then knows that there is one: for a thread that a predicate picks it makes a loop
/// over the threads, 18 instructions for each box, which all warps run.
void NvidiaMachine::copyBoxes(gpu::Lowering &on, Value map, ArrayRef<gpu::BoxCopy> boxes, Value signal, unsigned bytes,
                              Value enabled) const {
  std::string text = "{ .reg .pred one; ", constraints = "l,r";
  SmallVector<Value> operands{map, sharedWord(on, signal)};
  if (enabled) {
    text += "@!$2 bra behind; ";
    constraints += ",b";
    operands.push_back(enabled);
  }
  text +=
      "elect.sync _|one, -1; @one mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], " + std::to_string(bytes) + "; ";
  auto add = [&](Value operand) {
    constraints += ",r";
    operands.push_back(operand);
    return "$" + std::to_string(operands.size() - 1);
  };
  for (const gpu::BoxCopy &box : boxes) {
    text += "@one cp.async.bulk.tensor." + std::to_string(box.at.size()) +
            "d.shared::cluster.global.mbarrier::complete_tx::bytes [" + add(sharedWord(on, box.shared)) + "], [$0, {";
    for (auto [i, coordinate] : llvm::enumerate(box.at))
      text += (i ? ", " : "") + add(coordinate);
    text += "}], [$1]; ";
  }
  on.assembly(text + (enabled ? "behind: }" : "}"), constraints + ",~{memory}", {}, operands, /*effects=*/true);
}

void NvidiaMachine::awaitSignal(gpu::Lowering &on, Value signal, Value half, Value enabled) const {
  std::string text = "{ .reg .pred full; ", constraints = "r,r";
  SmallVector<Value> operands{sharedWord(on, signal), half};
  if (enabled) {
    text += "@!$2 bra behind; ";
    constraints += ",b";
    operands.push_back(enabled);
  }
  text += "again: mbarrier.try_wait.parity.shared::cta.b64 full, [$0], $1; @!full bra again; ";
  text += enabled ? "behind: }" : "}";
  on.assembly(text, constraints + ",~{memory}", {}, operands, /*effects=*/true);
}

} // namespace tilewise::nvidia
