// What helps to see why: the variables in what is underlined with their types, and names that were
// nearly right.
#include "frontend/elaborate/Elaborate.h"

#include "frontend/builtins/Stdlib.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

/// The names in a piece of source text, attributes left out.
static llvm::SmallVector<llvm::StringRef> namesIn(llvm::StringRef text) {
  auto isInside = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  llvm::SmallVector<llvm::StringRef> names;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '#')
      break;
    if (!isInside(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && isInside(text[end]))
      ++end;
    llvm::StringRef word = text.slice(at, end);
    if (!llvm::isDigit(word.front()) && !text.take_front(at).rtrim().ends_with(".") && !llvm::is_contained(names, word))
      names.push_back(word);
    at = end;
  }
  return names;
}

void Elaborator::explain(SourceLoc loc) {
  if (!frame_ || !loc.file || loc.file == &stdlib::source() || diagnostics_.all().empty())
    return;
  Diagnostic &error = diagnostics_.last();
  if (error.severity != Severity::Error || error.loc != loc)
    return;
  bool wantsConstant =
      llvm::StringRef(error.message).contains("compile-time") || llvm::StringRef(error.message).contains("constexpr");
  llvm::ArrayRef<ast::Parameter> parameters;
  if (frame_->function->definition)
    parameters = frame_->function->definition->parameters;
  std::vector<Diagnostic> notes;
  // What was written in another language has a start only.
  const size_t length = loc.length ? loc.length : llvm::StringRef::npos;
  for (llvm::StringRef name : namesIn(loc.file->line(loc.line).substr(loc.column - 1, length))) {
    auto found = frame_->scope.find(name);
    // More than three would be noise.
    if (found == frame_->scope.end() || !found->second.value.isRuntime() || notes.size() == 3)
      continue;
    SourceLoc place = found->second.assigned;
    bool isParameter = llvm::any_of(parameters, [&](const ast::Parameter &one) { return one.loc == place; });
    std::string text = "'" + name.str() + "' is " + found->second.value.kindText();
    const bool isMemory = found->second.value.value().type.element.isPointer();
    if (isParameter && wantsConstant && !isMemory)
      text += ", a parameter; declare it as " + name.str() + ": tl.constexpr to have its value here";
    else
      text += isParameter ? ", a parameter" : ", assigned here";
    Diagnostic note{Severity::Note, place, std::move(text), {}};
    if (llvm::none_of(error.notes, [&](const Diagnostic &known) { return known.message == note.message; }))
      notes.push_back(std::move(note));
  }
  error.notes.insert(error.notes.begin(), notes.begin(), notes.end());
}

std::string Elaborator::nearlyDefined(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) const {
  if (name == "tl" || name == "triton")
    return "; write " + std::string(name == "tl" ? "import triton.language as tl" : "import triton") +
           " at the top of the file";
  if (moduleAttribute("triton.language", name))
    return "; did you mean 'tl." + name.str() + "'?";
  if (std::string hint = didYouMean(name, candidates); !hint.empty())
    return hint;
  return abbreviated(name);
}

std::string Elaborator::abbreviated(llvm::StringRef name) const {
  llvm::StringRef nearest;
  for (const auto &[local, variable] : frame_->scope)
    if ((name.starts_with(local) || local.starts_with(name)) && local.size() > nearest.size())
      nearest = local;
  return nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?";
}

Failure Elaborator::withSignature(Failure failure, const FunctionValue &function) {
  if (!function.definition || !diagnostics_.hasErrors())
    return failure;
  std::string names;
  for (const ast::Parameter &parameter : function.definition->parameters)
    names += (names.empty() ? "" : ", ") + parameter.name.str();
  if (function.definition->nameLoc.file == &stdlib::source()) {
    // As for a builtin: its text is not the user's, and a near name says enough.
    if (std::string &message = diagnostics_.last().message; message.find("; ") == std::string::npos)
      message += "; write tl." + function.name + "(" + names + ")";
    return failure;
  }
  std::vector<Diagnostic> &notes = diagnostics_.last().notes;
  Diagnostic note{Severity::Note, function.definition->nameLoc, "it is '" + function.name + "(" + names + ")'", {}};
  if (llvm::none_of(notes, [&](const Diagnostic &known) { return known.message == note.message; }))
    notes.insert(notes.begin(), std::move(note));
  return failure;
}

} // namespace tilewise::frontend
