// gpu-note-exchanges: marks gathers that exchange elements in pairs.
//
// Element numbers are linear in the bits of register, lane and warp (ir/LinearLayout.h), so a pair
// whose numbers differ in fixed bits differs in fixed bits of its places, too: of the register
// alone, and the exchange is a renaming; of the lane, and it is one shuffle. Before layouts, for
// they do not change what the indices say and would only have to be seen through.
#include "passes/Exchanges.h"
#include "target/gpu/Gpu.h"
#include "target/gpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_NOTEEXCHANGES
#include "target/gpu/Passes.h.inc"

namespace {

struct NoteExchanges : impl::NoteExchangesBase<NoteExchanges> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      tile::AccessInference inference(function);
      function.walk([&](tile::GatherOp gather) {
        std::optional<int64_t> positions = tile::exchangeOf(gather, inference);
        if (!positions)
          return;
        int64_t numbers = *positions;
        for (int64_t extent : tile::shapeOf(gather.getType()).drop_front(gather.getAxis() + 1))
          numbers *= extent;
        gather->setAttr(GpuDialect::kExchangeAttr, Builder(&getContext()).getI64IntegerAttr(numbers));
      });
    }
  }
};

} // namespace

} // namespace tilewise::gpu
