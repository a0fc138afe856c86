// Tests of what kernels mean, which every engine of every machine has to pass: a suite derived from
// OnEngine runs on each of them.
//
//     class Blocks : public OnEngine {};
//     ON_EACH_ENGINE(Blocks);
//     TEST_P(Blocks, PermuteMovesDimensions) { ... runKernel(text, ...) ... }
//
// RunKernel.h runs tile IR, RunSource.h the kernel language, both on the engine of the test that
// calls them.
#pragma once

#include "artifact/Target.h"

#include <gtest/gtest.h>

#include <string>

namespace tilewise::engines {

/// Set for as long as a test runs.
inline Engine engineUnderTest = Engine::Reference;

inline std::string nameOf(Engine engine) { return engine == Engine::Reference ? "reference" : "cpu"; }
inline auto allEngines() { return testing::Values(Engine::Reference, Engine::Cpu); }

class OnEngine : public testing::TestWithParam<Engine> {
protected:
  OnEngine() { engineUnderTest = GetParam(); }
  ~OnEngine() override { engineUnderTest = Engine::Reference; }
};

#define ON_EACH_ENGINE(Suite)                                                                                          \
  INSTANTIATE_TEST_SUITE_P(On, Suite, allEngines(), [](const auto &info) { return nameOf(info.param); })

} // namespace tilewise::engines
