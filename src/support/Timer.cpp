// Stage times -> a small table.
#include "support/Timer.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise {

void StageTimes::add(llvm::StringRef name, double milliseconds) {
  for (Stage &stage : stages_)
    if (stage.name == name) {
      stage.milliseconds += milliseconds;
      return;
    }
  stages_.push_back({name.str(), milliseconds});
}

double StageTimes::total() const {
  double sum = 0;
  for (const Stage &stage : stages_)
    sum += stage.milliseconds;
  return sum;
}

std::string StageTimes::render() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Stage &stage : stages_)
    os << llvm::format("%10.3f ms  ", stage.milliseconds) << stage.name << '\n';
  os << llvm::format("%10.3f ms  ", total()) << "total\n";
  return text;
}

} // namespace tilewise
