// Diagnostics -> text with the user's line and a caret.
#include "support/Diagnostics.h"

#include "llvm/Support/Format.h"

namespace tilewise {

Diagnostic &Diagnostics::report(Severity severity, SourceLoc loc, std::string message) {
  errorCount_ += severity == Severity::Error;
  diagnostics_.push_back({severity, loc, std::move(message), {}});
  return diagnostics_.back();
}

void Diagnostics::addToFirstError(Diagnostic note) {
  for (Diagnostic &diagnostic : diagnostics_)
    if (diagnostic.severity == Severity::Error) {
      diagnostic.notes.push_back(std::move(note));
      return;
    }
}

bool Diagnostics::promoteWarnings() {
  size_t before = errorCount_;
  for (Diagnostic &diagnostic : diagnostics_)
    if (diagnostic.severity == Severity::Warning) {
      diagnostic.severity = Severity::Error;
      ++errorCount_;
    }
  return errorCount_ != before;
}

static llvm::StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  return "error";
}

static void renderPlace(SourceLoc loc, llvm::raw_ostream &os) {
  os << (loc.file ? loc.file->path() : "<unknown>") << ':' << loc.line << ':' << loc.column;
}

/// The user's line and a caret under the column, which counts bytes, then waves under the rest of
/// what is meant, as far as it is on this line; tabs are kept and a character of UTF-8 is one place
/// wide, so that the caret lines up.
static void renderExcerpt(SourceLoc loc, llvm::raw_ostream &os) {
  llvm::StringRef line = loc.file->line(loc.line);
  os << llvm::format("%5u | ", loc.line) << line << "\n      | ";
  for (uint32_t i = 1; i < loc.column && i <= line.size(); ++i)
    if ((line[i - 1] & 0xC0) != 0x80)
      os << (line[i - 1] == '\t' ? '\t' : ' ');
  os << '^';
  size_t end = std::min<size_t>(line.size(), loc.column - 1 + loc.length);
  for (size_t i = loc.column; i < end; ++i)
    if ((line[i] & 0xC0) != 0x80)
      os << '~';
  os << '\n';
}

void renderDiagnostic(const Diagnostic &diagnostic, llvm::raw_ostream &os) {
  bool placed = bool(diagnostic.loc);
  if (diagnostic.severity == Severity::Note) {
    os << "note: " << diagnostic.message;
    if (placed) {
      os << ": ";
      renderPlace(diagnostic.loc, os);
    }
    os << '\n';
  } else {
    if (placed) {
      renderPlace(diagnostic.loc, os);
      os << ": ";
    }
    os << nameOf(diagnostic.severity) << ": " << diagnostic.message << '\n';
    if (placed && diagnostic.loc.file && !diagnostic.loc.file->text().empty())
      renderExcerpt(diagnostic.loc, os);
  }
  for (const Diagnostic &note : diagnostic.notes)
    renderDiagnostic(note, os);
}

std::string Diagnostics::render() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Diagnostic &diagnostic : diagnostics_)
    renderDiagnostic(diagnostic, os);
  return text;
}

} // namespace tilewise
