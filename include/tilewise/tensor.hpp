// Tensors of the C++ interface: typed, strided memory on a device, made by Tilewise or a view of
// the caller's.
//
//     std::vector<float> values = {1, 2, 3, 4, 5, 6};
//     auto copied = tilewise::Tensor::from(values, {2, 3});         a tensor with memory of its own
//     auto shared = tilewise::Tensor::view(values, {2, 3});         around the vector's memory: kernels read and write it
//     auto first = tilewise::Tensor::view(values.data(), {2}, {3}); its first column
//
// A view of const memory is read-only: a launch of a kernel that stores through it is refused.
#ifndef TILEWISE_TENSOR_HPP
#define TILEWISE_TENSOR_HPP

#include "device.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <ranges>
#endif

namespace tilewise {
inline namespace api { // See error.hpp.

using Shape = std::vector<std::int64_t>;

namespace detail {

/// The type of a container's elements, const where the container is: of std::vector, std::array,
/// std::span, an array.
template <typename Range>
using ElementOf = std::remove_pointer_t<decltype(std::data(std::declval<std::remove_reference_t<Range> &>()))>;

/// Whether views into a range outlive it: a named container, or one that only refers to memory, as
/// std::span.
template <typename Range>
inline constexpr bool kOutlivesViews = std::is_lvalue_reference_v<Range>
#if __cplusplus >= 202002L
                                       || std::ranges::enable_borrowed_range<std::remove_cv_t<Range>>
#endif
    ;

} // namespace detail

class Tensor {
public:
  /// Zeros, in row-major order.
  Tensor(DType dtype, const Shape &shape, Device device = {}) {
    tw_tensor *made = nullptr;
    detail::check(tw_tensor_create(device.get(), tw_dtype(dtype), shape.data(), shape.size(), &made));
    adopt(made);
  }

  /// The same on the stream's device, in memory that comes and goes in the stream's order: nothing
  /// waits, and what is freed is used again.
  Tensor(DType dtype, const Shape &shape, const Stream &stream) {
    tw_tensor *made = nullptr;
    detail::check(
        tw_tensor_create_on(stream.device().get(), tw_dtype(dtype), shape.data(), shape.size(), stream.get(), &made));
    adopt(made);
    tensor_.reset(tensor_.get(), [owner = tensor_, stream = stream.stream_](tw_tensor *) {});
  }

  /// A copy of host values: a std::vector, std::array, std::span. Without a shape, a vector of them
  /// all.
  template <typename Range, typename T = std::remove_cv_t<detail::ElementOf<const Range>>>
  static Tensor from(const Range &values, Shape shape = {}, Device device = {}) {
    Tensor tensor(dtypeOf<T>(), shapeOrSize(values, std::move(shape)), device);
    tensor.upload(values);
    return tensor;
  }
  // It has no elements in memory.
  static Tensor from(const std::vector<bool> &, Shape = {}, Device = {}) = delete;
  /// Zeros of another tensor's type, shape and device.
  static Tensor like(const Tensor &other) { return Tensor(other.dtype(), other.shape(), other.device()); }

  /// Around a container's memory, which the caller keeps: a std::vector, std::array, std::span.
  /// Without a shape, a vector of all elements; with one, of as many.
  template <typename Range, typename T = detail::ElementOf<Range>,
            typename = std::enable_if_t<!std::is_array_v<std::remove_reference_t<Range>>>>
  static Tensor view(Range &&range, Shape shape = {}) {
    static_assert(detail::kOutlivesViews<Range>, "a view of a temporary container would outlive it: give it a name");
    Tensor made = view(std::data(range), shapeOrSize(range, std::move(shape)));
    if (made.elements() != std::size(range))
      throw LaunchError("a view of " + std::to_string(made.elements()) + " elements around memory of " +
                        std::to_string(std::size(range)));
    return made;
  }
  /// Around memory that the caller keeps; strides in elements, none for row-major order.
  template <typename T> static Tensor view(T *data, const Shape &shape, const Shape &strides = {}, Device device = {}) {
    return view(static_cast<std::conditional_t<std::is_const_v<T>, const void, void> *>(data), dtypeOf<T>(), shape,
                strides, device);
  }
  static Tensor view(void *data, DType dtype, const Shape &shape, const Shape &strides = {}, Device device = {}) {
    if (!strides.empty() && strides.size() != shape.size())
      throw LaunchError("a view of rank " + std::to_string(shape.size()) + " with " + std::to_string(strides.size()) +
                        " strides");
    tw_tensor *made = nullptr;
    detail::check(tw_tensor_view(device.get(), tw_dtype(dtype), data, shape.data(),
                                 strides.empty() ? nullptr : strides.data(), shape.size(), &made));
    return Tensor(made);
  }
  static Tensor view(const void *data, DType dtype, const Shape &shape, const Shape &strides = {}, Device device = {}) {
    Tensor made = view(const_cast<void *>(data), dtype, shape, strides, device);
    made.argument_.kind = TW_ARGUMENT_CONST_POINTER;
    return made;
  }

  /// Takes over a `DLManagedTensor *`.
  static Tensor fromDlpack(void *managed) {
    tw_tensor *made = nullptr;
    detail::check(tw_tensor_from_dlpack(managed, &made));
    return Tensor(made);
  }
  /// A new `DLManagedTensor *` for someone else to own; it keeps the memory alive.
  void *toDlpack() const {
    checkMutable("be exported");
    void *managed = nullptr;
    detail::check(tw_tensor_to_dlpack(get(), &managed));
    return managed;
  }

  DType dtype() const { return DType(tw_tensor_dtype(get())); }
  Device device() const { return Device(device_); }
  std::size_t rank() const { return tw_tensor_rank(get()); }
  Shape shape() const { return {tw_tensor_shape(get()), tw_tensor_shape(get()) + rank()}; }
  Shape strides() const { return {tw_tensor_strides(get()), tw_tensor_strides(get()) + rank()}; }
  std::int64_t shape(std::size_t dimension) const { return tw_tensor_shape(get())[checkDimension(dimension)]; }
  std::int64_t stride(std::size_t dimension) const { return tw_tensor_strides(get())[checkDimension(dimension)]; }
  std::size_t elements() const {
    std::size_t count = 1;
    for (std::size_t i = 0; i < rank(); ++i)
      count *= std::size_t(tw_tensor_shape(get())[i]);
    return count;
  }
  /// Whether it is a view of const memory.
  bool isConst() const { return argument_.kind == TW_ARGUMENT_CONST_POINTER; }

  /// The memory itself: the device's, readable by the host only if the device is one. Of a const
  /// view there is only data<const T>().
  void *data() const {
    checkMutable("be had as memory to write; use data<const T>()");
    return argument().value.pointer;
  }
  template <typename T> T *data() const {
    checkType(dtypeOf<T>());
    if constexpr (!std::is_const_v<T>)
      return static_cast<T *>(data());
    else
      return static_cast<T *>(argument_.value.pointer);
  }

  /// Copies from and to the host, whose values are in row-major order; the tensor may have any
  /// strides. Launches on the device's default stream come first.
  template <typename Range> void upload(const Range &values) {
    checkType(dtypeOf<detail::ElementOf<const Range>>());
    checkMutable("be written to");
    detail::check(tw_tensor_upload(get(), std::data(values), std::size(values) * sizeof(*std::data(values))));
  }
  template <typename Range> void download(Range &&values) const {
    checkType(dtypeOf<detail::ElementOf<Range>>());
    detail::check(tw_tensor_download(get(), std::data(values), std::size(values) * sizeof(*std::data(values))));
  }
  /// The same as the next piece of work on a stream, of a tensor in row-major order: nothing is
  /// waited for, and `values` must stay as they are until it is done. PinnedVector (stream.hpp) has
  /// the memory for it.
  template <typename Range> void upload(const Range &values, const Stream &stream) {
    checkType(dtypeOf<detail::ElementOf<const Range>>());
    checkMutable("be written to");
    detail::check(
        tw_tensor_upload_on(get(), std::data(values), std::size(values) * sizeof(*std::data(values)), stream.get()));
  }
  template <typename Range> void download(Range &&values, const Stream &stream) const {
    checkType(dtypeOf<detail::ElementOf<Range>>());
    detail::check(
        tw_tensor_download_on(get(), std::data(values), std::size(values) * sizeof(*std::data(values)), stream.get()));
  }
  template <typename T> std::vector<T> toVector() const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory: ask for std::uint8_t");
    std::vector<T> values(elements());
    download(values);
    return values;
  }
  Tensor copy() const { return to(device()); }
  /// A copy in row-major order.
  Tensor to(Device device) const {
    Tensor result(dtype(), shape(), device);
    std::vector<unsigned char> bytes(elements() * tilewise::size(dtype()));
    detail::check(tw_tensor_download(get(), bytes.data(), bytes.size()));
    detail::check(tw_tensor_upload(result.get(), bytes.data(), bytes.size()));
    return result;
  }

  tw_tensor *get() const { return handle().get(); }
  /// The tensor as an argument of a launch.
  const tw_argument &argument() const {
    handle();
    return argument_;
  }
  /// The handle, for those that must keep the tensor alive while someone else holds the Tensor.
  const std::shared_ptr<tw_tensor> &handle() const {
    if (!tensor_)
      throw LaunchError("this Tensor was moved from: its memory belongs to the one that it was moved to");
    return tensor_;
  }

  Tensor(Tensor &&) noexcept = default;
  Tensor &operator=(Tensor &&) noexcept = default;

private:
  explicit Tensor(tw_tensor *made) { adopt(made); }
  void adopt(tw_tensor *made) {
    tensor_.reset(made, tw_tensor_destroy);
    device_ = tw_tensor_device(made);
    argument_ = tw_pointer(tw_tensor_data(made), tw_tensor_dtype(made));
    argument_.bytes = tw_tensor_bytes(made);
    for (std::size_t i = 0; i < tw_tensor_rank(made); ++i)
      if (const std::int64_t stride = tw_tensor_strides(made)[i]; stride < 0 && argument_.bytes != 0)
        argument_.bytes_before +=
            std::uint64_t(-stride) * std::uint64_t(tw_tensor_shape(made)[i] - 1) * tw_dtype_size(tw_tensor_dtype(made));
  }
  template <typename Range> static Shape shapeOrSize(const Range &values, Shape shape) {
    return shape.empty() ? Shape{std::int64_t(std::size(values))} : std::move(shape);
  }
  void checkType(DType asked) const {
    if (asked != dtype())
      throw LaunchError("a tensor of " + tilewise::name(dtype()) + " cannot be used as one of " +
                        tilewise::name(asked));
  }
  void checkMutable(const char *what) const {
    if (isConst())
      throw LaunchError(std::string("a view of const memory cannot ") + what);
  }
  std::size_t checkDimension(std::size_t dimension) const {
    if (dimension >= rank())
      throw LaunchError("a tensor of rank " + std::to_string(rank()) + " has no dimension " +
                        std::to_string(static_cast<std::ptrdiff_t>(dimension)));
    return dimension;
  }

  std::shared_ptr<tw_tensor> tensor_;
  tw_device device_{};
  tw_argument argument_{};
};

} // namespace api
} // namespace tilewise

#endif
