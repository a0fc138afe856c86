// Asks LLVM what the processor has, and Linux for the permission to use its tiles.
#include "target/HostProcessor.h"
#include "target/cpu/llvm/EmitObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Host.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tilewise::cpu {

/// A process has to ask once before its first tile instruction, since a tile makes the state that
/// signals save 8 KiB larger; threads and children inherit the permission. Linux refuses when some
/// thread has a signal stack that is too small for that.
static bool mayUseTiles() {
#if defined(__x86_64__) && defined(__linux__)
  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
#else
  return false;
#endif
}

static bool isTileFeature(llvm::StringRef name) { return name.starts_with("amx-"); }

// Asked for once: in a virtual machine each of the two dozen questions to the processor goes to its
// host.
const std::string &hostName() {
  static const std::string name = llvm::sys::getHostCPUName().str();
  return name;
}

static std::string findFeatures() {
  std::vector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    const bool isUsable = feature.second && (!isTileFeature(feature.first()) || mayUseTiles());
    names.push_back((isUsable ? "+" : "-") + feature.first().str());
  }
  llvm::sort(names); // A map by hash: the order must be the same in every process.
  return llvm::join(names, ",");
}

const std::string &hostFeatures() {
  static const std::string features = findFeatures();
  return features;
}

/// Code for "the processor we run on", made on a machine with these features; without LLVM, since
/// every kernel is asked.
static Result<void> checkFeatures(llvm::StringRef features) {
  if (features.empty() || features == hostFeatures())
    return {};
  llvm::SmallVector<llvm::StringRef> wanted, here;
  features.split(wanted, ',', -1, /*KeepEmpty=*/false);
  llvm::StringRef(hostFeatures()).split(here, ',', -1, /*KeepEmpty=*/false);
  std::vector<std::string> missing;
  for (llvm::StringRef feature : wanted)
    if (feature.starts_with("+") && !llvm::is_contained(here, feature))
      missing.push_back(feature.drop_front().str());
  if (missing.empty())
    return {};
  return launchFailure("this code was made for another processor, and cannot run on this one (" + hostName() +
                       "), which lacks " + llvm::join(missing, ", "));
}

Result<void> checkRunsHere(const Target &target) {
  if (target.cpu.empty())
    return checkFeatures(target.cpuFeatures);
  Result<CodeGeneratorHandle> generator = takeCodeGenerator(target);
  if (!generator)
    return generator.takeFailure();
  const llvm::TargetMachine &machine = (*generator)->machine();
  const llvm::Triple wanted = machine.getTargetTriple(), host(llvm::sys::getProcessTriple());
  if (wanted.getArch() != host.getArch())
    return launchFailure("code for target " + target.str() + " is for " + wanted.getArchName().str() +
                         ", and this process runs on " + host.getArchName().str());
  std::vector<std::string> missing;
  llvm::SmallVector<llvm::StringRef> features;
  llvm::StringRef(hostFeatures()).split(features, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef feature : features)
    if (feature.consume_front("-") && machine.getMCSubtargetInfo()->checkFeatures(("+" + feature).str()))
      missing.push_back(feature.str());
  if (missing.empty())
    return {};
  return launchFailure("code for target " + target.str() + " cannot run on this processor (" + hostName() +
                       "), which lacks " + llvm::join(missing, ", "));
}

} // namespace tilewise::cpu
