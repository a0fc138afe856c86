// A kernel's source text, cut into lines; and where the lines of a recorded text were written.
#include "support/SourceLoc.h"

#include <deque>
#include <map>

namespace tilewise {

/// Where the lines of a recorded text come from.
struct SourceFile::Origins {
  struct Place {
    uint32_t file, line, column;
  };
  std::deque<SourceFile> files;
  std::vector<Place> places; ///< Per line; line 0 where it comes from nowhere.

  static std::shared_ptr<const Origins> read(llvm::StringRef text);
};

/// "0:14:12" -> its numbers; false for anything else.
static bool readNumbers(llvm::StringRef text, llvm::MutableArrayRef<uint32_t> numbers) {
  for (uint32_t &number : numbers) {
    if (text.consumeInteger(10, number))
      return false;
    text.consume_front(":");
  }
  return true;
}

std::shared_ptr<const SourceFile::Origins> SourceFile::Origins::read(llvm::StringRef text) {
  if (!text.starts_with("#@recorded\n"))
    return nullptr;
  auto origins = std::make_shared<Origins>();
  std::vector<std::string> paths;
  std::vector<std::map<uint32_t, llvm::StringRef>> lines;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    Place place{};
    uint32_t numbers[3] = {};
    if (line.consume_front("#@file ")) {
      paths.push_back(line.str());
      lines.emplace_back();
    } else if (line.consume_front("#@line ")) {
      auto [at, written] = line.split(' ');
      if (readNumbers(at, llvm::MutableArrayRef(numbers).take_front(2)) && numbers[0] < lines.size())
        lines[numbers[0]][numbers[1]] = written;
    } else if (size_t mark = line.rfind("  #@"); mark != llvm::StringRef::npos) {
      if (readNumbers(line.substr(mark + 4), numbers) && numbers[0] < paths.size())
        place = {numbers[0], numbers[1], numbers[2]};
    }
    origins->places.push_back(place);
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    // Lines in between are left empty: nothing points there.
    std::string known;
    uint32_t first = lines[i].empty() ? 1 : lines[i].begin()->first, next = first;
    for (auto [number, written] : lines[i]) {
      known.append(number - next, '\n');
      known += written.str() + "\n";
      next = number + 1;
    }
    origins->files.emplace_back(paths[i], std::move(known), first);
  }
  return origins;
}

SourceFile::SourceFile(std::string path, std::string text, uint32_t firstLine)
    : path_(std::move(path)), text_(std::move(text)), firstLine_(firstLine), origins_(Origins::read(text_)) {
  lineStarts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n')
      lineStarts_.push_back(i + 1);
}

llvm::StringRef SourceFile::line(uint32_t number) const {
  if (number < firstLine_ || number - firstLine_ >= lineStarts_.size())
    return {};
  size_t index = number - firstLine_;
  size_t end = index + 1 < lineStarts_.size() ? lineStarts_[index + 1] - 1 : text_.size();
  return llvm::StringRef(text_).slice(lineStarts_[index], end).rtrim('\r');
}

SourceLoc SourceFile::at(uint32_t line, uint32_t column, uint32_t length) const {
  size_t index = line - firstLine_;
  if (!origins_ || index >= origins_->places.size() || origins_->places[index].line == 0)
    return {this, line, column, length};
  const Origins::Place &place = origins_->places[index];
  return {&origins_->files[place.file], place.line, place.column, 0};
}

} // namespace tilewise
