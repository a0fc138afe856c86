// tilewise list --language: the functions of the kernel language with their parameters, from the
// table of builtins and the embedded library.
#include "cli/CommandLine.h"
#include "frontend/Frontend.h"
#include "frontend/builtins/Builtins.h"
#include "frontend/builtins/Stdlib.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace tilewise::cli {

/// "\n" in a default shows as it is written in a file.
static std::string asWritten(llvm::StringRef parameters) {
  std::string text;
  for (char c : parameters)
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  return text;
}

/// "tl.exp" -> "(x)", in the order of names.
static std::map<std::string, std::string> languageFunctions() {
  std::map<std::string, std::string> lines;
  auto add = [&](llvm::StringRef name, const std::string &parameters, bool isMethod) {
    const std::string last = name.rsplit('.').second.str();
    lines[name.str()] = "(" + parameters + ")" + (isMethod ? "  also x." + last + "(...)" : "");
  };
  for (llvm::ArrayRef<frontend::Builtin> family : frontend::builtinFamilies())
    for (const frontend::Builtin &row : family)
      if (llvm::StringRef name = row.name(); name.consume_front("tl.") && !name.contains('.') && !name.starts_with("_"))
        add(row.name(), asWritten(row.parameters), row.flags & frontend::Builtin::Method);
  Diagnostics diagnostics;
  for (const frontend::KernelInfo &function : frontend::listKernels(frontend::stdlib::source(), diagnostics)) {
    if (llvm::StringRef(function.name).starts_with("_"))
      continue;
    std::vector<std::string> parameters;
    for (const auto &parameter : function.parameters)
      parameters.push_back(parameter.name + (parameter.defaultValue.empty() ? "" : "=" + parameter.defaultValue));
    add("tl." + function.name, llvm::join(parameters, ", "), frontend::stdlib::isMethod(function.name));
  }
  return lines;
}

int listLanguage() {
  for (const auto &[name, rest] : languageFunctions())
    llvm::outs() << name << rest << '\n';
  return kDone;
}

} // namespace tilewise::cli
