// Which layouts blocks get: bits of the block's dimensions are dealt out to registers, lanes and
// warps.
#include "target/gpu/LayoutRules.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewise::gpu {

namespace {

/// Deals the bits of each dimension, lowest first.
class Dealer {
public:
  /// Without the bits of elements' numbers that `taken` has.
  explicit Dealer(ArrayRef<int64_t> shape, uint32_t taken = 0) {
    LinearLayout plain(shape, {}, {}, {});
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      bits_.emplace_back();
      for (unsigned bit = 0; bit < Log2_64(shape[dim]); ++bit)
        if (uint32_t basis = uint32_t(1) << (plain.dimShift(dim) + bit); !(basis & taken))
          bits_.back().push_back(basis);
    }
    dealt_.resize(shape.size(), 0);
  }

  unsigned left(unsigned dim) const { return bits_[dim].size() - dealt_[dim]; }

  /// Up to `count` bits of `dim`; returns how many there were.
  unsigned deal(LinearLayout::Bases &to, unsigned dim, unsigned count) {
    unsigned taken = std::min(count, left(dim));
    for (unsigned i = 0; i < taken; ++i)
      to.push_back(bits_[dim][dealt_[dim]++]);
    return taken;
  }

private:
  SmallVector<SmallVector<uint32_t, 8>, 4> bits_; ///< Of each dimension, lowest first.
  SmallVector<unsigned, 4> dealt_;
};

/// Dimensions, the fastest first.
SmallVector<unsigned, 4> orderOf(unsigned rank, unsigned fastest) {
  SmallVector<unsigned, 4> order{fastest};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != fastest)
      order.push_back(dim);
  return order;
}

} // namespace

LinearLayout memoryLayout(ArrayRef<int64_t> shape, MemoryShape access, Team team) {
  SmallVector<unsigned, 4> order = orderOf(shape.size(), access.fastestDim);
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  // Wide vectors pay only while every thread has one.
  int64_t perThread = std::max<int64_t>(1, elements / team.threads());
  unsigned vector = std::max<int64_t>(std::min<int64_t>(access.vector, perThread), access.least);

  Dealer dealer(shape);
  LinearLayout::Bases registers, lanes, warps;
  dealer.deal(registers, order[0], Log2_32(vector));
  for (unsigned dim : order)
    dealer.deal(registers, dim, std::max<int>(0, int(Log2_32(access.least)) - int(registers.size())));
  for (unsigned dim : order)
    dealer.deal(lanes, dim, team.laneBits - lanes.size());
  lanes.resize(team.laneBits, 0);
  for (unsigned dim : reverse(order))
    dealer.deal(warps, dim, team.warpBits - warps.size());
  warps.resize(team.warpBits, 0);
  for (unsigned dim : order)
    dealer.deal(registers, dim, dealer.left(dim));
  return LinearLayout(shape, registers, lanes, warps);
}

std::optional<LinearLayout> memoryLayoutWithin(const LinearLayout &other, MemoryShape access, unsigned elementBytes) {
  ArrayRef<int64_t> shape = other.shape();
  if (!all_of(other.bases(Level::Warp), isPowerOf2_32))
    return std::nullopt;
  const uint32_t warps = other.bitsOf(Level::Warp);
  constexpr unsigned kLine = 128;
  const uint32_t fastest = other.dimMask(access.fastestDim), apart = warps & fastest;
  unsigned run = apart ? (apart & -apart) >> other.dimShift(access.fastestDim) : shape[access.fastestDim];
  if (apart && run * elementBytes < kLine)
    return std::nullopt;
  const unsigned laneBits = other.bases(Level::Lane).size();
  const int64_t perThread = other.elements() >> (laneBits + other.bases(Level::Warp).size());
  if (perThread == 0)
    return std::nullopt;
  SmallVector<unsigned, 4> order = orderOf(shape.size(), access.fastestDim);
  Dealer dealer(shape, warps);
  LinearLayout::Bases registers, lanes;
  dealer.deal(registers, order[0], Log2_64(std::min<int64_t>(access.vector, perThread)));
  for (unsigned dim : order)
    dealer.deal(lanes, dim, laneBits - lanes.size());
  for (unsigned dim : order)
    dealer.deal(registers, dim, dealer.left(dim));
  return LinearLayout(shape, registers, lanes, other.bases(Level::Warp));
}

LinearLayout dotLayout(ArrayRef<int64_t> shape, Team team) {
  Dealer dealer(shape);
  LinearLayout::Bases registers, lanes, warps;
  const unsigned rows = shape.size() - 2, columns = shape.size() - 1;
  dealer.deal(registers, columns, 2);
  dealer.deal(registers, rows, 2);
  dealer.deal(lanes, columns, 3);
  dealer.deal(lanes, rows, 2);
  // A narrow block leaves lanes over: the other dimensions may have use for them.
  for (unsigned dim = shape.size(); dim-- > 0;)
    dealer.deal(lanes, dim, team.laneBits - lanes.size());
  lanes.resize(team.laneBits, 0);
  while (warps.size() < team.warpBits && (dealer.left(rows) || dealer.left(columns)))
    dealer.deal(warps, dealer.left(rows) >= dealer.left(columns) ? rows : columns, 1);
  for (unsigned dim = 0; dim < rows; ++dim)
    dealer.deal(warps, dim, team.warpBits - warps.size());
  warps.resize(team.warpBits, 0);
  for (unsigned dim = shape.size(); dim-- > 0;)
    dealer.deal(registers, dim, dealer.left(dim));
  return LinearLayout(shape, registers, lanes, warps);
}

std::optional<AxisBits> axisBits(const LinearLayout &layout, unsigned axis) {
  AxisBits bits;
  unsigned width = Log2_64(layout.shape()[axis]), shift = layout.dimShift(axis);
  uint32_t mask = layout.dimMask(axis);
  int stage = 0; // Registers, lanes, warps, registers.
  for (unsigned bit = 0; bit < width; ++bit) {
    std::optional<std::pair<Level, unsigned>> place;
    for (Level level : {Level::Register, Level::Lane, Level::Warp})
      for (auto [index, basis] : enumerate(layout.bases(level))) {
        if (basis == uint32_t(1) << (shift + bit)) {
          if (place)
            return std::nullopt;
          place = {level, unsigned(index)};
        } else if ((basis & mask) && !isPowerOf2_32(basis)) {
          return std::nullopt;
        }
      }
    if (!place)
      return std::nullopt;
    auto [level, index] = *place;
    int wanted = level == Level::Lane ? 1 : level == Level::Warp ? 2 : stage == 0 ? 0 : 3;
    if (wanted < stage)
      return std::nullopt;
    stage = wanted;
    SmallVector<unsigned, 8> *lists[] = {&bits.lowRegisters, &bits.lanes, &bits.warps, &bits.highRegisters};
    lists[stage]->push_back(index);
  }
  return bits;
}

namespace {

/// The same layout with each basis, an element number, replaced by what it becomes in a block of
/// another shape.
template <typename Change> LinearLayout mapBases(const LinearLayout &layout, ArrayRef<int64_t> shape, Change change) {
  LinearLayout::Bases bases[kLevels];
  for (unsigned level = 0; level < kLevels; ++level)
    for (uint32_t basis : layout.bases(Level(level)))
      bases[level].push_back(change(basis));
  return LinearLayout(shape, bases[0], bases[1], bases[2], bases[3]);
}

} // namespace

LinearLayout permuted(const LinearLayout &layout, ArrayRef<int32_t> order) {
  SmallVector<int64_t, 4> shape;
  for (int32_t dim : order)
    shape.push_back(layout.shape()[dim]);
  LinearLayout plain(shape, {}, {}, {});
  return mapBases(layout, shape, [&](uint32_t basis) {
    uint32_t moved = 0;
    for (auto [to, from] : enumerate(order))
      moved |= (basis & layout.dimMask(from)) >> layout.dimShift(from) << plain.dimShift(to);
    return moved;
  });
}

LinearLayout withPairs(const LinearLayout &layout) {
  SmallVector<int64_t, 4> shape(layout.shape());
  shape.push_back(2);
  LinearLayout wide = mapBases(layout, shape, [](uint32_t basis) { return basis << 1; });
  LinearLayout::Bases registers{1};
  append_range(registers, wide.bases(Level::Register));
  return LinearLayout(shape, registers, wide.bases(Level::Lane), wide.bases(Level::Warp), wide.bases(Level::Block));
}

bool hasPairs(const LinearLayout &layout) {
  ArrayRef<uint32_t> registers = layout.bases(Level::Register);
  if (registers.empty() || registers.front() != 1)
    return false;
  unsigned odd = 0;
  for (unsigned level = 0; level < kLevels; ++level)
    for (uint32_t basis : layout.bases(Level(level)))
      odd += basis & 1;
  return odd == 1;
}

unsigned vectorBits(const LinearLayout &layout, unsigned dim) {
  unsigned bits = 0;
  uint32_t step = uint32_t(1) << layout.dimShift(dim);
  for (uint32_t basis : layout.bases(Level::Register)) {
    if (basis != step << bits || !(basis & layout.dimMask(dim)))
      break;
    ++bits;
  }
  return bits;
}

} // namespace tilewise::gpu
