// What the dialect cannot see itself: the machine's registers, and assembly, which this engine
// cannot run.
#include "reference/Code.h"

#include "ir/Tile.h"

#include <chrono>

using namespace mlir;

namespace tilewise::reference {
namespace {

/// A clock in nanoseconds that does not go back.
void readTimer(const Instruction &i, Frame &frame) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  *frame.at<uint64_t>(i.out[0]) = uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// Programs run one after another on processor 0.
void readProcessor(const Instruction &i, Frame &frame) { *frame.at<uint32_t>(i.out[0]) = 0; }

bool decodeRegister(tile::ExternCallOp op, Decoder &decoder) {
  auto *execute = op.getSymbol() == "globaltimer" ? readTimer : op.getSymbol() == "smid" ? readProcessor : nullptr;
  if (!execute || isa<RankedTensorType>(op.getType()))
    return false;
  decoder.append(op).execute = execute;
  return true;
}

} // namespace

bool decodeOpaque(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ExternCallOp op) { return decodeRegister(op, decoder); })
      .Case([&](tile::InlineAsmOp) {
        decoder.fail(
            kernelFailure("the reference engine cannot run this inline assembly: of PTX it has what computes values, "
                          "not memory, other lanes, or special registers"));
        return true;
      })
      .Default(false);
}

} // namespace tilewise::reference
