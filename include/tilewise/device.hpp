// Element types, devices and streams of the C++ interface; tensor.hpp includes this.
#ifndef TILEWISE_DEVICE_HPP
#define TILEWISE_DEVICE_HPP

#include "error.hpp"
#include "float.hpp"
#include "stream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api { // See error.hpp.

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

namespace detail {

template <typename T, typename... Others> inline constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);

/// The compiler's own 16-bit floats, where it has them; C++23's std::float16_t and std::bfloat16_t
/// are among them.
template <typename T>
inline constexpr bool kIsFloat16 = kIsOneOf<T, float16
#ifdef __FLT16_MAX__
                                            ,
                                            _Float16
#endif
                                            >;
template <typename T>
inline constexpr bool kIsBFloat16 = kIsOneOf<T, bfloat16
#ifdef __STDCPP_BFLOAT16_T__
                                             ,
                                             decltype(0.0bf16)
#endif
                                             >;

/// A float that C++ counts among its own, or one of ours.
template <typename T>
inline constexpr bool kIsSmallFloat = kIsFloat16<T> || kIsBFloat16<T> || kIsOneOf<T, float8e4m3, float8e5m2>;
/// What the elements of a tensor can be in C++.
template <typename T>
inline constexpr bool kIsElement =
    (std::is_integral_v<T> && sizeof(T) <= 8) || kIsOneOf<T, float, double> || kIsSmallFloat<T>;

} // namespace detail

/// The element type that stands for a C++ type.
template <typename T> constexpr DType dtypeOf() {
  using U = std::remove_cv_t<T>;
  static_assert(detail::kIsElement<U>,
                "elements of a tensor are bool, integers, float, double, _Float16, or Tilewise's float16, "
                "bfloat16, float8e4m3 and float8e5m2");
  if constexpr (std::is_same_v<U, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<U, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<U, double>)
    return DType::Float64;
  else if constexpr (detail::kIsFloat16<U>)
    return DType::Float16;
  else if constexpr (detail::kIsBFloat16<U>)
    return DType::BFloat16;
  else if constexpr (std::is_same_v<U, float8e4m3>)
    return DType::Float8E4M3;
  else if constexpr (std::is_same_v<U, float8e5m2>)
    return DType::Float8E5M2;
  else if constexpr (std::is_signed_v<U>)
    return sizeof(U) == 1 ? DType::Int8 : sizeof(U) == 2 ? DType::Int16 : sizeof(U) == 4 ? DType::Int32 : DType::Int64;
  else
    return sizeof(U) == 1   ? DType::UInt8
           : sizeof(U) == 2 ? DType::UInt16
           : sizeof(U) == 4 ? DType::UInt32
                            : DType::UInt64;
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

class Event;

/// A queue of launches on a GPU, ours or around a foreign CUstream. Other devices have just one, on
/// which a launch returns when done. Launches that are waiting for their arguments keep the stream
/// alive.
class Stream {
public:
  explicit Stream(Device device) : device_(device) {
    void *made = nullptr;
    detail::check(tw_stream_create(device.get(), &made));
    stream_.reset(made, [device](void *stream) { tw_stream_destroy(device.get(), stream); });
  }
  /// Around a stream that someone else owns.
  Stream(Device device, void *foreign) : device_(device), stream_(foreign, [](void *) {}) {}
  Stream(Stream &&) noexcept = default;
  Stream &operator=(Stream &&) noexcept = default;

  void synchronize() const { detail::check(tw_stream_synchronize(device_.get(), stream_.get())); }
  /// What is put on the stream from now on waits for the event; the host does not.
  void wait(const Event &event) const;
  bool isDone() const {
    bool done = false;
    detail::check(tw_stream_is_done(device_.get(), stream_.get(), &done));
    return done;
  }
  Device device() const { return device_; }
  void *get() const { return stream_.get(); }

private:
  friend class Autotuner;
  friend class Launch;
  friend class Tensor;
  Device device_;
  std::shared_ptr<void> stream_;
};

} // namespace api
} // namespace tilewise

#endif
