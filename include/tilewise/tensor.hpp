// Devices, streams and tensors of the C++ interface, and the exceptions of all of it; tilewise.hpp
// has the kernels, and includes this.
#ifndef TILEWISE_TENSOR_HPP
#define TILEWISE_TENSOR_HPP

#include "float.hpp"
#include "tilewise.h"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {
// Inline, so that these names never meet those inside the library when both are linked into one
// program, as its own tests do.
inline namespace api {

/// Whatever Tilewise throws.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The kernel's text is wrong, whatever it is launched with: a compiler's message with file, line
/// and column.
class KernelError : public Error {
  using Error::Error;
};
/// The call is wrong: arguments, grid, device, memory, a file that is not there. Where the kernel
/// would compile for arguments of other types or constants of other values, the message names
/// those, and goes on with the compiler's.
class LaunchError : public Error {
  using Error::Error;
};
/// A fault of Tilewise.
class InternalError : public Error {
  using Error::Error;
};

namespace detail {

[[noreturn]] inline void raise(tw_status status, const char *message) {
  switch (status) {
  case TW_ERROR_KERNEL:
    throw KernelError(message);
  case TW_ERROR_LAUNCH:
    throw LaunchError(message);
  default:
    throw InternalError(message);
  }
}

/// What the host's executor threw in a launch of this thread.
inline std::exception_ptr &executorException() {
  static thread_local std::exception_ptr exception;
  return exception;
}

inline void check(tw_status status) {
  if (status == TW_OK)
    return;
  if (executorException())
    std::rethrow_exception(std::exchange(executorException(), nullptr));
  raise(status, tw_last_error());
}

/// A text that the C interface returned, as a string of our own.
inline std::string take(char *text) {
  std::unique_ptr<char, void (*)(void *)> owned(text, tw_free);
  return std::string(owned.get());
}

} // namespace detail

enum class DType : std::uint32_t {
  Bool = TW_BOOL,
  Int8 = TW_INT8,
  Int16 = TW_INT16,
  Int32 = TW_INT32,
  Int64 = TW_INT64,
  UInt8 = TW_UINT8,
  UInt16 = TW_UINT16,
  UInt32 = TW_UINT32,
  UInt64 = TW_UINT64,
  Float8E4M3 = TW_FLOAT8E4M3,
  Float8E5M2 = TW_FLOAT8E5M2,
  Float16 = TW_FLOAT16,
  BFloat16 = TW_BFLOAT16,
  Float32 = TW_FLOAT32,
  Float64 = TW_FLOAT64,
  Float8E4B8 = TW_FLOAT8E4B8,
  Float8E5B16 = TW_FLOAT8E5B16,
  Float8E4B15 = TW_FLOAT8E4B15,
};

/// "fp32", and bytes of one element.
inline std::string name(DType dtype) { return tw_dtype_name(tw_dtype(dtype)); }
inline std::size_t size(DType dtype) { return tw_dtype_size(tw_dtype(dtype)); }

/// The element type that stands for a C++ type.
template <typename T> constexpr DType dtypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<U, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<U, double>)
    return DType::Float64;
  else if constexpr (std::is_same_v<U, float16>)
    return DType::Float16;
  else if constexpr (std::is_same_v<U, bfloat16>)
    return DType::BFloat16;
  else if constexpr (std::is_same_v<U, float8e4m3>)
    return DType::Float8E4M3;
  else if constexpr (std::is_same_v<U, float8e5m2>)
    return DType::Float8E5M2;
  else {
    static_assert(std::is_integral_v<U>, "this C++ type is no element type");
    constexpr DType kSigned[] = {DType::Int8, DType::Int16, DType::Int32, DType::Int64};
    constexpr DType kUnsigned[] = {DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
    constexpr int kLog = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return std::is_signed_v<U> ? kSigned[kLog] : kUnsigned[kLog];
  }
}

/// Where kernels run: "cpu" (machine code over all cores), "cuda:0" (a GPU), "reference" (the
/// kernel's meaning, literally; host memory).
class Device {
public:
  Device() : device_(tw_cpu()) {}
  Device(const char *text) { detail::check(tw_device_parse(text, &device_)); }
  Device(const std::string &text) : Device(text.c_str()) {}
  explicit Device(tw_device device) : device_(device) {}

  /// Every device that this process can use: the reference engine, the CPU, the GPUs.
  static std::vector<Device> all() {
    std::vector<Device> devices;
    for (std::int32_t engine : {TW_ENGINE_REFERENCE, TW_ENGINE_CPU, TW_ENGINE_CUDA})
      for (std::int32_t index = 0; index < tw_device_count(tw_engine(engine)); ++index)
        devices.emplace_back(tw_device{engine, index});
    return devices;
  }

  bool isHost() const { return device_.engine != TW_ENGINE_CUDA; }
  /// "cpu", "cuda:0"
  std::string text() const {
    const char *const engines[] = {"reference", "cpu", "cuda:"};
    return engines[device_.engine] + (isHost() ? std::string() : std::to_string(device_.index));
  }
  /// The processor's or GPU's own name.
  std::string name() const {
    char *text = nullptr;
    detail::check(tw_device_name(device_, &text));
    return detail::take(text);
  }
  /// What kernels are compiled for, as in "cuda:90".
  std::string target() const {
    char *text = nullptr;
    detail::check(tw_device_target(device_, &text));
    return detail::take(text);
  }
  void synchronize() const { detail::check(tw_device_synchronize(device_)); }

  tw_device get() const { return device_; }
  bool operator==(const Device &other) const {
    return device_.engine == other.device_.engine && device_.index == other.device_.index;
  }
  bool operator!=(const Device &other) const { return !(*this == other); }

private:
  tw_device device_;
};

/// A queue of launches on a GPU, ours or around a foreign CUstream. Other devices have just one, on
/// which a launch returns when done.
class Stream {
public:
  explicit Stream(Device device) : device_(device), isOurs_(true) {
    detail::check(tw_stream_create(device.get(), &stream_));
  }
  /// Around a stream that someone else owns.
  Stream(Device device, void *foreign) : device_(device), stream_(foreign) {}
  Stream(Stream &&other) noexcept
      : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)),
        isOurs_(std::exchange(other.isOurs_, false)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(stream_, other.stream_);
    std::swap(isOurs_, other.isOurs_);
    return *this;
  }
  ~Stream() {
    if (isOurs_)
      tw_stream_destroy(device_.get(), stream_);
  }

  void synchronize() const { detail::check(tw_stream_synchronize(device_.get(), stream_)); }
  Device device() const { return device_; }
  void *get() const { return stream_; }

private:
  Device device_;
  void *stream_ = nullptr;
  bool isOurs_ = false;
};

using Shape = std::vector<std::int64_t>;

/// Typed, strided memory on a device: its own, or a view of someone else's.
class Tensor {
public:
  /// Zeros, in row-major order.
  Tensor(DType dtype, const Shape &shape, Device device = {}) {
    tw_tensor *made = nullptr;
    detail::check(tw_tensor_create(device.get(), tw_dtype(dtype), shape.data(), shape.size(), &made));
    adopt(made);
  }

  /// A copy of host values; without a shape, a vector of them all.
  template <typename T> static Tensor from(const std::vector<T> &values, Shape shape = {}, Device device = {}) {
    static_assert(!std::is_same_v<T, bool>,
                  "std::vector<bool> has no elements in memory: use std::vector<std::uint8_t>");
    if (shape.empty())
      shape = {std::int64_t(values.size())};
    Tensor tensor(dtypeOf<T>(), shape, device);
    tensor.upload(values);
    return tensor;
  }
  /// Zeros of another tensor's type, shape and device.
  static Tensor like(const Tensor &other) { return Tensor(other.dtype(), other.shape(), other.device()); }

  /// Around memory that the caller keeps; strides in elements, none for row-major order.
  template <typename T> static Tensor view(T *data, const Shape &shape, const Shape &strides = {}, Device device = {}) {
    return view(const_cast<std::remove_cv_t<T> *>(data), dtypeOf<T>(), shape, strides, device);
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

  /// Takes over a `DLManagedTensor *`.
  static Tensor fromDlpack(void *managed) {
    tw_tensor *made = nullptr;
    detail::check(tw_tensor_from_dlpack(managed, &made));
    return Tensor(made);
  }
  /// A new `DLManagedTensor *` for someone else to own; it keeps the memory alive.
  void *toDlpack() const {
    void *managed = nullptr;
    detail::check(tw_tensor_to_dlpack(get(), &managed));
    return managed;
  }

  DType dtype() const { return DType(tw_tensor_dtype(get())); }
  Device device() const { return Device(device_); }
  std::size_t rank() const { return tw_tensor_rank(get()); }
  Shape shape() const { return {tw_tensor_shape(get()), tw_tensor_shape(get()) + rank()}; }
  Shape strides() const { return {tw_tensor_strides(get()), tw_tensor_strides(get()) + rank()}; }
  std::int64_t shape(std::size_t dimension) const { return tw_tensor_shape(get())[dimension]; }
  std::int64_t stride(std::size_t dimension) const { return tw_tensor_strides(get())[dimension]; }
  std::size_t elements() const {
    std::size_t count = 1;
    for (std::size_t i = 0; i < rank(); ++i)
      count *= std::size_t(shape(i));
    return count;
  }

  /// The memory itself: the device's, readable by the host only if the device is one.
  void *data() const { return argument_.value.pointer; }
  template <typename T> T *data() const {
    checkType(dtypeOf<T>());
    return static_cast<T *>(data());
  }

  /// Copies from and to the host, in row-major order. Launches on the device's default stream come
  /// first.
  template <typename T> void upload(const std::vector<T> &values) {
    checkType(dtypeOf<T>());
    detail::check(tw_tensor_upload(get(), values.data(), values.size() * sizeof(T)));
  }
  template <typename T> std::vector<T> toVector() const {
    checkType(dtypeOf<T>());
    std::vector<T> values(elements());
    detail::check(tw_tensor_download(get(), values.data(), values.size() * sizeof(T)));
    return values;
  }
  Tensor copy() const { return to(device()); }
  Tensor to(Device device) const {
    Tensor result(dtype(), shape(), device);
    std::vector<unsigned char> bytes(tw_tensor_bytes(get()));
    detail::check(tw_tensor_download(get(), bytes.data(), bytes.size()));
    detail::check(tw_tensor_upload(result.get(), bytes.data(), bytes.size()));
    return result;
  }

  tw_tensor *get() const { return tensor_.get(); }
  /// The tensor as an argument of a launch.
  const tw_argument &argument() const { return argument_; }

private:
  struct Destroy {
    void operator()(tw_tensor *tensor) const { tw_tensor_destroy(tensor); }
  };

  explicit Tensor(tw_tensor *made) { adopt(made); }
  void adopt(tw_tensor *made) {
    tensor_.reset(made);
    device_ = tw_tensor_device(made);
    argument_ = tw_pointer(tw_tensor_data(made), tw_tensor_dtype(made));
    argument_.bytes = tw_tensor_bytes(made);
    for (std::size_t i = 0; i < tw_tensor_rank(made); ++i)
      if (const std::int64_t stride = tw_tensor_strides(made)[i]; stride < 0 && argument_.bytes != 0)
        argument_.bytes_before +=
            std::uint64_t(-stride) * std::uint64_t(tw_tensor_shape(made)[i] - 1) * tw_dtype_size(tw_tensor_dtype(made));
  }
  void checkType(DType asked) const {
    if (asked != dtype())
      throw LaunchError("a tensor of " + tilewise::name(dtype()) + " used as one of " + tilewise::name(asked));
  }

  std::unique_ptr<tw_tensor, Destroy> tensor_;
  tw_device device_{};
  tw_argument argument_{};
};

} // namespace api
} // namespace tilewise

#endif
