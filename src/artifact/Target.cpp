// Target <-> its name on the command line.
#include "artifact/Target.h"

namespace tilewise {

Result<Target> Target::parse(llvm::StringRef text) {
  auto [engine, machine] = text.split(':');
  Target target;
  if (engine == "reference" && machine.empty()) {
    target.engine = Engine::Reference;
    return target;
  }
  if (engine == "cpu") {
    target.engine = Engine::Cpu;
    target.cpu = machine.str();
    return target;
  }
  if (engine == "cuda") {
    target.engine = Engine::Nvidia;
    target.capability = 90;
    if (machine.empty() || (!machine.getAsInteger(10, target.capability) && target.capability >= 75))
      return target;
    return launchFailure("target '" + text.str() + "' needs a compute capability of at least 75, as in cuda:90");
  }
  return launchFailure("unknown target '" + text.str() + "': expected reference, cpu, cpu:NAME or cuda:CAPABILITY");
}

std::string Target::str() const {
  switch (engine) {
  case Engine::Reference:
    return "reference";
  case Engine::Cpu:
    return cpu.empty() ? "cpu" : "cpu:" + cpu;
  case Engine::Nvidia:
    return "cuda:" + std::to_string(capability);
  }
  return "";
}

} // namespace tilewise
