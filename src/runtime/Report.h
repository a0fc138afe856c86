// What a failed compile found, piece by piece, for hosts that make errors of their own out of it.
#pragma once

#include "support/Diagnostics.h"

namespace tilewise {

/// A diagnostic that outlives the text it is about.
struct ReportEntry {
  Severity severity = Severity::Error;
  MessageCode code = MessageCode::None;
  std::string message, file; ///< No file: the message is about no place.
  uint32_t line = 0, column = 0, length = 0;
  uint32_t notes = 0; ///< How many of the entries that follow are its notes.
};

/// Of the calling thread: the errors of its latest compile that failed, each followed by its notes.
std::vector<ReportEntry> &latestReport();
/// Keeps the errors among these.
void keepReport(const Diagnostics &diagnostics);

} // namespace tilewise
