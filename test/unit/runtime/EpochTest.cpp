// Retired objects live as long as launches that may have seen them, and no longer.
#include "runtime/Epoch.h"
#include "runtime/LaunchTable.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

using namespace tilewise;

namespace {

struct Noted {
  explicit Noted(std::atomic<int> &freed) : freed(freed) {}
  ~Noted() { ++freed; }
  std::atomic<int> &freed;
};

TEST(Epoch, WhatNobodyCanSeeIsFreedAtOnce) {
  freeRetired();
  std::atomic<int> freed{0};
  retire(std::make_unique<Noted>(freed));
  EXPECT_EQ(freed.load(), 0);
  freeRetired();
  EXPECT_EQ(freed.load(), 1);
}

TEST(Epoch, APinKeepsWhatIsRetiredAfterIt) {
  freeRetired();
  std::atomic<int> freed{0};
  std::atomic<int> step{0};
  auto reach = [&](int wanted) {
    while (step.load() < wanted)
      std::this_thread::yield();
  };
  std::thread launch([&] {
    {
      const EpochPin pin;
      const EpochPin inner; // a launch inside
      step = 1;
      reach(2);
    }
    step = 3;
    reach(4);
    const EpochPin later;
    step = 5;
    reach(6);
  });
  reach(1);
  retire(std::make_unique<Noted>(freed));
  freeRetired();
  EXPECT_EQ(freed.load(), 0);
  step = 2;
  reach(3);
  step = 4;
  reach(5); // pinned again, but after the retirement
  freeRetired();
  EXPECT_EQ(freed.load(), 1);
  step = 6;
  launch.join();
}

TEST(Epoch, ThreadsThatAreGonePinNothing) {
  freeRetired();
  std::atomic<int> freed{0};
  std::thread([] { const EpochPin pin; }).join();
  retire(std::make_unique<Noted>(freed));
  freeRetired();
  EXPECT_EQ(freed.load(), 1);
}

struct Entry {
  uint64_t hash;
  std::vector<uint64_t> key;
  std::atomic<uint64_t> alive{0x600d};
  ~Entry() { alive = 0xdead; }
};

// Readers never see an entry that is gone, while a writer puts in and takes out as fast as it can.
TEST(LaunchTable, EntriesThatAreTakenOutOutliveTheirReaders) {
  LaunchTable<Entry> table;
  std::mutex mutex;
  std::atomic<bool> ending{false};
  std::atomic<int> dead{0}, found{0};
  auto hashOf = [](uint64_t number) { return number * 0x9e3779b97f4a7c15 >> 7; };
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&, i] {
      for (uint64_t number = i; !ending; number = (number + 1) % 64) {
        const EpochPin pin;
        const uint64_t key[] = {number};
        if (const Entry *entry = table.find(hashOf(number), key)) {
          ++found;
          std::this_thread::yield();
          dead += entry->alive.load() != 0x600d || entry->key[0] != number;
        }
      }
    });
  std::vector<Entry *> in(64);
  for (uint64_t round = 0; round < 20000 || found.load() < 1000; ++round) {
    {
      std::lock_guard lock(mutex);
      const uint64_t number = round * 7 % 64;
      if (in[number]) {
        table.erase(std::exchange(in[number], nullptr));
      } else {
        auto made = std::make_unique<Entry>();
        made->hash = hashOf(number);
        made->key = {number};
        in[number] = table.insert(std::move(made));
      }
    }
    freeRetired();
  }
  ending = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(dead.load(), 0);
  EXPECT_GT(found.load(), 0);
  freeRetired();
  EXPECT_EQ(retiredCount(), 0u);
}

TEST(LaunchTable, FindsWhatIsLeftAfterTakingOut) {
  LaunchTable<Entry> table;
  std::vector<Entry *> in;
  for (uint64_t i = 0; i < 100; ++i) {
    auto made = std::make_unique<Entry>();
    made->hash = 5; // one long row of places
    made->key = {i};
    in.push_back(table.insert(std::move(made)));
  }
  for (uint64_t i = 0; i < 100; i += 2)
    table.erase(in[i]);
  EXPECT_EQ(table.entries().size(), 50u);
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t key[] = {i};
    EXPECT_EQ(table.find(5, key), i % 2 ? in[i] : nullptr);
  }
}

} // namespace
