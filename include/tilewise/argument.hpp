// What a launch takes in the C++ interface: constants, descriptors, named arguments, options;
// tilewise.hpp includes this.
#ifndef TILEWISE_ARGUMENT_HPP
#define TILEWISE_ARGUMENT_HPP

#include "tensor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tilewise {
inline namespace api { // See error.hpp.

/// What a launch may ask of the compiler beyond types. With C++20: Options{.numWarps = 8}; with
/// C++17, too: Options().withNumWarps(8).
struct Options {
  std::uint32_t numWarps = 4;
  std::uint32_t numStages = 3;
  bool fpFusion = true; ///< Whether a * b + c may become one operation with one rounding.
  bool debug = false;   ///< Whether tl.device_assert, assert and integer overflow are checked.
  /// Whether accesses are checked against the memory of the arguments: docs/debugging.md.
  bool checked = false;
  /// Whether all programs live at once, so that each may wait for any other.
  bool cooperative = false;
  /// Whether they are checked in kernels that -Wunmasked-access warns of, and only there.
  bool checkedIfWarned = false;
  /// Whether `debug` checks integer overflow, too.
  bool overflowChecks = true;
  /// Registers that a thread of a GPU may have, 16 to 255; 0: as the assembler likes.
  std::uint32_t maxRegisters = 0;

  Options withNumWarps(std::uint32_t value) const { return with(&Options::numWarps, value); }
  Options withNumStages(std::uint32_t value) const { return with(&Options::numStages, value); }
  Options withFpFusion(bool value) const { return with(&Options::fpFusion, value); }
  Options withDebug(bool value = true) const { return with(&Options::debug, value); }
  Options withChecked(bool value = true) const { return with(&Options::checked, value); }
  Options withCooperative(bool value = true) const { return with(&Options::cooperative, value); }
  Options withOverflowChecks(bool value) const { return with(&Options::overflowChecks, value); }
  Options withCheckedIfWarned(bool value = true) const { return with(&Options::checkedIfWarned, value); }
  Options withMaxRegisters(std::uint32_t value) const { return with(&Options::maxRegisters, value); }

  tw_options get() const {
    tw_options plain = {};
    plain.struct_size = sizeof(tw_options);
    plain.num_warps = numWarps;
    plain.num_stages = numStages;
    plain.no_fp_fusion = fpFusion ? 0 : 1;
    plain.debug = debug ? 1 : 0;
    plain.checked = checked ? TW_CHECKED : checkedIfWarned ? TW_CHECKED_IF_WARNED : 0;
    plain.cooperative = cooperative ? 1 : 0;
    plain.no_overflow_checks = overflowChecks ? 0 : 1;
    plain.max_registers = maxRegisters;
    return plain;
  }

private:
  template <typename T> Options with(T Options::*field, T value) const {
    Options changed = *this;
    changed.*field = value;
    return changed;
  }
};

/// A compile-time constant by its text in the kernel language: constant("tl.float16"); and a
/// string: quoted("relu"). Copies share the text.
class Constant {
public:
  explicit Constant(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  const std::string &text() const { return *text_; }

private:
  std::shared_ptr<const std::string> text_;
};
inline Constant constant(std::string text) { return Constant(std::move(text)); }
inline Constant quoted(std::string_view value) {
  std::string text = "\"";
  for (char c : value)
    text += c == '"' || c == '\\' ? std::string{'\\', c} : c == '\n' ? std::string("\\n") : std::string(1, c);
  return Constant(text + '"');
}
/// Python's None.
struct None {};

/// A tensor with the shape of the blocks that a kernel reads it by: Descriptor(x, {64, 32}). What
/// lies outside the tensor reads as zero, or as NaN. It keeps the tensor's memory alive, unless
/// that is the caller's.
class Descriptor {
public:
  Descriptor(const Tensor &tensor, std::initializer_list<std::int64_t> blockShape, bool padWithNan = false)
      : tensor_(tensor.handle()) {
    const Shape shape = tensor.shape(), strides = tensor.strides();
    if (blockShape.size() != shape.size() || shape.empty() || shape.size() > 5)
      throw LaunchError("a descriptor's block has the tensor's rank, 1 to 5; got a block of rank " +
                        std::to_string(blockShape.size()) + " for a tensor of rank " + std::to_string(shape.size()));
    if (tensor.isConst())
      throw LaunchError("a descriptor of a view of const memory: kernels can store through a descriptor; use a view of "
                        "memory that may be written, or a copy()");
    descriptor_.base = tensor.data();
    descriptor_.dtype = std::uint32_t(tensor.dtype());
    descriptor_.rank = std::uint32_t(shape.size());
    descriptor_.pad_with_nan = padWithNan ? 1 : 0;
    std::copy(shape.begin(), shape.end(), descriptor_.shape);
    std::copy(strides.begin(), strides.end(), descriptor_.strides);
    std::copy(blockShape.begin(), blockShape.end(), descriptor_.block_shape);
  }
  const tw_descriptor &get() const { return descriptor_; }
  Device device() const { return Device(tw_tensor_device(tensor_.get())); }

private:
  std::shared_ptr<tw_tensor> tensor_;
  tw_descriptor descriptor_{};
};

namespace detail {

/// What a named argument keeps of a tensor: it may be returned from where the tensor is.
struct KeptTensor {
  tw_argument argument;
  std::shared_ptr<tw_tensor> tensor;
};

template <typename T> struct Keep {
  using Type = T;
  static const T &of(const T &value) { return value; }
};
template <typename T, std::size_t N> struct Keep<T[N]> { // refused, in words of our own
  using Type = const T *;
  static const T *of(const T *value) { return value; }
};
template <> struct Keep<Tensor> {
  using Type = KeptTensor;
  static KeptTensor of(const Tensor &tensor) { return {tensor.argument(), tensor.handle()}; }
};

template <typename T> inline constexpr bool kIsText = std::is_convertible_v<const T &, std::string_view>;
template <typename T, typename = void> inline constexpr bool kIsContainer = false;
template <typename T> inline constexpr bool kIsContainer<T, std::void_t<ElementOf<const T>>> = true;
template <typename T>
inline constexpr bool kIsOurs = kIsOneOf<T, Tensor, KeptTensor, Constant, Descriptor, None, std::nullptr_t>;

/// One readable message for an argument of a wrong type, and the way out.
template <typename T> constexpr void explainArgument() {
  constexpr bool isNumber = kIsElement<T> || std::is_floating_point_v<T>;
  if constexpr (kIsText<T>)
    static_assert(!kIsText<T>,
                  "a string is not a kernel argument: write tilewise::quoted(\"text\") for a string constant, "
                  "tilewise::constant(\"tl.float16\") for another constant");
  else if constexpr (kIsContainer<T> && !kIsOurs<T>)
    static_assert(kIsOurs<T>, "a container is not a kernel argument: pass tilewise::Tensor::view(container) for its "
                              "memory, or tilewise::Tensor::from(container) for a copy");
  else
    static_assert(kIsOurs<T> || isNumber || std::is_pointer_v<T>,
                  "a kernel argument is a tilewise::Tensor, a Descriptor, a pointer to elements, a number, "
                  "tilewise::constant(...), tilewise::quoted(...) or tilewise::None");
}

} // namespace detail

/// An argument for the parameter of this name: arg("BLOCK", 1024), or "BLOCK"_a = 1024. It holds
/// what it was given.
template <typename T, typename Name> struct Named {
  Name name;
  typename detail::Keep<T>::Type value;
};
template <typename T> Named<T, std::string> arg(std::string name, const T &value) {
  detail::explainArgument<T>();
  return {std::move(name), detail::Keep<T>::of(value)};
}
namespace literals {
struct Name {
  const char *text;
  template <typename T> Named<T, const char *> operator=(const T &value) const {
    detail::explainArgument<T>();
    return {text, detail::Keep<T>::of(value)};
  }
};
/// The name is a literal: it lives as long as the program.
inline Name operator""_a(const char *text, std::size_t) { return {text}; }
} // namespace literals

namespace detail {

inline tw_argument toArgument(const Tensor &tensor) { return tensor.argument(); }
inline tw_argument toArgument(const KeptTensor &kept) { return kept.argument; }
inline tw_argument toArgument(const Constant &constant) { return tw_constant(constant.text().c_str()); }
inline tw_argument toArgument(const Descriptor &descriptor) { return tw_descriptor_argument(&descriptor.get()); }
inline tw_argument toArgument(None) { return tw_none(); }
inline tw_argument toArgument(std::nullptr_t) { return tw_none(); }
template <typename T> tw_argument toArgument(const T &value) {
  explainArgument<T>();
  if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_pointer_t<T>;
    constexpr tw_dtype type = tw_dtype(dtypeOf<Element>());
    return std::is_const_v<Element> ? tw_const_pointer(value, type) : tw_pointer(value, type);
  } else if constexpr (std::is_same_v<T, bool>) {
    return tw_bool(value);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return tw_int(value);
  } else if constexpr (std::is_integral_v<T>) {
    return tw_uint(value);
  } else if constexpr (kIsSmallFloat<T>) {
    return tw_typed(tw_dtype(dtypeOf<T>()), tw_float(double(float(value))));
  } else if constexpr (std::is_floating_point_v<T>) {
    return tw_float(double(value));
  } else {
    return tw_none(); // Told above.
  }
}
template <typename T, typename Name> tw_argument toArgument(const Named<T, Name> &named) {
  if constexpr (std::is_same_v<Name, std::string>)
    return tw_named(named.name.c_str(), toArgument(named.value));
  else
    return tw_named(named.name, toArgument(named.value));
}

/// The device of an argument, for those that have one.
struct Place {
  bool isKnown = false;
  tw_device device{};
};
template <typename T> Place placeOf(const T &) { return {}; }
inline Place placeOf(const Tensor &tensor) { return {true, tensor.device().get()}; }
inline Place placeOf(const KeptTensor &kept) { return {true, tw_tensor_device(kept.tensor.get())}; }
inline Place placeOf(const Descriptor &descriptor) { return {true, descriptor.device().get()}; }
template <typename T, typename Name> Place placeOf(const Named<T, Name> &named) { return placeOf(named.value); }

} // namespace detail
} // namespace api
} // namespace tilewise

#endif
