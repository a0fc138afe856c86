// Runs ptxas and nvdisasm over temporary files.
#include "target/PtxTools.h"

#include "support/Knobs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise {

namespace {

std::string findProgram(const std::string &given, llvm::StringRef name) {
  if (!given.empty())
    return given;
  if (auto path = llvm::sys::findProgramByName(name))
    return *path;
  if (auto path = llvm::sys::findProgramByName(name, {"/usr/local/cuda/bin"}))
    return *path;
  return "";
}

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
  bool write(llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << bytes;
    os.close();
    const bool wentWrong = error || os.has_error();
    os.clear_error();
    return !wentWrong;
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
  bool failed = false;
};

/// "sm_90"; where the text is for the one processor "sm_90a", that.
std::string processorFor(llvm::StringRef ptx, int capability) {
  const std::string plain = "sm_" + std::to_string(capability);
  const llvm::StringRef target = ptx.split(".target ").second.take_until([](char c) { return c == ',' || isspace(c); });
  return target == plain + "a" ? target.str() : plain;
}

} // namespace

std::string findPtxas() { return findProgram(knobs::ptxas(), "ptxas"); }

Result<std::string> assemblePtx(const std::string &ptxas, llvm::StringRef ptx, int capability) {
  TemporaryFile input("ptx"), output("cubin"), said("log");
  if (input.failed || output.failed || said.failed || !input.write(ptx))
    return internalFailure("cannot write temporary files for " + ptxas);
  const std::string architecture = "-arch=" + processorFor(ptx, capability);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(said.path),
                                                llvm::StringRef(said.path)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(ptxas, {ptxas, architecture, "-o", output.path, input.path, "-lineinfo"},
                                       std::nullopt, redirects, 0, 0, &message);
  std::string machineCode = output.read();
  if (code != 0 || machineCode.empty())
    return internalFailure(ptxas + " failed: " + message + said.read());
  return machineCode;
}

Result<std::string> disassemble(llvm::StringRef machineCode) {
  const std::string program = findProgram(knobs::nvdisasm(), "nvdisasm");
  if (program.empty())
    return launchFailure(
        "machine code of a GPU is shown by nvdisasm, which is not here: install CUDA's, or the package "
        "nvidia-cuda-nvdisasm, and put it into PATH or its path into TILEWISE_NVDISASM");
  TemporaryFile input("cubin"), output("sass"), said("log");
  if (input.failed || output.failed || said.failed || !input.write(machineCode))
    return internalFailure("cannot write temporary files for " + program);
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output.path),
                                                llvm::StringRef(said.path)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(program, {program, "-c", input.path}, std::nullopt, redirects, 0, 0, &message);
  if (code != 0)
    return launchFailure(program + " failed: " + message + said.read());
  return output.read();
}

} // namespace tilewise
