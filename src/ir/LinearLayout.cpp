// Linear layouts: evaluation, inversion and the shape changes that layouts follow.
#include "ir/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;

namespace tilewise {

uint32_t BitMap::operator()(uint32_t input) const {
  uint32_t output = 0;
  for (auto [bit, column] : enumerate(columns))
    if (input >> bit & 1)
      output ^= column;
  return output;
}

BitMap compose(const BitMap &outer, const BitMap &inner) {
  BitMap result;
  for (uint32_t column : inner.columns)
    result.columns.push_back(outer(column));
  return result;
}

namespace {

/// One row of an elimination: `value` is an element of the image, `preimage` an input that gives
/// it, `pivot` its leading bit.
struct Echelon {
  uint32_t value, preimage, pivot;
};

/// Independent columns, in order, reduced so that no row holds another row's pivot.
SmallVector<Echelon, 16> eliminate(const BitMap &map) {
  SmallVector<Echelon, 16> rows;
  for (auto [bit, column] : enumerate(map.columns)) {
    Echelon row{column, uint32_t(1) << bit, 0};
    for (const Echelon &known : rows)
      if (row.value & known.pivot) {
        row.value ^= known.value;
        row.preimage ^= known.preimage;
      }
    if (row.value == 0)
      continue;
    row.pivot = row.value & -row.value;
    for (Echelon &known : rows)
      if (known.value & row.pivot) {
        known.value ^= row.value;
        known.preimage ^= row.preimage;
      }
    rows.push_back(row);
  }
  return rows;
}

} // namespace

unsigned BitMap::rank() const { return eliminate(*this).size(); }

BitMap pseudoInverse(const BitMap &map, unsigned outputBits) {
  // After elimination an image y is the sum of the rows whose pivots it contains, so output bit b
  // contributes the preimage of the row with pivot b and nothing else.
  BitMap inverse;
  inverse.columns.assign(outputBits, 0);
  for (const Echelon &row : eliminate(map))
    inverse.columns[Log2_32(row.pivot)] = row.preimage;
  return inverse;
}

LinearLayout::LinearLayout(ArrayRef<int64_t> shape, ArrayRef<uint32_t> registers, ArrayRef<uint32_t> lanes,
                           ArrayRef<uint32_t> warps, ArrayRef<uint32_t> blocks)
    : shape_(shape) {
  assert(all_of(shape, [](int64_t extent) { return isPowerOf2_64(extent); }) && "extents are powers of two");
  ArrayRef<uint32_t> levels[] = {registers, lanes, warps, blocks};
  for (unsigned level = 0; level < kLevels; ++level)
    bases_[level].assign(levels[level].begin(), levels[level].end());
}

int64_t LinearLayout::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape_)
    product *= extent;
  return product;
}

uint32_t LinearLayout::element(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
  const uint32_t inputs[] = {reg, lane, warp, block};
  uint32_t result = 0;
  for (unsigned level = 0; level < kLevels; ++level)
    for (auto [bit, basis] : enumerate(bases_[level]))
      if (inputs[level] >> bit & 1)
        result ^= basis;
  return result;
}

unsigned LinearLayout::dimShift(unsigned dim) const {
  unsigned shift = 0;
  for (unsigned later = dim + 1; later < shape_.size(); ++later)
    shift += Log2_64(shape_[later]);
  return shift;
}

uint32_t LinearLayout::bitsOf(Level level) const {
  uint32_t bits = 0;
  for (uint32_t basis : bases(level))
    bits |= basis;
  return bits;
}

uint32_t LinearLayout::dimMask(unsigned dim) const { return uint32_t(shape_[dim] - 1) << dimShift(dim); }

SmallVector<int64_t> LinearLayout::coordinates(uint32_t element) const {
  SmallVector<int64_t> result;
  for (unsigned dim = 0; dim < shape_.size(); ++dim)
    result.push_back((element & dimMask(dim)) >> dimShift(dim));
  return result;
}

uint32_t LinearLayout::freeBits(Level level) const {
  uint32_t result = 0;
  for (auto [bit, basis] : enumerate(bases(level)))
    if (basis == 0)
      result |= uint32_t(1) << bit;
  return result;
}

bool LinearLayout::isSurjective() const { return (int64_t(1) << map().rank()) == elements(); }

BitMap LinearLayout::map() const {
  BitMap result;
  for (const Bases &level : bases_)
    result.columns.append(level.begin(), level.end());
  return result;
}

unsigned LinearLayout::levelShift(Level level) const {
  unsigned shift = 0;
  for (unsigned faster = 0; faster < unsigned(level); ++faster)
    shift += bases_[faster].size();
  return shift;
}

LinearLayout LinearLayout::reshaped(ArrayRef<int64_t> shape) const {
  LinearLayout result = *this;
  result.shape_.assign(shape.begin(), shape.end());
  assert(result.elements() == elements() && "a reshape keeps the elements");
  return result;
}

LinearLayout LinearLayout::withUnitDim(unsigned dim) const {
  return withUnitDimKeepingCopies(dim).withoutRegisterCopies();
}

LinearLayout LinearLayout::withUnitDimKeepingCopies(unsigned dim) const {
  LinearLayout result = *this;
  unsigned shift = dimShift(dim), width = Log2_64(shape_[dim]);
  uint32_t low = (uint32_t(1) << shift) - 1;
  for (Bases &level : result.bases_)
    for (uint32_t &basis : level)
      basis = (basis & low) | (basis >> width & ~low);
  result.shape_[dim] = 1;
  return result;
}

LinearLayout LinearLayout::withoutDim(unsigned dim) const {
  LinearLayout result = withUnitDim(dim);
  result.shape_.erase(result.shape_.begin() + dim);
  return result;
}

LinearLayout LinearLayout::withoutRegisterCopies() const {
  LinearLayout result = *this;
  llvm::erase(result.bases_[unsigned(Level::Register)], 0u);
  return result;
}

void LinearLayout::print(raw_ostream &os) const {
  static constexpr const char *names[] = {"register", "lane", "warp", "block"};
  os << "[";
  interleaveComma(shape_, os);
  os << "]";
  for (unsigned level = 0; level < kLevels; ++level) {
    if (bases_[level].empty())
      continue;
    os << ", " << names[level] << " = [";
    interleaveComma(bases_[level], os);
    os << "]";
  }
}

std::optional<SmallVector<uint32_t>> matchRegisters(const LinearLayout &from, const LinearLayout &to) {
  for (Level level : {Level::Lane, Level::Warp, Level::Block})
    if (from.bases(level) != to.bases(level))
      return std::nullopt;
  BitMap registers;
  registers.columns.append(from.bases(Level::Register).begin(), from.bases(Level::Register).end());
  BitMap inverse = pseudoInverse(registers, 32);
  SmallVector<uint32_t> sources;
  for (uint32_t reg = 0; reg < to.registers(); ++reg) {
    uint32_t source = inverse(to.element(reg));
    if (from.element(source) != to.element(reg))
      return std::nullopt;
    sources.push_back(source);
  }
  return sources;
}

BitMap conversionMap(const LinearLayout &from, const LinearLayout &to) {
  return compose(pseudoInverse(from.map(), Log2_64(from.elements())), to.map());
}

/// Whether the same bits of an element's number tell its warp in both layouts, and do nothing else.
static bool haveSameWarps(const LinearLayout &from, const LinearLayout &to) {
  if (from.bases(Level::Warp) != to.bases(Level::Warp))
    return false;
  uint32_t others = 0;
  for (const LinearLayout *layout : {&from, &to})
    others |= layout->bitsOf(Level::Register) | layout->bitsOf(Level::Lane);
  return all_of(from.bases(Level::Warp), isPowerOf2_32) && !(from.bitsOf(Level::Warp) & others);
}

LayoutConversion planConversion(const LinearLayout &from, const LinearLayout &to) {
  if (auto sources = matchRegisters(from, to))
    return {LayoutConversion::Way::Registers, std::move(*sources)};
  BitMap conversion = conversionMap(from, to);
  // A warp has all it needs when the warp's part is the identity. Shuffles do the rest as long as
  // the register to read does not depend on the reading thread: one shuffle then serves all lanes.
  uint32_t registers = (uint32_t(1) << from.levelShift(Level::Lane)) - 1;
  uint32_t lanes = ((uint32_t(1) << from.levelShift(Level::Warp)) - 1) & ~registers;
  for (auto [bit, image] : enumerate(conversion.columns)) {
    bool ofRegister = bit < to.levelShift(Level::Lane), ofWarp = bit >= to.levelShift(Level::Warp);
    uint32_t allowed = ofRegister ? registers | lanes : ofWarp ? 0 : lanes;
    uint32_t identity = ofWarp ? uint32_t(1) << (bit - to.levelShift(Level::Warp) + from.levelShift(Level::Warp)) : 0;
    if (image & ~allowed & ~identity || (image & identity) != identity)
      return {LayoutConversion::Way::Shared, {}, haveSameWarps(from, to)};
  }
  return {LayoutConversion::Way::Shuffle, {}};
}

LinearLayout LinearLayout::renumbered(const BitMap &map) const {
  LinearLayout result = *this;
  for (Bases &level : result.bases_)
    for (uint32_t &basis : level)
      basis = map(basis);
  return result;
}

BitMap spreadOverBanks(const LinearLayout &from, const LinearLayout &to, unsigned elementBytes) {
  constexpr unsigned kPiece = 16, kRow = 128;
  const unsigned bits = llvm::Log2_64(from.elements());
  BitMap map;
  for (unsigned bit = 0; bit < bits; ++bit)
    map.columns.push_back(1u << bit);
  if (elementBytes > kPiece)
    return map;
  // The bits of an element's number that choose its piece of a row of all banks.
  const uint32_t pieces = (kRow / elementBytes - 1) & ~(kPiece / elementBytes - 1);
  for (const LinearLayout *layout : {&from, &to}) {
    uint32_t taken = 0;
    for (uint32_t basis : layout->bases(Level::Lane))
      taken |= map(basis) & pieces;
    for (uint32_t basis : layout->bases(Level::Lane)) {
      uint32_t now = map(basis), free = pieces & ~taken;
      if (now == 0 || now % (kRow / elementBytes) || !free)
        continue;
      uint32_t &column = map.columns[llvm::Log2_32(now & -now)];
      // A bit that chooses a piece already stays as the other layout wants it.
      if (column & pieces)
        continue;
      uint32_t target = free & -free;
      column |= target;
      taken |= target;
    }
  }
  return map;
}

} // namespace tilewise
