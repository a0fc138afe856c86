// What a kernel's text says about the types of its parameters.
#include "cli/GuessSignature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

namespace tilewise::cli {

/// Every name that an address begins with: `tl.load(NAME`, and from there back through
/// `name = NAME + ...`.
static llvm::StringSet<> addressNames(llvm::StringRef text) {
  llvm::StringSet<> names;
  llvm::SmallVector<llvm::StringRef> found;
  llvm::Regex access(
      "(load|store|atomic_[a-z]+|make_block_ptr|make_tensor_descriptor)\\([( ]*([A-Za-z_][A-Za-z0-9_]*)");
  for (llvm::StringRef rest = text; access.match(rest, &found);) {
    names.insert(found[2]);
    rest = rest.substr(size_t(found[0].end() - rest.begin()));
  }
  llvm::Regex assignment("^[ ]*([A-Za-z_][A-Za-z0-9_]*) *\\+?= *[( ]*([A-Za-z_][A-Za-z0-9_]*)");
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (bool grew = true; grew;) {
    grew = false;
    for (llvm::StringRef line : lines)
      if (assignment.match(line, &found) && names.contains(found[1]) && !names.contains(found[2]))
        grew = names.insert(found[2]).second;
  }
  return names;
}

/// A string that the text compares it with, else what its name suggests.
static std::string constantFor(llvm::StringRef name, llvm::StringRef source) {
  llvm::SmallVector<llvm::StringRef> compared;
  if (llvm::Regex("[^A-Za-z0-9_]" + name.str() + " *== *([\"'][^\"'\n]*[\"'])").match(source, &compared))
    return compared[1].str();
  const std::string upper = name.upper();
  llvm::StringRef text = upper;
  for (llvm::StringRef flag : {"HAS", "IS", "USE", "CAUSAL", "ALLOW", "ENABLE", "BIAS", "INTERLEAVED", "BACKWARD"})
    if (text.starts_with(flag))
      return "True";
  for (llvm::StringRef type : {"DTYPE", "TYPE"})
    if (text.ends_with(type))
      return "tl.float32";
  return text.contains("GROUP") || text.contains("NUM") || text.contains("STAGES") ? "8" : "32";
}

/// A factor, as `a` of a * x + y: tensors of such names are found before.
static bool isFloatByName(llvm::StringRef name) {
  return llvm::is_contained({"a", "b", "c", "eps", "epsilon", "scale", "sm_scale", "alpha", "beta", "p", "factor",
                             "slope", "rate", "lr", "momentum", "smoothing", "dropout_p"},
                            name);
}
/// Tensors of numbers that choose places.
static bool isIndexByName(llvm::StringRef name) {
  for (llvm::StringRef part : {"index", "indices", "idx", "target", "label", "start", "offset", "table", "ids", "lens"})
    if (name.contains_insensitive(part))
      return true;
  return false;
}

/// What is kept in fp32 whatever the data is: sums, statistics, scales.
static bool isWideByName(llvm::StringRef name) {
  for (llvm::StringRef part : {"lse", "delta", "mean", "rstd", "var", "sum", "part", "acc", "scale", "stat", "max"})
    if (name.contains_insensitive(part))
      return true;
  return false;
}

std::string guessSignature(const SourceFile &file, const frontend::KernelInfo &kernel, llvm::StringRef element) {
  const llvm::StringSet<> addresses = addressNames(file.text());
  std::vector<std::string> entries;
  for (const frontend::ParameterInfo &parameter : kernel.parameters) {
    llvm::StringRef name = parameter.name;
    if (parameter.isConstexpr)
      entries.push_back(parameter.defaultValue.empty() ? constantFor(name, file.text()) : parameter.defaultValue);
    else if (name.ends_with_insensitive("ptr") || addresses.contains(name))
      entries.push_back("*" + (isIndexByName(name)  ? std::string("i32")
                               : isWideByName(name) ? std::string("fp32")
                                                    : element.str()));
    else if (parameter.defaultValue == "None")
      entries.push_back("None");
    else
      entries.push_back(isFloatByName(name) ? "fp32" : "i32");
  }
  return llvm::join(entries, ", ");
}

} // namespace tilewise::cli
