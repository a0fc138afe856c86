// tw_kernel_from_artifact, tw_kernel_specialize_all and what tells of compiles.
#include "api/Handles.h"
#include "api/Status.h"
#include "runtime/CompileEvents.h"
#include "tilewise/runtime.h"

using namespace tilewise;

tw_status tw_kernel_from_artifact(const void *bytes, size_t length, tw_kernel **kernel) {
  return guarded([&]() -> Result<void> {
    if (!bytes)
      return launchFailure("tw_kernel_from_artifact needs the artifact's bytes, got a null pointer");
    auto made = Kernel::fromArtifact({static_cast<const char *>(bytes), length});
    if (!made)
      return made.takeFailure();
    *kernel = new tw_kernel{std::move(*made)};
    return {};
  });
}

tw_status tw_kernel_specialize_all(tw_kernel *kernel, unsigned what) {
  return guarded([&]() -> Result<void> {
    kernel->kernel->specializeAll(what);
    return {};
  });
}

void tw_set_compile_callback(tw_compile_callback callback, void *user) { setCompileCallback(callback, user); }

void tw_compile_counts(uint64_t *compiled, uint64_t *recalled) { countCompiles(*compiled, *recalled); }
