// How a launch describes tensors to a GPU's copy engine.
//
// The engine copies boxes of a tensor to shared memory by itself: it needs the tensor's base,
// extents and strides, which a kernel spells as pointer arithmetic. The compiler recovers them as
// expressions over the launch's arguments, and every launch works them out anew:
//
//     a_ptr + m[:, None] * stride_am + k[None, :],  m < M, k < K
//
//     base a_ptr, extents [K, M], strides [1, stride_am]; boxes of 64 x 128 elements
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewise {

struct LaunchParameter;

/// constant + sum of coefficient * product of integer arguments of the launch.
struct LaunchExpr {
  struct Term {
    int64_t coefficient = 1;
    std::vector<uint32_t> parameters; ///< Indices into LaunchPlan::parameters.
  };
  int64_t constant = 0;
  std::vector<Term> terms;

  int64_t valueOf(std::span<const LaunchParameter> parameters, std::span<const uint64_t> slots) const;
  /// As numbers, constant first: for attributes and files. `decode` takes what it reads off the
  /// front.
  void encode(std::vector<int64_t> &numbers) const;
  static LaunchExpr decode(std::span<const int64_t> &numbers);
};

struct TensorMapPlan {
  struct Dim {
    std::vector<LaunchExpr> extents; ///< The least counts; none: there is no end.
    LaunchExpr stride;               ///< In elements.
    uint32_t box = 1;                ///< Elements that are copied at once.
  };
  uint32_t pointer = 0; ///< The parameter that the tensor begins at, but for `offset`.
  uint32_t elementBytes = 1, swizzleBytes = 0;
  LaunchExpr offset;           ///< In elements.
  std::vector<Dim> dims;       ///< Neighbours in memory first.
  std::vector<uint32_t> sizes; ///< Parameters that must be above zero.

  std::vector<int64_t> encode() const;
  static TensorMapPlan decode(std::span<const int64_t> numbers);
};

/// A plan at one launch.
struct TensorMap {
  static constexpr uint32_t kMostDims = 5;
  uint64_t address = 0;
  uint32_t rank = 0, elementBytes = 1, swizzleBytes = 0;
  /// Strides in bytes; the first is an element's.
  uint64_t extents[kMostDims] = {}, strides[kMostDims] = {};
  uint32_t box[kMostDims] = {};
};
/// Nothing when the engine cannot copy such a tensor: it is empty, strides are below 0 or of no
/// whole 16 bytes, or sizes are not what the plan was made for.
std::optional<TensorMap> resolve(const TensorMapPlan &plan, std::span<const LaunchParameter> parameters,
                                 std::span<const uint64_t> slots);

} // namespace tilewise
