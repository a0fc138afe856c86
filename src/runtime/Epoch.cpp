// The pins of all threads, and what waits to be freed.
#include "runtime/Epoch.h"

#include "runtime/ProcessWide.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace tilewise {

namespace {

/// A thread's pin. A line of its own: every launch writes it.
struct alignas(64) Pin {
  Pin();
  ~Pin();

  std::atomic<uint64_t> epoch{0}; ///< 0: not pinned.
  unsigned depth = 0;             ///< Launches inside launches.
};

struct Retired {
  uint64_t epoch;
  void *object;
  void (*destroy)(void *);
};

struct Epochs {
  std::atomic<uint64_t> current{1};
  std::mutex mutex; ///< Guards the rest.
  std::vector<Pin *> pins;
  std::vector<Retired> retired;

  void afterForkInChild();
};

} // namespace

static thread_local Pin pin;

static constinit ProcessWide<Epochs, ForkLock::Epochs> epochs;
[[maybe_unused]] static const bool isForkReady = epochs.registerForFork<epochs>();

namespace {
/// A child has only the thread that forked; the others' pins would keep what is retired for ever.
void Epochs::afterForkInChild() {
  // A thread that has launched nothing gets its pin now: making one adds to the list.
  Pin *mine = &pin;
  std::erase_if(pins, [&](Pin *other) { return other != mine; });
}
} // namespace

namespace {
Pin::Pin() {
  std::lock_guard lock(epochs->mutex);
  epochs->pins.push_back(this);
}
Pin::~Pin() {
  std::lock_guard lock(epochs->mutex);
  std::erase(epochs->pins, this);
}
} // namespace

// The pin is written before a table is read, and a table is written before the pins are read, all
// in one order: a launch that finds an object which is being retired is seen by whoever would free
// it.
EpochPin::EpochPin() {
  Pin &mine = pin;
  if (mine.depth++ == 0)
    mine.epoch.store(epochs->current.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
}

EpochPin::~EpochPin() {
  Pin &mine = pin;
  if (--mine.depth == 0)
    mine.epoch.store(0, std::memory_order_release);
}

void retire(void *object, void (*destroy)(void *)) {
  std::lock_guard lock(epochs->mutex);
  epochs->retired.push_back({epochs->current.fetch_add(1, std::memory_order_seq_cst), object, destroy});
}

void freeRetired() {
  std::vector<Retired> free;
  {
    Epochs &all = epochs.get();
    std::lock_guard lock(all.mutex);
    uint64_t oldest = UINT64_MAX;
    for (const Pin *each : all.pins)
      if (const uint64_t epoch = each->epoch.load(std::memory_order_seq_cst))
        oldest = std::min(oldest, epoch);
    auto kept = std::partition(all.retired.begin(), all.retired.end(),
                               [&](const Retired &each) { return each.epoch >= oldest; });
    free.assign(kept, all.retired.end());
    all.retired.erase(kept, all.retired.end());
  }
  for (const Retired &each : free)
    each.destroy(each.object);
}

size_t retiredCount() {
  std::lock_guard lock(epochs->mutex);
  return epochs->retired.size();
}

} // namespace tilewise
