// Scans -> along the thread's own registers, then along lanes by shuffles, then along warps through
// shared memory.
//
// AxisBits (LayoutRules.h) says where the axis lives: its lowest bits in registers (a *run*), then
// lanes, then warps, then registers again (*chunks*). With 16 elements, runs of 2, 2 lanes, 2 warps
// and 2 chunks:
//
//     element    0 1 | 2 3 | 4 5 | 6 7 || 8 9 | ...
//     chunk      0                      | 1
//     warp       0           | 1        | 0
//     lane       0   | 1     | 0  | 1   | 0
//
// 1. Each run is scanned in order.
// 2. The lanes scan the runs' totals: for each bit of the lane along the axis, from the lowest,
//    lanes that have it take the total of the last lane that has not, and that equals them above.
// 3. The last lane of each warp leaves its total in shared memory.
// 4. Each thread combines what stands before it: chunks, then warps, then lanes; and puts it in
//    front of its run.
//
// A reverse scan is the same with every bit of the axis turned over.
#include "target/gpu/Combiner.h"
#include "target/gpu/LayoutRules.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"
#include "target/gpu/Shuffle.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

class Scan {
public:
  Scan(Lowering &on, tile::ScanOp op)
      : on_(on), op_(op), layout_(layoutOf(op.getSources().front().getType())), axis_(*axisBits(layout_, op.getAxis())),
        scratch_(scratchOf(op)), combine_(on, op.getCombine()) {}

  LogicalResult run() {
    for (Value source : op_.getSources())
      values_.push_back(on_.registersOf(source));
    lane_ = turned(on_.lane, axis_.lanes);
    warp_ = turned(on_.warp, axis_.warps);
    for (Row &row : rows())
      if (failed(scanRow(row)))
        return failure();
    return failure(combine_.failed() || failed(connect()));
  }

private:
  /// The registers of one row of the axis in this thread: by chunk, then along the run, in scanning
  /// order.
  struct Row {
    SmallVector<SmallVector<uint32_t>> chunks;
    /// Per chunk: what lower lanes add up to, and the whole warp.
    SmallVector<Partial> beforeLane, totals;
  };

  /// Bits of the lane or warp along the axis, in scanning order, as one number.
  Value turned(Value index, ArrayRef<unsigned> bits) {
    Value gathered = on_.gatherBits(index, bits);
    return op_.getReverse() ? on_.make<LLVM::XOrOp>(gathered, on_.i32((1u << bits.size()) - 1)) : gathered;
  }

  uint32_t registerOf(uint32_t base, uint32_t along, ArrayRef<unsigned> bits) const {
    for (auto [position, bit] : llvm::enumerate(bits))
      base |= (along >> position & 1) << bit;
    return base;
  }

  std::vector<Row> &rows() {
    uint32_t used = 0;
    for (unsigned bit : axis_.lowRegisters)
      used |= 1u << bit;
    for (unsigned bit : axis_.highRegisters)
      used |= 1u << bit;
    unsigned chunks = 1u << axis_.highRegisters.size(), run = 1u << axis_.lowRegisters.size();
    for (uint32_t base = 0; base < layout_.registers(); ++base) {
      if (base & used)
        continue;
      Row &row = rows_.emplace_back();
      for (unsigned chunk = 0; chunk < chunks; ++chunk) {
        SmallVector<uint32_t> &list = row.chunks.emplace_back();
        for (unsigned i = 0; i < run; ++i) {
          unsigned c = op_.getReverse() ? chunks - 1 - chunk : chunk, k = op_.getReverse() ? run - 1 - i : i;
          list.push_back(registerOf(registerOf(base, c, axis_.highRegisters), k, axis_.lowRegisters));
        }
      }
    }
    return rows_;
  }

  Partial at(uint32_t reg) const {
    Partial part;
    for (const Registers &values : values_)
      part.push_back(values[reg]);
    return part;
  }
  void put(uint32_t reg, const Partial &part) {
    for (auto [values, value] : llvm::zip(values_, part))
      values[reg] = value;
  }

  Partial choose(Value condition, const Partial &a, const Partial &b) {
    Partial result;
    for (auto [x, y] : llvm::zip(a, b))
      result.push_back(on_.select(condition, x, y));
    return result;
  }

  Partial fromLane(const Partial &part, Value lane) {
    Partial result;
    for (Value value : part)
      result.push_back(shuffle(on_, value, ShuffleMode::Index, lane));
    return result;
  }

  /// This lane with its bits along the axis replaced: `set` and `cleared` in scanning order.
  Value laneWith(uint32_t set, uint32_t cleared) {
    if (op_.getReverse())
      std::swap(set, cleared);
    uint32_t setBits = registerOf(0, set, axis_.lanes), clearedBits = registerOf(0, cleared, axis_.lanes);
    Value lane = on_.make<LLVM::AndOp>(on_.lane, on_.i32(~clearedBits));
    return on_.make<LLVM::OrOp>(lane, on_.i32(setBits));
  }

  LogicalResult scanRow(Row &row) {
    for (ArrayRef<uint32_t> chunk : row.chunks) {
      for (size_t i = 1; i < chunk.size(); ++i)
        put(chunk[i], combine_(at(chunk[i - 1]), at(chunk[i])));
      Partial total = at(chunk.back());
      for (unsigned bit = 0; bit < axis_.lanes.size(); ++bit) {
        Partial before = fromLane(total, laneWith((1u << bit) - 1, 1u << bit));
        Value has = on_.make<LLVM::AndOp>(lane_, on_.i32(1 << bit));
        has = on_.compare(LLVM::ICmpPredicate::ne, has, on_.i32(0));
        total = choose(has, combine_(before, total), total);
      }
      row.totals.push_back(total);
      if (!axis_.lanes.empty())
        row.beforeLane.push_back(fromLane(total, previousLane()));
      if (combine_.failed())
        return failure();
    }
    return success();
  }

  /// The lane before this one along the axis; of the first one, some lane.
  Value previousLane() {
    uint32_t all = (1u << axis_.lanes.size()) - 1;
    Value index = on_.make<LLVM::AndOp>(on_.make<LLVM::SubOp>(lane_, on_.i32(1)), on_.i32(all));
    if (op_.getReverse())
      index = on_.make<LLVM::XOrOp>(index, on_.i32(all));
    Value lane = on_.make<LLVM::AndOp>(on_.lane, on_.i32(~registerOf(0, all, axis_.lanes)));
    for (auto [position, bit] : llvm::enumerate(axis_.lanes)) {
      Value one = on_.make<LLVM::AndOp>(on_.make<LLVM::LShrOp>(index, on_.i32(position)), on_.i32(1));
      lane = on_.make<LLVM::OrOp>(lane, on_.make<LLVM::ShlOp>(one, on_.i32(bit)));
    }
    return lane;
  }

  /// The whole of each chunk, over all lanes and warps: per warp along the axis.
  SmallVector<Partial> warpTotals(unsigned rowIndex, unsigned chunk, ArrayRef<SharedTile> tiles, Value rowElement) {
    if (axis_.warps.empty()) {
      Row &row = rows_[rowIndex];
      if (axis_.lanes.empty())
        return {row.totals[chunk]};
      return {fromLane(row.totals[chunk], laneWith((1u << axis_.lanes.size()) - 1, 0))};
    }
    SmallVector<Partial> totals;
    for (unsigned warp = 0; warp < scratch_.warps; ++warp) {
      Partial part;
      for (SharedTile tile : tiles)
        part.push_back(tile.loadRun(slot(rowElement, chunk, on_.i32(warp)), 1).front());
      totals.push_back(std::move(part));
    }
    return totals;
  }

  /// A block [chunks, warps, rows]: the lanes of a warp are at neighbouring rows, which lie in
  /// different banks.
  Value slot(Value rowElement, unsigned chunk, Value warp) {
    Value first = on_.make<LLVM::MulOp>(warp, on_.i32(scratch_.rows));
    return on_.make<LLVM::AddOp>(on_.make<LLVM::AddOp>(first, rowElement),
                                 on_.i32(chunk * scratch_.warps * scratch_.rows));
  }

  LogicalResult connect() {
    SmallVector<SharedTile> tiles;
    SmallVector<Value> rowElements(rows_.size());
    if (scratch_.bytes) {
      uint32_t offset = Lowering::scratchOffset(op_);
      unsigned count = scratch_.rows * scratch_.chunks * scratch_.warps;
      for (auto [source, at] : llvm::zip(op_.getSources(), scratch_.offsets))
        tiles.emplace_back(on_, offset + at, tile::elementTypeOf(source.getType()), count, count);
      LinearLayout reduced = layout_.withUnitDimKeepingCopies(op_.getAxis());
      Value thread = on_.threadElement(reduced);
      for (auto [index, row] : llvm::enumerate(rows_)) {
        rowElements[index] = on_.elementAt(reduced, thread, row.chunks.front().front());
        for (auto [chunk, total] : llvm::enumerate(row.totals)) {
          // Lanes that hold copies write the same; of those along the axis only the last one
          // writes.
          Value isLast = on_.compare(LLVM::ICmpPredicate::eq, lane_, on_.i32((1u << axis_.lanes.size()) - 1));
          Partial stored = total;
          Value position = slot(rowElements[index], chunk, warp_);
          on_.branchAround(isLast, {}, [&] {
            for (auto [tile, value] : llvm::zip(tiles, stored))
              tile.storeOne(position, value);
            return Registers();
          });
        }
      }
      on_.barrier();
    }
    bool alone = axis_.lanes.empty() && axis_.warps.empty() && axis_.highRegisters.empty();
    for (unsigned index = 0; index < rows_.size() && !alone; ++index)
      connectRow(index, tiles, rowElements[index]);
    for (auto [result, values] : llvm::zip(op_.getResults(), values_))
      on_.set(result, values);
    return failure(combine_.failed());
  }

  /// Something that stands before, if `exists` is true (null: always). No parts: nothing does.
  struct Before {
    Partial parts;
    Value exists;
  };

  Before join(const Before &first, const Before &second) {
    if (first.parts.empty())
      return second;
    if (second.parts.empty())
      return first;
    Partial joined = combine_(first.parts, second.parts);
    if (second.exists)
      joined = choose(second.exists, joined, first.parts);
    if (first.exists)
      joined = choose(first.exists, joined, second.parts);
    Value exists = first.exists && second.exists ? on_.make<LLVM::OrOp>(first.exists, second.exists) : Value();
    return {joined, exists};
  }

  void connectRow(unsigned index, ArrayRef<SharedTile> tiles, Value rowElement) {
    Row &row = rows_[index];
    Before chunksBefore;
    for (unsigned chunk = 0; chunk < row.chunks.size(); ++chunk) {
      Before warpsBefore, whole;
      bool isLastChunk = chunk + 1 == row.chunks.size();
      if (!axis_.warps.empty() || !isLastChunk)
        for (auto [warp, total] : llvm::enumerate(warpTotals(index, chunk, tiles, rowElement))) {
          if (!axis_.warps.empty() && warp + 1 < scratch_.warps) {
            Value isBefore = on_.compare(LLVM::ICmpPredicate::ult, on_.i32(warp), warp_);
            warpsBefore = join(warpsBefore, {total, isBefore});
          }
          if (!isLastChunk)
            whole = join(whole, {total, {}});
        }
      Before before = join(chunksBefore, warpsBefore);
      if (!axis_.lanes.empty()) {
        Value isLater = on_.compare(LLVM::ICmpPredicate::ne, lane_, on_.i32(0));
        before = join(before, {row.beforeLane[chunk], isLater});
      }
      if (!before.parts.empty())
        for (uint32_t reg : row.chunks[chunk]) {
          Partial joined = combine_(before.parts, at(reg));
          put(reg, before.exists ? choose(before.exists, joined, at(reg)) : joined);
        }
      if (!isLastChunk)
        chunksBefore = join(chunksBefore, whole);
    }
  }

  Lowering &on_;
  tile::ScanOp op_;
  LinearLayout layout_;
  AxisBits axis_;
  ScanScratch scratch_;
  SmallVector<Registers> values_;
  std::vector<Row> rows_;
  Value lane_, warp_;
  Combiner combine_;
};

} // namespace

LogicalResult Lowering::lowerScan(tile::ScanOp op) { return Scan(*this, op).run(); }

} // namespace tilewise::gpu
