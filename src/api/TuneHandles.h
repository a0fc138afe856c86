// What the handles of tilewise/tune.h hold.
#pragma once

#include "runtime/tune/Autotuner.h"
#include "tilewise/tune.h"

struct tw_tuner {
  explicit tw_tuner(tilewise::Kernel &kernel) : kernel(kernel), tuner(kernel) {}
  tilewise::Kernel &kernel;
  tilewise::tune::Autotuner tuner;
  // The latest results, with the texts that tw_tuner_result points to.
  std::vector<tilewise::tune::TunedConfig> results;
  std::vector<std::string> texts;

  void keepResults() {
    results = tuner.latest();
    texts.clear();
    for (const tilewise::tune::TunedConfig &one : results)
      texts.push_back(one.config.str());
  }
};
