// The line program of DWARF 4, run until it passes an address (DWARF Debugging Information Format,
// Version 4, 6.2).
#include "runtime/DwarfLines.h"

#include <cstring>

namespace tilewise {

namespace {

/// Bytes in order; past the end everything is zero, so that a broken table ends the search instead
/// of the process.
struct Reader {
  const unsigned char *at, *end;

  bool isDone() const { return at >= end; }
  uint64_t fixed(unsigned bytes) {
    uint64_t value = 0;
    if (size_t(end - at) < bytes)
      return at = end, 0;
    std::memcpy(&value, at, bytes); // Little endian, as both machines that we compile for.
    at += bytes;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
      unsigned char byte = *at++;
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        break;
    }
    return value;
  }
  int64_t sleb() {
    int64_t value = 0;
    for (unsigned shift = 0; at < end;) {
      unsigned char byte = *at++;
      if (shift < 64)
        value |= int64_t(uint64_t(byte & 0x7f) << shift);
      shift += 7;
      if (!(byte & 0x80))
        return shift < 64 && (byte & 0x40) ? value | int64_t(~uint64_t(0) << shift) : value;
    }
    return value;
  }
  const char *string() {
    const char *start = reinterpret_cast<const char *>(at);
    const void *zero = std::memchr(at, 0, size_t(end - at));
    if (!zero)
      return at = end, "";
    at = static_cast<const unsigned char *>(zero) + 1;
    return start;
  }
  void skip(uint64_t bytes) { at = bytes < uint64_t(end - at) ? at + bytes : end; }
};

struct Header {
  unsigned minInstruction, lineRange, opcodeBase;
  int lineBase;
  const unsigned char *operandCounts;
  Reader folders, files;
};

struct Row {
  uint64_t address = 0, file = 1;
  int64_t line = 1;
  uint64_t column = 0;
};

/// Name and folder of the file with this number, from 1; folder 0 is the one that the compiler ran
/// in, which we do not tell.
void nameFile(const Header &header, uint64_t number, CodePlace &place) {
  for (Reader files = header.files; !files.isDone() && *files.at; --number) {
    const char *name = files.string();
    uint64_t folder = files.uleb();
    files.uleb(); // time
    files.uleb(); // length
    if (number != 1)
      continue;
    place.file = name;
    for (Reader folders = header.folders; folder > 0 && !folders.isDone() && *folders.at; --folder)
      place.folder = folders.string();
    if (folder > 0)
      place.folder = "";
    return;
  }
}

bool readHeader(Reader &unit, Header &header) {
  if (unit.fixed(2) != 4)
    return false;
  uint64_t headerLength = unit.fixed(4);
  Reader rest{unit.at, unit.end};
  unit.skip(headerLength);
  rest.end = unit.at;
  header.minInstruction = unsigned(rest.fixed(1));
  rest.fixed(2); // operations per instruction, whether rows are statements
  header.lineBase = int(static_cast<signed char>(rest.fixed(1)));
  header.lineRange = unsigned(rest.fixed(1));
  header.opcodeBase = unsigned(rest.fixed(1));
  if (header.lineRange == 0 || header.opcodeBase == 0)
    return false;
  header.operandCounts = rest.at;
  rest.skip(header.opcodeBase - 1);
  header.folders = rest;
  while (!rest.isDone() && *rest.at)
    rest.string();
  rest.fixed(1);
  header.files = rest;
  return true;
}

/// Runs one unit's program; true when a row is found that covers `offset`.
bool search(Reader program, const Header &header, uint64_t offset, Row &found) {
  Row row, last;
  bool hasLast = false;
  auto emit = [&] {
    bool covers = hasLast && last.address <= offset && offset < row.address;
    if (covers)
      found = last;
    last = row;
    hasLast = true;
    return covers;
  };
  while (!program.isDone()) {
    unsigned opcode = unsigned(program.fixed(1));
    if (opcode >= header.opcodeBase) { // special: moves both, and makes a row
      unsigned adjusted = opcode - header.opcodeBase;
      row.address += uint64_t(adjusted / header.lineRange) * header.minInstruction;
      row.line += header.lineBase + int(adjusted % header.lineRange);
      if (emit())
        return true;
      continue;
    }
    switch (opcode) {
    case 0: { // extended
      uint64_t length = program.uleb();
      Reader body = program;
      program.skip(length);
      body.end = program.at;
      unsigned extended = unsigned(body.fixed(1));
      if (extended == 1) { // end of a sequence
        if (emit())
          return true;
        row = Row();
        hasLast = false;
      } else if (extended == 2) { // address
        row.address = body.fixed(8);
      }
      break;
    }
    case 1: // copy
      if (emit())
        return true;
      break;
    case 2: // advance the address
      row.address += program.uleb() * header.minInstruction;
      break;
    case 3: // advance the line
      row.line += program.sleb();
      break;
    case 4:
      row.file = program.uleb();
      break;
    case 5:
      row.column = program.uleb();
      break;
    case 8: // as the special opcode 255, without a row
      row.address += uint64_t((255 - header.opcodeBase) / header.lineRange) * header.minInstruction;
      break;
    case 9: // a fixed number of bytes
      row.address += program.fixed(2);
      break;
    default: // what says nothing of lines
      for (unsigned i = 0; i < header.operandCounts[opcode - 1]; ++i)
        program.uleb();
    }
  }
  return false;
}

} // namespace

CodePlace placeAt(const DwarfLines &lines, uint64_t offset) {
  const auto *start = reinterpret_cast<const unsigned char *>(lines.bytes);
  for (Reader table{start, start + lines.size}; !table.isDone();) {
    uint64_t length = table.fixed(4);
    Reader unit{table.at, table.end};
    table.skip(length);
    unit.end = table.at;
    Header header;
    Row row;
    if (!readHeader(unit, header) || !search(unit, header, offset, row) || row.line <= 0)
      continue;
    CodePlace place;
    nameFile(header, row.file, place);
    place.line = unsigned(row.line);
    place.column = unsigned(row.column);
    return place;
  }
  return {};
}

} // namespace tilewise
