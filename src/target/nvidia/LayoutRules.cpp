// Which layouts blocks get: bits of the block's dimensions are dealt out to registers, lanes and warps.
#include "target/nvidia/LayoutRules.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewise::nv {

namespace {

/// Deals the bits of each dimension, lowest first.
class Dealer {
public:
  explicit Dealer(ArrayRef<int64_t> shape) : shape_(shape), dealt_(shape.size(), 0), plain_(shape, {}, {}, {}) {}

  unsigned left(unsigned dim) const { return Log2_64(shape_[dim]) - dealt_[dim]; }

  /// Up to `count` bits of `dim`; returns how many there were.
  unsigned deal(LinearLayout::Bases &to, unsigned dim, unsigned count) {
    unsigned taken = std::min(count, left(dim));
    for (unsigned i = 0; i < taken; ++i)
      to.push_back(uint32_t(1) << (plain_.dimShift(dim) + dealt_[dim]++));
    return taken;
  }

private:
  ArrayRef<int64_t> shape_;
  SmallVector<unsigned, 4> dealt_;
  LinearLayout plain_;
};

} // namespace

LinearLayout memoryLayout(ArrayRef<int64_t> shape, MemoryShape access, unsigned numWarps) {
  SmallVector<unsigned, 4> order{access.fastestDim};
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (dim != access.fastestDim)
      order.push_back(dim);

  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  // Wide vectors pay only while every thread has one.
  int64_t perThread = std::max<int64_t>(1, elements / (32 * int64_t(numWarps)));
  unsigned vector = std::min<int64_t>(access.vector, perThread);

  Dealer dealer(shape);
  LinearLayout::Bases registers, lanes, warps;
  dealer.deal(registers, order[0], Log2_32(vector));
  for (unsigned dim : order)
    dealer.deal(lanes, dim, kLaneBits - lanes.size());
  lanes.resize(kLaneBits, 0);
  unsigned warpBits = Log2_32(numWarps);
  for (unsigned dim : reverse(order))
    dealer.deal(warps, dim, warpBits - warps.size());
  warps.resize(warpBits, 0);
  for (unsigned dim : order)
    dealer.deal(registers, dim, 32);
  return LinearLayout(shape, registers, lanes, warps);
}

LinearLayout dotLayout(ArrayRef<int64_t> shape, unsigned numWarps) {
  Dealer dealer(shape);
  LinearLayout::Bases registers, lanes, warps;
  const unsigned rows = 0, columns = 1;
  dealer.deal(registers, columns, 2);
  dealer.deal(registers, rows, 2);
  dealer.deal(lanes, columns, 3);
  dealer.deal(lanes, rows, 2);
  // A narrow block leaves lanes over: the other dimension may have use for them.
  for (unsigned dim : {columns, rows})
    dealer.deal(lanes, dim, kLaneBits - lanes.size());
  lanes.resize(kLaneBits, 0);
  unsigned warpBits = Log2_32(numWarps);
  while (warps.size() < warpBits && (dealer.left(rows) || dealer.left(columns)))
    dealer.deal(warps, dealer.left(rows) >= dealer.left(columns) ? rows : columns, 1);
  warps.resize(warpBits, 0);
  for (unsigned dim : {columns, rows})
    dealer.deal(registers, dim, 32);
  return LinearLayout(shape, registers, lanes, warps);
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

} // namespace tilewise::nv
