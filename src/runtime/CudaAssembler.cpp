// PTX -> machine code, now or in an earlier process.
#include "runtime/CudaAssembler.h"

#include "target/PtxTools.h"

#include "llvm/Support/FileSystem.h"

namespace tilewise::cuda {

Result<std::string> assembleOrRecall(const std::string &ptxas, const std::string &ptx, int capability,
                                     cache::Folder *folder) {
  llvm::sys::fs::file_status program;
  if (!folder || llvm::sys::fs::status(ptxas, program))
    return assemblePtx(ptxas, ptx, capability);
  // Another version of the program is another file.
  const cache::Key key = cache::KeyBuilder("gpu code")
                             .add(ptx)
                             .add(uint64_t(capability))
                             .add(ptxas)
                             .add(program.getSize())
                             .add(uint64_t(program.getLastModificationTime().time_since_epoch().count()))
                             .finish();
  if (std::optional<cache::Entry> entry = folder->read(key, "gpu code"))
    return std::move(entry->payload);
  Result<std::string> machineCode = assemblePtx(ptxas, ptx, capability);
  if (machineCode)
    folder->write({key, "gpu code", "machine code for cuda:" + std::to_string(capability), *machineCode});
  return machineCode;
}

} // namespace tilewise::cuda
