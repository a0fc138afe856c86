// Launches of kernels with atomics on the CPU: many at once, or one that is alone.
//
// A locked addition takes a processor some 20 cycles, a plain one less than one, in vectors. Where
// a launch has one thread, and no other launch with atomics runs meanwhile, plain ones do. So such
// a launch asks to be alone, and one on a few threads that does little else runs on one for it
// (target/cpu/plan/SharedUpdates.cpp). It is alone where none runs as it begins, and others that
// begin before it ends wait for it. It ends, since only kernels that wait for nobody ask
// (passes/AtomicUse.h). A launch inside another one's program, on its thread, does not wait.
#pragma once

namespace tilewise {

class AtomicsTurn {
public:
  enum class Wish { None, WithOthers, Alone };
  explicit AtomicsTurn(Wish wish);
  ~AtomicsTurn();
  AtomicsTurn(const AtomicsTurn &) = delete;
  AtomicsTurn &operator=(const AtomicsTurn &) = delete;

  bool isAlone() const { return taken_ == Wish::Alone; }

private:
  Wish taken_ = Wish::None;
};

} // namespace tilewise
