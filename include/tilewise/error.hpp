// The exceptions of the C++ interface, with the compiler's report piece by piece; tensor.hpp
// includes this.
#ifndef TILEWISE_ERROR_HPP
#define TILEWISE_ERROR_HPP

#include "report.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {
// Inline, so that these names never meet those inside the library when both are linked into one
// program, as its own tests do.
inline namespace api {

/// Whatever Tilewise throws.
class Error : public std::runtime_error {
public:
  /// One message of the compiler: a place in the kernel's text, what is wrong there, and the notes
  /// that belong to it.
  struct Diagnostic {
    enum class Severity { Error = TW_SEVERITY_ERROR, Warning = TW_SEVERITY_WARNING, Note = TW_SEVERITY_NOTE };
    /// What a message is about, for programs that choose by it: see tw_message_code.
    enum class Code : std::uint32_t {
      Plain = TW_MESSAGE_PLAIN,
      Call = TW_MESSAGE_CALL,
      Library = TW_MESSAGE_LIBRARY,
      StaticAssertion = TW_MESSAGE_STATIC_ASSERTION,
      NotInLanguage = TW_MESSAGE_NOT_IN_LANGUAGE,
      UndefinedName = TW_MESSAGE_UNDEFINED_NAME,
      NotYet = TW_MESSAGE_NOT_YET,
    };

    Severity severity = Severity::Error;
    Code code = Code::Plain;
    std::string message; ///< Without place and excerpt.
    std::string file;    ///< Empty when it is about no place.
    /// Counted from 1; columns and lengths are in bytes.
    std::uint32_t line = 0, column = 0, length = 0;
    std::vector<Diagnostic> notes;
  };

  explicit Error(const std::string &message, std::vector<Diagnostic> diagnostics = {})
      : std::runtime_error(message),
        diagnostics_(std::make_shared<const std::vector<Diagnostic>>(std::move(diagnostics))) {}
  /// The compiler's errors behind what(), each with its notes; none where the failure is about no
  /// text.
  const std::vector<Diagnostic> &diagnostics() const { return *diagnostics_; }

private:
  // Shared: copying an exception must not throw.
  std::shared_ptr<const std::vector<Diagnostic>> diagnostics_;
};
/// The kernel's text is wrong, whatever it is launched with: a compiler's message with file, line
/// and column.
class KernelError : public Error {
  using Error::Error;
};
/// The call is wrong: arguments, grid, device, memory, a file that is not there. Where the kernel
/// would compile for arguments of other types or constants of other values, the message names
/// those, and goes on with the compiler's.
class LaunchError : public Error {
  using Error::Error;
};
/// A fault of Tilewise.
class InternalError : public Error {
  using Error::Error;
};

namespace detail {

inline Error::Diagnostic toDiagnostic(const tw_diagnostic &from) {
  Error::Diagnostic made;
  made.severity = Error::Diagnostic::Severity(from.severity);
  made.code = Error::Diagnostic::Code(from.code);
  made.message = from.message;
  made.file = from.file;
  made.line = from.line;
  made.column = from.column;
  made.length = from.length;
  return made;
}

/// The report of this thread's latest failure.
inline std::vector<Error::Diagnostic> lastDiagnostics() {
  std::vector<Error::Diagnostic> list;
  for (std::size_t i = 0; i < tw_last_diagnostic_count();) {
    const tw_diagnostic error = tw_last_diagnostic(i++);
    list.push_back(toDiagnostic(error));
    for (std::uint32_t note = 0; note < error.notes; ++note)
      list.back().notes.push_back(toDiagnostic(tw_last_diagnostic(i++)));
  }
  return list;
}

[[noreturn]] inline void raise(tw_status status, const char *message) {
  switch (status) {
  case TW_ERROR_KERNEL:
    throw KernelError(message, lastDiagnostics());
  case TW_ERROR_LAUNCH:
    throw LaunchError(message, lastDiagnostics());
  default:
    throw InternalError(message);
  }
}

/// What a callback of the host threw in a launch of this thread: its executor, or what it asks now
/// and then.
inline std::exception_ptr &callbackException() {
  static thread_local std::exception_ptr exception;
  return exception;
}

inline void check(tw_status status) {
  if (status == TW_OK)
    return;
  if (callbackException())
    std::rethrow_exception(std::exchange(callbackException(), nullptr));
  raise(status, tw_last_error());
}

/// A text that the C interface returned, as a string of our own.
inline std::string take(char *text) {
  std::unique_ptr<char, void (*)(void *)> owned(text, tw_free);
  return std::string(owned.get());
}

} // namespace detail
} // namespace api
} // namespace tilewise

#endif
