// -Woffset-width: products of 32 bits with the program id, on their way to an address.
//
//     at = tl.program_id(0) * stride + column        row 70,000 of rows of 40,000: 2.8e9 does not fit 31 bits
//     at = tl.program_id(0).to(tl.int64) * stride    does
#include "passes/Warn.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tilewise::tile {

static bool isNarrowProduct(Operation *op) {
  auto product = dyn_cast<arith::MulIOp>(op);
  return product && getElementTypeOrSelf(product.getType()).getIntOrFloatBitWidth() <= 32 &&
         isComputedFrom(product.getResult(), [](Operation *from) { return isa<ProgramIdOp>(from); });
}

void warnOffsetWidth(func::FuncOp kernel) {
  llvm::SmallPtrSet<Operation *, 8> told;
  kernel.walk([&](PtrAddOp add) {
    // The search ends at a product that was found: those it is made of overflow no sooner.
    Operation *found = nullptr;
    isComputedFrom(add.getOffset(), [&](Operation *op) {
      if (!found && isNarrowProduct(op))
        found = op;
      return found != nullptr;
    });
    if (found && told.insert(found).second)
      warn(found, Warning::OffsetWidth,
           "this product has 32 bits and reaches an address: it overflows in tensors of more than 2^31 elements")
              .attachNote(found->getLoc())
          << "make one factor 64 bits wide, as in tl.program_id(0).to(tl.int64)";
  });
}

} // namespace tilewise::tile
