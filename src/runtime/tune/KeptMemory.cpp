// Copies of arguments, and the names of devices.
#include "runtime/tune/KeptMemory.h"

#include "artifact/Target.h"
#include "runtime/Device.h"
#include "runtime/ThreadPool.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"

namespace tilewise::tune {

Result<std::string> deviceTextForTuning(tw_device device) {
  TILEWISE_TRY(const Target target, deviceTarget(device));
  if (device.engine == TW_ENGINE_CPU) {
    // Asked at every launch; asking the processor is slow.
    static const std::string name = llvm::sys::getHostCPUName().str();
    return target.str() + ": " + name + ", " + std::to_string(ThreadPool::instance().threads()) + " threads";
  }
  TILEWISE_TRY(const std::string name, deviceName(device));
  return target.str() + ": " + name;
}

Result<KeptMemory> KeptMemory::keep(tw_device device, const std::string &kernel,
                                    llvm::ArrayRef<std::pair<std::string, tw_argument>> arguments,
                                    llvm::ArrayRef<std::string> zero, llvm::ArrayRef<std::string> restore) {
  KeptMemory kept;
  kept.device_ = device;
  auto add = [&](const std::string &name, bool isCopied) -> Result<void> {
    auto found = llvm::find_if(arguments, [&](const auto &one) { return one.first == name; });
    if (found == arguments.end() || found->second.kind == TW_ARGUMENT_NONE)
      return {};
    const tw_argument &argument = found->second;
    if (argument.kind != TW_ARGUMENT_POINTER || argument.bytes == TW_BYTES_UNKNOWN)
      return launchFailure("kernel '" + kernel + "': the tuner is to put back the memory of '" + name +
                           "' between calls, and needs a tensor or a pointer with its size");
    Piece piece{argument.value.pointer, std::vector<char>(argument.bytes)};
    if (isCopied)
      TILEWISE_CHECK(copyToHost(device, piece.bytes.data(), piece.memory, piece.bytes.size()));
    kept.pieces_.push_back(std::move(piece));
    return {};
  };
  for (const std::string &name : zero)
    TILEWISE_CHECK(add(name, /*isCopied=*/false));
  for (const std::string &name : restore)
    TILEWISE_CHECK(add(name, /*isCopied=*/true));
  return kept;
}

Result<void> KeptMemory::putBack() const {
  for (const Piece &piece : pieces_)
    TILEWISE_CHECK(copyToDevice(device_, piece.memory, piece.bytes.data(), piece.bytes.size()));
  return {};
}

} // namespace tilewise::tune
