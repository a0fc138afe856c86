// How a warp reads or writes parts of a tile as whole matrices.
#include "target/gpu/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewise::gpu {

std::optional<MatrixAccess> matrixAccessFor(const LinearLayout &offsets, unsigned elementBytes) {
  constexpr unsigned kWord = 4, kRow = 16, kLaneBits = 5, kMostMatrices = 4;
  ArrayRef<uint32_t> registers = offsets.bases(Level::Register), lanes = offsets.bases(Level::Lane);
  if (lanes.size() != kLaneBits || elementBytes > kWord)
    return std::nullopt;
  unsigned inWord = Log2_32(kWord / elementBytes);
  if (registers.size() < inWord)
    return std::nullopt;
  bool along = lanes[0] == kWord && lanes[1] == 2 * kWord;
  for (unsigned bit = 0; bit < inWord; ++bit)
    along &= registers[bit] == elementBytes << bit;
  bool across = elementBytes == 2 && lanes[2] == 2 && lanes[3] == 4 && lanes[4] == 8;
  if (!along && !across)
    return std::nullopt;

  ArrayRef<uint32_t> others = registers.drop_front(inWord);
  LinearLayout::Bases rows;
  if (along)
    rows.append(lanes.begin() + 2, lanes.end());
  else
    rows.append({registers[0], lanes[0], lanes[1]});
  auto isRow = [](uint32_t basis) { return basis % kRow == 0; };
  if (!all_of(rows, isRow) || !all_of(others, isRow) || !all_of(offsets.bases(Level::Warp), isRow))
    return std::nullopt;
  unsigned matrixBits = std::min<unsigned>(Log2_32(kMostMatrices), others.size());
  rows.append(others.begin(), others.begin() + matrixBits);
  rows.resize(kLaneBits, 0);
  return MatrixAccess{1u << matrixBits, 1u << (inWord + matrixBits), !along,
                      LinearLayout(offsets.shape(), registers, rows, offsets.bases(Level::Warp))};
}

} // namespace tilewise::gpu
