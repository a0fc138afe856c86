// The C++ interface of Tilewise: compile kernels written in Triton's Python syntax, and launch them
// on a CPU or an NVIDIA GPU.
//
//     #include <tilewise/tilewise.hpp>
//     using namespace tilewise::literals;
//
//     auto add = tilewise::Kernel::load("vector_add.py");
//     auto x = tilewise::Tensor::from(std::vector<float>{1, 2, 3}), y = x.copy(), z = tilewise::Tensor::like(x);
//     add[tilewise::cdiv(3, 1024)](x, y, z, 3, "BLOCK"_a = 1024);
//     std::vector<float> sums = z.toVector<float>();
//
// Kernels are compiled when a launch first needs them for its types, and kept. Errors are
// exceptions of the three kinds in tensor.hpp. All of this is inline code over the C interface in
// tilewise.h, so that no C++ type crosses the library's boundary: any compiler with C++17 will do.
#ifndef TILEWISE_TILEWISE_HPP
#define TILEWISE_TILEWISE_HPP

#include "runtime.h"
#include "tensor.hpp"

#include <array>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api { // See tensor.hpp.

/// The library's release, as in "0.1.0".
inline std::string version() { return tw_version(); }

/// Told of each kernel that a launch needed and this process did not have; see tw_compile_event.
inline void setCompileCallback(std::function<void(const tw_compile_event &)> callback);

enum class LogLevel { Info = TW_LOG_INFO, Warning = TW_LOG_WARNING };
/// The library never prints; what it has to say beside errors goes here. An empty function drops
/// it.
inline void setLogCallback(std::function<void(LogLevel, std::string_view)> callback);

/// Switches the compiler's warnings, as in "no-mask-other,error"; see tw_set_warnings.
inline void setWarnings(const std::string &flags);

/// Has launches on the CPU engine run on the host's threads: `run(count, task)` calls task(0) to
/// task(count - 1) on any threads, and returns when all have returned. What it throws is thrown by
/// the launch. `threads` is how many tasks to make at most; 0: as many as the library would have
/// threads. An empty function means the library's own threads again. Set while no launch is under
/// way; see docs/threads.md.
inline void setExecutor(std::function<void(std::size_t count, const std::function<void(std::size_t)> &task)> run,
                        unsigned threads = 0);

/// ceil(a / b) and the smallest power of two that is at least n: what grids and block sizes are
/// made of.
constexpr std::int64_t cdiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t nextPowerOf2(std::int64_t n) {
  std::int64_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

/// How many programs to launch: one number, or up to three in braces.
class Grid {
public:
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>> Grid(T x) : size_{std::int64_t(x), 1, 1} {}
  Grid(std::initializer_list<std::int64_t> size) : rank_(size.size()) {
    std::size_t i = 0;
    for (std::int64_t extent : size)
      if (i < 3)
        size_[i++] = extent;
  }
  const std::int64_t *data() const { return size_.data(); }
  std::size_t rank() const { return rank_; }

private:
  std::array<std::int64_t, 3> size_{1, 1, 1};
  std::size_t rank_ = 1;
};

/// What a launch may ask of the compiler beyond types.
struct Options {
  std::uint32_t numWarps = 4;
  std::uint32_t numStages = 3;
  bool fpFusion = true; ///< Whether a * b + c may become one operation with one rounding.
  bool debug = false;   ///< Whether tl.device_assert, assert and integer overflow are checked.
  /// Whether accesses are checked against the memory of the arguments, as with TILEWISE_CHECKED=1.
  bool checked =
      false;
  /// Whether all programs live at once, so that each may wait for any other.
  bool cooperative = false;

  tw_options get() const {
    return {sizeof(tw_options),   numWarps, numStages, fpFusion ? 0u : 1u, debug ? 1u : 0u, checked ? 1u : 0u,
            cooperative ? 1u : 0u};
  }
};

/// A compile-time constant by its text in the kernel language: constant("tl.float16"); and a
/// string: quoted("relu").
struct Constant {
  std::string text;
};
inline Constant constant(std::string text) { return {std::move(text)}; }
inline Constant quoted(std::string_view value) {
  std::string text = "\"";
  for (char c : value)
    text += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' ? std::string("\\n") : std::string(1, c);
  return {text + '"'};
}
/// Python's None.
struct None {};

/// A tensor with the shape of the blocks that a kernel reads it by: Descriptor(x, {64, 32}). What
/// lies outside the tensor reads as zero, or as NaN. The tensor outlives the descriptor.
class Descriptor {
public:
  Descriptor(const Tensor &tensor, std::initializer_list<std::int64_t> blockShape, bool padWithNan = false)
      : tensor_(&tensor) {
    const std::vector<std::int64_t> shape = tensor.shape(), strides = tensor.strides();
    if (blockShape.size() != shape.size() || shape.empty() || shape.size() > 5)
      throw LaunchError("a descriptor's block has the tensor's rank, 1 to 5; got a block of rank " +
                        std::to_string(blockShape.size()) + " for a tensor of rank " + std::to_string(shape.size()));
    descriptor_.base = tensor.data();
    descriptor_.dtype = std::uint32_t(tensor.dtype());
    descriptor_.rank = std::uint32_t(shape.size());
    descriptor_.pad_with_nan = padWithNan ? 1 : 0;
    std::copy(shape.begin(), shape.end(), descriptor_.shape);
    std::copy(strides.begin(), strides.end(), descriptor_.strides);
    std::copy(blockShape.begin(), blockShape.end(), descriptor_.block_shape);
  }
  const tw_descriptor &get() const { return descriptor_; }
  const Tensor &tensor() const { return *tensor_; }

private:
  const Tensor *tensor_;
  tw_descriptor descriptor_{};
};

/// An argument for the parameter of this name: arg("BLOCK", 1024), or "BLOCK"_a = 1024.
template <typename T> struct Named {
  const char *name;
  const T &value;
};
template <typename T> Named<T> arg(const char *name, const T &value) { return {name, value}; }
namespace literals {
struct Name {
  const char *text;
  template <typename T> Named<T> operator=(const T &value) const { return {text, value}; }
};
inline Name operator""_a(const char *text, std::size_t) { return {text}; }
} // namespace literals

namespace detail {

inline tw_argument toArgument(const Tensor &tensor) { return tensor.argument(); }
inline tw_argument toArgument(const Constant &constant) { return tw_constant(constant.text.c_str()); }
inline tw_argument toArgument(const Descriptor &descriptor) { return tw_descriptor_argument(&descriptor.get()); }
inline tw_argument toArgument(None) { return tw_none(); }
inline tw_argument toArgument(std::nullptr_t) { return tw_none(); }
template <typename T> tw_argument toArgument(const T &value) {
  if constexpr (std::is_same_v<T, bool>)
    return tw_bool(value);
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return tw_int(value);
  else if constexpr (std::is_integral_v<T>)
    return tw_uint(value);
  else if constexpr (std::is_floating_point_v<T>)
    return tw_float(double(value));
  else if constexpr (std::is_pointer_v<T>)
    return tw_pointer(value, tw_dtype(dtypeOf<std::remove_pointer_t<T>>()));
  else {
    static_assert(std::is_class_v<T>, "this C++ type is no kernel argument");
    return tw_typed(tw_dtype(dtypeOf<T>()), tw_float(float(value)));
  }
}
template <typename T> tw_argument toArgument(const Named<T> &named) {
  return tw_named(named.name, toArgument(named.value));
}

template <typename T> const Tensor *tensorIn(const T &) { return nullptr; }
inline const Tensor *tensorIn(const Tensor &tensor) { return &tensor; }
inline const Tensor *tensorIn(const Descriptor &descriptor) { return &descriptor.tensor(); }
template <typename T> const Tensor *tensorIn(const Named<T> &named) { return tensorIn(named.value); }

} // namespace detail

class Kernel;

/// A kernel with a grid, and perhaps a place and options, waiting for its arguments.
class Launch {
public:
  /// Where to run. Without it: where the tensors are, or on the CPU.
  Launch on(const Device &device) const { return Launch(kernel_, grid_, options_, true, device.get(), nullptr); }
  Launch on(const Stream &stream) const {
    return Launch(kernel_, grid_, options_, true, stream.device().get(), stream.get());
  }
  Launch with(const Options &options) const {
    return Launch(kernel_, grid_, options.get(), hasDevice_, device_, stream_);
  }

  /// Positional arguments in order, then named ones: tensors, pointers, numbers, constants.
  template <typename... Arguments> void operator()(const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    const std::array<const Tensor *, sizeof...(Arguments)> tensors{{detail::tensorIn(arguments)...}};
    detail::check(tw_kernel_launch(kernel_, place(tensors.data(), tensors.size()), stream_, grid_.data(), grid_.rank(),
                                   list.data(), list.size(), &options_));
  }

private:
  friend class Kernel;
  Launch(tw_kernel *kernel, Grid grid, tw_options options, bool hasDevice, tw_device device, void *stream)
      : kernel_(kernel), grid_(grid), options_(options), hasDevice_(hasDevice), device_(device), stream_(stream) {}

  tw_device place(const Tensor *const *tensors, std::size_t count) const {
    Device device(device_);
    bool isKnown = hasDevice_;
    for (std::size_t i = 0; i < count; ++i) {
      if (!tensors[i])
        continue;
      const Device other = tensors[i]->device();
      if (!isKnown)
        device = other;
      else if (other != device && !(hasDevice_ && other.isHost() && device.isHost()))
        throw LaunchError(std::string("kernel '") + tw_kernel_name(kernel_) + "': argument " + std::to_string(i) +
                          " is on " + other.text() + ", the launch is on " + device.text());
      isKnown = true;
    }
    return device.get();
  }

  tw_kernel *kernel_;
  Grid grid_;
  tw_options options_;
  bool hasDevice_;
  tw_device device_;
  void *stream_;
};

/// One kernel of a source text, with what has been compiled for it so far.
class Kernel {
public:
  /// From a file; the name may be left out if it holds a single kernel.
  static Kernel load(const std::string &path, const std::string &name = "") {
    tw_source *source = nullptr;
    detail::check(tw_source_open(path.c_str(), &source));
    return Kernel(source, name);
  }
  /// From a text; `file` is for messages.
  static Kernel fromSource(std::string_view text, const std::string &name = "", const std::string &file = "<text>") {
    tw_source *source = nullptr;
    detail::check(tw_source_create(text.data(), text.size(), file.c_str(), 1, &source));
    return Kernel(source, name);
  }

  /// Out of the bytes of `artifact`, made here or elsewhere; see tw_kernel_from_artifact.
  static Kernel fromArtifact(std::string_view bytes) {
    tw_kernel *made = nullptr;
    detail::check(tw_kernel_from_artifact(bytes.data(), bytes.size(), &made));
    return Kernel(made);
  }

  /// kernel[grid](arguments...)
  Launch operator[](Grid grid) const { return Launch(get(), grid, Options().get(), false, tw_cpu(), nullptr); }

  std::string name() const { return tw_kernel_name(get()); }
  struct Parameter {
    std::string name;
    bool isConstexpr;
    std::string annotation, defaultValue;
  };
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> list;
    for (std::size_t i = 0; i < tw_kernel_parameter_count(get()); ++i) {
      const tw_parameter each = tw_kernel_parameter(get(), i);
      list.push_back({each.name, each.is_constexpr, each.annotation, each.default_value});
    }
    return list;
  }

  /// The signature that a launch with these arguments compiles for, as in "*fp32:16, i32, 1024".
  template <typename... Arguments> std::string signature(const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    char *text = nullptr;
    detail::check(tw_kernel_signature(get(), list.data(), list.size(), &text));
    return detail::take(text);
  }
  /// The kernel's text at a stage: tokens, ast, tile, opt, nests, cpu, nvidia, llvm, asm, ptx; for
  /// a target such as "cpu" or "cuda:90".
  std::string emit(const std::string &stage, const std::string &signature, const std::string &target = "cpu",
                   const Options &options = {}) const {
    const tw_options plain = options.get();
    char *text = nullptr;
    detail::check(tw_kernel_emit(get(), stage.c_str(), signature.c_str(), target.c_str(), &plain, &text));
    return detail::take(text);
  }
  /// The compiled kernel as bytes that are the same in every process, for `fromArtifact`.
  std::string artifact(const std::string &signature, const std::string &target = "cpu",
                       const Options &options = {}) const {
    const tw_options plain = options.get();
    void *bytes = nullptr;
    std::size_t length = 0;
    detail::check(tw_kernel_artifact(get(), signature.c_str(), target.c_str(), &plain, &bytes, &length));
    const std::unique_ptr<void, void (*)(void *)> owned(bytes, tw_free);
    return std::string(static_cast<const char *>(bytes), length);
  }

  /// What launches may conclude from values and compile in, of one parameter or of all; see
  /// tw_kernel_specialize. Before the first launch.
  void specialize(std::size_t parameter, unsigned what) const {
    detail::check(tw_kernel_specialize(get(), parameter, what));
  }
  void specializeAll(unsigned what) const { detail::check(tw_kernel_specialize_all(get(), what)); }

  /// How many signatures it has been compiled for.
  std::size_t compileCount() const { return tw_kernel_compile_count(get()); }

  tw_kernel *get() const { return kernel_.get(); }

private:
  struct Destroy {
    void operator()(tw_kernel *kernel) const { tw_kernel_destroy(kernel); }
  };

  explicit Kernel(tw_kernel *made) : kernel_(made) {}
  Kernel(tw_source *source, const std::string &name) {
    std::unique_ptr<tw_source, void (*)(tw_source *)> owned(source, tw_source_destroy);
    tw_kernel *made = nullptr;
    detail::check(tw_kernel_create(source, name.empty() ? nullptr : name.c_str(), &made));
    kernel_.reset(made);
  }

  std::unique_ptr<tw_kernel, Destroy> kernel_;
};

inline void setWarnings(const std::string &flags) { detail::check(tw_set_warnings(flags.c_str())); }

inline void setExecutor(std::function<void(std::size_t, const std::function<void(std::size_t)> &)> run,
                        unsigned threads) {
  static std::function<void(std::size_t, const std::function<void(std::size_t)> &)> current;
  detail::check(tw_set_executor(nullptr));
  current = std::move(run);
  if (!current)
    return;
  tw_executor executor = {};
  executor.struct_size = sizeof executor;
  executor.threads = threads;
  executor.run = [](void *, std::size_t count, void (*task)(void *, std::size_t), void *context) {
    try {
      current(count, [&](std::size_t index) { task(context, index); });
      return true;
    } catch (...) {
      detail::executorException() = std::current_exception();
      return false;
    }
  };
  detail::check(tw_set_executor(&executor));
}

inline void setCompileCallback(std::function<void(const tw_compile_event &)> callback) {
  static std::function<void(const tw_compile_event &)> current;
  tw_set_compile_callback(nullptr, nullptr);
  current = std::move(callback);
  if (current)
    tw_set_compile_callback(
        [](const tw_compile_event *event, void *user) {
          (*static_cast<std::function<void(const tw_compile_event &)> *>(user))(*event);
        },
        &current);
}

inline void setLogCallback(std::function<void(LogLevel, std::string_view)> callback) {
  static std::function<void(LogLevel, std::string_view)> current;
  tw_set_log_callback(nullptr, nullptr);
  current = std::move(callback);
  if (current)
    tw_set_log_callback(
        [](tw_log_level level, const char *message, void *user) {
          (*static_cast<std::function<void(LogLevel, std::string_view)> *>(user))(LogLevel(level), message);
        },
        &current);
}

} // namespace api
} // namespace tilewise

#endif
