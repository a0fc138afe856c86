// The reference engine's ops inside a CPU kernel: run, and the way out of a program that failed.
#include "runtime/CpuCall.h"

#include "runtime/Log.h"

namespace tilewise {

CpuLaunch::CpuLaunch(const reference::DelegatedOps &ops, llvm::ArrayRef<ArgumentSpan> spans,
                     std::array<uint32_t, 3> grid)
    : ops(ops), services{spans, [](llvm::StringRef text) { print(text.str()); }, {}},
      compiledSpans(spans.begin(), spans.end()), grid(grid) {
  for (ArgumentSpan &span : compiledSpans)
    if (!span.isKnown())
      span = {.begin = UINT64_MAX, .end = 0};
}

void CpuLaunch::fail(uint64_t program, Failure why) {
  std::lock_guard lock(mutex);
  if (program < failedProgram) {
    failure = std::move(why);
    failedProgram = program;
  }
}

bool CpuLaunch::isOver(uint64_t program) {
  std::lock_guard lock(mutex);
  return failedProgram < program;
}

/// Apart from its caller, which leaves by longjmp: here everything is destroyed as usual.
static bool mayGoOn(CpuCall &call, int64_t number, const void *const *operands, std::array<uint32_t, 3> program) {
  CpuLaunch &launch = call.launch;
  if (!call.workspace)
    call.workspace = launch.ops.newWorkspace();
  std::optional<Failure> failure =
      launch.ops.run(size_t(number), operands, program, launch.grid, launch.services, *call.workspace);
  if (!failure)
    return true;
  uint64_t linear = program[0] + uint64_t(launch.grid[0]) * (program[1] + uint64_t(launch.grid[1]) * program[2]);
  launch.fail(linear, std::move(*failure));
  return false;
}

void runDelegated(CpuCall *call, int64_t number, const void *const *operands, uint32_t x, uint32_t y, uint32_t z) {
  if (!mayGoOn(*call, number, operands, {x, y, z}))
    std::longjmp(call->stop, 1);
}

} // namespace tilewise
