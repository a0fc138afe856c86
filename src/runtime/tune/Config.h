// One way to launch a kernel: values of its constants, and options of the compiler.
//
//     BLOCK_M: 64, BLOCK_N: 32, num_warps: 8, num_stages: 3
#pragma once

#include "artifact/LaunchOptions.h"
#include "support/Error.h"
#include "tilewise/tune.h"

#include <string>
#include <vector>

namespace tilewise::tune {

struct Config {
  /// Parameters and the texts of their values.
  std::vector<std::pair<std::string, std::string>> values;
  uint32_t numWarps = 4, numStages = 3;

  /// "BLOCK: 64, num_warps: 4, num_stages: 3"; equal configs have equal texts.
  std::string str() const;
  /// Such a text, or "BLOCK=64, num_warps=8"; options that are left out have their defaults.
  static Result<Config> parse(llvm::StringRef text);
  /// The names and values of such a text, which they point into.
  static Result<std::vector<std::pair<llvm::StringRef, llvm::StringRef>>> items(llvm::StringRef text);

  /// The value of a constant that is a whole number.
  std::optional<int64_t> number(llvm::StringRef name) const;

  /// The launch's arguments and options with this config's; points into the config and the
  /// arguments.
  std::vector<tw_argument> with(llvm::ArrayRef<tw_argument> arguments) const;
  LaunchOptions with(LaunchOptions options) const {
    options.numWarps = numWarps;
    options.numStages = numStages;
    return options;
  }

  bool operator==(const Config &) const = default;
};

} // namespace tilewise::tune

/// A config as hosts see it.
struct tw_config {
  const tilewise::tune::Config &config;
  std::string text = config.str();
};
