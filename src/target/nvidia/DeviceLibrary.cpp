// The device library's bitcode, read once per module that calls it; only what is called is taken.
#include "target/nvidia/DeviceLibrary.h"

#include "libdevice/Libdevice.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

// Made by CMakeLists.txt from library/*.cpp.
extern "C" const char tilewise_device_library[];
extern "C" const uint32_t tilewise_device_library_bytes;

namespace tilewise::nvidia {

bool hasDeviceFunction(StringRef symbol) { return libdevice::findSymbol(symbol) != nullptr; }

Result<void> linkDeviceLibrary(Module &module) {
  SmallVector<std::string> wanted;
  for (Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with(deviceFunctionName("")))
      wanted.push_back(function.getName().str());
  if (wanted.empty())
    return {};
  StringRef bytes(tilewise_device_library, tilewise_device_library_bytes);
  Expected<std::unique_ptr<Module>> library =
      getLazyBitcodeModule(MemoryBufferRef(bytes, "device library"), module.getContext());
  if (!library)
    return internalFailure("the device library cannot be read: " + toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  SmallVector<std::string> before;
  for (Function &function : module)
    if (!function.isDeclaration())
      before.push_back(function.getName().str());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return internalFailure("the device library cannot be linked");
  for (Function &function : module) {
    if (function.isDeclaration() || is_contained(before, function.getName()))
      continue;
    function.setLinkage(GlobalValue::InternalLinkage);
    function.setCallingConv(CallingConv::C);
  }
  for (const std::string &name : wanted)
    if (Function *function = module.getFunction(name); !function || function->isDeclaration())
      return internalFailure("the device library has no " + name);
  return {};
}

} // namespace tilewise::nvidia
