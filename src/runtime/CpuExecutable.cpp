// CPU artifacts: link the ELF object into this process by ORC, and run its entry point over the
// grid on the thread pool.
#include "runtime/Alone.h"
#include "runtime/CodeMap.h"
#include "runtime/CpuCall.h"
#include "runtime/Executable.h"
#include "runtime/Interrupt.h"
#include "runtime/JitLinker.h"
#include "runtime/LastLevelCache.h"
#include "runtime/Log.h"
#include "runtime/Scratch.h"
#include "runtime/SpreadPrograms.h"
#include "runtime/ThreadPool.h"
#include "runtime/Watchdog.h"
#include "support/Engines.h"
#include "target/HostProcessor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

namespace tilewise {

namespace {
using EntryPoint = void (*)(const uint64_t *arguments, void *scratch, const uint32_t *grid, uint64_t begin,
                            uint64_t end);

class CpuExecutable : public Executable {
public:
  CpuExecutable(LinkedObject code, MappedCode map, const Artifact &artifact,
                std::unique_ptr<reference::DelegatedOps> delegated)
      : code_(std::move(code)), map_(std::move(map)), entry_(reinterpret_cast<EntryPoint>(code_.entry())),
        kernel_(artifact.kernel), scratchBytes_(artifact.plan.scratchBytes), storedBytes_(artifact.plan.storedBytes),
        waits_(artifact.plan.waits), hasAtomics_(artifact.plan.hasAtomics), updatesOnly_(artifact.plan.updatesOnly),
        aloneThreads_(artifact.plan.aloneThreads), programOrder_(artifact.plan.programOrder),
        delegated_(std::move(delegated)) {}

  Result<void> launch(std::span<const uint64_t> arguments, const LaunchGrid &grid, void *stream) override {
    if (delegated_) {
      const std::vector<ArgumentSpan> unknown(arguments.size());
      return launchChecked(arguments, unknown, grid, stream);
    }
    return overGrid(grid, [&](const Range &range) { range.call([&] { enter(arguments.data(), range); }); });
  }

  bool isChecked() const override { return delegated_ != nullptr; }
  Result<void> launchChecked(std::span<const uint64_t> arguments, std::span<const ArgumentSpan> spans,
                             const LaunchGrid &grid, void *) override {
    CpuLaunch shared(*delegated_, {spans.data(), spans.size()}, grid.size);
    const std::vector<uint64_t> slots(arguments.begin(), arguments.end());
    Result<void> done = overGrid(grid, [&](const Range &range) {
      if (!shared.isOver(range.begin))
        call(shared, slots, range);
      // Else each program before one that fails runs to its end, so that the first to fail is
      // found.
      if (waits_ && shared.hasFailed())
        range.watched->stop();
    });
    if (shared.failure)
      return std::move(*shared.failure);
    return done;
  }

private:
  /// Some programs in a row, on one thread.
  struct Range {
    WatchedLaunch *watched; ///< Null: nobody could want the launch to end.
    void *scratch;
    const uint32_t *gridAndStreams;
    uint64_t begin, end;

    template <typename Body> void call(Body body) const {
      if (watched)
        watched->call(end - begin, [](void *context) { (*static_cast<Body *>(context))(); }, &body);
      else
        body();
    }
  };

  /// Slots are copied: each call has a record of its own, the last of them.
  void call(CpuLaunch &launch, std::vector<uint64_t> slots, const Range &range) {
    CpuCall record{launch.compiledSpans.data(), launch, {}, {}};
    slots.push_back(reinterpret_cast<uint64_t>(&record));
    range.call([&] {
      if (!setjmp(record.stop))
        enter(slots.data(), range);
    });
  }

  void enter(const uint64_t *arguments, const Range &range) {
    entry_(arguments, range.scratch, range.gridAndStreams, range.begin, range.end);
  }

  /// Runs all programs: on several threads, or here and in order when they print.
  template <typename Run> Result<void> overGrid(const LaunchGrid &grid, const Run &run) {
    const uint64_t programs = grid.programs();
    // What a kernel stores it most often made of as much that it loaded: half a cache of stores
    // fills it.
    const double twice = 2 * double(storedBytes_) * double(programs);
    const LastLevelCache &cache = lastLevelCacheOfMachine;
    const bool isCooperative = grid.cooperative && programs > 1;
    const unsigned threads = programs == 1 ? 1 : threadsOfLaunch();
    const bool streams = twice > double(cache.bytes) && twice > double(cache.reachedBy(threads));
    const bool asksForAlone = updatesOnly_ && !isCooperative && threads <= std::max(1u, aloneThreads_);
    using Wish = AtomicsTurn::Wish;
    const AtomicsTurn turn(asksForAlone ? Wish::Alone : hasAtomics_ ? Wish::WithOthers : Wish::None);
    const std::array<uint32_t, 4> gridAndStreams = {grid.size[0], grid.size[1], grid.size[2],
                                                    uint32_t(streams) | uint32_t(turn.isAlone()) << 1};
    std::atomic<bool> outOfMemory{false};
    Interruption interruption;
    std::optional<WatchedLaunch> watched;
    if (waits_ || !grid.empty.empty() || interruption.canHappen())
      watched.emplace(interruption, waits_, !grid.empty.empty(), programs);
    auto work = [&](uint64_t begin, uint64_t end) {
      ScratchFrame scratch(scratchBytes_);
      if (!scratch.data())
        return outOfMemory.store(true, std::memory_order_relaxed);
      auto *note =
          reinterpret_cast<uint64_t *>(static_cast<char *>(scratch.data()) + scratchBytes_ - LaunchPlan::kNoteBytes);
      auto runSome = [&](uint64_t from, uint64_t to) {
        *note = ~uint64_t(0);
        // A launch may run inside another, on a thread of the pool.
        const RunningPrograms outer =
            std::exchange(runningPrograms, {from, to, gridAndStreams.data(), programOrder_.data(), note});
        run(Range{watched ? &*watched : nullptr, scratch.data(), gridAndStreams.data(), from, to});
        runningPrograms = outer;
      };
      if (!watched || programs == 1)
        runSome(begin, end);
      else if (waits_)
        for (; begin < end && !watched->isOver(); ++begin)
          runSome(begin, begin + 1);
      else if (end - begin == 1)
        return interruption.isWanted() ? void() : runSome(begin, end);
      else
        runInterruptibly(interruption, begin, end, runSome);
    };
    if (delegated_ && delegated_->hasMessages() && !grid.cooperative) {
      work(0, programs);
    } else {
      // The context is both what programs need and the host to ask while the caller waits for
      // others.
      std::pair<decltype(work) *, Interruption *> context{&work, &interruption};
      using Context = decltype(context);
      GridRun spread{programs,
                     [](void *both, uint64_t begin, uint64_t end) { (*static_cast<Context *>(both)->first)(begin, end); },
                     &context,
                     {},
                     isCooperative,
                     !isCooperative && (threads == 1 || turn.isAlone())};
      spread.manner.oneByOne = waits_;
      if (interruption.canHappen())
        spread.manner.whileWaiting = [](void *both) { static_cast<Context *>(both)->second->isWanted(); };
      if (Result<void> done = runGrid(kernel_, spread); !done)
        return done;
    }
    if (const char *where = watched ? watched->touchedEmpty() : nullptr)
      return launchFailure("kernel '" + kernel_ + "': " + grid.empty + " no elements, and the kernel touches " +
                           (llvm::StringRef(grid.empty).ends_with("has") ? "it" : "one of them") + ": " + where +
                           "; leave out by a mask what is not there");
    if (watched && watched->isStuck())
      return stuckFailure(*watched, programs);
    if (interruption.wasWanted())
      return launchFailure("the launch was interrupted");
    if (outOfMemory.load(std::memory_order_relaxed))
      return launchFailure("out of memory: a thread of the CPU engine needs " + std::to_string(scratchBytes_) +
                           " bytes of scratch");
    return {};
  }

  Failure stuckFailure(const WatchedLaunch &watched, uint64_t programs) const {
    return launchFailure(
        "kernel '" + kernel_ + "': its programs wait for each other, and " + std::to_string(watched.notBegun()) +
        " of " + std::to_string(programs) +
        " have not begun: programs begin in increasing order as threads become free, so one that waits for "
        "a higher one may wait for ever; launch it cooperatively (launch_cooperative_grid=True in Python, "
        "Options::cooperative in C++), or let it wait longer by TILEWISE_WAIT_SECONDS");
  }

  /// Programs in batches of some milliseconds: a chunk of the pool may take seconds.
  template <typename Run>
  static void runInterruptibly(Interruption &interruption, uint64_t begin, uint64_t end, const Run &run) {
    constexpr std::chrono::milliseconds kBatch{5};
    auto start = Interruption::Clock::now();
    for (uint64_t batch = 1; !interruption.isWanted(start);) {
      const uint64_t next = begin + std::min(batch, end - begin);
      run(begin, next);
      begin = next;
      if (begin == end)
        return;
      const auto now = Interruption::Clock::now();
      if (now - start < kBatch / 4)
        batch *= 4;
      else if (now - start > kBatch)
        batch = std::max<uint64_t>(1, batch / 2);
      start = now;
    }
  }

  LinkedObject code_;
  MappedCode map_;
  EntryPoint entry_;
  std::string kernel_;
  uint32_t scratchBytes_;
  uint64_t storedBytes_;
  bool waits_, hasAtomics_, updatesOnly_;
  uint32_t aloneThreads_;
  std::array<uint8_t, 3> programOrder_;
  std::unique_ptr<reference::DelegatedOps> delegated_; ///< Null: the kernel asks for nothing.
};
} // namespace

Result<std::unique_ptr<Executable>> loadCpuExecutable(const Artifact &artifact) {
#if TILEWISE_HAS_CPU_ENGINE
  if (Result<void> runs = cpu::checkRunsHere(artifact.target); !runs)
    return runs.takeFailure();
#endif
  Result<LinkedObject> code = LinkedObject::link(artifact.code, artifact.kernel);
  if (!code)
    return code.takeFailure();
  MappedCode map(code->code(), artifact.kernel);
  std::unique_ptr<reference::DelegatedOps> delegated;
  if (!artifact.plan.delegatedOps.empty()) {
    std::vector<std::string> names;
    for (const LaunchParameter &parameter : artifact.plan.parameters)
      names.push_back(parameter.name);
    auto loaded = reference::DelegatedOps::load(artifact.plan.delegatedOps, std::move(names));
    if (!loaded)
      return loaded.takeFailure();
    delegated = std::move(*loaded);
  }
  return std::unique_ptr<Executable>(
      std::make_unique<CpuExecutable>(std::move(*code), std::move(map), artifact, std::move(delegated)));
}

} // namespace tilewise
