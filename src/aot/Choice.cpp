// Parameters and conditions of launch functions.
#include "aot/Choice.h"
#include "aot/NamesInC.h"
#include "aot/TypesInC.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::aot {

Result<std::vector<ChoiceParameter>> findParameters(const std::vector<const Artifact *> &signatures) {
  const Artifact &first = *signatures.front();
  std::vector<ChoiceParameter> parameters;
  for (size_t i = 0; i < first.arguments.size(); ++i) {
    ChoiceParameter parameter{i, first.arguments[i].name, "", ""};
    for (const Artifact *signature : signatures) {
      const std::vector<ArtifactArgument> &arguments = signature->arguments;
      if (arguments.size() != first.arguments.size())
        return launchFailure("the signatures of a build have the same number of arguments");
      if (arguments[i].isConstant)
        continue;
      const std::string type = typeInC(arguments[i].text);
      if (type.empty())
        return launchFailure("the argument '" + parameter.name + "' has the type " + arguments[i].text +
                             ", which has no counterpart in C");
      if (!parameter.type.empty() && type != parameter.type)
        return launchFailure("the signatures of a build have the same types in C, and '" + parameter.name + "' is " +
                             parameter.type + " and " + type + "; make two builds with names of their own");
      parameter.type = type;
      parameter.typeText = arguments[i].text;
    }
    if (!parameter.type.empty())
      parameters.push_back(std::move(parameter));
  }
  std::set<std::string> kernels, taken;
  for (const ArtifactArgument &argument : first.arguments)
    kernels.insert(argument.name);
  for (ChoiceParameter &parameter : parameters) {
    // A parameter that keeps its name has it, whichever comes first.
    std::set<std::string> others = taken;
    others.insert(kernels.begin(), kernels.end());
    others.erase(parameter.name);
    parameter.name = parameterNameInC(parameter.name, others);
    taken.insert(parameter.name);
  }
  return parameters;
}

const std::string &nameInC(const std::vector<ChoiceParameter> &parameters, size_t index) {
  return llvm::find_if(parameters, [&](const ChoiceParameter &one) { return one.index == index; })->name;
}

Result<std::string> conditionInC(const std::vector<ChoiceParameter> &parameters, const Artifact &signature) {
  std::vector<std::string> terms;
  for (const ChoiceParameter &parameter : parameters) {
    const ArtifactArgument &argument = signature.arguments[parameter.index];
    int64_t value = 0;
    if (argument.isConstant) {
      if (llvm::StringRef(argument.text).getAsInteger(10, value) || parameter.isPointer())
        return launchFailure("the argument '" + parameter.name + "' is the constant " + argument.text +
                             " in one signature and a value in another; only whole numbers are compared");
      terms.push_back(parameter.name + " == " + argument.text);
    } else if (argument.divisibility > 1) {
      terms.push_back((parameter.isPointer() ? "(uintptr_t)" : "") + parameter.name + " % " +
                      std::to_string(argument.divisibility) + " == 0");
    }
  }
  return terms.empty() ? std::string("1") : llvm::join(terms, " && ");
}

} // namespace tilewise::aot
