// What @triton.autotune says of a kernel -> the tuner's settings.
#include "runtime/Log.h"
#include "runtime/Source.h"
#include "runtime/tune/Autotuner.h"

namespace tilewise::tune {

void Autotuner::readDecorator() {
  const Source *source = kernel_.source();
  if (!source || source->environment())
    return; // A live host's decorators are the host's.
  llvm::StringMap<std::string> defines;
  for (const auto &[name, literal] : kernel_.defines())
    defines[name] = literal;
  Result<frontend::AutotuneInfo> info = frontend::autotuneOf(source->file(), kernel_.name(), defines);
  if (!info) {
    // Configs may still come from code.
    log(TW_LOG_WARNING, "kernel '" + kernel_.name() + "': " + info.failure().message);
    return;
  }
  for (const frontend::ConfigInfo &one : info->configs)
    configs.push_back({one.values, uint32_t(one.numWarps), uint32_t(one.numStages)});
  key = info->key;
  resetToZero = info->resetToZero;
  restoreValue = info->restoreValue;
  return;
}

} // namespace tilewise::tune
