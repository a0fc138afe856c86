// A tensor map's plan and a launch's arguments -> the 128 bytes that the copy engine reads.
#include "runtime/CudaTensorMap.h"

#include <bit>

namespace tilewise::cuda {

namespace {

// Numbers from the driver's interface: unsigned integers by size, of which nothing but the size
// counts; swizzles by the bytes of a row; what is fetched into the second cache at once, 128 bytes:
// as much as a row of a box has. With 256 a product of few rows, whose programs read a matrix of
// weights 128 bytes wide, took 1.5 times as long.
constexpr int kTypes[] = {0, 1, 2, 4};
int swizzleOf(uint32_t bytes) { return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0; }
constexpr int kPromoteTo128 = 2, kNoInterleave = 0, kZerosOutside = 0;

} // namespace

Result<EncodedMap> encodeMap(const Driver &driver, const TensorMapPlan &plan,
                             std::span<const LaunchParameter> parameters, std::span<const uint64_t> slots) {
  EncodedMap encoded;
  static constexpr uint32_t kSteps[TensorMap::kMostDims] = {1, 1, 1, 1, 1};
  std::optional<TensorMap> map = resolve(plan, parameters, slots);
  if (!map || !driver.cuTensorMapEncodeTiled ||
      driver.cuTensorMapEncodeTiled(encoded.bytes, kTypes[std::countr_zero(map->elementBytes)], map->rank, map->address,
                                    map->extents, map->strides + 1, map->box, kSteps, kNoInterleave,
                                    swizzleOf(map->swizzleBytes), kPromoteTo128, kZerosOutside) != 0)
    return Failure{ErrorKind::Launch, "the GPU's copy engine cannot read a tensor with these strides",
                   MessageCode::NeedsPlainCopies};
  return encoded;
}

} // namespace tilewise::cuda
