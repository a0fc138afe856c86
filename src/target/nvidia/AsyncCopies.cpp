// cp.async: copies from global to shared memory that a thread does not wait for.
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

/// Shared memory as PTX takes it: an address of 32 bits.
Value sharedWord(gpu::Lowering &on, Value address) {
  return on.make<LLVM::PtrToIntOp>(on.builder.getI32Type(), address);
}

bool NvidiaMachine::canCopyAsync(unsigned bytes) const {
  return capability >= 80 && (bytes == 4 || bytes == 8 || bytes == 16);
}

void NvidiaMachine::copyAsync(gpu::Lowering &on, Value shared, Value pointer, unsigned bytes, Value mask,
                              Value enabled) const {
  // Whole pieces pass by the first cache: they are for shared memory alone.
  std::string text =
      std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") + ".shared.global [$0], [$1], " + std::to_string(bytes);
  std::string constraints = "r,l";
  SmallVector<Value> operands{sharedWord(on, shared), pointer};
  if (mask) {
    // What is off is not read, and zeros are written. As a predicate: a number of bytes to read
    // would cost two instructions more.
    text += ", $2";
    constraints += ",b";
    operands.push_back(on.make<LLVM::XOrOp>(mask, on.constant(mask.getType(), 1)));
  }
  if (enabled) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    constraints += ",b";
    operands.push_back(enabled);
  }
  on.assembly(text + ";", constraints, {}, operands, /*effects=*/true);
}

void NvidiaMachine::commitCopies(gpu::Lowering &on) const {
  on.assembly("cp.async.commit_group;", "", {}, {}, /*effects=*/true);
}

void NvidiaMachine::waitForCopies(gpu::Lowering &on, unsigned pending) const {
  on.assembly("cp.async.wait_group " + std::to_string(pending) + ";", "~{memory}", {}, {}, /*effects=*/true);
}

void NvidiaMachine::publishShared(gpu::Lowering &on) const {
  if (capability >= 90)
    on.assembly("fence.proxy.async.shared::cta;", "~{memory}", {}, {}, /*effects=*/true);
}

} // namespace tilewise::nvidia
