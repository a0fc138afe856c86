// Configs <-> texts, and launches with them.
#include "runtime/tune/Config.h"
#include "support/Try.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::tune {

std::string Config::str() const {
  std::string text;
  for (const auto &[name, value] : values)
    text += name + ": " + value + ", ";
  return text + "num_warps: " + std::to_string(numWarps) + ", num_stages: " + std::to_string(numStages);
}

/// Cuts at commas outside of brackets and quotes.
static std::vector<llvm::StringRef> splitItems(llvm::StringRef text) {
  std::vector<llvm::StringRef> items;
  size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      --depth;
    else if (c == ',' && depth == 0) {
      items.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.drop_front(begin).trim().empty())
    items.push_back(text.drop_front(begin).trim());
  return items;
}

Result<std::vector<std::pair<llvm::StringRef, llvm::StringRef>>> Config::items(llvm::StringRef text) {
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> items;
  for (llvm::StringRef item : splitItems(text)) {
    const size_t cut = item.find_first_of("=:");
    const llvm::StringRef name = item.take_front(cut).trim(), value = item.substr(cut).substr(1).trim();
    if (cut == llvm::StringRef::npos || name.empty() || value.empty())
      return launchFailure("a config is a list as 'BLOCK=64, num_warps=4'; got '" + item.str() + "' in it");
    items.emplace_back(name, value);
  }
  return items;
}

Result<Config> Config::parse(llvm::StringRef text) {
  Config config;
  TILEWISE_TRY(const auto all, items(text));
  for (const auto &[name, value] : all) {
    uint32_t *option = name == "num_warps" ? &config.numWarps : name == "num_stages" ? &config.numStages : nullptr;
    if (!option)
      config.values.emplace_back(name.str(), value.str());
    else if (value.getAsInteger(10, *option) || *option == 0)
      return launchFailure("a config's " + name.str() + " is a whole number of at least 1, got '" + value.str() + "'");
  }
  return config;
}

std::optional<int64_t> Config::number(llvm::StringRef name) const {
  if (name == "num_warps" || name == "num_stages")
    return name == "num_warps" ? numWarps : numStages;
  int64_t value = 0;
  for (const auto &[known, text] : values)
    if (name == known && !llvm::StringRef(text).getAsInteger(10, value))
      return value;
  return std::nullopt;
}

std::vector<tw_argument> Config::with(llvm::ArrayRef<tw_argument> arguments) const {
  std::vector<tw_argument> all = arguments.vec();
  for (const auto &[name, text] : values) {
    int64_t number = 0;
    // A number as such: launches without a tuner then share the code.
    const tw_argument value =
        llvm::StringRef(text).getAsInteger(10, number) ? tw_constant(text.c_str()) : tw_int(number);
    all.push_back(tw_named(name.c_str(), value));
  }
  return all;
}

} // namespace tilewise::tune
