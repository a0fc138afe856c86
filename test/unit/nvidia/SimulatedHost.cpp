// What the driver does for the threads of a GPU: lines printed, launches ended.
#include "SimulatedThreads.h"

#include <cstdio>

namespace tilewise::nvidiatest {

/// C's printf over values that lie one behind the other, each aligned to its size.
static std::string formatted(StringRef format, const uint8_t *values) {
  std::string text;
  size_t offset = 0;
  auto take = [&](auto value) {
    offset = (offset + sizeof value - 1) / sizeof value * sizeof value;
    std::memcpy(&value, values + offset, sizeof value);
    offset += sizeof value;
    return value;
  };
  while (!format.empty()) {
    size_t at = format.find('%');
    text += format.take_front(at);
    format = format.drop_front(std::min(at, format.size()));
    if (format.empty())
      break;
    size_t end = format.find_first_of("%udxfa", 1);
    std::string directive = format.take_front(end + 1).str();
    format = format.drop_front(directive.size());
    char buffer[512];
    if (directive == "%%")
      std::snprintf(buffer, sizeof buffer, "%%");
    else if (directive.back() == 'f' || directive.back() == 'a')
      std::snprintf(buffer, sizeof buffer, directive.c_str(), take(double()));
    else if (directive.find("ll") != std::string::npos)
      std::snprintf(buffer, sizeof buffer, directive.c_str(), take(0ll));
    else
      std::snprintf(buffer, sizeof buffer, directive.c_str(), take(0u));
    text += buffer;
  }
  return text;
}

bool Machine::hostCall(Thread &thread, LLVM::CallOp op) {
  auto textAt = [&](unsigned index) {
    return std::string(reinterpret_cast<const char *>(thread.values[op.getOperand(index)][0]));
  };
  if (*op.getCallee() == "vprintf") {
    simulation_.printed += formatted(textAt(0), reinterpret_cast<const uint8_t *>(thread.values[op.getOperand(1)][0]));
    thread.values[op.getResult()] = {0};
    return true;
  }
  if (*op.getCallee() == "__assertfail") {
    fail(textAt(1) + ":" + llvm::Twine(thread.values[op.getOperand(2)][0]) + ": " + textAt(3) + ": " + textAt(0));
    return true;
  }
  return false;
}

} // namespace tilewise::nvidiatest
