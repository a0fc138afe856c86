// Loops and branches of kernels that are written in C++; jit.hpp includes this.
#ifndef TILEWISE_JIT_CONTROL_HPP
#define TILEWISE_JIT_CONTROL_HPP

#include "language.hpp"

#include <array>
#include <exception>
#include <source_location>

namespace tilewise {
inline namespace api {
namespace tl {

namespace detail {
/// What `for (auto i : tl::range(...))` runs over: its body once, which records the loop.
class Loop {
public:
  template <typename... More> Loop(const char *callee, const operand &first, const More &...more) {
    const std::array<named, 1 + sizeof...(More)> list{{{nullptr, first}, asNamed(more)...}};
    const Arguments<1 + sizeof...(More)> arguments(list);
    index_.where = first.where();
    check(tw_recorder_for(recorder(), callee, arguments.items.data(), arguments.names.data(), arguments.items.size(),
                          first.place(), &index_.number));
  }
  Loop(const Loop &) = delete;
  Loop &operator=(const Loop &) = delete;
  // `break` and `return` come here without the loop's end.
  ~Loop() {
    if (isOpen_ && std::uncaught_exceptions() == exceptions_)
      session().leftLoop = true;
  }

  struct End {};
  class Iterator {
  public:
    explicit Iterator(Loop &loop) : loop_(&loop) {}
    value operator*() const { return loop_->index_; }
    Iterator &operator++() {
      isDone_ = true;
      return *this;
    }
    bool operator!=(End) {
      if (isDone_)
        loop_->close();
      return !isDone_;
    }

  private:
    Loop *loop_;
    bool isDone_ = false;
  };
  Iterator begin() { return Iterator(*this); }
  End end() const { return {}; }

private:
  void close() {
    isOpen_ = false;
    check(tw_recorder_end(recorder()));
  }

  Made index_{};
  bool isOpen_ = true;
  int exceptions_ = std::uncaught_exceptions();
};
} // namespace detail

/// for (auto k : tl::range(0, K, BLOCK)): a loop of the kernel. Variables from outside that its
/// body assigns to are carried from one round to the next. There is no `break` in it.
template <typename... More> detail::Loop range(const operand &first, const More &...more) {
  return detail::Loop("tl.range", first, more...);
}
/// The same, unrolled when the kernel is compiled: its bounds are constants.
template <typename... More> detail::Loop static_range(const operand &first, const More &...more) {
  return detail::Loop("tl.static_range", first, more...);
}

/// A branch of the kernel; where the condition is a constant, only the branch that is taken is
/// compiled. Both functions are called once, to record them.
template <typename Then> void if_(const operand &condition, const Then &then) {
  const tw_item item = condition.item();
  detail::check(tw_recorder_if(detail::recorder(), &item, condition.place()));
  then();
  detail::check(tw_recorder_end(detail::recorder()));
}
template <typename Then, typename Else> void if_(const operand &condition, const Then &then, const Else &otherwise) {
  if_(condition, then);
  detail::check(tw_recorder_else(detail::recorder(), condition.place()));
  otherwise();
  detail::check(tw_recorder_end(detail::recorder()));
}

/// While what `condition` returns is true: tl::while_([&] { return x > 0; }, [&] { x -= 1; }). The
/// condition is called twice, since it is asked before the loop and at the end of each round.
template <typename Condition, typename Body>
void while_(const Condition &condition, const Body &body,
            std::source_location where = std::source_location::current()) {
  value goesOn = condition();
  const tw_item item = operand(goesOn, where).item();
  detail::check(tw_recorder_while(detail::recorder(), &item, detail::place(where)));
  body();
  goesOn = value(condition());
  detail::check(tw_recorder_end(detail::recorder()));
}

} // namespace tl
} // namespace api
} // namespace tilewise

#endif
