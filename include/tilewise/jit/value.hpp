// Values of kernels that are written in C++, and their operators; jit.hpp includes this.
//
// A tl::value is a variable of the kernel. Its operators compute nothing: they tell the recorder
// what the kernel does, and where in the C++ text that is written.
#ifndef TILEWISE_JIT_VALUE_HPP
#define TILEWISE_JIT_VALUE_HPP

#if __cplusplus < 202002L
#error "kernels written in C++ need C++20, whose std::source_location tells their lines: compile with -std=c++20"
#endif

#include "../device.hpp"
#include "../error.hpp"
#include "../record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api {
namespace tl {

class value;

namespace detail {
using tilewise::detail::check;

/// The kernel that this thread is recording.
struct Session {
  tw_recorder *recorder = nullptr;
  std::uint64_t number = 0; ///< Of this recording, so that values of another are noticed.
  bool leftLoop = false;    ///< C++ left a loop by `break` or `return`.
};
inline Session &session() {
  static thread_local Session current;
  return current;
}
inline tw_recorder *recorder() {
  if (!session().recorder)
    throw LaunchError("a tl:: operation outside of a kernel: it has a meaning only while tilewise::jit records one");
  return session().recorder;
}

inline tw_place place(const std::source_location &where) { return {where.file_name(), where.line(), where.column()}; }
} // namespace detail

/// A type of the language: tl::float16.
struct dtype {
  const char *name;
};
inline constexpr dtype int1{"tl.int1"}, int8{"tl.int8"}, int16{"tl.int16"}, int32{"tl.int32"}, int64{"tl.int64"},
    uint8{"tl.uint8"}, uint16{"tl.uint16"}, uint32{"tl.uint32"}, uint64{"tl.uint64"}, float16{"tl.float16"},
    bfloat16{"tl.bfloat16"}, float32{"tl.float32"}, float64{"tl.float64"}, float8e4nv{"tl.float8e4nv"},
    float8e5{"tl.float8e5"};

/// In x[{tl::all, tl::none}], which is x[:, None]: a whole dimension, and a new one.
struct all_t {};
struct none_t {};
inline constexpr all_t all{};
inline constexpr none_t none{};

/// What an operation takes: a value, a number, a truth, a type, a string, or several of these in
/// braces. It notes where it was written.
class operand {
public:
  using Where = std::source_location;

  operand(const value &from, Where where = Where::current());
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  operand(T number, Where where = Where::current()) : where_(where) {
    if constexpr (std::is_same_v<T, bool>)
      item_.kind = TW_ITEM_BOOL, item_.integer = number;
    else if constexpr (std::is_floating_point_v<T>)
      item_.kind = TW_ITEM_FLOAT, item_.number = double(number);
    else
      item_.kind = std::is_unsigned_v<T> ? TW_ITEM_UINT : TW_ITEM_INT, item_.integer = std::int64_t(number);
  }
  operand(dtype type, Where where = Where::current()) : where_(where) {
    item_.kind = TW_ITEM_NAME, item_.text = type.name;
  }
  /// The string outlives the operation.
  operand(const char *text, Where where = Where::current()) : where_(where) {
    item_.kind = TW_ITEM_TEXT, item_.text = text;
  }
  operand(const std::string &text, Where where = Where::current()) : operand(text.c_str(), where) {}
  operand(all_t, Where where = Where::current()) : where_(where) { item_.kind = TW_ITEM_SLICE; }
  operand(none_t, Where where = Where::current()) : where_(where) { item_.kind = TW_ITEM_NONE; }
  operand(std::initializer_list<operand> parts, Where where = Where::current())
      : where_(where), parts_(parts.begin(), parts.end()) {
    for (const operand &part : parts_)
      items_.push_back(part.item());
    item_.kind = TW_ITEM_TUPLE, item_.count = items_.size();
  }

  tw_item item() const {
    tw_item made = item_;
    made.items = items_.data();
    return made;
  }
  const std::vector<tw_item> &items() const { return items_; }
  bool isTuple() const { return item_.kind == TW_ITEM_TUPLE; }
  const Where &where() const { return where_; }
  tw_place place() const { return detail::place(where_); }

private:
  tw_item item_ = {};
  Where where_;
  std::vector<operand> parts_;
  std::vector<tw_item> items_; ///< Of the parts.
};

namespace detail {
/// A value that the recorder gave out, to be taken over by a tl::value.
struct Made {
  std::uint32_t number;
  std::source_location where;
};
inline Made apply(const char *spelling, const tw_item *items, std::size_t count, const std::source_location &where) {
  Made made{0, where};
  check(tw_recorder_operator(recorder(), spelling, items, count, place(where), &made.number));
  return made;
}
template <typename... Operands> Made apply(const char *spelling, const operand &first, const Operands &...more) {
  const tw_item items[] = {first.item(), more.item()...};
  return apply(spelling, items, 1 + sizeof...(more), first.where());
}
} // namespace detail

/// A variable of the kernel: a number, a pointer, or a block of either. Copying it makes another
/// variable; assigning to it changes it from there on, in loops and branches as well.
class value {
public:
  value(detail::Made made) : number_(made.number), session_(detail::session().number), where_(made.where) {}
  value(const value &other) : value(detail::apply("=", operand(other, other.where_))) {}
  value(value &&other) = default;
  /// A variable that starts as a number, a truth or a type.
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, tl::dtype>, int> = 0>
  value(T start, std::source_location where = std::source_location::current())
      : value(detail::apply("=", operand(start, where))) {}

  value &operator=(const value &other) { return assign(operand(other, other.where_), false); }
  value &operator=(value &&other) { return assign(operand(other, other.where_), true); }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> value &operator=(T number) {
    return assign(operand(number, where_), false);
  }

  value &operator+=(const operand &other) { return update("+", other); }
  value &operator-=(const operand &other) { return update("-", other); }
  value &operator*=(const operand &other) { return update("*", other); }
  value &operator/=(const operand &other) { return update("/", other); }
  value &operator%=(const operand &other) { return update("%", other); }
  value &operator&=(const operand &other) { return update("&", other); }
  value &operator|=(const operand &other) { return update("|", other); }
  value &operator^=(const operand &other) { return update("^", other); }
  value &operator<<=(const operand &other) { return update("<<", other); }
  value &operator>>=(const operand &other) { return update(">>", other); }

  /// x[{tl::all, tl::none}] is x[:, None]; x[i] is a part of a tuple.
  value operator[](const operand &index) const {
    std::vector<tw_item> items{operand(*this, where_).item()};
    if (index.isTuple())
      items.insert(items.end(), index.items().begin(), index.items().end());
    else
      items.push_back(index.item());
    return detail::apply("[]", items.data(), items.size(), index.where());
  }

  /// As another type.
  value to(const operand &type) const { return method(".to", type); }
  /// Its type, and the type of what a pointer points to; known when the kernel is compiled.
  value dtype(std::source_location where = std::source_location::current()) const { return attribute("dtype", where); }
  value element_type(std::source_location where = std::source_location::current()) const {
    return attribute("dtype.element_ty", where);
  }
  /// Of a tensor descriptor.
  value load(const operand &offsets) const { return method(".load", offsets); }
  void store(const operand &offsets, const operand &what) const {
    const tw_item items[] = {operand(*this, where_).item(), offsets.item(), what.item()};
    detail::check(tw_recorder_call(detail::recorder(), ".store", items, nullptr, 3, offsets.place(), nullptr));
  }

  /// C++ cannot branch on what is known only when the kernel runs: tl::if_, tl::while_, tl::where.
  explicit operator bool() const = delete;

  /// Its number in the recording.
  std::uint32_t number() const {
    if (session_ != detail::session().number || !detail::session().recorder)
      throw LaunchError("a value of one kernel is used in another, or after its end");
    return number_;
  }

private:
  value &assign(const operand &from, bool isTemporary) {
    const tw_item item = from.item();
    detail::check(tw_recorder_assign(detail::recorder(), number(), &item, isTemporary, from.place()));
    where_ = from.where();
    return *this;
  }
  value &update(const char *spelling, const operand &other) {
    return *this = value(detail::apply(spelling, operand(*this, other.where()), other));
  }
  value method(const char *name, const operand &argument) const {
    const tw_item items[] = {operand(*this, where_).item(), argument.item()};
    detail::Made made{0, argument.where()};
    detail::check(tw_recorder_call(detail::recorder(), name, items, nullptr, 2, argument.place(), &made.number));
    return made;
  }
  value attribute(const char *name, const std::source_location &where) const {
    tw_item attribute = {};
    attribute.kind = TW_ITEM_NAME;
    attribute.text = name;
    const tw_item items[] = {operand(*this, where).item(), attribute};
    return detail::apply(".", items, 2, where);
  }

  std::uint32_t number_;
  std::uint64_t session_;
  std::source_location where_;
};

inline operand::operand(const value &from, Where where) : where_(where) {
  item_.kind = TW_ITEM_VALUE, item_.value = from.number();
}

#define TILEWISE_TL_BINARY(SPELLING, IN_KERNEL)                                                                        \
  inline value operator SPELLING(const operand &a, const operand &b) { return detail::apply(IN_KERNEL, a, b); }
TILEWISE_TL_BINARY(+, "+")
TILEWISE_TL_BINARY(-, "-")
TILEWISE_TL_BINARY(*, "*")
TILEWISE_TL_BINARY(/, "/")
TILEWISE_TL_BINARY(%, "%")
TILEWISE_TL_BINARY(&, "&")
TILEWISE_TL_BINARY(|, "|")
TILEWISE_TL_BINARY(^, "^")
TILEWISE_TL_BINARY(<<, "<<")
TILEWISE_TL_BINARY(>>, ">>")
TILEWISE_TL_BINARY(<, "<")
TILEWISE_TL_BINARY(<=, "<=")
TILEWISE_TL_BINARY(>, ">")
TILEWISE_TL_BINARY(>=, ">=")
TILEWISE_TL_BINARY(==, "==")
TILEWISE_TL_BINARY(!=, "!=")
TILEWISE_TL_BINARY(&&, "and")
TILEWISE_TL_BINARY(||, "or")
#undef TILEWISE_TL_BINARY
inline value operator-(const operand &a) { return detail::apply("-", a); }
inline value operator~(const operand &a) { return detail::apply("~", a); }
inline value operator!(const operand &a) { return detail::apply("not", a); }

/// Parameters of a kernel: a pointer to T (const T: read only), a number of type T, a constant of
/// the compile; tl::value is one of any type.
template <typename T> class ptr : public value {
public:
  using value::value;
  using value::operator=;
};
template <typename T> class num : public value {
public:
  using value::value;
  using value::operator=;
};
class constexpr_ : public value {
public:
  using value::value;
  using value::operator=;
};
using i32 = num<std::int32_t>;
using i64 = num<std::int64_t>;
using f32 = num<float>;
using f64 = num<double>;

} // namespace tl
} // namespace api
} // namespace tilewise

#endif
