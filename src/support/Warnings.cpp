// The table of warnings, and flags that switch them.
#include "support/Warnings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewise {

static constexpr WarningInfo kTable[] = {
    {Warning::UnmaskedAccess, "unmasked-access",
     "a load or store without a mask, though the extent it walks over is a runtime value that no block size divides"},
    {Warning::HalfAccumulator, "half-accumulator", "a sum over a loop that is kept in fp16 or bf16"},
    {Warning::SameAddressStore, "same-address-store", "a store whose addresses do not depend on the program id"},
    {Warning::MaskOther, "mask-other",
     "a masked load whose value for masked-off lanes disturbs the reduction or dot that uses it"},
    {Warning::LaunchGrid, "launch-grid",
     "a launch: a dimension of the grid that the kernel never asks for, or a program id along one that the grid does "
     "not have"},
    {Warning::OverlappingStore, "overlapping-store",
     "a launch: blocks of neighbouring programs that overlap in memory, as pid + tl.arange(0, BLOCK)"},
    {Warning::OffsetWidth, "offset-width",
     "a 32-bit product with the program id that reaches an address: it overflows beyond 2^31 elements (off by default)",
     /*isOn=*/false},
    {Warning::MaskMismatch, "mask-mismatch",
     "a mask that bounds other offsets than those it is used with: x[at + 1] under at < n (off by default, on in "
     "tilewise check)",
     /*isOn=*/false},
    {Warning::ScatterUpdate, "scatter-update",
     "a store of updated values to addresses that several lanes may share, so that updates are lost (off by default, "
     "on "
     "in tilewise check)",
     /*isOn=*/false},
    {Warning::UnshiftedExp, "unshifted-exp",
     "a softmax whose exponentials overflow, since no maximum was subtracted (off by default, on in tilewise check)",
     /*isOn=*/false},
    {Warning::Perf, "perf",
     "CPU: accesses executed lane by lane; GPU: dots without tensor cores, copies that do not run ahead; each with its "
     "reason (off by default)",
     /*isOn=*/false},
};

llvm::ArrayRef<WarningInfo> allWarnings() { return kTable; }
llvm::StringRef nameOf(Warning warning) { return kTable[unsigned(warning)].name; }

WarningSet::WarningSet() : on_(0) {
  for (const WarningInfo &info : kTable)
    on_ |= uint32_t(info.isOn) << unsigned(info.id);
}

WarningSet WarningSet::none() {
  WarningSet set;
  set.on_ = 0;
  return set;
}

Result<void> WarningSet::apply(llvm::StringRef flag) {
  llvm::StringRef name = flag;
  name.consume_front("-W");
  bool on = !name.consume_front("no-");
  if (name == "error") {
    areErrors_ = on;
    return {};
  }
  if (name == "all") {
    on_ = on ? WarningSet().on_ : 0;
    return {};
  }
  const auto *known = llvm::find_if(kTable, [&](const WarningInfo &info) { return name == info.name; });
  if (known == std::end(kTable)) {
    std::string names;
    for (const WarningInfo &info : kTable)
      names += std::string(info.name) + ", ";
    return launchFailure("unknown warning '" + flag.str() + "': expected " + names +
                         "all or error, each with no- before it to switch it off");
  }
  uint32_t bit = 1u << unsigned(known->id);
  on_ = on ? on_ | bit : on_ & ~bit;
  return {};
}

Result<void> WarningSet::applyAll(llvm::StringRef flags) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(flags, words, ", ");
  for (llvm::StringRef word : words)
    if (Result<void> done = apply(word); !done)
      return done;
  return {};
}

std::string WarningSet::flags() const {
  std::string text = "no-all";
  for (const WarningInfo &info : kTable)
    if (has(info.id))
      text += std::string(",") + info.name;
  return areErrors_ ? text + ",error" : text;
}

} // namespace tilewise
