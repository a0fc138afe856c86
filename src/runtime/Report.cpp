// Diagnostics -> entries without pointers into source texts.
#include "runtime/Report.h"

namespace tilewise {

std::vector<ReportEntry> &latestReport() {
  static thread_local std::vector<ReportEntry> report;
  return report;
}

static ReportEntry entryOf(const Diagnostic &diagnostic) {
  ReportEntry entry;
  entry.severity = diagnostic.severity;
  entry.message = diagnostic.message;
  entry.code = diagnostic.code;
  if (diagnostic.loc && diagnostic.loc.file) {
    entry.file = diagnostic.loc.file->path().str();
    entry.line = diagnostic.loc.line;
    entry.column = diagnostic.loc.column;
    entry.length = diagnostic.loc.length;
  }
  entry.notes = uint32_t(diagnostic.notes.size());
  return entry;
}

void keepReport(const Diagnostics &diagnostics) {
  latestReport().clear();
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    latestReport().push_back(entryOf(diagnostic));
    for (const Diagnostic &note : diagnostic.notes)
      latestReport().push_back(entryOf(note));
  }
}

} // namespace tilewise
