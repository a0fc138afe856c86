// The race finds the fastest under noise, spends its time on those that are hard to tell apart, and
// breaks ties by order.
#include "runtime/tune/Race.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tilewise::tune {

namespace {

/// A machine on which calls take known times: with interference now and then, and a clock that
/// drifts.
struct NoisyMachine {
  std::vector<double> seconds;
  std::mt19937 random;
  double interrupted = 0.1; ///< How many samples are, by up to three times their own time.
  /// Instead of that, how likely each millisecond is interrupted, for some milliseconds.
  double preempted = 0;
  double clock = 0;
  std::vector<uint64_t> calls = std::vector<uint64_t>(seconds.size());

  Result<double> operator()(size_t index, uint64_t count) {
    calls[index] += count;
    std::exponential_distribution<double> often(1 / 0.02);
    std::uniform_real_distribution<double> chance(0, 1);
    double each = seconds[index] * (1 + often(random)) * (1 + 0.1 * std::sin(clock * 3));
    if (chance(random) < interrupted)
      each *= 1 + 3 * chance(random);
    double taken = each * double(count);
    for (double work = taken; work > 0 && preempted > 0; work -= 1e-3)
      if (chance(random) < preempted)
        taken += 1e-3 * (0.5 + 6 * chance(random));
    clock += taken;
    return taken;
  }
};

} // namespace

/// In how many of 300 races among 12 the winner is more than so many percent behind the best.
static int countWrong(double interrupted, double percent, double preempted = 0) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> seconds(12);
    for (double &one : seconds)
      one = 1e-4 * std::exp(std::uniform_real_distribution<double>(0, 1.5)(random));
    NoisyMachine machine{seconds, random, interrupted, preempted};
    const RaceResult result = race(seconds.size(), std::ref(machine));
    EXPECT_TRUE(result.hasWinner());
    wrong += seconds[result.winner] > (1 + percent / 100) * *std::min_element(seconds.begin(), seconds.end());
  }
  return wrong;
}

TEST(Race, FindsTheFastestWithinTwoPercent) { EXPECT_LE(countWrong(0.1, 2), 3); }

TEST(Race, FindsAFastOneWhereMostSamplesAreInterrupted) {
  EXPECT_LE(countWrong(0.6, 5), 6);
  EXPECT_LE(countWrong(0.8, 5), 9);
}

// Other processes that get the core for milliseconds, which is many times what a call takes.
TEST(Race, FindsTheFastestBesideOtherProcesses) {
  EXPECT_LE(countWrong(0, 2, 0.3), 6);
  EXPECT_LE(countWrong(0, 5, 0.6), 9);
}

TEST(Race, HopelessOnesLeaveEarly) {
  NoisyMachine machine{{1e-3, 1.02e-3, 2.5e-3, 20e-3, 1.5e-3}, std::mt19937(1), 0.1};
  const RaceResult result = race(5, std::ref(machine));
  EXPECT_LE(result.winner, 1u);
  EXPECT_GE(result.racers[0].samples, 5u);
  EXPECT_LE(result.racers[2].samples, 3u);
  EXPECT_EQ(result.racers[3].samples, 1u);
  EXPECT_EQ(machine.calls[3], 2u) << "the first call and one sample";
  EXPECT_GT(result.racers[3].seconds, 10e-3);
}

// On a machine with many processes one sample may take a thousand times as long as it should.
TEST(Race, OneInterruptedCallDoesNotEndACandidate) {
  uint64_t calls[3] = {};
  const RaceResult result = race(3, [&](size_t index, uint64_t count) -> Result<double> {
    const bool isInterrupted = index == 1 && calls[index] == 1;
    calls[index] += count;
    return (index == 1 ? 1e-4 : 2e-4) * double(count) + (isInterrupted ? 50e-3 : 0);
  });
  EXPECT_EQ(result.winner, 1u);
  EXPECT_NEAR(result.racers[1].seconds, 1e-4, 1e-6);
}

TEST(Race, TiesGoToTheFirst) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    // Equal but for a per mille.
    std::uniform_real_distribution<double> jitter(1, 1.001);
    const RaceResult result = race(4, [&](size_t index, uint64_t calls) -> Result<double> {
      return 1e-4 * (index == 0 ? 3 : 1) * jitter(random) * double(calls);
    });
    EXPECT_EQ(result.winner, 1u);
  }
}

TEST(Race, WhatCannotRunIsReported) {
  const RaceResult result = race(3, [](size_t index, uint64_t calls) -> Result<double> {
    if (index == 0)
      return launchFailure("too much shared memory");
    return 1e-3 * double(index) * double(calls);
  });
  EXPECT_EQ(result.racers[0].problem, "too much shared memory");
  EXPECT_TRUE(std::isinf(result.racers[0].seconds));
  EXPECT_EQ(result.winner, 1u);
  EXPECT_TRUE(result.hasWinner());
  EXPECT_FALSE(race(1, [](size_t, uint64_t) -> Result<double> { return launchFailure("no"); }).hasWinner());
  EXPECT_FALSE(race(0, [](size_t, uint64_t) -> Result<double> { return 1.0; }).hasWinner());
}

TEST(Race, TheOnlyCandidateIsTimedAndDone) {
  NoisyMachine machine{{1e-3}, std::mt19937(1), 0.1};
  const RaceResult result = race(1, std::ref(machine));
  EXPECT_TRUE(result.hasWinner());
  EXPECT_EQ(result.racers[0].samples, 1u);
}

} // namespace tilewise::tune
