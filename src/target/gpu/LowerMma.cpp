// Dots by matrix instructions -> one instruction for each tile of accumulators and each step along
// k. The layouts have put every operand where the instruction wants it, so that nothing moves here.
#include "target/gpu/Lowering.h"
#include "target/gpu/MatrixInstruction.h"
#include "target/gpu/TileAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

/// The registers of a block by the element that register alone gives: the same in every thread.
class ByElement {
public:
  ByElement(const LinearLayout &layout, Registers &registers) : layout_(layout), registers_(registers) {
    for (uint32_t reg = 0; reg < layout.registers(); ++reg)
      places_.try_emplace(layout.element(reg), reg);
  }

  /// The registers of a tile that starts at element `base`, in the order of the instruction.
  SmallVector<uint32_t> tileAt(const LinearLayout &tile, uint32_t base) const {
    unsigned rank = layout_.shape().size();
    SmallVector<uint32_t> found;
    for (uint32_t reg = 0; reg < tile.registers(); ++reg) {
      SmallVector<int64_t> at = tile.coordinates(tile.element(reg));
      uint32_t offset = uint32_t(at[0]) << layout_.dimShift(rank - 2) | uint32_t(at[1]) << layout_.dimShift(rank - 1);
      found.push_back(places_.lookup(base | offset));
    }
    return found;
  }
  /// Their values; those that are still in shared memory are read from `source`.
  Registers valuesAt(const LinearLayout &tile, uint32_t base, std::optional<TileAccess> &source) {
    Registers values;
    for (uint32_t reg : tileAt(tile, base)) {
      if (!registers_[reg]) {
        unsigned group = source->loadGroup(), first = reg - reg % group;
        llvm::copy(source->loadRun(first), registers_.begin() + first);
      }
      values.push_back(registers_[reg]);
    }
    return values;
  }

private:
  const LinearLayout &layout_;
  Registers &registers_;
  DenseMap<uint32_t, uint32_t> places_;
};

/// The registers of an operand: null, each of them, where it is read from a tile as the dot goes
/// along.
Registers operandRegisters(Lowering &on, Value operand, std::optional<TileAccess> &source) {
  auto read = operand.getDefiningOp<ReadOp>();
  if (!read || !isReadByDot(read))
    return on.registersOf(operand);
  LinearLayout layout = layoutOf(read.getType());
  source.emplace(on, on.scalarOf(read.getTile()), read.getTile().getType(), layout);
  return Registers(layout.registers());
}

} // namespace

bool isFactor(OpOperand &use) { return use.getOperandNumber() < 2; }

bool isReadByDot(ReadOp read) {
  if (!read->hasOneUse())
    return false;
  OpOperand &use = *read->use_begin();
  auto dot = dyn_cast<tile::DotOp>(use.getOwner());
  if (!dot || !isFactor(use) || !dot->hasAttr(GpuDialect::kMmaAttr) || dot->getBlock() != read->getBlock())
    return false;
  for (Operation *op = read->getNextNode(); op != dot; op = op->getNextNode())
    if (!isa<ReadOp>(op) && !isMemoryEffectFree(op))
      return false;
  return true;
}

LogicalResult Lowering::lowerMma(tile::DotOp op, const MatrixInstruction &instruction) {
  LinearLayout a = layoutOf(op.getA().getType()), b = layoutOf(op.getB().getType()), c = layoutOf(op.getType());
  std::optional<TileAccess> leftTile, rightTile;
  Registers left = operandRegisters(*this, op.getA(), leftTile), right = operandRegisters(*this, op.getB(), rightTile);
  Type result = tile::elementTypeOf(op.getType());
  // A narrow accumulator is widened for the whole walk and rounded once.
  bool isNarrow = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
  Type sum = isNarrow ? builder.getF32Type() : result;
  Registers sums;
  for (Value value : registersOf(op.getAcc()))
    sums.push_back(isNarrow ? machine.convertFloat(*this, value, result, sum) : value);

  ByElement lefts(a, left), rights(b, right), accumulators(c, sums);
  unsigned rank = c.shape().size();
  uint32_t tileBits = 0;
  for (uint32_t basis : instruction.c.bases(Level::Register)) {
    SmallVector<int64_t> at = instruction.c.coordinates(basis);
    tileBits |= uint32_t(at[0]) << c.dimShift(rank - 2) | uint32_t(at[1]) << c.dimShift(rank - 1);
  }
  int64_t depth = a.shape()[rank - 1];
  for (int64_t k = 0; k < depth; k += instruction.k())
    for (uint32_t reg = 0; reg < c.registers(); ++reg) {
      uint32_t element = c.element(reg);
      if (element & tileBits)
        continue;
      SmallVector<int64_t> at = c.coordinates(element);
      uint32_t leftBase = uint32_t(at[rank - 2]) << a.dimShift(rank - 2) | uint32_t(k) << a.dimShift(rank - 1);
      uint32_t rightBase = uint32_t(k) << b.dimShift(rank - 2) | uint32_t(at[rank - 1]) << b.dimShift(rank - 1);
      for (unsigned dim = 0; dim + 2 < rank; ++dim) {
        leftBase |= uint32_t(at[dim]) << a.dimShift(dim);
        rightBase |= uint32_t(at[dim]) << b.dimShift(dim);
      }
      SmallVector<uint32_t> places = accumulators.tileAt(instruction.c, element);
      Registers tile;
      for (uint32_t place : places)
        tile.push_back(sums[place]);
      tile = machine.multiply(*this, instruction, lefts.valuesAt(instruction.a, leftBase, leftTile),
                              rights.valuesAt(instruction.b, rightBase, rightTile), tile);
      for (auto [place, value] : llvm::zip(places, tile))
        sums[place] = value;
    }
  if (isNarrow)
    for (Value &value : sums)
      value = machine.convertFloat(*this, value, sum, result);
  set(op, std::move(sums));
  return success();
}

} // namespace tilewise::gpu
