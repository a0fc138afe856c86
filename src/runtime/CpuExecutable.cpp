// CPU artifacts: link the ELF object into this process by ORC, and run its entry point over the grid on the thread pool.
#include "runtime/Executable.h"
#include "runtime/Interrupt.h"
#include "runtime/JitLinker.h"
#include "runtime/Scratch.h"
#include "runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <unistd.h>

namespace tilewise {

namespace {
using EntryPoint = void (*)(const uint64_t *arguments, void *scratch, const uint32_t *grid, uint64_t begin,
                            uint64_t end);

/// Of the machine, or of a middling server where it does not tell.
uint64_t lastLevelCacheBytes() {
  static const uint64_t bytes = [] {
    const long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return told > 0 ? uint64_t(told) : uint64_t(32) << 20;
  }();
  return bytes;
}

class CpuExecutable : public Executable {
public:
  CpuExecutable(LinkedObject code, EntryPoint entry, const LaunchPlan &plan)
      : code_(std::move(code)), entry_(entry), scratchBytes_(plan.scratchBytes), storedBytes_(plan.storedBytes) {}

  Result<void> launch(std::span<const uint64_t> arguments, std::array<uint32_t, 3> grid, void *) override {
    const uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
    const bool streams = double(storedBytes_) * double(programs) > double(lastLevelCacheBytes());
    const std::array<uint32_t, 4> gridAndStreams = {grid[0], grid[1], grid[2], streams};
    std::atomic<bool> outOfMemory{false};
    Interruption interruption;
    ThreadPool::instance().run(programs, [&](uint64_t begin, uint64_t end) {
      ScratchFrame scratch(scratchBytes_);
      if (scratchBytes_ && !scratch.data())
        return outOfMemory.store(true, std::memory_order_relaxed);
      auto run = [&](uint64_t from, uint64_t to) {
        entry_(arguments.data(), scratch.data(), gridAndStreams.data(), from, to);
      };
      if (!interruption.canHappen() || end - begin == 1)
        return interruption.isWanted() ? void() : run(begin, end);
      runInterruptibly(interruption, begin, end, run);
    });
    if (interruption.isWanted())
      return launchFailure("the launch was interrupted");
    if (outOfMemory.load(std::memory_order_relaxed))
      return launchFailure("out of memory: a thread of the CPU engine needs " + std::to_string(scratchBytes_) +
                           " bytes of scratch");
    return {};
  }

private:
  /// Programs in batches of some milliseconds: a chunk of the pool may take seconds.
  template <typename Run>
  static void runInterruptibly(Interruption &interruption, uint64_t begin, uint64_t end, const Run &run) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kBatch{5};
    for (uint64_t batch = 1; begin < end && !interruption.isWanted();) {
      const auto start = Clock::now();
      const uint64_t next = begin + std::min(batch, end - begin);
      run(begin, next);
      begin = next;
      const auto taken = Clock::now() - start;
      if (taken < kBatch / 4)
        batch *= 4;
      else if (taken > kBatch)
        batch = std::max<uint64_t>(1, batch / 2);
    }
  }

  LinkedObject code_;
  EntryPoint entry_;
  uint32_t scratchBytes_;
  uint64_t storedBytes_;
};
} // namespace

Result<std::unique_ptr<Executable>> loadCpuExecutable(const Artifact &artifact) {
  Result<LinkedObject> code = LinkedObject::link(artifact.code, artifact.kernel);
  if (!code)
    return code.takeFailure();
  auto entry = reinterpret_cast<EntryPoint>(code->entry());
  return std::unique_ptr<Executable>(std::make_unique<CpuExecutable>(std::move(*code), entry, artifact.plan));
}

} // namespace tilewise
