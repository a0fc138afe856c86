// The list that debuggers read, under the names that they look for.
#include "runtime/Debugger.h"

#include "runtime/DebuggerInterface.h"

#include <mutex>
#include <utility>

namespace tilewise {

struct DebuggedObject::Entry {
  std::string bytes;
  jit_code_entry code;

  static std::mutex mutex;
  static void tell(uint32_t action, jit_code_entry &code) {
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = &code;
    __jit_debug_register_code();
  }
};
constinit std::mutex DebuggedObject::Entry::mutex;

static constexpr uint32_t kRegister = 1, kUnregister = 2;

DebuggedObject::DebuggedObject(std::string object) : entry_(new Entry{std::move(object), {}}) {
  std::lock_guard lock(Entry::mutex);
  jit_code_entry &code = entry_->code;
  code = {__jit_debug_descriptor.first, nullptr, entry_->bytes.data(), entry_->bytes.size()};
  if (code.next)
    code.next->previous = &code;
  __jit_debug_descriptor.first = &code;
  Entry::tell(kRegister, code);
}

DebuggedObject::DebuggedObject(DebuggedObject &&other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}

DebuggedObject::~DebuggedObject() {
  if (!entry_)
    return;
  {
    std::lock_guard lock(Entry::mutex);
    jit_code_entry &code = entry_->code;
    (code.previous ? code.previous->next : __jit_debug_descriptor.first) = code.next;
    if (code.next)
      code.next->previous = code.previous;
    Entry::tell(kUnregister, code);
  }
  delete entry_;
}

const std::string &DebuggedObject::bytes() const { return entry_->bytes; }

} // namespace tilewise
