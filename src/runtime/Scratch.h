// Scratch memory of a running thread: 64-byte aligned, kept between launches, safe when a launch
// runs inside another.
#pragma once

#include <cstddef>

namespace tilewise {

/// Holds `bytes` of this thread's scratch while it lives. A thread allocates only when a launch
/// needs more than any before it.
class ScratchFrame {
public:
  explicit ScratchFrame(size_t bytes);
  ~ScratchFrame();
  ScratchFrame(const ScratchFrame &) = delete;
  ScratchFrame &operator=(const ScratchFrame &) = delete;

  /// Null if and only if no memory could be had, or none was asked for.
  void *data() const { return data_; }

private:
  void *data_ = nullptr;
};

} // namespace tilewise
