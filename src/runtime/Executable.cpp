// Artifact -> Executable: by engine.
#include "runtime/Executable.h"

namespace tilewise {

Result<std::unique_ptr<Executable>> loadExecutable(const Artifact &artifact) {
  switch (artifact.target.engine) {
  case Engine::Reference:
    return loadReferenceExecutable(artifact);
  case Engine::Cpu:
    return loadCpuExecutable(artifact);
  case Engine::Nvidia:
#if TILEWISE_WITH_NVPTX
    return loadCudaExecutable(artifact);
#else
    return launchFailure("this library was built without the NVIDIA engine");
#endif
  }
  return internalFailure("artifact of an unknown engine");
}

} // namespace tilewise
