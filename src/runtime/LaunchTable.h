// A hash table that is read at every launch and written at every compile: a look-up takes no lock and writes nothing.
//
// Open addressing over atomic pointers. A writer, alone by its own lock, publishes an entry by one release store into an empty place, and a
// grown table by one release store of its address; a reader that still probes the old table at worst misses the newest entry and takes the
// lock. Old tables stay until the table goes: they double in size, so all of them together are no larger than the one in use.
// `Entry` has members `uint64_t hash` and `std::vector<uint64_t> key`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilewise {

template <typename Entry> class LaunchTable {
public:
  LaunchTable() { grow(16); }

  Entry *find(uint64_t hash, std::span<const uint64_t> key) const {
    const Places *places = current_.load(std::memory_order_acquire);
    for (size_t at = hash & places->mask;; at = (at + 1) & places->mask) {
      Entry *entry = places->at[at].load(std::memory_order_acquire);
      if (!entry)
        return nullptr;
      if (entry->hash == hash && std::equal(key.begin(), key.end(), entry->key.begin(), entry->key.end()))
        return entry;
    }
  }

  /// The caller holds the writers' lock and knows that the key is new.
  Entry *insert(std::unique_ptr<Entry> entry) {
    entries_.push_back(std::move(entry));
    count_.store(entries_.size(), std::memory_order_relaxed);
    if (entries_.size() * 2 > tables_.back()->mask + 1)
      grow((tables_.back()->mask + 1) * 2);
    else
      place(*tables_.back(), entries_.back().get());
    return entries_.back().get();
  }

  size_t size() const { return count_.load(std::memory_order_relaxed); }

private:
  struct Places {
    explicit Places(size_t size) : mask(size - 1), at(new std::atomic<Entry *>[size]()) {}
    size_t mask; ///< The size, a power of two, less one.
    std::unique_ptr<std::atomic<Entry *>[]> at;
  };

  static void place(Places &places, Entry *entry) {
    size_t at = entry->hash & places.mask;
    while (places.at[at].load(std::memory_order_relaxed))
      at = (at + 1) & places.mask;
    places.at[at].store(entry, std::memory_order_release);
  }

  void grow(size_t size) {
    auto grown = std::make_unique<Places>(size);
    for (auto &entry : entries_)
      place(*grown, entry.get());
    current_.store(grown.get(), std::memory_order_release);
    tables_.push_back(std::move(grown));
  }

  std::atomic<const Places *> current_{nullptr};
  std::atomic<size_t> count_{0};
  std::vector<std::unique_ptr<Places>> tables_; ///< The last is the current one.
  std::vector<std::unique_ptr<Entry>> entries_;
};

} // namespace tilewise
