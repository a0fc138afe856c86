// The functions of the kernel language in C++, each under its own name; jit.hpp includes this.
//
// They take what they take in a kernel file, in the same order; what has a keyword there has it
// here: tl::load(p, tl::mask = inside, tl::other = 0.0).
#ifndef TILEWISE_JIT_LANGUAGE_HPP
#define TILEWISE_JIT_LANGUAGE_HPP

#include "value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <vector>

namespace tilewise {
inline namespace api {
namespace tl {

/// tl::mask = m
struct named {
  const char *name;
  operand what;
};
struct keyword {
  const char *name;
  named operator=(const operand &what) const { return {name, what}; }
};
inline constexpr keyword mask{"mask"}, other{"other"}, axis{"axis"}, keep_dims{"keep_dims"}, acc{"acc"},
    input_precision{"input_precision"}, allow_tf32{"allow_tf32"}, out_dtype{"out_dtype"}, sem{"sem"}, scope{"scope"},
    cache_modifier{"cache_modifier"}, eviction_policy{"eviction_policy"}, volatile_{"volatile"},
    boundary_check{"boundary_check"}, padding_option{"padding_option"}, num_stages{"num_stages"},
    loop_unroll_factor{"loop_unroll_factor"}, flatten{"flatten"}, warp_specialize{"warp_specialize"},
    reverse{"reverse"}, descending{"descending"}, return_indices{"return_indices"}, bitcast{"bitcast"}, hex{"hex"},
    dtype_{"dtype"}, propagate_nan{"propagate_nan"}, fp_downcast_rounding{"fp_downcast_rounding"},
    tie_break_left{"tie_break_left"}, n_rounds{"n_rounds"}, can_reorder{"can_reorder"}, dim{"dim"};

namespace detail {
inline named asNamed(const named &given) { return given; }
inline named asNamed(const operand &given) { return {nullptr, given}; }

/// The arguments of a call as the C interface takes them. They outlive it.
template <std::size_t Count> struct Arguments {
  explicit Arguments(const std::array<named, Count> &list) {
    for (std::size_t i = 0; i < Count; ++i) {
      items[i] = list[i].what.item();
      names[i] = list[i].name;
    }
  }
  std::array<tw_item, Count> items;
  std::array<const char *, Count> names;
};

template <typename... More> value call(const char *callee, const operand &first, const More &...more) {
  const std::array<named, 1 + sizeof...(More)> list{{{nullptr, first}, asNamed(more)...}};
  const Arguments<1 + sizeof...(More)> arguments(list);
  Made made{0, first.where()};
  check(tw_recorder_call(recorder(), callee, arguments.items.data(), arguments.names.data(), arguments.items.size(),
                         first.place(), &made.number));
  return made;
}
template <typename... More> void effect(const char *callee, const operand &first, const More &...more) {
  const std::array<named, 1 + sizeof...(More)> list{{{nullptr, first}, asNamed(more)...}};
  const Arguments<1 + sizeof...(More)> arguments(list);
  check(tw_recorder_call(recorder(), callee, arguments.items.data(), arguments.names.data(), arguments.items.size(),
                         first.place(), nullptr));
}
} // namespace detail

/// Any function of the language by its name, as tl::call("tl.umulhi", a, b) or
/// tl::call("libdevice.tanh", x).
template <typename... More> value call(const char *function, const operand &first, const More &...more) {
  return detail::call(function, first, more...);
}

#define TILEWISE_TL_FUNCTION(NAME)                                                                                     \
  template <typename... More> value NAME(const operand &first, const More &...more) {                                  \
    return detail::call("tl." #NAME, first, more...);                                                                  \
  }
// Where the second argument may be several in braces.
#define TILEWISE_TL_FUNCTION_OF_SHAPE(NAME)                                                                            \
  template <typename... More> value NAME(const operand &first, const operand &shape, const More &...more) {            \
    return detail::call("tl." #NAME, first, shape, more...);                                                           \
  }
#define TILEWISE_TL_EFFECT(NAME)                                                                                       \
  template <typename... More> void NAME(const operand &first, const More &...more) {                                   \
    detail::effect("tl." #NAME, first, more...);                                                                       \
  }
TILEWISE_TL_FUNCTION(program_id)
TILEWISE_TL_FUNCTION(num_programs)
TILEWISE_TL_FUNCTION(arange)
TILEWISE_TL_FUNCTION(zeros)
TILEWISE_TL_FUNCTION(zeros_like)
TILEWISE_TL_FUNCTION(full)
TILEWISE_TL_FUNCTION(cast)
TILEWISE_TL_FUNCTION(load)
TILEWISE_TL_EFFECT(store)
TILEWISE_TL_FUNCTION(dot)
TILEWISE_TL_FUNCTION(where)
TILEWISE_TL_FUNCTION(exp)
TILEWISE_TL_FUNCTION(exp2)
TILEWISE_TL_FUNCTION(log)
TILEWISE_TL_FUNCTION(log2)
TILEWISE_TL_FUNCTION(sin)
TILEWISE_TL_FUNCTION(cos)
TILEWISE_TL_FUNCTION(sqrt)
TILEWISE_TL_FUNCTION(sqrt_rn)
TILEWISE_TL_FUNCTION(rsqrt)
TILEWISE_TL_FUNCTION(erf)
TILEWISE_TL_FUNCTION(abs)
TILEWISE_TL_FUNCTION(floor)
TILEWISE_TL_FUNCTION(ceil)
TILEWISE_TL_FUNCTION(sigmoid)
TILEWISE_TL_FUNCTION(softmax)
TILEWISE_TL_FUNCTION(maximum)
TILEWISE_TL_FUNCTION(minimum)
TILEWISE_TL_FUNCTION(clamp)
TILEWISE_TL_FUNCTION(fma)
TILEWISE_TL_FUNCTION(fdiv)
TILEWISE_TL_FUNCTION(div_rn)
TILEWISE_TL_FUNCTION(umulhi)
TILEWISE_TL_FUNCTION(cdiv)
TILEWISE_TL_FUNCTION(sum)
TILEWISE_TL_FUNCTION(max)
TILEWISE_TL_FUNCTION(min)
TILEWISE_TL_FUNCTION(argmax)
TILEWISE_TL_FUNCTION(argmin)
TILEWISE_TL_FUNCTION(xor_sum)
TILEWISE_TL_FUNCTION(cumsum)
TILEWISE_TL_FUNCTION(cumprod)
TILEWISE_TL_FUNCTION(sort)
TILEWISE_TL_FUNCTION(flip)
TILEWISE_TL_FUNCTION(histogram)
TILEWISE_TL_FUNCTION(gather)
TILEWISE_TL_FUNCTION(trans)
TILEWISE_TL_FUNCTION(ravel)
TILEWISE_TL_FUNCTION(join)
TILEWISE_TL_FUNCTION(interleave)
TILEWISE_TL_FUNCTION(cat)
TILEWISE_TL_FUNCTION(expand_dims)
TILEWISE_TL_FUNCTION_OF_SHAPE(broadcast_to)
TILEWISE_TL_FUNCTION_OF_SHAPE(reshape)
TILEWISE_TL_FUNCTION_OF_SHAPE(permute)
TILEWISE_TL_FUNCTION_OF_SHAPE(advance)
TILEWISE_TL_FUNCTION_OF_SHAPE(multiple_of)
TILEWISE_TL_FUNCTION_OF_SHAPE(max_contiguous)
TILEWISE_TL_FUNCTION_OF_SHAPE(max_constancy)
TILEWISE_TL_FUNCTION(atomic_add)
TILEWISE_TL_FUNCTION(atomic_max)
TILEWISE_TL_FUNCTION(atomic_min)
TILEWISE_TL_FUNCTION(atomic_and)
TILEWISE_TL_FUNCTION(atomic_or)
TILEWISE_TL_FUNCTION(atomic_xor)
TILEWISE_TL_FUNCTION(atomic_xchg)
TILEWISE_TL_FUNCTION(atomic_cas)
TILEWISE_TL_FUNCTION(rand)
TILEWISE_TL_FUNCTION(randn)
TILEWISE_TL_FUNCTION(randint)
TILEWISE_TL_EFFECT(device_print)
TILEWISE_TL_EFFECT(device_assert)
TILEWISE_TL_EFFECT(static_print)
TILEWISE_TL_EFFECT(assume)
#undef TILEWISE_TL_FUNCTION
#undef TILEWISE_TL_FUNCTION_OF_SHAPE
#undef TILEWISE_TL_EFFECT

/// tl.static_assert, whose name is taken in C++.
template <typename... More> void static_assert_(const operand &condition, const More &...message) {
  detail::effect("tl.static_assert", condition, message...);
}
inline void debug_barrier(std::source_location where = std::source_location::current()) {
  detail::check(
      tw_recorder_call(detail::recorder(), "tl.debug_barrier", nullptr, nullptr, 0, detail::place(where), nullptr));
}
template <typename... More>
value make_block_ptr(const operand &base, const operand &shape, const operand &strides, const operand &offsets,
                     const operand &block_shape, const operand &order) {
  return detail::call("tl.make_block_ptr", base, shape, strides, offsets, block_shape, order);
}
inline value make_tensor_descriptor(const operand &base, const operand &shape, const operand &strides,
                                    const operand &block_shape) {
  return detail::call("tl.make_tensor_descriptor", base, shape, strides, block_shape);
}

/// a // b, which C++ has no operator for: its / is the language's, a quotient of floats.
inline value floordiv(const operand &a, const operand &b) { return detail::apply("//", a, b); }
/// a ** b, of constants.
inline value pow(const operand &a, const operand &b) { return detail::apply("**", a, b); }
/// `a if condition else b`, decided when the kernel is compiled.
inline value choose(const operand &condition, const operand &a, const operand &b) {
  return detail::apply("if", condition, a, b);
}

/// The parts of a result that is a tuple: auto [top, where] = tl::unpack<2>(tl::max(x, 0,
/// tl::return_indices = true)).
template <std::size_t Count> std::array<value, Count> unpack(const value &tuple) {
  return [&]<std::size_t... Part>(std::index_sequence<Part...>) {
    return std::array<value, Count>{{tuple[int(Part)]...}};
  }(std::make_index_sequence<Count>());
}
inline std::array<value, 2> split(const operand &x) { return unpack<2>(detail::call("tl.split", x)); }

namespace detail {
/// A C++ function of Count values as a function of the language.
template <std::size_t Count, typename Function> Made function(const Function &body, const std::source_location &where) {
  std::array<std::uint32_t, Count> parameters{};
  Made made{0, where};
  check(tw_recorder_function(recorder(), Count, parameters.data(), place(where), &made.number));
  auto result = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return body(value(Made{parameters[I], where})...);
  }(std::make_index_sequence<Count>());
  std::vector<tw_item> items;
  if constexpr (std::is_base_of_v<value, decltype(result)>)
    items.push_back(operand(result).item());
  else
    for (const value &each : result)
      items.push_back(operand(each).item());
  check(tw_recorder_return(recorder(), items.data(), items.size(), place(where)));
  check(tw_recorder_end(recorder()));
  return made;
}
} // namespace detail

/// Along an axis (tl::none: all of x) by any function that takes two values to one:
/// tl::reduce(x, 0, [](tl::value a, tl::value b) { return tl::maximum(a, b); }). The function uses
/// its parameters only.
template <typename Function, typename... More>
value reduce(const operand &x, const operand &axis, const Function &combine, const More &...more) {
  return detail::call("tl.reduce", x, axis, value(detail::function<2>(combine, x.where())), more...);
}
template <typename Function, typename... More>
value associative_scan(const operand &x, const operand &axis, const Function &combine, const More &...more) {
  return detail::call("tl.associative_scan", x, axis, value(detail::function<2>(combine, x.where())), more...);
}
/// Of several at once: the function takes (a0, a1, ..., b0, b1, ...) to a std::array.
template <std::size_t Count, typename Function>
std::array<value, Count> reduce_all(const operand &several, const operand &axis, const Function &combine) {
  return unpack<Count>(
      detail::call("tl.reduce", several, axis, value(detail::function<2 * Count>(combine, several.where()))));
}
template <std::size_t Count, typename Function>
std::array<value, Count> scan_all(const operand &several, const operand &axis, const Function &combine) {
  return unpack<Count>(
      detail::call("tl.associative_scan", several, axis, value(detail::function<2 * Count>(combine, several.where()))));
}

} // namespace tl
} // namespace api
} // namespace tilewise

#endif
