// Facts about NVIDIA GPUs, and what every kernel needs: coordinates, barriers, shuffles.
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

void NvidiaMachine::registerMaker() {
  gpu::registerMachine("nvidia", [](StringRef model) -> std::unique_ptr<gpu::Machine> {
    unsigned capability = 0;
    if (model.getAsInteger(10, capability))
      return nullptr;
    return std::make_unique<NvidiaMachine>(capability);
  });
}

unsigned NvidiaMachine::sharedLimit() const {
  switch (capability) {
  case 75:
    return 64 << 10;
  case 80:
  case 87:
    return 163 << 10;
  case 86:
  case 89:
  case 120:
    return 99 << 10;
  default:
    return 227 << 10;
  }
}

void NvidiaMachine::markKernel(LLVM::LLVMFuncOp function) const { function.setCConv(LLVM::CConv::PTX_Kernel); }

Value NvidiaMachine::threadIndex(gpu::Lowering &on) const {
  return on.call("llvm.nvvm.read.ptx.sreg.tid.x", on.builder.getI32Type(), {});
}

static Value specialRegister(gpu::Lowering &on, StringRef name, unsigned axis) {
  static constexpr const char *axes[] = {"x", "y", "z"};
  return on.call(("llvm.nvvm.read.ptx.sreg." + name + "." + axes[axis]).str(), on.builder.getI32Type(), {});
}

Value NvidiaMachine::programId(gpu::Lowering &on, unsigned axis) const { return specialRegister(on, "ctaid", axis); }
Value NvidiaMachine::numPrograms(gpu::Lowering &on, unsigned axis) const { return specialRegister(on, "nctaid", axis); }

void NvidiaMachine::barrier(gpu::Lowering &on, std::optional<unsigned> threads) const {
  if (threads) {
    // Another one than that of all threads.
    on.assembly("bar.sync 1, " + std::to_string(*threads) + ";", "~{memory}", {}, {}, /*effects=*/true);
    return;
  }
  on.builder.create<LLVM::CallIntrinsicOp>(on.loc, Type(), on.builder.getStringAttr("llvm.nvvm.barrier0"),
                                           ValueRange());
}

void NvidiaMachine::warpBarrier(gpu::Lowering &on) const {
  on.builder.create<LLVM::CallIntrinsicOp>(on.loc, Type(), on.builder.getStringAttr("llvm.nvvm.bar.warp.sync"),
                                           ValueRange(on.i32(-1)));
}

Value NvidiaMachine::shuffle(gpu::Lowering &on, Value word, gpu::ShuffleMode mode, Value source) const {
  StringRef name = mode == gpu::ShuffleMode::Xor ? "llvm.nvvm.shfl.sync.bfly.i32" : "llvm.nvvm.shfl.sync.idx.i32";
  return on.call(name, on.builder.getI32Type(), {on.i32(-1), word, source, on.i32(31)});
}

} // namespace tilewise::nvidia
