// An ELF object linked into this process, and known to debuggers. It may call only the functions of
// HostFunctions.h.
#pragma once

#include "runtime/Debugger.h"
#include "runtime/DwarfLines.h"
#include "support/Error.h"

#include <optional>
#include <string>

namespace llvm::orc {
class JITDylib;
}

namespace tilewise {

class LinkedObject {
public:
  /// Links `object` and finds `entry` in it.
  static Result<LinkedObject> link(const std::string &object, const std::string &entry);

  LinkedObject(LinkedObject &&other) noexcept
      : library_(std::exchange(other.library_, nullptr)), code_(other.code_), debugged_(std::move(other.debugged_)) {}
  LinkedObject &operator=(LinkedObject &&) = delete;
  /// Unmaps the code.
  ~LinkedObject();

  void *entry() const { return code_.entry; }

  /// Where the code of the entry point lies, and the lines that it comes from; all good while the
  /// object lives.
  struct Code {
    void *entry = nullptr;
    size_t bytes = 0;
    const char *section = nullptr; ///< The start of the section that `lines` counts from.
    DwarfLines lines;
  };
  const Code &code() const { return code_; }

private:
  LinkedObject(llvm::orc::JITDylib *library, const std::string &object, const std::string &name, void *entry);

  llvm::orc::JITDylib *library_;
  Code code_;
  std::optional<DebuggedObject> debugged_; ///< Nothing for an object without lines.
};

} // namespace tilewise
