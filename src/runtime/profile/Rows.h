// The table of a profile: one row per kind, kernel and device, with counts, times and bytes.
#pragma once

#include "runtime/profile/Profile.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <tuple>

namespace tilewise::profile {

llvm::StringRef nameOf(Kind kind);

class Rows {
public:
  void add(llvm::StringRef kind, llvm::StringRef name, llvm::StringRef device, double seconds, uint64_t bytes) {
    add(kind, name, device, {1, seconds, seconds, bytes, bytes ? seconds : 0});
  }
  void add(const Rows &other);

  llvm::json::Value toJson() const;
  /// What of it can be read.
  static Rows fromJson(const llvm::json::Value &value);

  /// The longest first, with shares of the time in each kind, and of the device's bandwidth.
  std::string print() const;

private:
  struct Row {
    uint64_t count = 0;
    double seconds = 0, fastest = 0;
    uint64_t bytes = 0;
    double secondsOfBytes = 0; ///< Of those whose bytes are known.
  };
  using Key = std::tuple<std::string, std::string, std::string>; ///< Kind, name, device.
  void add(llvm::StringRef kind, llvm::StringRef name, llvm::StringRef device, const Row &row);

  std::map<Key, Row> rows_;
};

} // namespace tilewise::profile
