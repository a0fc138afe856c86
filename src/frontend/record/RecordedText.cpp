// The text of a recording: names for its variables, and marks that lead to the host's lines.
#include "frontend/record/Recorder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

namespace tilewise::frontend {

// A host's file is read for messages only: no more of it than a person could have written.
static constexpr uint64_t kMaxHostFile = 8u << 20;

static bool isInside(char c) { return llvm::isAlnum(c) || c == '_'; }

/// A compiler that was called with a path relative to its folder leaves it so: it is looked for
/// from here, and from the program's folder and those above it, where build trees are.
static std::string findHostFile(const std::string &path) {
  auto isThere = [](const llvm::Twine &path) {
    uint64_t size = 0;
    return llvm::sys::fs::is_regular_file(path) && !llvm::sys::fs::file_size(path, size) && size <= kMaxHostFile;
  };
  if (isThere(path))
    return path;
  if (llvm::sys::path::is_relative(path))
    for (std::string folder = llvm::sys::fs::getMainExecutable(nullptr, nullptr); !folder.empty();) {
      folder = llvm::sys::path::parent_path(folder).str();
      if (!folder.empty() && isThere(folder + "/" + path))
        return folder + "/" + path;
      if (folder == "/")
        break;
    }
  return "";
}

llvm::StringRef Recorder::lineAt(const Place &place) const {
  auto [known, isNew] = hostLines_.try_emplace(place.file);
  if (std::string path = isNew ? findHostFile(place.file) : ""; !path.empty())
    if (auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true))
      for (llvm::StringRef rest = (*text)->getBuffer(); !rest.empty();) {
        auto [line, tail] = rest.split('\n');
        known->second.push_back(line.rtrim('\r').str());
        rest = tail;
      }
  return place.line - 1 < known->second.size() ? llvm::StringRef(known->second[place.line - 1]) : llvm::StringRef();
}

/// The name that the line gives to what is written at its end: `auto x = tl::exp(` is x; of a
/// loop's index, `for (auto k : tl::range(` is k.
static std::pair<llvm::StringRef, size_t> nameBefore(llvm::StringRef before, bool isIndex) {
  size_t at = llvm::StringRef::npos;
  for (size_t i = before.size(); i-- > 0 && at == llvm::StringRef::npos;) {
    const char previous = i > 0 ? before[i - 1] : ' ', next = i + 1 < before.size() ? before[i + 1] : ' ';
    if (isIndex ? before[i] == ':' && previous != ':' && next != ':'
                : before[i] == '=' && next != '=' && (previous == ' ' || isInside(previous)))
      at = i;
  }
  llvm::StringRef name = before.take_front(at == llvm::StringRef::npos ? 0 : at).rtrim();
  size_t start = name.size();
  while (start > 0 && isInside(name[start - 1]))
    --start;
  llvm::StringRef around = name.take_front(start);
  // `tl::mask = m` and `config.size = n` are no variables of the kernel.
  if (around.ends_with(":") || around.ends_with(".") || around.ends_with(">"))
    return {};
  return {name.substr(start), start};
}

Recorder::Value Recorder::newValue(const Place &place, bool isIndex) {
  Variable made;
  made.function = open_.back();
  if (place.line && place.column) {
    auto [name, start] = nameBefore(lineAt(place).take_front(place.column - 1), isIndex);
    made.claim = name.str();
    made.claimedAt = place.file + ":" + std::to_string(place.line) + ":" + std::to_string(start);
  }
  variables_.push_back(std::move(made));
  return Value(variables_.size() - 1);
}

/// Of the values that a line makes, the last has the name that the line gives: the others are parts
/// of its expression. Where two variables have one name, the second is called name_2.
std::vector<std::string> Recorder::names() const {
  std::map<std::string, Value> owner;
  for (auto [value, variable] : llvm::enumerate(variables_))
    if (!variable.claim.empty())
      owner[variable.claimedAt] = Value(value);
  std::vector<std::set<std::string>> taken(functions_.size());
  for (auto &names : taken)
    for (const Variable &variable : variables_)
      if (!variable.name.empty())
        names.insert(variable.name);
  std::vector<std::string> names;
  for (auto [value, variable] : llvm::enumerate(variables_)) {
    std::string name = variable.name;
    const bool isOwner = !variable.claim.empty() && owner[variable.claimedAt] == value;
    if (name.empty() && isOwner && isFree(variable.claim)) {
      name = variable.claim;
      for (unsigned next = 2; taken[variable.function].contains(name); ++next)
        name = variable.claim + "_" + std::to_string(next);
    }
    if (name.empty())
      for (size_t next = value; name.empty() || taken[variable.function].contains(name); ++next)
        name = "_" + std::to_string(next);
    taken[variable.function].insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

static std::string withNames(llvm::StringRef text, llvm::ArrayRef<std::string> names) {
  std::string out;
  while (!text.empty()) {
    auto [plain, rest] = text.split('\x01');
    out += plain.str();
    auto [number, tail] = rest.split('\x02');
    size_t value = 0;
    if (!rest.empty() && !number.getAsInteger(10, value))
      out += names[value];
    text = tail;
  }
  return out;
}

void Recorder::print(const Function &function, llvm::ArrayRef<std::string> names, bool withPlaces,
                     const std::map<std::string, size_t> &files, std::string &out) const {
  auto mark = [&](const Place &place) {
    return !withPlaces || place.line == 0
               ? std::string("\n")
               : "  #@" + std::to_string(files.at(place.file)) + ":" + std::to_string(place.line) + ":" +
                     std::to_string(std::max(1u, place.column)) + "\n";
  };
  std::string parameters;
  for (auto [value, annotation] : llvm::zip(function.parameters, function.annotations))
    parameters += (parameters.empty() ? "" : ", ") + names[value] + (annotation.empty() ? "" : ": " + annotation);
  out += "\n\n@triton.jit" + mark(function.place) + "def " + function.name + "(" + parameters +
         "):" + mark(function.place);
  for (const Line &line : function.lines) {
    std::string text = withNames(line.text, names);
    if (line.defines && variables_[*line.defines].isConstant && !variables_[*line.defines].isAssigned)
      text.insert(names[*line.defines].size(), ": tl.constexpr");
    out += std::string(size_t(line.depth) * 4, ' ') + text + mark(line.place);
  }
  if (function.lines.empty())
    out += "    pass" + mark(function.place);
}

Result<std::string> Recorder::text(bool withPlaces) const {
  if (open_.size() != 1 || functions_.front().blocks.size() != 1)
    return refuse(functions_.front().place, "a block of the kernel '" + functions_.front().name + "' is not ended");
  std::map<std::string, size_t> files;
  std::string heads = "#@recorded\n", lines;
  std::set<std::pair<std::string, uint32_t>> shown;
  auto keep = [&](const Place &place) {
    if (files.try_emplace(place.file, files.size()).second)
      heads += "#@file " + place.file + "\n";
    llvm::StringRef text = lineAt(place);
    if (!text.empty() && shown.insert({place.file, place.line}).second)
      lines +=
          "#@line " + std::to_string(files[place.file]) + ":" + std::to_string(place.line) + " " + text.str() + "\n";
  };
  for (const Function &function : functions_) {
    keep(function.place);
    for (const Line &line : function.lines)
      keep(line.place);
  }
  const std::vector<std::string> known = names();
  std::string body = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n";
  for (const Function &function : llvm::drop_begin(functions_))
    print(function, known, withPlaces, files, body);
  print(functions_.front(), known, withPlaces, files, body);
  return withPlaces ? heads + body + lines : body;
}

std::string Recorder::path() const {
  const Function &kernel = functions_.front();
  return kernel.place.file + ":" + kernel.name;
}

} // namespace tilewise::frontend
