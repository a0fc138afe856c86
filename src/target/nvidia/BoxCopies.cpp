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

void NvidiaMachine::makeSignal(gpu::Lowering &on, Value signal, Value enabled) const {
  on.assembly("@$1 mbarrier.init.shared::cta.b64 [$0], 1;", "r,b,~{memory}", {}, {sharedWord(on, signal), enabled},
              /*effects=*/true);
}

void NvidiaMachine::expectBytes(gpu::Lowering &on, Value signal, unsigned bytes, Value enabled) const {
  on.assembly("@$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + std::to_string(bytes) + ";", "r,b,~{memory}",
              {}, {sharedWord(on, signal), enabled}, /*effects=*/true);
}

void NvidiaMachine::copyBox(gpu::Lowering &on, Value shared, Value map, ArrayRef<Value> at, Value signal,
                            Value enabled) const {
  std::string text = "@$2 cp.async.bulk.tensor." + std::to_string(at.size()) +
                     "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {",
              constraints = "r,l,b,r";
  SmallVector<Value> operands{sharedWord(on, shared), map, enabled, sharedWord(on, signal)};
  for (auto [i, coordinate] : llvm::enumerate(at)) {
    text += (i ? ", $" : "$") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(coordinate);
  }
  on.assembly(text + "}], [$3];", constraints + ",~{memory}", {}, operands, /*effects=*/true);
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
