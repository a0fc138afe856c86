// A hash table that is read at every launch and written at every compile: a look-up takes no lock
// and writes nothing.
//
// Open addressing over atomic pointers. A writer, alone by its own lock, publishes an entry by one
// store into an empty place, and a new array of places by one store of its address; a reader that
// still probes the old one at worst misses the newest entry and takes the lock. An entry that is
// taken out leaves a mark in its place, over which readers go on. Readers are pinned (Epoch.h):
// what is taken out, entries and arrays, is retired and so outlives them. `Entry` has members
// `uint64_t hash` and `std::vector<uint64_t> key`.
#pragma once

#include "runtime/Epoch.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilewise {

template <typename Entry> class LaunchTable {
public:
  LaunchTable() { rebuild(); }

  /// The caller is pinned, or holds the writers' lock.
  Entry *find(uint64_t hash, std::span<const uint64_t> key) const {
    const Places *places = current_.load(std::memory_order_seq_cst);
    for (size_t at = hash & places->mask;; at = (at + 1) & places->mask) {
      Entry *entry = places->at[at].load(std::memory_order_seq_cst);
      if (!entry)
        return nullptr;
      if (entry != gone() && entry->hash == hash &&
          std::equal(key.begin(), key.end(), entry->key.begin(), entry->key.end()))
        return entry;
    }
  }

  /// The caller holds the writers' lock and knows that the key is new.
  Entry *insert(std::unique_ptr<Entry> entry) {
    entries_.push_back(std::move(entry));
    if (++used_ * 2 > places_->mask + 1)
      rebuild();
    else
      place(*places_, entries_.back().get());
    return entries_.back().get();
  }

  /// Takes the entry out and retires it. The caller holds the writers' lock.
  void erase(Entry *entry) {
    for (size_t at = entry->hash & places_->mask;; at = (at + 1) & places_->mask)
      if (places_->at[at].load(std::memory_order_relaxed) == entry) {
        places_->at[at].store(gone(), std::memory_order_seq_cst);
        break;
      }
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto &each) { return each.get() == entry; });
    retire(std::move(*found));
    entries_.erase(found);
  }

  /// With the writers' lock held.
  std::span<const std::unique_ptr<Entry>> entries() const { return entries_; }

private:
  struct Places {
    explicit Places(size_t size) : mask(size - 1), at(new std::atomic<Entry *>[size]()) {}
    size_t mask; ///< The size, a power of two, less one.
    std::unique_ptr<std::atomic<Entry *>[]> at;
  };

  /// The mark: an address that no entry has.
  static Entry *gone() {
    alignas(16) static char mark;
    return reinterpret_cast<Entry *>(&mark);
  }

  static void place(Places &places, Entry *entry) {
    size_t at = entry->hash & places.mask;
    while (places.at[at].load(std::memory_order_relaxed))
      at = (at + 1) & places.mask;
    places.at[at].store(entry, std::memory_order_seq_cst);
  }

  /// An array without marks, a quarter full at most.
  void rebuild() {
    auto made = std::make_unique<Places>(std::bit_ceil(std::max<size_t>(16, entries_.size() * 4)));
    for (auto &entry : entries_)
      place(*made, entry.get());
    used_ = entries_.size();
    current_.store(made.get(), std::memory_order_seq_cst);
    if (places_)
      retire(std::move(places_));
    places_ = std::move(made);
  }

  std::atomic<const Places *> current_{nullptr};
  std::unique_ptr<Places> places_;
  size_t used_ = 0; ///< Places that are not empty.
  std::vector<std::unique_ptr<Entry>> entries_;
};

} // namespace tilewise
