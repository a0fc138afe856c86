// The three kinds of failure, and a value-or-failure to return them in. Only src/api turns them into exceptions.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cassert>
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

struct Failure {
  ErrorKind kind = ErrorKind::Internal;
  std::string message;
};

inline Failure kernelFailure(std::string message) { return {ErrorKind::Kernel, std::move(message)}; }
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
