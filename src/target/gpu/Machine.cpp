// Machines by name.
#include "target/gpu/Machine.h"

#include "target/gpu/Gpu.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace mlir;

namespace tilewise::gpu {

namespace {

struct Makers {
  std::mutex mutex;
  llvm::StringMap<MachineMaker> byVendor;
};

Makers &makers() {
  static Makers all;
  return all;
}

} // namespace

void registerMachine(StringRef vendor, MachineMaker make) {
  std::lock_guard lock(makers().mutex);
  makers().byVendor[vendor] = make;
}

std::unique_ptr<Machine> makeMachine(StringRef name) {
  auto [vendor, model] = name.split(':');
  MachineMaker make = nullptr;
  {
    std::lock_guard lock(makers().mutex);
    make = makers().byVendor.lookup(vendor);
  }
  return make ? make(model) : nullptr;
}

std::unique_ptr<Machine> machineOf(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(GpuDialect::kMachineAttr);
  return name ? makeMachine(name) : nullptr;
}

} // namespace tilewise::gpu
