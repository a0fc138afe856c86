// A target -> its back end: the one place that knows which engines there are.
#include "support/Engines.h"
#include "target/Backend.h"

namespace tilewise {

std::unique_ptr<Backend> createBackend(const Target &target, const LaunchOptions &options) {
  switch (target.engine) {
  case Engine::Reference:
    return createReferenceBackend();
  case Engine::Cpu:
#if TILEWISE_HAS_CPU_ENGINE
    return createCpuBackend(target, options);
#endif
    return nullptr;
  case Engine::Nvidia:
#ifdef TILEWISE_WITH_NVPTX
    return createNvidiaBackend(target, options);
#endif
    return nullptr;
  }
  return nullptr;
}

} // namespace tilewise
