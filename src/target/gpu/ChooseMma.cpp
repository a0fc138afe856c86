// gpu-choose-mma: says for each dot which matrix instruction multiplies it, in the attribute
// `gpu.mma`; a dot without one is multiplied by FMAs.
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_CHOOSEMMA
#include "target/gpu/Passes.h.inc"

namespace {

struct ChooseMma : impl::ChooseMmaBase<ChooseMma> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      getOperation().emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    getOperation().walk([&](tile::DotOp dot) {
      if (std::string name = target->matrixInstructionFor(dot); !name.empty())
        dot->setAttr(GpuDialect::kMmaAttr, StringAttr::get(&getContext(), name));
    });
  }
};

} // namespace

} // namespace tilewise::gpu
