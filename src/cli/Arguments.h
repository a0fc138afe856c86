// A command's words: flags taken by name, the rest in order. `--name=value` and `--name value` mean
// the same.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::cli {

/// Module-level names of a kernel file and the values they are given.
using Defines = std::vector<std::pair<std::string, std::string>>;

class Arguments {
public:
  Arguments(int argc, const char *const *argv) : words_(argv, argv + argc) {}

  /// Takes `--name` out of the words; true when it was there.
  bool takeFlag(llvm::StringRef name);
  /// Whether `--name` or `--name=value` is there; it stays.
  bool has(llvm::StringRef name) const;
  /// Takes every word that starts with `-W`, in order and without it.
  std::vector<std::string> takeWarnings();
  /// Takes the last `--name value`; nothing when it is not there. A missing value sets `problem()`.
  std::optional<std::string> takeValue(llvm::StringRef name);
  /// Takes every `--name value`, in order.
  std::vector<std::string> takeValues(llvm::StringRef name);
  /// Takes every `--define NAME=VALUE`, as names and values.
  Defines takeDefines();
  /// Like takeValue, for a whole number of at least `least`.
  std::optional<unsigned> takeNumber(llvm::StringRef name, unsigned least);
  /// Everything that is left, as it is.
  std::vector<std::string> takeAll() { return std::move(words_); }
  /// What is left, in order; an unknown `--flag` among it sets `problem()`. Words after `--` are
  /// taken as they are.
  std::vector<std::string> takeRest();

  /// What was wrong with the words so far; empty when nothing.
  const std::string &problem() const { return problem_; }

private:
  std::vector<std::string> words_;
  std::vector<std::string> asked_; ///< The options that the command has, as it asked for them.
  std::string problem_;
};

} // namespace tilewise::cli
