// A kernel's source text and places in it.
//
// A text may itself be the recording of a kernel that was written elsewhere, as in C++
// (frontend/record/Recorder.h). Then it says of each line where it comes from, and every place in
// it is a place there:
//
//     #@recorded
//     #@file softmax.cpp
//     x = tl.load(in_ptr)  #@0:14:12         file 0, line 14, column 12
//     #@line 0:14     auto x = tl::load(in);
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewise {

struct SourceLoc;

/// The text of one kernel file. `firstLine` is above 1 when the text is a function cut out of a
/// larger file, as Python hands it to us.
class SourceFile {
public:
  SourceFile(std::string path, std::string text, uint32_t firstLine = 1);

  llvm::StringRef path() const { return path_; }
  llvm::StringRef text() const { return text_; }
  uint32_t firstLine() const { return firstLine_; }

  /// The text of a line, counted as in the user's file, without its line end; empty outside the
  /// text.
  llvm::StringRef line(uint32_t number) const;

  /// The place of some bytes of this text: here, or where a recorded line was written.
  SourceLoc at(uint32_t line, uint32_t column, uint32_t length = 0) const;

private:
  struct Origins;

  std::string path_;
  std::string text_;
  uint32_t firstLine_;
  std::vector<size_t> lineStarts_;
  std::shared_ptr<const Origins> origins_; ///< Null for a text that was written as it is.
};

/// A place in a source file; line and column count from 1. The file outlives its places.
struct SourceLoc {
  const SourceFile *file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
  /// Bytes of what is meant there, for the underline; 0 where it is not known.
  uint32_t length = 0;

  explicit operator bool() const { return line != 0; }
  bool operator==(const SourceLoc &other) const {
    return file == other.file && line == other.line && column == other.column;
  }
};

} // namespace tilewise
