// A processor's name -> the instructions that its blocks are chosen by.
#include "runtime/tune/DeviceClass.h"

#include "artifact/Target.h"
#include "runtime/Device.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace tilewise::tune {

/// The same levels that the CPU engine takes its vectors' width from.
template <typename Has> static const char *levelWith(const Has &has) {
  if (has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq"))
    return "avx512";
  return has("avx2") ? "avx2" : "x86-64";
}

static std::string levelOfHost() {
#if defined(__x86_64__)
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return levelWith([&](llvm::StringRef name) { return features.lookup(name); });
#else
  return "aarch64";
#endif
}

static std::string levelOf(llvm::StringRef processor) {
  if (processor.empty()) {
    // Asked at every first use; asking the processor is slow.
    static const std::string level = levelOfHost();
    return level;
  }
  if (processor == "avx2" || processor == "avx512")
    return processor.str();
  if (llvm::X86::parseArchX86(processor) == llvm::X86::CK_None)
    return "aarch64"; // What no back end knows is refused when a kernel is compiled.
  llvm::SmallVector<llvm::StringRef, 64> features;
  llvm::X86::getFeaturesForCPU(processor, features);
  return levelWith([&](llvm::StringRef name) { return llvm::is_contained(features, name); });
}

Result<std::string> deviceClass(tw_device device) {
  TILEWISE_TRY(const Target target, deviceTarget(device));
  return target.engine == Engine::Cpu ? "cpu: " + levelOf(target.cpu) : target.str();
}

} // namespace tilewise::tune
