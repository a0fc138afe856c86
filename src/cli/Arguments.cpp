// Words of a command -> flags, values and the rest.
#include "cli/Arguments.h"

#include "support/DidYouMean.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tilewise::cli {

bool Arguments::takeFlag(llvm::StringRef name) {
  asked_.push_back(name.str());
  const auto end = llvm::find(words_, "--");
  auto at = std::find(words_.begin(), end, name);
  if (at == end)
    return false;
  words_.erase(at);
  return true;
}

bool Arguments::has(llvm::StringRef name) const {
  return std::any_of(words_.begin(), llvm::find(words_, "--"), [&](llvm::StringRef word) {
    return word.consume_front(name) && (word.empty() || word.front() == '=');
  });
}

std::vector<std::string> Arguments::takeValues(llvm::StringRef name) {
  asked_.push_back(name.str());
  std::vector<std::string> values;
  for (size_t i = 0; i < words_.size() && words_[i] != "--";) {
    llvm::StringRef word = words_[i];
    if (word == name) {
      if (i + 1 == words_.size()) {
        problem_ = name.str() + " needs a value";
        words_.pop_back();
        break;
      }
      values.push_back(words_[i + 1]);
      words_.erase(words_.begin() + i, words_.begin() + i + 2);
    } else if (word.consume_front(name) && word.consume_front("=")) {
      values.push_back(word.str());
      words_.erase(words_.begin() + i);
    } else {
      ++i;
    }
  }
  return values;
}

std::vector<std::string> Arguments::takeWarnings() {
  std::vector<std::string> flags;
  for (size_t i = 0; i < words_.size() && words_[i] != "--";) {
    llvm::StringRef word = words_[i];
    if (!word.consume_front("-W")) {
      ++i;
      continue;
    }
    flags.push_back(word.str());
    words_.erase(words_.begin() + i);
  }
  return flags;
}

std::optional<std::string> Arguments::takeValue(llvm::StringRef name) {
  std::vector<std::string> values = takeValues(name);
  if (values.empty())
    return std::nullopt;
  return values.back();
}

Defines Arguments::takeDefines() {
  Defines defines;
  for (const std::string &define : takeValues("--define")) {
    auto [name, value] = llvm::StringRef(define).split('=');
    if (name.empty() || value.empty())
      problem_ = "--define needs a name and its value, as in --define WIDTH=8, got '" + define + "'";
    defines.emplace_back(name.str(), value.str());
  }
  return defines;
}

std::optional<unsigned> Arguments::takeNumber(llvm::StringRef name, unsigned least) {
  std::optional<std::string> text = takeValue(name);
  if (!text)
    return std::nullopt;
  unsigned number = 0;
  if (llvm::StringRef(*text).getAsInteger(10, number) || number < least) {
    problem_ = name.str() + " needs a whole number of at least " + std::to_string(least) + ", got '" + *text + "'";
    return std::nullopt;
  }
  return number;
}

std::vector<std::string> Arguments::takeRest() {
  std::vector<std::string> rest;
  bool literal = false;
  for (std::string &word : words_) {
    if (!literal && word == "--") {
      literal = true;
      continue;
    }
    if (!literal && llvm::StringRef(word).starts_with("--") && problem_.empty())
      problem_ = "unknown option '" + word + "'" + didYouMean(llvm::StringRef(word).split('=').first, asked_);
    rest.push_back(std::move(word));
  }
  words_.clear();
  return rest;
}

} // namespace tilewise::cli
