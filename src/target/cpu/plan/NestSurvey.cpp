// The walk from a nest's roots down to its loads.
#include "target/cpu/plan/NestSurvey.h"
#include "target/cpu/Storage.h"
#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/PullCosts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <utility>

using namespace mlir;

namespace tilewise::cpu {

std::optional<Position> sourcePosition(Operation *op, const Position &position) {
  auto moves = dyn_cast<tile::MovesElements>(op);
  if (!moves || isa<tile::WholeBlocks>(op) || !isBlock(moves.getSource()))
    return std::nullopt;
  Position inner;
  for (auto [extent, dim] : llvm::zip_equal(tile::shapeOf(moves.getSource().getType()), *moves.getResultDims()))
    inner.push_back(extent == 1 ? -1 : position[size_t(dim)]);
  return inner;
}

bool fillsBesideMask(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || !isBlock(select.getCondition()))
    return false;
  Operation *fill = select.getFalseValue().getDefiningOp();
  return fill && (fill->hasTrait<OpTrait::ConstantLike>() || isa<tile::SplatOp>(fill));
}

Position NestSurvey::identity() const {
  Position position;
  for (auto [d, extent] : llvm::enumerate(shape))
    position.push_back(extent == 1 ? -1 : int8_t(d));
  return position;
}

void NestSurvey::takeElement(Type element, const Position &position) {
  for (int8_t at : position)
    if (at >= 0)
      widestBits[at] = std::max(widestBits[at], unsigned(8 * storageBytes(element)));
}

void NestSurvey::take(Value value, const Position &position) {
  if (!isBlock(value) || !seen_.insert({value.getAsOpaquePointer(), position}).second ||
      llvm::all_of(position, [](int8_t d) { return d < 0; }))
    return;
  if (Type element = tile::elementTypeOf(value.getType()); !element.isInteger(1))
    takeElement(element, position);
  if (liesInScratch_(value)) {
    reads.push_back({value, position});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (auto inner = sourcePosition(op, position))
    return take(op->getOperand(0), *inner);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    loads.push_back({load, position});
  ++ops;
  if (fillsBesideMask(op)) {
    fills.push_back({op, position});
    if (inference.mask(op->getOperand(0)).isUnderstood())
      return takeFill(op, position);
  }
  if (isInMainLoop_)
    work += PullCosts::of(inference, op);
  takeOperands(op, position);
}

/// Inside the mask it is the one value alone.
void NestSurvey::takeFill(Operation *op, const Position &position) {
  take(op->getOperand(1), position);
  const bool was = std::exchange(isInMainLoop_, false);
  take(op->getOperand(0), position);
  take(op->getOperand(2), position);
  isInMainLoop_ = was;
}

void NestSurvey::takeOperands(Operation *op, const Position &position) {
  auto access = dyn_cast<tile::MemoryAccess>(op);
  for (Value operand : pulledOperands(inference, op)) {
    if (!access || access.isAtomic() || operand != access.getPointer()) {
      take(operand, position);
      continue;
    }
    // Addresses of runs are made once a chunk, as scalars, however wide those are.
    const SmallVector<unsigned, 4> bits = widestBits;
    Position rows = rowsOf(access, position);
    take(operand, rows);
    for (auto [d, at] : llvm::enumerate(rows))
      if (at >= 0 && isRun(inference, access, d))
        widestBits[at] = bits[at];
  }
}

/// Made of a block in scratch that the nest of `access` replaces row by row.
static bool readsWhatIsReplaced(tile::AccessInference &inference, Value value, Operation *access,
                                llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!isBlock(value) || !op)
    return false;
  if (auto read = dyn_cast<ReadOp>(op))
    return llvm::any_of(read.getScratch().getUsers(), [&](Operation *user) {
      return isa<KeepOp>(user) && isa<NestOp>(user->getParentOp()) && user->getParentOp()->isAncestor(access);
    });
  return op->getNumRegions() == 0 && seen.insert(op).second &&
         llvm::any_of(pulledOperands(inference, op),
                      [&](Value operand) { return readsWhatIsReplaced(inference, operand, access, seen); });
}

Position NestSurvey::rowsOf(tile::MemoryAccess access, const Position &position) const {
  Position rows = position;
  llvm::SmallPtrSet<Operation *, 16> seen;
  if (readsWhatIsReplaced(inference, access.getPointer(), access, seen))
    return rows;
  for (auto [d, stride] : llvm::enumerate(inference.access(access).address.strides))
    if (stride)
      rows[d] = -1;
  return rows;
}

bool isRun(tile::AccessInference &inference, tile::MemoryAccess access, size_t dim) {
  // The longest vector there is, in bytes: shorter chunks divide it.
  constexpr uint64_t kLongest = 64;
  const tile::DimFacts &facts = inference.facts(access.getPointer()).dims[dim];
  const auto run = uint64_t(std::max(facts.contiguity, facts.constancy));
  return (run & -run) * uint64_t(storageBytes(inference.access(access).element)) >= kLongest;
}

bool liesInScratch(Value block) {
  auto whole = block.getDefiningOp<tile::WholeBlocks>();
  return block.getDefiningOp<ReadOp>() || (whole && !whole.givesElements());
}

NestSurvey surveyOf(NestOp nest, tile::AccessInference &inference) {
  NestSurvey survey(inference, nest.getShape(), liesInScratch);
  for (Operation &op : nest.getBody().front()) {
    auto keep = dyn_cast<KeepOp>(op);
    if (isNestRoot(&op)) {
      survey.takeOperands(&op, survey.identity());
    } else if (keep && !keep.getValue().getDefiningOp<tile::ReduceOp>()) {
      survey.take(keep.getValue(), survey.identity());
      survey.takeElement(tile::elementTypeOf(keep.getValue().getType()), survey.identity());
    }
  }
  return survey;
}

NestSurvey surveyOf(Value block, tile::AccessInference &inference) {
  NestSurvey survey(inference, tile::shapeOf(block.getType()), liesInScratch);
  survey.take(block, survey.identity());
  return survey;
}

} // namespace tilewise::cpu
