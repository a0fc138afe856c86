// The lines of a piece of machine code, read from the table that LLVM put beside it (DWARF 4,
// section .debug_line). Nothing is allocated and nothing prepared: the one who asks is the handler
// of a fault, once in the life of a process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewise {

/// The bytes of .debug_line, as in a relocatable object: addresses in it count from the start of
/// the code's section.
struct DwarfLines {
  const char *bytes = nullptr;
  size_t size = 0;
};

struct CodePlace {
  /// Point into the table; a folder ends without a slash, and may be empty.
  const char *folder = "", *file = nullptr;
  unsigned line = 0, column = 0;
};

/// Where the instruction at an offset from the start of the section comes from; no line when the
/// table does not say. Safe in a signal handler.
CodePlace placeAt(const DwarfLines &lines, uint64_t offset);

} // namespace tilewise
