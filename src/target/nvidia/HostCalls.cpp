// What a thread asks of the host through the driver: a line printed, the end of the launch.
//
// `vprintf` and `__assertfail` are functions that the driver links into every module. The first
// takes C's format and a buffer with its values in order, each aligned to its size; the host prints
// when somebody waits for the GPU. The second tells the message, the place, the block and the
// thread on standard error, and the context then fails every call with CUDA_ERROR_ASSERT.
#include "target/nvidia/NvidiaMachine.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::nvidia {

void NvidiaMachine::print(gpu::Lowering &on, StringRef format, ArrayRef<Value> values) const {
  SmallVector<unsigned> offsets;
  unsigned bytes = 0;
  for (Value value : values) {
    unsigned size = value.getType().getIntOrFloatBitWidth() / 8;
    offsets.push_back(llvm::alignTo(bytes, size));
    bytes = offsets.back() + size;
  }
  // One size for most prints, so that they share the room.
  Value buffer = on.threadMemory(llvm::alignTo(std::max(bytes, 64u), 64));
  for (auto [value, offset] : llvm::zip(values, offsets))
    on.builder.create<LLVM::StoreOp>(on.loc, value, on.advance(buffer, on.i32(offset)));
  on.callFunction("vprintf", on.builder.getI32Type(), {on.textAddress(format), buffer});
}

void NvidiaMachine::endLaunch(gpu::Lowering &on, StringRef message, StringRef file, unsigned line) const {
  Type i64 = on.builder.getI64Type();
  on.callFunction("__assertfail", LLVM::LLVMVoidType::get(on.builder.getContext()),
                  {on.textAddress(message), on.textAddress(file), on.i32(line), on.textAddress(on.kernel.getName()),
                   on.constant(i64, 1)});
}

} // namespace tilewise::nvidia
