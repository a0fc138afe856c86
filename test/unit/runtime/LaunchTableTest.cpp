// The launch table: finds what was put in, also while another thread puts in more.
#include "runtime/LaunchTable.h"

#include <gtest/gtest.h>

#include <thread>

using tilewise::LaunchTable;

namespace {

struct Entry {
  uint64_t hash;
  std::vector<uint64_t> key;
};

std::unique_ptr<Entry> entry(uint64_t number, uint64_t hash) {
  return std::make_unique<Entry>(Entry{hash, {number, ~number}});
}

TEST(LaunchTable, FindsByWholeKey) {
  LaunchTable<Entry> table;
  // All hashes equal: only the keys tell them apart.
  for (uint64_t i = 0; i < 100; ++i)
    table.insert(entry(i, 7));
  EXPECT_EQ(table.entries().size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t key[] = {i, ~i};
    ASSERT_NE(table.find(7, key), nullptr);
    EXPECT_EQ(table.find(7, key)->key[0], i);
  }
  const uint64_t absent[] = {100, ~uint64_t(100)}, shorter[] = {5};
  EXPECT_EQ(table.find(7, absent), nullptr);
  EXPECT_EQ(table.find(7, shorter), nullptr);
  EXPECT_EQ(table.find(8, absent), nullptr);
}

TEST(LaunchTable, ReadersNeverMissWhatWasPublished) {
  LaunchTable<Entry> table;
  constexpr uint64_t kCount = 20000;
  std::atomic<uint64_t> published{0};
  std::atomic<uint64_t> misses{0};
  std::thread reader([&] {
    for (uint64_t seen = 0; seen < kCount; seen = published.load(std::memory_order_acquire))
      for (uint64_t i = seen > 50 ? seen - 50 : 0; i < seen; ++i) {
        const tilewise::EpochPin pin;
        const uint64_t key[] = {i, ~i};
        misses += table.find(i * 0x9e3779b97f4a7c15, key) == nullptr;
      }
  });
  for (uint64_t i = 0; i < kCount; ++i) {
    table.insert(entry(i, i * 0x9e3779b97f4a7c15));
    published.store(i + 1, std::memory_order_release);
  }
  reader.join();
  EXPECT_EQ(misses.load(), 0u);
}

} // namespace
