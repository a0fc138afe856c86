// The compiler's warnings by name, and a set of those that are on: read from `-Wname`, `-Wno-name`,
// `-Wall`, `-Wno-all` and `-Werror`.
#pragma once

#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilewise {

enum class Warning : uint8_t {
  UnmaskedAccess,
  HalfAccumulator,
  SameAddressStore,
  MaskOther,
  LaunchGrid,
  OverlappingStore,
  OffsetWidth,
  MaskMismatch,
  ScatterUpdate,
  UnshiftedExp,
  Perf
};

struct WarningInfo {
  Warning id;
  const char *name;
  const char *meaning;
  bool isOn = true; ///< Unless told otherwise.
};

/// The table itself, for the docs and for help.
llvm::ArrayRef<WarningInfo> allWarnings();
llvm::StringRef nameOf(Warning warning);

class WarningSet {
public:
  /// Those that are on by themselves, none an error.
  WarningSet();
  static WarningSet none();

  bool has(Warning warning) const { return on_ >> unsigned(warning) & 1; }
  bool any() const { return on_ != 0; }
  /// Every warning ends the compile.
  bool areErrors() const { return areErrors_; }

  /// One flag, with or without "-W" before it; the failure lists the names there are.
  Result<void> apply(llvm::StringRef flag);
  /// Flags between commas or blanks, in order.
  Result<void> applyAll(llvm::StringRef flags);
  /// The flags that make this set out of `none()`.
  std::string flags() const;

  bool operator==(const WarningSet &) const = default;

private:
  uint32_t on_;
  bool areErrors_ = false;
};

} // namespace tilewise
