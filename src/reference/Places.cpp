// Places of ops in the kernel's text, and failures at them.
#include "ir/SourceLines.h"
#include "ir/TextRange.h"
#include "reference/Checked.h"
#include "support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewise::reference {

Place placeIn(Operation *op) {
  const SmallVector<tile::TextRange> frames = tile::userPlaces(op->getLoc());
  Place place;
  if (frames.empty())
    return place;
  const tile::TextRange *first = frames.begin();
  place.file = first->start.getFilename().str();
  place.line = first->start.getLine();
  place.column = first->start.getColumn();
  place.length = first->length;
  place.text = tile::sourceLineAt(first->start, op);
  for (const auto &[caller, length] : llvm::make_range(first + 1, frames.end()))
    place.callers.push_back(caller.getFilename().str() + ':' + std::to_string(caller.getLine()) + ':' +
                            std::to_string(caller.getColumn()));
  return place;
}

std::string Place::str() const {
  return line == 0 ? "" : file + ':' + std::to_string(line) + ':' + std::to_string(column);
}

Failure failureAt(const Place &place, std::string message, std::vector<std::string> notes) {
  SourceFile line(place.file, place.text, place.line ? place.line : 1);
  tilewise::Diagnostic diagnostic{Severity::Error, {}, std::move(message), {}};
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!place.text.empty())
    diagnostic.loc = {&line, place.line, place.column, place.length};
  else if (place.line != 0)
    os << place.str() << ": ";
  for (std::string &note : notes)
    diagnostic.notes.push_back({Severity::Note, {}, std::move(note), {}});
  for (const std::string &caller : place.callers)
    diagnostic.notes.push_back({Severity::Note, {}, "called from here: " + caller, {}});
  renderDiagnostic(diagnostic, os);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return launchFailure(text);
}

std::string tupleOf(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "(" : ", ") + std::to_string(value);
  return text.empty() ? "()" : text + ")";
}

std::string programOf(const Frame &frame) {
  return tupleOf({int64_t(frame.program[0]), int64_t(frame.program[1]), int64_t(frame.program[2])});
}

SmallVector<int64_t> indexOf(size_t position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= size_t(shape[d]))
    index[d] = int64_t(position % size_t(shape[d]));
  return index;
}

std::string laneOf(size_t lane, ArrayRef<int64_t> shape, const Frame &frame) {
  return "program " + programOf(frame) + (shape.empty() ? "" : ", lane " + tupleOf(indexOf(lane, shape)));
}

} // namespace tilewise::reference
