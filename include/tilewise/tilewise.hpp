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
// exceptions of the three kinds in error.hpp; docs/cpp.md is the guide. All of this is inline code
// over the C interface in tilewise.h, so that no C++ type crosses the library's boundary: any
// compiler with C++17 will do.
#ifndef TILEWISE_TILEWISE_HPP
#define TILEWISE_TILEWISE_HPP

#include "argument.hpp"
#include "callbacks.hpp"
#include "stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api { // See error.hpp.

/// The library's release, as in "0.1.0".
inline std::string version() { return tw_version(); }

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

/// A kernel with a grid, and perhaps a place and options, waiting for its arguments. It keeps the
/// kernel and the stream alive.
class Launch {
public:
  /// Where to run. Without it: where the tensors are, or on the CPU.
  Launch on(const Device &device) const { return Launch(kernel_, grid_, options_, true, device.get(), nullptr); }
  Launch on(const Stream &stream) const {
    return Launch(kernel_, grid_, options_, true, stream.device().get(), stream.stream_);
  }
  Launch with(const Options &options) const {
    return Launch(kernel_, grid_, options.get(), hasDevice_, device_, stream_);
  }

  /// Positional arguments in order, then named ones: tensors, pointers, numbers, constants.
  template <typename... Arguments> void operator()(const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    detail::check(tw_kernel_launch(kernel_.get(), deviceFor(list.data(), arguments...), stream_.get(), grid_.data(),
                                   grid_.rank(), list.data(), list.size(), &options_));
  }

  /// Compiles for such arguments, so that the launch need not.
  template <typename... Arguments> void prepare(const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    detail::check(
        tw_kernel_prepare(kernel_.get(), deviceFor(list.data(), arguments...), list.data(), list.size(), &options_));
  }
  /// Whether the kernel has been compiled for such arguments; compiles nothing.
  template <typename... Arguments> bool isPrepared(const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    std::int64_t number = -1;
    detail::check(tw_kernel_find(kernel_.get(), deviceFor(list.data(), arguments...), list.data(), list.size(),
                                 &options_, &number));
    return number >= 0;
  }

private:
  friend class Kernel;
  Launch(std::shared_ptr<tw_kernel> kernel, Grid grid, tw_options options, bool hasDevice, tw_device device,
         std::shared_ptr<void> stream)
      : kernel_(std::move(kernel)), grid_(grid), options_(options), hasDevice_(hasDevice), device_(device),
        stream_(std::move(stream)) {}

  template <typename... Arguments> tw_device deviceFor(const tw_argument *list, const Arguments &...arguments) const {
    const std::array<detail::Place, sizeof...(Arguments)> places{{detail::placeOf(arguments)...}};
    return deviceOf(list, places.data(), places.size());
  }
  tw_device deviceOf(const tw_argument *list, const detail::Place *places, std::size_t count) const {
    Device device(device_);
    bool isKnown = hasDevice_;
    for (std::size_t i = 0; i < count; ++i) {
      if (!places[i].isKnown)
        continue;
      const Device other(places[i].device);
      if (!isKnown)
        device = other;
      else if (other != device && !(hasDevice_ && other.isHost() && device.isHost()))
        throw LaunchError(std::string("kernel '") + tw_kernel_name(kernel_.get()) + "': argument " +
                          nameOf(list[i], i) + " is on " + other.text() + ", the launch is on " + device.text());
      isKnown = true;
    }
    return device.get();
  }

  /// By its parameter; by its number where there are more arguments than parameters.
  std::string nameOf(const tw_argument &argument, std::size_t position) const {
    const char *name = argument.name ? argument.name : tw_kernel_parameter(kernel_.get(), position).name;
    return name ? "'" + std::string(name) + "'" : std::to_string(position);
  }

  std::shared_ptr<tw_kernel> kernel_;
  Grid grid_;
  tw_options options_;
  bool hasDevice_;
  tw_device device_;
  std::shared_ptr<void> stream_;
};

/// One kernel of a source text, with what has been compiled for it so far.
class Kernel {
public:
  /// What a compiled kernel takes of a GPU; all are 0 for other targets.
  struct Resources {
    std::uint32_t threads = 0;     ///< Of a program.
    std::uint32_t sharedBytes = 0; ///< Of a program.
    /// Of a thread; this and what follows is known only of loaded code.
    std::uint32_t registers = 0;
    std::uint32_t spilledBytes = 0; ///< Local memory of a thread.
    std::uint32_t maxThreads = 0;   ///< That a program of this code could have.
  };

  /// From a file; the name may be left out if it holds a single kernel.
  static Kernel load(const std::string &path, const std::string &name = "");
  /// From a text; `file` is for messages.
  static Kernel fromSource(std::string_view text, const std::string &name = "", const std::string &file = "<text>");

  /// Out of the bytes of `artifact`, made here or elsewhere; see tw_kernel_from_artifact.
  static Kernel fromArtifact(std::string_view bytes) {
    tw_kernel *made = nullptr;
    detail::check(tw_kernel_from_artifact(bytes.data(), bytes.size(), &made));
    return Kernel(made);
  }

  /// kernel[grid](arguments...)
  Launch operator[](Grid grid) const { return Launch(handle(), grid, Options().get(), false, tw_cpu(), nullptr); }

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

  /// What launches may conclude from values and compile in, of one parameter or of all: of
  /// TW_SPECIALIZE_ONE and its kin. Before the first launch.
  void specialize(std::size_t parameter, unsigned what) const {
    detail::check(tw_kernel_specialize(get(), parameter, what));
  }
  void specialize(const std::string &parameter, unsigned what) const { specialize(indexOf(parameter), what); }
  void specializeAll(unsigned what) const { detail::check(tw_kernel_specialize_all(get(), what)); }
  /// What a parameter's annotation means, where the host knows better than the text: "constexpr",
  /// "i64", "*fp32", "" for none. Before the first launch.
  void annotate(const std::string &parameter, const std::string &annotation) const {
    detail::check(tw_kernel_annotate(get(), indexOf(parameter), annotation.c_str()));
  }

  /// The signature that a launch with these arguments compiles for, as in "*fp32:16, i32, 1024".
  template <typename... Arguments> std::string signature(const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    char *text = nullptr;
    detail::check(tw_kernel_signature(get(), list.data(), list.size(), &text));
    return detail::take(text);
  }
  /// The kernel's text at a stage: tokens, ast, tile, opt, nests, cpu, nvidia, llvm, asm, ptx,
  /// sass; for a target such as "cpu", "cpu:haswell" or "cuda:90", of which this machine need not
  /// have one.
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

  /// What the code for a target takes.
  Resources resources(const std::string &signature, const std::string &target, const Options &options = {}) const {
    return resources(signature, target, options, false, tw_cpu());
  }
  /// The same on a device of this machine, where the code is loaded, which tells the rest.
  Resources resourcesOn(const Device &device, const std::string &signature, const Options &options = {}) const {
    return resources(signature, device.target(), options, true, device.get());
  }
  /// How many signatures it has been compiled for.
  std::size_t compileCount() const { return tw_kernel_compile_count(get()); }

  tw_kernel *get() const { return handle().get(); }

private:
  friend class Source;
  explicit Kernel(tw_kernel *made) : kernel_(made, tw_kernel_destroy) {}

  const std::shared_ptr<tw_kernel> &handle() const {
    if (!kernel_)
      throw LaunchError("this Kernel was moved from: launch the one that it was moved to");
    return kernel_;
  }

  std::size_t indexOf(const std::string &parameter) const {
    const std::size_t count = tw_kernel_parameter_count(get());
    for (std::size_t i = 0; i < count; ++i)
      if (parameter == tw_kernel_parameter(get(), i).name)
        return i;
    throw LaunchError("kernel '" + name() + "' has no parameter '" + parameter + "'");
  }
  Resources resources(const std::string &signature, const std::string &target, const Options &options, bool load,
                      tw_device device) const {
    const tw_options plain = options.get();
    tw_resources taken = {};
    taken.struct_size = sizeof taken;
    detail::check(tw_kernel_resources(get(), signature.c_str(), target.c_str(), &plain, load, device, &taken));
    return {taken.threads, taken.shared_bytes, taken.registers, taken.spilled_bytes, taken.max_threads};
  }

  std::shared_ptr<tw_kernel> kernel_;
};

/// The text of a kernel file, for those that want more of it than one kernel.
class Source {
public:
  static Source open(const std::string &path) {
    tw_source *source = nullptr;
    detail::check(tw_source_open(path.c_str(), &source));
    return Source(source);
  }
  /// `file` is for messages.
  static Source fromText(std::string_view text, const std::string &file = "<text>") {
    tw_source *source = nullptr;
    detail::check(tw_source_create(text.data(), text.size(), file.c_str(), 1, &source));
    return Source(source);
  }

  /// Takes over a source of the C interface.
  static Source adopt(tw_source *source) { return Source(source); }

  /// Gives a module-level name a value from outside, as in define("BLOCK", constant("128")), for
  /// kernels taken from now on.
  Source &define(const std::string &name, const Constant &value) {
    detail::check(tw_source_define(get(), name.c_str(), value.text().c_str()));
    return *this;
  }
  /// The names of its kernels, in its order.
  std::vector<std::string> kernels() const {
    std::size_t count = 0;
    detail::check(tw_source_kernel_count(get(), &count));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
      names.emplace_back(tw_source_kernel_name(get(), i));
    return names;
  }
  /// The name may be left out if there is a single one. Kernels outlive the source.
  Kernel kernel(const std::string &name = "") const {
    tw_kernel *made = nullptr;
    detail::check(tw_kernel_create(get(), name.empty() ? nullptr : name.c_str(), &made));
    return Kernel(made);
  }

private:
  tw_source *get() const {
    if (!source_)
      throw LaunchError("this Source was moved from: its text belongs to the one that it was moved to");
    return source_.get();
  }
  explicit Source(tw_source *source) : source_(source, tw_source_destroy) {}
  std::unique_ptr<tw_source, void (*)(tw_source *)> source_;
};

inline Kernel Kernel::load(const std::string &path, const std::string &name) { return Source::open(path).kernel(name); }
inline Kernel Kernel::fromSource(std::string_view text, const std::string &name, const std::string &file) {
  return Source::fromText(text, file).kernel(name);
}

} // namespace api
} // namespace tilewise

#endif
