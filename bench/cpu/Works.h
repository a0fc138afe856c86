// The works of the CPU's bench, one function per family.
#pragma once

#include "Contest.h"
#include "Team.h"

#include <tilewise/tilewise.hpp>

#include <random>

namespace bench {

/// copy, add, pictures, convolution: as fast as memory.
void streams(const Options &options);
/// softmax and layer norm: rows that are read once and written once.
void rows(const Options &options);
void matmuls(const Options &options);
void attention(const Options &options);
/// sort, cumsum, histogram, argmax, atomics against plain loops.
void collects(const Options &options);
/// All threads against one, twice the work against once.
void scaling(const Options &options);
/// Every kernel of the library in checked mode against itself.
void checked(const Options &options);
/// Text to callable, and an empty launch.
void costs(const Options &options);

/// Multiply-adds of fp32 in registers, of all threads together and of one.
void multiplyAdds(const Options &options);
/// Adds as many operations as the work has, as multiply-adds in registers: the rate that these
/// threads reach at all.
void addMultiplyAdds(Contest &contest, double operations);

/// Adds memcpy over the team's threads of half these bytes, which reads and writes as many as the
/// work does.
void addMemcpy(Contest &contest, double bytes);

/// Random numbers in [-1, 1), the same in every run.
inline std::vector<float> noise(size_t count, unsigned seed = 1) {
  std::minstd_rand generator(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(generator()) / float(1u << 30) - 1;
  return values;
}

/// Leaves the process with a message when a result is not what it must be: a fast wrong answer is
/// no figure.
void mustAgree(const std::string &what, const std::vector<float> &got, const std::vector<float> &expected,
               double relative);

} // namespace bench
