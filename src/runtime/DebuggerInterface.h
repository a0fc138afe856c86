// GDB's JIT interface, which LLDB reads too: names, layout and values are the debuggers' (GDB's
// manual, "Registering Code").
//
// They are defined beside the C interface (api/DebuggerApi.cpp), since the library has to export
// them: a debugger would not find them in a stripped one. Protected, as another JIT in the process
// may have a list of its own under the same names.
#pragma once

#include <cstdint>

extern "C" {

struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char *object;
  uint64_t size;
};

struct jit_descriptor {
  uint32_t version, action;
  jit_code_entry *relevant, *first;
};

extern __attribute__((visibility("protected"))) jit_descriptor __jit_debug_descriptor;
/// Does nothing: the debugger has a breakpoint on it, and reads the descriptor when it is called.
__attribute__((visibility("protected"))) void __jit_debug_register_code();
}
