// Kernels written in C++: the language of kernel files, as C++ functions over tl::value.
//
//     #include <tilewise/jit.hpp>
//     namespace tl = tilewise::tl;
//
//     auto add = tilewise::jit("add", {"x", "y", "z", "n", "BLOCK"},
//         [](tl::ptr<float> x, tl::ptr<float> y, tl::ptr<float> z, tl::i32 n, tl::constexpr_ BLOCK) {
//           auto at = tl::program_id(0) * BLOCK + tl::arange(0, BLOCK);
//           auto inside = at < n;
//           tl::store(z + at, tl::load(x + at, inside) + tl::load(y + at, inside), inside);
//         });
//     add[tilewise::cdiv(n, 1024)](x, y, z, n, 1024);
//
// The function runs once, when tilewise::jit is called, and tells what the kernel does; compiling
// waits for the first launch, as ever, and messages point to the lines of the C++ file. C++ around
// the values, as `for` and `if` over numbers of C++, works as a macro would. docs/cpp-kernels.md is
// the guide. Needs C++20.
#ifndef TILEWISE_JIT_HPP
#define TILEWISE_JIT_HPP

#include "jit/control.hpp"
#include "tilewise.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>

namespace tilewise {
inline namespace api {
namespace detail {

/// What the parameters of a function are.
template <typename Function> struct ParametersOf : ParametersOf<decltype(&Function::operator())> {};
template <typename Result, typename... Given> struct ParametersOf<Result (*)(Given...)> {
  static_assert(std::is_void_v<Result>, "a kernel returns nothing: it stores its results");
  using Types = std::tuple<std::decay_t<Given>...>;
};
template <typename Result, typename Class, typename... Given>
struct ParametersOf<Result (Class::*)(Given...) const> : ParametersOf<Result (*)(Given...)> {};
template <typename Result, typename Class, typename... Given>
struct ParametersOf<Result (Class::*)(Given...)> : ParametersOf<Result (*)(Given...)> {};

template <typename T> struct AnnotationOf {
  static_assert(std::is_same_v<T, tl::value>, "a kernel's parameters are tl::ptr<T>, tl::num<T> (tl::i32, tl::f32, "
                                              "...), tl::constexpr_, or tl::value for any type");
  static std::string text() { return ""; }
};
template <> struct AnnotationOf<tl::constexpr_> {
  static std::string text() { return "constexpr"; }
};
template <typename T> struct AnnotationOf<tl::ptr<T>> {
  static std::string text() {
    return (std::is_const_v<T> ? "*k" : "*") + tilewise::name(dtypeOf<std::remove_const_t<T>>());
  }
};
template <typename T> struct AnnotationOf<tl::num<T>> {
  static std::string text() { return tilewise::name(dtypeOf<T>()); }
};

} // namespace detail

/// A kernel that was written in C++: as a kernel, and as the text that a kernel file would have.
class Recording {
public:
  Kernel kernel() const {
    tw_source *source = nullptr;
    detail::check(tw_recorder_finish(recorder_.get(), &source));
    return Source::adopt(source).kernel(name_);
  }
  std::string text() const {
    char *text = nullptr;
    detail::check(tw_recorder_text(recorder_.get(), &text));
    return detail::take(text);
  }

  template <typename Function, std::size_t Count>
  Recording(const char *name, const char *const (&parameters)[Count], const Function &body,
            const std::source_location &where)
      : name_(name) {
    using Types = typename detail::ParametersOf<std::decay_t<Function>>::Types;
    static_assert(std::tuple_size_v<Types> == Count, "one name for each parameter of the function");
    tw_recorder *made = nullptr;
    detail::check(tw_recorder_create(name, tl::detail::place(where), &made));
    recorder_.reset(made);
    const Scope scope(made);
    run<Types>(parameters, body, where, std::make_index_sequence<Count>());
    if (tl::detail::session().leftLoop)
      throw KernelError(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": error: the kernel '" +
                        name +
                        "' leaves a tl::range loop by break or return, which C++ does while it is recorded, not the "
                        "kernel while it runs; use tl::while_, or tl::if_ around what follows");
  }

private:
  /// This thread records into `recorder` while it lives.
  struct Scope {
    explicit Scope(tw_recorder *recorder) : before(tl::detail::session()) {
      static thread_local std::uint64_t latest = 0;
      tl::detail::session() = {recorder, ++latest, false};
    }
    ~Scope() { tl::detail::session() = before; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    tl::detail::Session before;
  };

  template <typename Types, std::size_t Count, typename Function, std::size_t... I>
  void run(const char *const (&names)[Count], const Function &body, const std::source_location &where,
           std::index_sequence<I...>) {
    const std::array<tl::detail::Made, Count> made{{parameter<std::tuple_element_t<I, Types>>(names[I], where)...}};
    body(std::tuple_element_t<I, Types>(made[I])...);
  }
  template <typename T> tl::detail::Made parameter(const char *name, const std::source_location &where) {
    tl::detail::Made made{0, where};
    detail::check(tw_recorder_parameter(recorder_.get(), name, detail::AnnotationOf<T>::text().c_str(),
                                        tl::detail::place(where), &made.number));
    return made;
  }

  std::string name_;
  std::unique_ptr<tw_recorder, void (*)(tw_recorder *)> recorder_{nullptr, tw_recorder_destroy};
};

/// Records a kernel: its name, the names of its parameters, and the function.
template <typename Function, std::size_t Count>
Recording record(const char *name, const char *const (&parameters)[Count], const Function &body,
                 std::source_location where = std::source_location::current()) {
  return Recording(name, parameters, body, where);
}
/// The same, as a kernel to launch.
template <typename Function, std::size_t Count>
Kernel jit(const char *name, const char *const (&parameters)[Count], const Function &body,
           std::source_location where = std::source_location::current()) {
  return Recording(name, parameters, body, where).kernel();
}

} // namespace api
} // namespace tilewise

#endif
