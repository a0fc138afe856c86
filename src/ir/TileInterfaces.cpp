// What each op of the tile dialect answers to the interfaces of TileInterfaces.td, and the
// questions beside them.
#include "ir/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/TileInterfaces.cpp.inc"

using namespace mlir;

namespace tilewise::tile {

bool isElementwise(Operation *op) {
  if (auto maybe = dyn_cast<PerElement>(op))
    return maybe.isPerElement();
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && OpTrait::hasElementwiseMappableTraits(op);
}

bool isAtomic(Operation *op) {
  auto access = dyn_cast<MemoryAccess>(op);
  return access && access.isAtomic();
}

bool isLoad(Operation *op) {
  auto access = dyn_cast<MemoryAccess>(op);
  return access && access.onlyReads();
}

bool isStore(Operation *op) {
  auto access = dyn_cast<MemoryAccess>(op);
  return access && access.onlyWrites();
}

bool changesMemory(Operation *op) {
  auto maybe = dyn_cast<ChangesMemory>(op);
  return maybe && maybe.changesMemory();
}

Arithmetic arithmeticOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Arithmetic>(op)
      .Case<arith::AddIOp, arith::AddFOp>([](auto) { return Arithmetic::Sum; })
      .Case<arith::SubIOp, arith::SubFOp>([](auto) { return Arithmetic::Difference; })
      .Case<arith::MulIOp, arith::MulFOp>([](auto) { return Arithmetic::Product; })
      .Case<arith::MinSIOp, arith::MinNumFOp, arith::MinimumFOp>([](auto) { return Arithmetic::Smallest; })
      .Case<arith::MaxSIOp, arith::MaxNumFOp, arith::MaximumFOp>([](auto) { return Arithmetic::Largest; })
      .Case<arith::ExtSIOp, arith::ExtFOp>([](auto) { return Arithmetic::Widening; })
      .Default(Arithmetic::Other);
}

std::optional<FloatExtreme> floatExtreme(Operation *op) {
  using Extreme = std::optional<FloatExtreme>;
  return llvm::TypeSwitch<Operation *, Extreme>(op)
      .Case<arith::MaxNumFOp>([](auto) -> Extreme { return FloatExtreme{true, false}; })
      .Case<arith::MinNumFOp>([](auto) -> Extreme { return FloatExtreme{false, false}; })
      .Case<arith::MaximumFOp>([](auto) -> Extreme { return FloatExtreme{true, true}; })
      .Case<arith::MinimumFOp>([](auto) -> Extreme { return FloatExtreme{false, true}; })
      .Default(Extreme());
}

bool isExponential(Operation *op) { return isa<math::ExpOp, math::Exp2Op>(op); }
bool convertsFloats(Operation *op) { return isa<arith::ExtFOp, arith::TruncFOp>(op); }
bool convertsIntegersToFloats(Operation *op) { return isa<arith::SIToFPOp, arith::UIToFPOp>(op); }

bool onlyReshapes(Operation *op) { return isa<ExpandDimsOp, ReshapeOp>(op); }

bool handsOn(Operation *op) {
  return op->getName().getDialectNamespace() == "scf" &&
         (isa<LoopLikeOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>());
}

bool isFunctionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

bool isSameInLaunch(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>() || isa<NumProgramsOp>(op); }

// A call without operands has one result for the whole block.
bool ExternCallOp::isPerElement() { return !getImpure() && getNumOperands() != 0; }
bool ExternCallOp::changesMemory() { return getImpure(); }

bool InlineAsmOp::changesMemory() { return getImpure(); }

SmallVector<Value> GatherOp::getWholeOperands() { return {getSource()}; }
bool GatherOp::givesElements() { return true; }

using Dims = std::optional<SmallVector<int, 4>>;

static SmallVector<int, 4> sameDims(Type type) {
  return llvm::to_vector<4>(llvm::seq<int>(0, int(shapeOf(type).size())));
}

Dims HintOp::getResultDims() { return sameDims(getType()); }
Dims SplatOp::getResultDims() { return sameDims(getSource().getType()); }

Dims ExpandDimsOp::getResultDims() {
  SmallVector<int, 4> dims = sameDims(getSource().getType());
  for (int &dim : dims)
    dim += dim >= int(getAxis());
  return dims;
}

Dims BroadcastOp::getResultDims() { return sameDims(getType()); }

Dims PermuteOp::getResultDims() {
  SmallVector<int, 4> dims(getOrder().size());
  for (auto [to, from] : llvm::enumerate(getOrder()))
    dims[size_t(from)] = int(to);
  return dims;
}

/// Where dimensions of extent 1 come and go.
Dims ReshapeOp::getResultDims() {
  ArrayRef<int64_t> to = shapeOf(getType());
  SmallVector<int, 4> dims;
  int at = 0;
  auto skipOnes = [&] {
    while (at < int(to.size()) && to[at] == 1)
      ++at;
  };
  for (int64_t extent : shapeOf(getSource().getType())) {
    if (extent == 1) {
      dims.push_back(-1);
      continue;
    }
    skipOnes();
    if (at == int(to.size()) || to[at] != extent)
      return std::nullopt;
    dims.push_back(at++);
  }
  skipOnes();
  return at == int(to.size()) ? Dims(dims) : std::nullopt;
}

} // namespace tilewise::tile
