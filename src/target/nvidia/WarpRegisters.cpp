// setmaxnreg: warps that need few registers leave theirs to those that need many.
//
// All threads of a program start with as many registers each as the multiprocessor's 65536 give
// them. By groups of four warps they then share them out anew: with 8 warps that compute and 4
// beside them,
//
//     12 warps with 168 each   ->   4 with 24, 8 with 240        (4 * 24 + 8 * 240 = 12 * 168)
#include "target/nvidia/NvidiaMachine.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

constexpr unsigned kRegisters = 65536, kOfThread = 255, kGroup = 4;
constexpr unsigned kLeast = 24;            ///< That the instruction takes; enough to ask for boxes.
constexpr unsigned kUnit = 8, kMost = 240; ///< More than 240 are of no use: 232 hold 8 warps' sums.

} // namespace

unsigned NvidiaMachine::warpsBeside() const { return capability == 90 ? kGroup : 0; }

std::optional<gpu::Machine::RegisterShares> NvidiaMachine::registerShares(unsigned warps) const {
  const unsigned all = warps + kGroup, even = kRegisters / (32 * all) / kUnit * kUnit;
  if (even >= kMost || warps % kGroup != 0)
    return std::nullopt;
  const unsigned rest = (even * all - kLeast * kGroup) / warps / kUnit * kUnit;
  return RegisterShares{kLeast, std::min(kMost, rest)};
}

unsigned NvidiaMachine::programsByRegisters(unsigned warps, unsigned registers) const {
  return kRegisters / (32 * warps * llvm::alignTo(std::min(registers, kOfThread), kUnit));
}

void NvidiaMachine::takeRegisters(gpu::Lowering &on, unsigned registers, bool areMore) const {
  on.assembly(std::string("setmaxnreg.") + (areMore ? "inc" : "dec") + ".sync.aligned.u32 " +
                  std::to_string(registers) + ";",
              "", {}, {}, /*effects=*/true);
}

} // namespace tilewise::nvidia
