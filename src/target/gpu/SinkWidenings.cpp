// gpu-sink-widenings: conversions to wider elements wait until their results are needed.
//
// A layer norm of halves loads a row, its weights and its biases, and makes floats of all three
// before it sums the row up:
//
//     w16 = load weights          16 registers of a thread
//     w = extf w16                32
//     sum ...                     a barrier, which the assembler moves nothing across
//     ... * w
//
// For as long as the sum takes, the thread holds 32 registers where 16 would do. Rows of 8192 took
// 105 registers a thread of 256, which leaves room for two programs on a multiprocessor, and ran at
// 2863 GB/s; with 80 there are three.
#include "target/gpu/Passes.h"
#include "target/gpu/RegisterPressure.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_SINKWIDENINGS
#include "target/gpu/Passes.h.inc"

namespace {

/// The first op of the same block that uses the result, or that holds one that does.
Operation *firstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *its = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || its->isBeforeInBlock(first))
      first = its;
  }
  return first;
}

struct SinkWidenings : impl::SinkWideningsBase<SinkWidenings> {
  void runOnOperation() override {
    // From the last to the first: what a conversion follows from goes after it.
    getOperation().walk([](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (widens(&op))
          if (Operation *user = firstUser(&op))
            op.moveBefore(user);
    });
  }
};

} // namespace

} // namespace tilewise::gpu
