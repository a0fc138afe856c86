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

} // namespace tilewise::cuda
