// PTX -> machine code by running ptxas over temporary files.
#include "runtime/CudaAssembler.h"

#include "support/Knobs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cuda {

std::string findPtxas() {
  if (std::string path = knobs::ptxas(); !path.empty())
    return path;
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  if (auto path = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *path;
  return "";
}

namespace {

/// A file that goes when this does.
struct TemporaryFile {
  llvm::SmallString<64> path;
  explicit TemporaryFile(const char *suffix) {
    failed = bool(llvm::sys::fs::createTemporaryFile("tilewise", suffix, path));
  }
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (!failed)
      llvm::sys::fs::remove(path);
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
  bool failed = false;
};

} // namespace

Result<std::string> assemble(const std::string &ptxas, const std::string &ptx, int capability) {
  TemporaryFile input("ptx"), output("cubin"), log("log");
  if (input.failed || output.failed || log.failed)
    return internalFailure("cannot make temporary files for ptxas");
  {
    std::error_code error;
    llvm::raw_fd_ostream os(input.path, error);
    os << ptx;
    os.close();
    if (error || os.has_error()) {
      os.clear_error();
      return internalFailure("cannot write " + input.path.str().str());
    }
  }
  std::string architecture = "-arch=sm_" + std::to_string(capability);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(log.path),
                                                llvm::StringRef(log.path)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(ptxas, {ptxas, architecture, "-o", output.path, input.path}, std::nullopt,
                                       redirects, 0, 0, &message);
  std::string machineCode = output.read();
  if (code != 0 || machineCode.empty())
    return internalFailure(ptxas + " failed: " + message + log.read());
  return machineCode;
}

Result<std::string> assembleOrRecall(const std::string &ptxas, const std::string &ptx, int capability,
                                     cache::Folder *folder) {
  llvm::sys::fs::file_status program;
  if (!folder || llvm::sys::fs::status(ptxas, program))
    return assemble(ptxas, ptx, capability);
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
  Result<std::string> machineCode = assemble(ptxas, ptx, capability);
  if (machineCode)
    folder->write({key, "gpu code", "machine code for cuda:" + std::to_string(capability), *machineCode});
  return machineCode;
}

} // namespace tilewise::cuda
