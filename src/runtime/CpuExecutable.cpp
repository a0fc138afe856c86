// CPU artifacts: link the ELF object into this process by ORC, and run its entry point over the grid on the thread pool.
#include "runtime/CodeMap.h"
#include "runtime/CpuCall.h"
#include "runtime/Executable.h"
#include "runtime/Interrupt.h"
#include "runtime/JitLinker.h"
#include "runtime/Log.h"
#include "runtime/Scratch.h"
#include "runtime/ThreadPool.h"
#include "target/cpu/HostProcessor.h"

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
  CpuExecutable(LinkedObject code, MappedCode map, const LaunchPlan &plan,
                std::unique_ptr<reference::OutsideOps> outside)
      : code_(std::move(code)), map_(std::move(map)), entry_(reinterpret_cast<EntryPoint>(code_.entry())),
        scratchBytes_(plan.scratchBytes), storedBytes_(plan.storedBytes), outside_(std::move(outside)) {}

  Result<void> launch(std::span<const uint64_t> arguments, std::array<uint32_t, 3> grid, void *stream) override {
    if (outside_) {
      const std::vector<ArgumentSpan> unknown(arguments.size());
      return launchChecked(arguments, unknown, grid, stream);
    }
    return overGrid(grid, [&](void *scratch, const uint32_t *gridAndStreams, uint64_t begin, uint64_t end) {
      entry_(arguments.data(), scratch, gridAndStreams, begin, end);
    });
  }

  bool isChecked() const override { return outside_ != nullptr; }
  Result<void> launchChecked(std::span<const uint64_t> arguments, std::span<const ArgumentSpan> spans,
                             std::array<uint32_t, 3> grid, void *) override {
    CpuLaunch shared(*outside_, {spans.data(), spans.size()}, grid);
    const std::vector<uint64_t> slots(arguments.begin(), arguments.end());
    Result<void> done =
        overGrid(grid, [&](void *scratch, const uint32_t *gridAndStreams, uint64_t begin, uint64_t end) {
          if (!shared.isOver(begin))
            call(shared, slots, scratch, gridAndStreams, begin, end);
        });
    if (shared.failure)
      return std::move(*shared.failure);
    return done;
  }

private:
  /// Slots are copied: each call has a record of its own, the last of them.
  void call(CpuLaunch &launch, std::vector<uint64_t> slots, void *scratch, const uint32_t *gridAndStreams,
            uint64_t begin, uint64_t end) {
    CpuCall record{launch.compiledSpans.data(), launch, {}, {}};
    slots.push_back(reinterpret_cast<uint64_t>(&record));
    if (!setjmp(record.stop))
      entry_(slots.data(), scratch, gridAndStreams, begin, end);
  }

  /// Runs all programs: on the pool, or here and in order when they print.
  template <typename Run> Result<void> overGrid(std::array<uint32_t, 3> grid, const Run &run) {
    const uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
    const bool streams = double(storedBytes_) * double(programs) > double(lastLevelCacheBytes());
    const std::array<uint32_t, 4> gridAndStreams = {grid[0], grid[1], grid[2], streams};
    std::atomic<bool> outOfMemory{false};
    Interruption interruption;
    auto work = [&](uint64_t begin, uint64_t end) {
      ScratchFrame scratch(scratchBytes_);
      if (scratchBytes_ && !scratch.data())
        return outOfMemory.store(true, std::memory_order_relaxed);
      auto runSome = [&](uint64_t from, uint64_t to) {
        // A launch may run inside another, on a thread of the pool.
        const RunningPrograms outer = std::exchange(runningPrograms, {from, to, gridAndStreams.data()});
        run(scratch.data(), gridAndStreams.data(), from, to);
        runningPrograms = outer;
      };
      if (!interruption.canHappen() || end - begin == 1)
        return interruption.isWanted() ? void() : runSome(begin, end);
      runInterruptibly(interruption, begin, end, runSome);
    };
    if (outside_ && outside_->hasMessages())
      work(0, programs);
    else
      ThreadPool::instance().run(programs, work);
    if (interruption.isWanted())
      return launchFailure("the launch was interrupted");
    if (outOfMemory.load(std::memory_order_relaxed))
      return launchFailure("out of memory: a thread of the CPU engine needs " + std::to_string(scratchBytes_) +
                           " bytes of scratch");
    return {};
  }

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
  MappedCode map_;
  EntryPoint entry_;
  uint32_t scratchBytes_;
  uint64_t storedBytes_;
  std::unique_ptr<reference::OutsideOps> outside_; ///< Null: the kernel asks for nothing.
};
} // namespace

Result<std::unique_ptr<Executable>> loadCpuExecutable(const Artifact &artifact) {
#if TILEWISE_WITH_X86
  if (Result<void> runs = cpu::checkRunsHere(artifact.target); !runs)
    return runs.takeFailure();
#endif
  Result<LinkedObject> code = LinkedObject::link(artifact.code, artifact.kernel);
  if (!code)
    return code.takeFailure();
  MappedCode map(code->code(), artifact.kernel);
  std::unique_ptr<reference::OutsideOps> outside;
  if (!artifact.plan.outsideOps.empty()) {
    std::vector<std::string> names;
    for (const LaunchParameter &parameter : artifact.plan.parameters)
      names.push_back(parameter.name);
    auto loaded = reference::OutsideOps::load(artifact.plan.outsideOps, std::move(names));
    if (!loaded)
      return loaded.takeFailure();
    outside = std::move(*loaded);
  }
  return std::unique_ptr<Executable>(
      std::make_unique<CpuExecutable>(std::move(*code), std::move(map), artifact.plan, std::move(outside)));
}

} // namespace tilewise
