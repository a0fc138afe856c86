// Errors and warnings at the user's line: collected while a kernel is compiled, rendered with the
// line and a caret.
//
//     softmax.py:14:16: error: tl.dot needs both operands of rank 2, got shape [64]
//       14 |     y = tl.dot(row, w)
//          |                ^~~
//     note: 'row' is fp32[64], assigned here: softmax.py:11:5
#pragma once

#include "support/Error.h"
#include "support/SourceLoc.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewise {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceLoc loc;
  std::string message;
  std::vector<Diagnostic> notes = {};
  MessageCode code = MessageCode::None;
};

class Diagnostics {
public:
  /// The returned reference is good until the next report; notes are added through it.
  Diagnostic &error(SourceLoc loc, std::string message) { return report(Severity::Error, loc, std::move(message)); }
  Diagnostic &warning(SourceLoc loc, std::string message) { return report(Severity::Warning, loc, std::move(message)); }

  /// A message that is no complaint, as of tl.static_print.
  Diagnostic &note(SourceLoc loc, std::string message) { return report(Severity::Note, loc, std::move(message)); }
  /// The latest report; there is one.
  Diagnostic &last() { return diagnostics_.back(); }

  bool hasErrors() const { return errorCount_ != 0; }
  size_t errorCount() const { return errorCount_; }
  const std::vector<Diagnostic> &all() const { return diagnostics_; }
  /// Adds a note to the first error; there is one.
  void addToFirstError(Diagnostic note);
  /// Makes errors of the warnings; true when there were any.
  bool promoteWarnings();

  /// Keeps a file alive that only diagnostics refer to.
  const SourceFile *keep(std::shared_ptr<const SourceFile> file) { return files_.emplace_back(std::move(file)).get(); }

  /// All diagnostics as a person reads them, each ended by a line end.
  std::string render() const;

private:
  Diagnostic &report(Severity severity, SourceLoc loc, std::string message);

  std::vector<Diagnostic> diagnostics_;
  std::vector<std::shared_ptr<const SourceFile>> files_;
  size_t errorCount_ = 0;
};

void renderDiagnostic(const Diagnostic &diagnostic, llvm::raw_ostream &os);

} // namespace tilewise
