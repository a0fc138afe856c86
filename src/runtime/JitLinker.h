// An ELF object linked into this process. It may call only the functions of HostFunctions.h.
#pragma once

#include "support/Error.h"

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
      : library_(std::exchange(other.library_, nullptr)), entry_(other.entry_) {}
  LinkedObject &operator=(LinkedObject &&) = delete;
  /// Unmaps the code.
  ~LinkedObject();

  void *entry() const { return entry_; }

private:
  LinkedObject(llvm::orc::JITDylib *library, void *entry) : library_(library), entry_(entry) {}

  llvm::orc::JITDylib *library_;
  void *entry_;
};

} // namespace tilewise
