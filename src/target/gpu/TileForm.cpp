// Where the elements of a tile lie in shared memory.
#include "target/gpu/TileForm.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

/// The shortest row with a swizzle: two pieces of 16 bytes.
static constexpr unsigned kShortestRow = 32, kPiece = 16;

TileForm::TileForm(TileType type)
    : shape_(type.getShape()), minor_(type.getMinor()), elementBytes_(gpu::elementBytes(type.getElement())),
      rowBytes_(type.getSwizzle()), rows_(type.getShape()[1 - minor_]), columns_(type.getShape()[minor_]) {}

TileType TileForm::typeFor(ArrayRef<int64_t> shape, Type element, unsigned minor) {
  unsigned row = std::min<int64_t>(shape[minor] * gpu::elementBytes(element), kWidestRow);
  if (row < kShortestRow)
    return {};
  return TileType::get(element.getContext(), shape, element, minor, row);
}

unsigned TileForm::stride() const { return llvm::alignTo(bytes(), kAlignment); }

uint32_t TileForm::plainOffset(uint32_t element) const {
  uint32_t at[2] = {uint32_t(element / shape_[1]), uint32_t(element % shape_[1])};
  uint32_t row = at[1 - minor_], byte = at[minor_] * elementBytes_;
  return byte / rowBytes_ * panelBytes() + row * rowBytes_ + byte % rowBytes_;
}

uint32_t TileForm::offset(uint32_t element) const {
  uint32_t plain = plainOffset(element);
  return plain ^ (plain / kWidestRow % (rowBytes_ / kPiece) * kPiece);
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                               unsigned minor, unsigned swizzle) {
  if (shape.size() != 2 || minor > 1)
    return emitError() << "a tile is a matrix";
  for (int64_t extent : shape)
    if (extent <= 0 || !llvm::isPowerOf2_64(extent))
      return emitError() << "a tile needs extents that are powers of two, got " << extent;
  if (swizzle != std::min<int64_t>(shape[minor] * gpu::elementBytes(element), TileForm::kWidestRow) ||
      swizzle < kShortestRow)
    return emitError() << "a tile has rows of 32, 64 or 128 bytes, no longer than itself, got " << swizzle;
  return success();
}

} // namespace tilewise::gpu
