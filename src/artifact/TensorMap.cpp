// Tensor maps: expressions over a launch's arguments, their values, and their form as numbers.
#include "artifact/TensorMap.h"

#include "artifact/Artifact.h"

namespace tilewise {

/// What the copy engine takes.
static constexpr int64_t kLine = 16, kStrideEnd = int64_t(1) << 40, kMostExtent = int64_t(1) << 31;

static int64_t numberIn(uint64_t slot, const LaunchParameter &parameter) {
  unsigned unused = 64 - parameter.bits;
  return int64_t(slot << unused) >> unused;
}

int64_t LaunchExpr::valueOf(std::span<const LaunchParameter> parameters, std::span<const uint64_t> slots) const {
  int64_t sum = constant;
  for (const Term &term : terms) {
    int64_t product = term.coefficient;
    for (uint32_t parameter : term.parameters)
      product *= numberIn(slots[parameter], parameters[parameter]);
    sum += product;
  }
  return sum;
}

void LaunchExpr::encode(std::vector<int64_t> &numbers) const {
  numbers.push_back(constant);
  numbers.push_back(int64_t(terms.size()));
  for (const Term &term : terms) {
    numbers.push_back(term.coefficient);
    numbers.push_back(int64_t(term.parameters.size()));
    numbers.insert(numbers.end(), term.parameters.begin(), term.parameters.end());
  }
}

/// The next number; 0 behind the end, which makes counts end there.
static int64_t take(std::span<const int64_t> &numbers) {
  if (numbers.empty())
    return 0;
  int64_t number = numbers.front();
  numbers = numbers.subspan(1);
  return number;
}

LaunchExpr LaunchExpr::decode(std::span<const int64_t> &numbers) {
  LaunchExpr expr;
  expr.constant = take(numbers);
  for (int64_t count = take(numbers); count > 0 && !numbers.empty(); --count) {
    Term term;
    term.coefficient = take(numbers);
    for (int64_t factors = take(numbers); factors > 0 && !numbers.empty(); --factors)
      term.parameters.push_back(uint32_t(take(numbers)));
    expr.terms.push_back(std::move(term));
  }
  return expr;
}

std::vector<int64_t> TensorMapPlan::encode() const {
  std::vector<int64_t> numbers{pointer, elementBytes, swizzleBytes};
  offset.encode(numbers);
  numbers.push_back(int64_t(dims.size()));
  for (const Dim &dim : dims) {
    numbers.push_back(dim.box);
    dim.stride.encode(numbers);
    numbers.push_back(int64_t(dim.extents.size()));
    for (const LaunchExpr &extent : dim.extents)
      extent.encode(numbers);
  }
  numbers.push_back(int64_t(sizes.size()));
  numbers.insert(numbers.end(), sizes.begin(), sizes.end());
  return numbers;
}

TensorMapPlan TensorMapPlan::decode(std::span<const int64_t> numbers) {
  TensorMapPlan plan;
  plan.pointer = uint32_t(take(numbers));
  plan.elementBytes = uint32_t(take(numbers));
  plan.swizzleBytes = uint32_t(take(numbers));
  plan.offset = LaunchExpr::decode(numbers);
  for (int64_t rank = take(numbers); rank > 0 && !numbers.empty(); --rank) {
    Dim dim;
    dim.box = uint32_t(take(numbers));
    dim.stride = LaunchExpr::decode(numbers);
    for (int64_t count = take(numbers); count > 0 && !numbers.empty(); --count)
      dim.extents.push_back(LaunchExpr::decode(numbers));
    plan.dims.push_back(std::move(dim));
  }
  for (int64_t count = take(numbers); count > 0 && !numbers.empty(); --count)
    plan.sizes.push_back(uint32_t(take(numbers)));
  return plan;
}

std::optional<TensorMap> resolve(const TensorMapPlan &plan, std::span<const LaunchParameter> parameters,
                                 std::span<const uint64_t> slots) {
  TensorMap map;
  map.rank = uint32_t(plan.dims.size());
  map.elementBytes = plan.elementBytes;
  map.swizzleBytes = plan.swizzleBytes;
  map.address = slots[plan.pointer] + uint64_t(plan.offset.valueOf(parameters, slots) * plan.elementBytes);
  if (map.rank > TensorMap::kMostDims || map.address % kLine)
    return std::nullopt;
  for (uint32_t size : plan.sizes)
    if (numberIn(slots[size], parameters[size]) <= 0)
      return std::nullopt;
  for (uint32_t i = 0; i < map.rank; ++i) {
    const TensorMapPlan::Dim &dim = plan.dims[i];
    int64_t extent = kMostExtent;
    for (const LaunchExpr &expr : dim.extents)
      extent = std::min(extent, expr.valueOf(parameters, slots));
    if (extent <= 0)
      return std::nullopt;
    map.extents[i] = uint64_t(extent);
    map.box[i] = dim.box;
    int64_t stride = i ? dim.stride.valueOf(parameters, slots) : 1;
    if (stride < 0 || stride >= kStrideEnd / plan.elementBytes || (i && stride * plan.elementBytes % kLine))
      return std::nullopt;
    map.strides[i] = uint64_t(stride) * plan.elementBytes;
  }
  return map;
}

} // namespace tilewise
