// Tells a debugger about code that was not there when the program started, see DebuggerInterface.h.
// Until a debugger is attached, an object costs its bytes and an entry of a list.
#pragma once

#include <memory>
#include <string>

namespace tilewise {

/// An ELF object that debuggers know while this lives.
class DebuggedObject {
public:
  /// `object` is relocatable; each of its sections that is in memory has its address in the
  /// section's header.
  explicit DebuggedObject(std::string object);
  DebuggedObject(DebuggedObject &&other) noexcept;
  DebuggedObject &operator=(DebuggedObject &&) = delete;
  ~DebuggedObject();

  const std::string &bytes() const;

private:
  struct Entry;
  Entry *entry_;
};

} // namespace tilewise
