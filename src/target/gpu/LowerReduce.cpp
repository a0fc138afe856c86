// Reductions -> a tree over the thread's own registers, then shuffles along the axis' lanes, then
// shared memory along its warps.
//
// Lanes and warps whose bit is free hold copies: they are left out, so nothing is counted twice.
// Every thread ends with the result of its own rows: the result's layout is the source's without
// the axis, and copies are its free bits.
#include "target/gpu/Combiner.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"
#include "target/gpu/Shuffle.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

/// Whether operands that change places give the same bits: each result is one commutative op on its
/// own two parts.
bool isSymmetric(Region &combine) {
  Operation *end = combine.front().getTerminator();
  const unsigned count = end->getNumOperands();
  return llvm::all_of(llvm::enumerate(end->getOperands()), [&](auto each) {
    Operation *op = each.value().getDefiningOp();
    const std::array<Value, 2> parts{combine.getArgument(each.index()), combine.getArgument(each.index() + count)};
    return op && op->hasTrait<OpTrait::IsCommutative>() && llvm::equal(op->getOperands(), parts);
  });
}

class Reduction {
public:
  Reduction(Lowering &on, tile::ReduceOp op)
      : on_(on), op_(op), layout_(layoutOf(op.getSources().front().getType())),
        result_(layout_.withoutDim(op.getAxis())), combine_(on, op.getCombine()) {}

  LogicalResult run() {
    SmallVector<Partial> rows = withinThreads();
    if (combine_.failed())
      return failure();
    alongLanes(rows);
    alongWarps(rows);
    if (combine_.failed())
      return failure();
    for (auto [index, value] : llvm::enumerate(op_.getResults())) {
      Registers registers;
      for (Partial &row : rows)
        registers.push_back(row[index]);
      on_.set(value, std::move(registers));
    }
    return success();
  }

private:
  /// As a tree: shorter chains, and rounding errors that grow with the logarithm of the length.
  Partial combineAll(SmallVector<Partial> parts) {
    while (parts.size() > 1) {
      SmallVector<Partial> next;
      for (size_t i = 0; i + 1 < parts.size(); i += 2)
        next.push_back(combine_(parts[i], parts[i + 1]));
      if (parts.size() % 2)
        next.push_back(parts.back());
      parts = std::move(next);
    }
    return parts.front();
  }

  /// One partial result per register of the result.
  SmallVector<Partial> withinThreads() {
    unsigned axis = op_.getAxis(), shift = layout_.dimShift(axis), width = llvm::Log2_64(layout_.shape()[axis]);
    uint32_t low = (uint32_t(1) << shift) - 1;
    SmallVector<SmallVector<Partial>> parts(result_.registers());
    for (uint32_t reg = 0; reg < layout_.registers(); ++reg) {
      uint32_t element = layout_.element(reg), row = (element & low) | (element >> width & ~low);
      uint32_t target = 0;
      while (result_.element(target) != row)
        ++target;
      Partial part;
      for (Value source : op_.getSources())
        part.push_back(on_.registersOf(source)[reg]);
      parts[target].push_back(std::move(part));
    }
    SmallVector<Partial> rows;
    for (SmallVector<Partial> &row : parts)
      rows.push_back(combineAll(std::move(row)));
    return rows;
  }

  void alongLanes(SmallVector<Partial> &rows) {
    uint32_t axis = layout_.dimMask(op_.getAxis()), along = 0;
    for (auto [bit, basis] : llvm::enumerate(layout_.bases(Level::Lane))) {
      if (!(basis & axis))
        continue;
      along |= 1u << bit;
      for (Partial &row : rows) {
        Partial other;
        for (Value value : row)
          other.push_back(shuffle(on_, value, ShuffleMode::Xor, on_.i32(1 << bit)));
        row = combine_(row, other);
      }
    }
    if (along == 0 || isSymmetric(op_.getCombine()))
      return;
    // Of two lanes each took its own part first, and may have rounded otherwise: copies of one
    // element must be the same, as for a test that all threads take together.
    Value first = on_.make<LLVM::AndOp>(on_.lane, on_.i32(int32_t(~along)));
    for (Partial &row : rows)
      for (Value &value : row)
        value = shuffle(on_, value, ShuffleMode::Index, first);
  }

  void alongWarps(SmallVector<Partial> &rows) {
    ReduceScratch scratch = scratchOf(op_);
    if (scratch.bytes == 0)
      return;
    uint32_t offset = op_->getAttrOfType<IntegerAttr>(GpuDialect::kSharedAttr).getInt();
    SmallVector<SharedTile> tiles;
    for (auto [source, at] : llvm::zip(op_.getSources(), scratch.offsets)) {
      unsigned elements = scratch.groups() * scratch.resultElements;
      tiles.emplace_back(on_, offset + at, tile::elementTypeOf(source.getType()), elements, elements);
    }
    // A block [groups, rows]: the warp's bits on the axis number the groups. Threads write their
    // own group and read all of them.
    Value thread = on_.threadElement(result_);
    Value group = on_.gatherBits(on_.warp, scratch.warpBits);
    Value groupStart = on_.make<LLVM::MulOp>(group, on_.i32(scratch.resultElements));
    for (auto [reg, row] : llvm::enumerate(rows)) {
      Value position = on_.make<LLVM::AddOp>(groupStart, on_.elementAt(result_, thread, reg));
      for (auto [tile, value] : llvm::zip(tiles, row))
        tile.storeOne(position, value);
    }
    on_.barrier();
    for (auto [reg, row] : llvm::enumerate(rows)) {
      SmallVector<Partial> parts;
      Value element = on_.elementAt(result_, thread, reg);
      for (unsigned index = 0; index < scratch.groups(); ++index) {
        Value position = on_.make<LLVM::AddOp>(element, on_.i32(index * scratch.resultElements));
        Partial part;
        for (SharedTile &tile : tiles)
          part.push_back(tile.loadRun(position, 1).front());
        parts.push_back(std::move(part));
      }
      row = combineAll(std::move(parts));
    }
  }

  Lowering &on_;
  tile::ReduceOp op_;
  LinearLayout layout_, result_;
  Combiner combine_;
};

} // namespace

LogicalResult Lowering::lowerReduce(tile::ReduceOp op) { return Reduction(*this, op).run(); }

} // namespace tilewise::gpu
