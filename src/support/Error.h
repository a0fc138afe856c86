// The three kinds of failure, and a value-or-failure to return them in. Only src/api turns them
// into exceptions.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tilewise {

enum class ErrorKind {
  Kernel,   ///< The kernel's text is wrong: what a compiler reports.
  Launch,   ///< The launch is wrong: arguments, grid, device, memory.
  Internal, ///< Ours: a stage broke its contract.
};

/// What a message says, for those that choose by it: texts are for people. As tw_message_code of
/// tilewise/report.h has it.
enum class MessageCode : uint32_t {
  None = 0,
  /// A note: where the function was called that the error, or the call before, is in.
  Call = 1,
  Library = 2,         ///< A note: where in the standard library an error came from.
  StaticAssertion = 3, ///< tl.static_assert failed.
  NotInLanguage = 4,   ///< Python that is not part of the kernel language.
  UndefinedName = 5,
  NotYet = 6, ///< A name of the language that is not there yet.
  /// Between rooms only: code with tensor maps cannot serve these arguments, code without can.
  NeedsPlainCopies = 100,
};

struct Failure {
  ErrorKind kind = ErrorKind::Internal;
  std::string message;
  MessageCode code = MessageCode::None;
};

inline Failure kernelFailure(std::string message, MessageCode code = MessageCode::None) {
  return {ErrorKind::Kernel, std::move(message), code};
}
inline Failure launchFailure(std::string message) { return {ErrorKind::Launch, std::move(message)}; }
inline Failure internalFailure(std::string message) { return {ErrorKind::Internal, std::move(message)}; }

/// A T, or why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Failure failure) : state_(std::move(failure)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() { return std::get<0>(state_); }
  const T &operator*() const { return std::get<0>(state_); }
  T *operator->() { return &std::get<0>(state_); }
  const Failure &failure() const { return std::get<1>(state_); }
  Failure &&takeFailure() { return std::move(std::get<1>(state_)); }

private:
  std::variant<T, Failure> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Failure failure) : failure_(std::move(failure)) {}

  explicit operator bool() const { return !failure_; }
  const Failure &failure() const { return *failure_; }
  Failure &&takeFailure() { return std::move(*failure_); }

private:
  std::optional<Failure> failure_;
};

} // namespace tilewise
