// -Wscatter-update: x[i] = f(x[i]) at places that were loaded: two lanes, or two programs, that
// have the same place update it at once, and one update is lost.
//
//     bin = tl.load(bins + at)
//     tl.store(counts + bin, tl.load(counts + bin) + 1)        tl.atomic_add(counts + bin, 1)
//
// It is right where all places differ, which only the author knows: off unless asked for.
#include "passes/Warn.h"

using namespace mlir;

namespace tilewise::tile {

/// Whether two values are computed alike: the same ops on the same operands.
static bool isAlike(Value a, Value b, int depth = 8) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (depth == 0 || !left || !right || left->getName() != right->getName() || left->getNumRegions() != 0 ||
      left->getNumOperands() != right->getNumOperands() || left->getAttrDictionary() != right->getAttrDictionary() ||
      a.getType() != b.getType() || !isPure(left))
    return false;
  return llvm::all_of(llvm::zip(left->getOperands(), right->getOperands()),
                      [&](auto pair) { return isAlike(std::get<0>(pair), std::get<1>(pair), depth - 1); });
}

static bool isLoadOfBlock(Operation *op) {
  return isa<LoadOp>(op) && isa<RankedTensorType>(op->getResult(0).getType());
}

void warnScatterUpdate(func::FuncOp kernel) {
  kernel.walk([&](StoreOp store) {
    const Value pointer = store.getPointer();
    if (!isa<RankedTensorType>(pointer.getType()) || !isComputedFrom(pointer, isLoadOfBlock))
      return;
    LoadOp before;
    isComputedFrom(store.getValue(), [&](Operation *op) {
      auto load = dyn_cast<LoadOp>(op);
      if (load && load.getPointer().getType() == pointer.getType() && isAlike(load.getPointer(), pointer))
        before = load;
      return bool(before);
    });
    if (before)
      warn(
          store, Warning::ScatterUpdate,
          "this store writes updated values to addresses that several lanes may share, so that updates are lost; write "
          "tl.atomic_add, unless no address occurs twice")
              .attachNote(before.getLoc())
          << "it was loaded here";
  });
}

} // namespace tilewise::tile
