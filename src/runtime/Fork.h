// What fork() needs: a child has only the thread that forked, so a lock that another thread held
// would stay shut for ever.
//
// fork() first waits for compiles: locks of LLVM and of the linker cannot be held across it, so
// they are used only inside a CompileScope. Then it takes the runtime's own locks in the order in
// which the runtime nests them, and the child puts right what those guard.
#pragma once

namespace tilewise {

class CompileScope {
public:
  CompileScope();
  ~CompileScope();
  CompileScope(const CompileScope &) = delete;
  CompileScope &operator=(const CompileScope &) = delete;
};

/// While it lives the thread is out of its scope: around the host's callbacks, which may want a
/// lock that a forking thread holds, as Python's.
class CompilePause {
public:
  CompilePause();
  ~CompilePause();
  CompilePause(const CompilePause &) = delete;
  CompilePause &operator=(const CompilePause &) = delete;

private:
  const bool paused_;
};

/// The runtime's locks, outermost first.
enum class ForkLock {
  Host,
  Tuning,
  LibraryConfigs,
  Variants,
  Epochs,
  Pool,
  Executor,
  Atomics,
  Watchdog,
  Warnings,
  Log,
  Profile
};

/// Has fork() call `before` to take the lock, and then `inParent` or `inChild` to give it back;
/// each may be null. Called while the library is loaded, so that no fork comes before it; what it
/// returns is for the constant that calls it.
bool onFork(ForkLock lock, void (*before)(), void (*inParent)(), void (*inChild)());

} // namespace tilewise
