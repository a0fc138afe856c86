// How many registers the blocks of a kernel take: values are followed from where they are made to
// their last use.
#include "target/gpu/RegisterPressure.h"

#include "ir/TileInterfaces.h"
#include "target/gpu/Gpu.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

class Pressure {
public:
  unsigned peakOf(Block &block, unsigned around = 0) {
    DenseMap<Operation *, SmallVector<Value>> ending;
    unsigned live = 0, peak = 0;
    auto begin = [&](Value value, unsigned words) {
      words_[value] = words;
      Operation *last = nullptr;
      for (Operation *user : value.getUsers())
        if (Operation *here = block.findAncestorOpInBlock(*user); here && (!last || last->isBeforeInBlock(here)))
          last = here;
      if (last && words) {
        ending[last].push_back(value);
        live += words;
      }
    };
    for (BlockArgument argument : block.getArguments())
      begin(argument, wordsOf(argument.getType()));
    for (Operation &op : block) {
      // What a loop begins with becomes its own arguments.
      unsigned before = live;
      for (Value value : ending.lookup(&op)) {
        live -= words_[value];
        if (!isUsedInside(value, op))
          before -= words_[value];
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          peak = std::max(peak, peakOf(inner, around + before));
      for (Value result : op.getResults())
        begin(result, wordsOfResult(op, result));
      peak = std::max(peak, around + live);
    }
    return peak;
  }

private:
  static unsigned wordsOf(Type type) {
    LayoutAttr layout = layoutAttrOf(type);
    if (!layout || isa<tile::PtrType>(tile::elementTypeOf(type)))
      return 0;
    return llvm::divideCeil(layout.layout().registers() * elementBytes(tile::elementTypeOf(type)), 4);
  }

  unsigned wordsOfResult(Operation &op, Value result) {
    if (isa<tile::SplatOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      return 0;
    // The same registers under other names.
    if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
      return words_.lookup(op.getOperand(0));
    bool isComputed = isa<FloatType>(tile::elementTypeOf(result.getType())) || !isMemoryEffectFree(&op) ||
                      llvm::any_of(op.getOperands(), [&](Value operand) { return words_.lookup(operand); });
    return isComputed ? wordsOf(result.getType()) : 0;
  }

  static bool isUsedInside(Value value, Operation &op) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return op.isProperAncestor(user); });
  }

  DenseMap<Value, unsigned> words_;
};

} // namespace

unsigned wordsHeld(Block &kernel) { return Pressure().peakOf(kernel); }

static unsigned bitsOfElement(Value value) {
  auto block = dyn_cast<RankedTensorType>(value.getType());
  return block && block.getElementType().isIntOrFloat() ? block.getElementTypeBitWidth() : 0;
}

bool widens(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() || !isElementwise(op) || !isMemoryEffectFree(op))
    return false;
  unsigned read = 0;
  for (Value operand : op->getOperands())
    read += bitsOfElement(operand);
  return read > 0 && bitsOfElement(op->getResult(0)) > read;
}

} // namespace tilewise::gpu
