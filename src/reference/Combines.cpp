// Ops with a region of scalars, reduce, scan and map, and histogram.
#include "reference/Code.h"

#include "ir/Tile.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {
namespace {

// The region runs on this many elements per step; enough to hide the cost of its dispatch, few
// enough to stay in L1.
constexpr size_t kMaxLanes = 256;

/// One operand of a reduce or scan. `work` holds it as [extent of the axis][columns], so that steps
/// along the axis are contiguous.
struct Column {
  Slot source, result, work;
  size_t bytes;
};

struct CombineDetails : Details {
  LaneCode code;
  size_t lanes = 1;
  size_t outer = 1, extent = 1, inner = 1; ///< The block as [outer][extent along the axis][inner].
  bool reverse = false;
  SmallVector<Column, 2> columns;

  size_t width() const { return outer * inner; }
};

/// [outer][extent][inner] -> [extent][outer][inner], or back.
void transpose(const CombineDetails &details, const Column &column, bool back, Frame &frame) {
  size_t run = details.inner * column.bytes;
  std::byte *block = frame.at<std::byte>(back ? column.result : column.source),
            *work = frame.at<std::byte>(column.work);
  for (size_t outer = 0; outer < details.outer; ++outer)
    for (size_t at = 0; at < details.extent; ++at) {
      std::byte *one = block + (outer * details.extent + at) * run, *other = work + (at * details.outer + outer) * run;
      std::memcpy(back ? one : other, back ? other : one, run);
    }
}

/// work[left + k] = combine(work[left + k], work[right + k]) for k below `count`; `into` is where
/// the result goes.
bool combine(const CombineDetails &details, size_t left, size_t right, size_t into, size_t count, Frame &frame) {
  size_t operands = details.columns.size();
  for (size_t done = 0; done < count; done += details.lanes) {
    size_t lanes = std::min(details.lanes, count - done);
    for (auto [o, column] : llvm::enumerate(details.columns)) {
      std::byte *work = frame.at<std::byte>(column.work);
      std::memcpy(frame.at<std::byte>(details.code.arguments[o]), work + (left + done) * column.bytes,
                  lanes * column.bytes);
      std::memcpy(frame.at<std::byte>(details.code.arguments[operands + o]), work + (right + done) * column.bytes,
                  lanes * column.bytes);
    }
    if (!details.code.body.run(frame))
      return false;
    for (auto [o, column] : llvm::enumerate(details.columns))
      std::memcpy(frame.at<std::byte>(column.work) + (into + done) * column.bytes,
                  frame.at<std::byte>(details.code.yields[o]), lanes * column.bytes);
  }
  return true;
}

/// Halves the axis until one is left; an odd one in the middle waits. The error of a sum grows with
/// the logarithm of the extent only.
void reduce(const Instruction &i, Frame &frame) {
  const auto &details = i.as<CombineDetails>();
  for (const Column &column : details.columns)
    transpose(details, column, /*back=*/false, frame);
  if (!details.code.captures.run(frame))
    return;
  for (size_t rest = details.extent; rest > 1; rest -= rest / 2)
    if (!combine(details, 0, (rest - rest / 2) * details.width(), 0, rest / 2 * details.width(), frame))
      return;
  for (const Column &column : details.columns)
    std::memcpy(frame.at<std::byte>(column.result), frame.at<std::byte>(column.work), details.width() * column.bytes);
}

void scan(const Instruction &i, Frame &frame) {
  const auto &details = i.as<CombineDetails>();
  for (const Column &column : details.columns)
    transpose(details, column, /*back=*/false, frame);
  if (!details.code.captures.run(frame))
    return;
  size_t width = details.width(), last = details.extent - 1;
  for (size_t step = 1; step < details.extent; ++step) {
    size_t at = details.reverse ? last - step : step, before = details.reverse ? at + 1 : at - 1;
    if (!combine(details, before * width, at * width, at * width, width, frame))
      return;
  }
  for (const Column &column : details.columns)
    transpose(details, column, /*back=*/true, frame);
}

/// Regions of plain scalar ops can run on many lanes; branches and loops take one decision each.
bool canRunOnLanes(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
           llvm::none_of(op.getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
  });
}

bool decodeCombine(Operation *op, ValueRange sources, unsigned axis, bool isScan, bool reverse, Decoder &decoder) {
  auto details = std::make_unique<CombineDetails>();
  ArrayRef<int64_t> shape = tile::shapeOf(sources.front().getType());
  for (int64_t extent : shape.take_front(axis))
    details->outer *= size_t(extent);
  for (int64_t extent : shape.drop_front(axis + 1))
    details->inner *= size_t(extent);
  details->extent = size_t(shape[axis]);
  details->reverse = reverse;
  size_t widest = isScan ? details->width() : std::max<size_t>(1, details->extent / 2) * details->width();
  Block &body = op->getRegion(0).front();
  details->lanes = canRunOnLanes(body) ? std::min(widest, kMaxLanes) : 1;
  for (auto [source, result] : llvm::zip_equal(sources, op->getResults())) {
    Buffer buffer = decoder.bufferOf(source);
    details->columns.push_back(
        {buffer.slot, decoder.slotOf(result), decoder.allocate(buffer.bytes), bytesOf(*kindOf(source.getType()))});
  }
  Result<LaneCode> code = decoder.decodeLanes(body, details->lanes);
  if (!code) {
    decoder.fail(code.takeFailure());
    return true;
  }
  details->code = std::move(*code);
  Instruction &instruction = decoder.append(op);
  instruction.execute = isScan ? scan : reduce;
  instruction.details = std::move(details);
  return true;
}

/// One operand or result of a map: where the block is, and the region's scalars for each place in a
/// pack.
struct Packed {
  Slot block;
  size_t bytes;
  SmallVector<Slot, 4> scalars;
};

struct MapDetails : Details {
  LaneCode code;
  size_t lanes = 1, pack = 1, packs = 1;
  SmallVector<Packed, 2> sources, results;
};

/// Between a block from element `first` on and the scalars of `lanes` packs; element l * pack + p
/// is lane l of scalar p.
void movePacked(const MapDetails &details, const Packed &packed, size_t first, size_t lanes, bool toBlock,
                Frame &frame) {
  for (size_t p = 0; p < details.pack; ++p) {
    std::byte *scalars = frame.at<std::byte>(packed.scalars[p]);
    std::byte *block = frame.at<std::byte>(packed.block) + (first + p) * packed.bytes;
    for (size_t lane = 0; lane < lanes; ++lane) {
      std::byte *element = block + lane * details.pack * packed.bytes, *scalar = scalars + lane * packed.bytes;
      std::memcpy(toBlock ? element : scalar, toBlock ? scalar : element, packed.bytes);
    }
  }
}

void map(const Instruction &i, Frame &frame) {
  const auto &details = i.as<MapDetails>();
  if (!details.code.captures.run(frame))
    return;
  for (size_t done = 0; done < details.packs; done += details.lanes) {
    size_t lanes = std::min(details.lanes, details.packs - done);
    for (const Packed &source : details.sources)
      movePacked(details, source, done * details.pack, lanes, /*toBlock=*/false, frame);
    if (!details.code.body.run(frame))
      return;
    for (const Packed &result : details.results)
      movePacked(details, result, done * details.pack, lanes, /*toBlock=*/true, frame);
  }
}

bool decodeMap(tile::MapOp op, Decoder &decoder) {
  auto details = std::make_unique<MapDetails>();
  Block &body = op.getBody().front();
  details->pack = size_t(op.getPack());
  details->packs = elementCountOf(op.getSources().front().getType()) / details->pack;
  details->lanes = canRunOnLanes(body) ? std::min(details->packs, kMaxLanes) : 1;
  Result<LaneCode> code = decoder.decodeLanes(body, details->lanes);
  if (!code) {
    decoder.fail(code.takeFailure());
    return true;
  }
  details->code = std::move(*code);
  auto packedOf = [&](ValueRange blocks, ArrayRef<Slot> scalars, SmallVectorImpl<Packed> &all) {
    for (auto [at, block] : llvm::enumerate(blocks))
      all.push_back({decoder.slotOf(block), bytesOf(*kindOf(block.getType())),
                     SmallVector<Slot, 4>(scalars.slice(at * details->pack, details->pack))});
  };
  packedOf(op.getSources(), details->code.arguments, details->sources);
  packedOf(op.getResults(), details->code.yields, details->results);
  Instruction &instruction = decoder.append(op);
  instruction.execute = map;
  instruction.details = std::move(details);
  return true;
}

struct HistogramDetails : Details {
  size_t bins = 0;
  Slot mask = kNoSlot;
};

template <typename T> void histogram(const Instruction &i, Frame &frame) {
  const auto &details = i.as<HistogramDetails>();
  const T *source = frame.at<T>(i.in[0]);
  const uint8_t *mask = details.mask == kNoSlot ? nullptr : frame.at<uint8_t>(details.mask);
  uint32_t *out = frame.at<uint32_t>(i.out[0]);
  std::fill_n(out, details.bins, 0u);
  for (size_t k = 0; k < i.count; ++k)
    if (uint64_t bin = Int<T>::zext(source[k]); (!mask || mask[k]) && bin < details.bins)
      ++out[bin];
}

bool decodeHistogram(tile::HistogramOp op, Decoder &decoder) {
  auto details = std::make_unique<HistogramDetails>();
  details->bins = elementCountOf(op.getType());
  if (op.getMask())
    details->mask = decoder.slotOf(op.getMask());
  Instruction &instruction = decoder.append(op);
  instruction.count = elementCountOf(op.getSource().getType());
  instruction.details = std::move(details);
  return visitInt(*kindOf(op.getSource().getType()),
                  [&](auto tag) { instruction.execute = histogram<typename decltype(tag)::Type>; });
}

} // namespace

bool decodeCombines(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ReduceOp op) {
        return decodeCombine(op, op.getSources(), op.getAxis(), /*isScan=*/false, /*reverse=*/false, decoder);
      })
      .Case([&](tile::ScanOp op) {
        return decodeCombine(op, op.getSources(), op.getAxis(), /*isScan=*/true, op.getReverse(), decoder);
      })
      .Case([&](tile::MapOp op) { return decodeMap(op, decoder); })
      .Case([&](tile::HistogramOp op) { return decodeHistogram(op, decoder); })
      .Default(false);
}

} // namespace tilewise::reference
