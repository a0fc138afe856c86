// A kernel's source text, cut into lines.
#include "support/SourceLoc.h"

namespace tilewise {

SourceFile::SourceFile(std::string path, std::string text, uint32_t firstLine)
    : path_(std::move(path)), text_(std::move(text)), firstLine_(firstLine) {
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

} // namespace tilewise
