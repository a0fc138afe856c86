// Linear layouts: which thread holds which element of a block, as a map over bits.
//
// On a GPU a block is spread over the registers of many threads. A *layout* says where each element
// lives: it maps a place (register r of lane l of warp w) to the element kept there. Every layout
// that matters in practice has one property: written over the *bits* of its input, it is linear
// with XOR as addition,
//
//     layout(x ^ y) = layout(x) ^ layout(y)
//
// so the images of the single bits, its *bases*, say it all. Elements are numbered row by row;
// since extents are powers of two, the number of element (i, j) is just the bits of i followed by
// the bits of j.
//
// Worked example: a 4x4 block on 4 lanes with 4 registers each. Lane l holds the 2x2 square at row
// 2*(l/2), column 2*(l%2).
//
//     element numbers      who holds them (lane:register)
//      0  1  2  3          0:0 0:1 1:0 1:1
//      4  5  6  7          0:2 0:3 1:2 1:3
//      8  9 10 11          2:0 2:1 3:0 3:1
//     12 13 14 15          2:2 2:3 3:2 3:3
//
// Register 1 (bit 0) moves by one column: element 1. Register 2 (bit 1) by one row: element 4. Lane
// 1 by two columns: element 2. Lane 2 by two rows: element 8. So the layout is
//
//     register = [1, 4], lane = [2, 8]
//
// and, for instance, register 3 of lane 2 holds 1 ^ 4 ^ 8 = 13 = row 3, column 1.
//
// What falls out of linearity:
// - A basis of 0 means that the bit does not matter: the places that differ in it hold copies of
//   one element (a *free* bit). A block with fewer elements than the machine has lanes is simply
//   laid out with free bits; an owner is the copy whose free bits are 0.
// - Expanding a dimension of extent 1 adds no bits: the bases stay. Reducing an axis away deletes
//   the axis' bits from every basis.
// - Going from layout S to layout D is the map `inverse(S) * D`: for each place of D, the place of
//   S that holds the element. When it leaves lane and warp alone, the conversion is a renaming of
//   registers; when it leaves the warp alone, shuffles do it; otherwise the elements go through
//   shared memory.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tilewise {

/// A linear map between bit vectors: `columns[i]` is the image of input bit i.
struct BitMap {
  llvm::SmallVector<uint32_t, 16> columns;

  uint32_t operator()(uint32_t input) const;
  unsigned rank() const;
  bool operator==(const BitMap &) const = default;
};

/// `outer(inner(x))`.
BitMap compose(const BitMap &outer, const BitMap &inner);

/// A right inverse on the image: `map(pseudoInverse(map, n)(y)) == y` for every y that `map`
/// reaches. Among several preimages it takes the one that uses the lowest input bits. Output bits
/// of `map` are numbered below `outputBits`; those it cannot reach are sent to 0.
BitMap pseudoInverse(const BitMap &map, unsigned outputBits);

/// What a bit of a layout's input belongs to, fastest first.
enum class Level { Register, Lane, Warp, Block };
inline constexpr unsigned kLevels = 4;

class LinearLayout {
public:
  using Bases = llvm::SmallVector<uint32_t, 8>;

  /// Extents are powers of two; a basis is an element number below their product.
  LinearLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<uint32_t> registers, llvm::ArrayRef<uint32_t> lanes,
               llvm::ArrayRef<uint32_t> warps, llvm::ArrayRef<uint32_t> blocks = {});

  llvm::ArrayRef<int64_t> shape() const { return shape_; }
  llvm::ArrayRef<uint32_t> bases(Level level) const { return bases_[unsigned(level)]; }
  unsigned size(Level level) const { return 1u << bases(level).size(); }
  unsigned registers() const { return size(Level::Register); }
  int64_t elements() const;

  /// The number of the element that a place holds.
  uint32_t element(uint32_t reg, uint32_t lane = 0, uint32_t warp = 0, uint32_t block = 0) const;
  /// Row-major coordinates of an element number.
  llvm::SmallVector<int64_t> coordinates(uint32_t element) const;
  /// The bits of an element number that belong to dimension `dim`, and where they start.
  uint32_t dimMask(unsigned dim) const;
  /// The bits of an element's number that a level has a part in.
  uint32_t bitsOf(Level level) const;
  unsigned dimShift(unsigned dim) const;

  /// Input bits of `level` whose basis is 0: places that differ only there hold the same element.
  uint32_t freeBits(Level level) const;
  /// Every element has a place.
  bool isSurjective() const;

  /// The whole input as one bit vector: registers lowest, then lanes, warps, blocks.
  BitMap map() const;
  unsigned levelShift(Level level) const;

  /// The same places for a block of another shape with as many elements: bases are element numbers,
  /// so they stay.
  LinearLayout reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// Without dimension `dim`: its bits leave every basis. Registers that became copies are dropped.
  LinearLayout withoutDim(unsigned dim) const;
  /// With dimension `dim` shrunk to extent 1: as `withoutDim`, but the rank stays.
  LinearLayout withUnitDim(unsigned dim) const;
  /// As `withUnitDim`, but registers that became copies stay.
  LinearLayout withUnitDimKeepingCopies(unsigned dim) const;
  /// Without register bits of basis 0.
  LinearLayout withoutRegisterCopies() const;

  /// The same places for elements that a map has renumbered.
  LinearLayout renumbered(const BitMap &map) const;

  bool operator==(const LinearLayout &) const = default;
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<int64_t, 4> shape_;
  std::array<Bases, kLevels> bases_;
};

/// How a block gets from one layout to another.
struct LayoutConversion {
  enum class Way {
    Registers, ///< Every thread has all it needs: register r of the result is register sources[r].
    /// Every warp has all it needs, and each result register comes from one register, of whatever
    /// lane.
    Shuffle,
    Shared, ///< Anything else.
  };
  Way way = Way::Shared;
  llvm::SmallVector<uint32_t> sources;
  /// Of Shared: every warp has all it needs in itself, and some bits of an element's number tell
  /// the warp. Warps need not wait for each other.
  bool isWithinWarps = false;
};

/// For each place of `to`, a place of `from` that holds its element: both as registers lowest, then
/// lanes, warps, blocks.
BitMap conversionMap(const LinearLayout &from, const LinearLayout &to);

/// The cheapest way from `from` to `to`, two layouts of one shape.
LayoutConversion planConversion(const LinearLayout &from, const LinearLayout &to);

/// A renumbering of elements by which two layouts meet in shared memory without their threads
/// queuing for a bank. Elements lie by number there. Lanes whose elements are a multiple of 128
/// bytes apart would all be in one of its 32 banks of 4 bytes: XORing what tells them apart into
/// the number of their 16-byte piece deals them out. A block of 16 x 256 halves, whose lanes hold
/// pairs of halves in 8 rows, 4 lanes to each: row r, 512 bytes from the next, has its pieces dealt
/// by r.
BitMap spreadOverBanks(const LinearLayout &from, const LinearLayout &to, unsigned elementBytes);

/// For each register of `to`, a register of `from` of the same thread with the same element;
/// nothing when some thread lacks one.
std::optional<llvm::SmallVector<uint32_t>> matchRegisters(const LinearLayout &from, const LinearLayout &to);

} // namespace tilewise
