// ldmatrix and stmatrix: a warp reads matrices of 8 rows from shared memory, each lane its part of
// them, or writes them.
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

Value sharedWord(gpu::Lowering &on, Value address);

gpu::Registers NvidiaMachine::loadMatrices(gpu::Lowering &on, Value address, unsigned matrices, bool across) const {
  std::string words, constraints;
  for (unsigned i = 0; i < matrices; ++i) {
    words += (i ? ", $" : "$") + std::to_string(i);
    constraints += "=r,";
  }
  std::string text = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(matrices) + (across ? ".trans" : "") +
                     ".shared.b16 {" + words + "}, [$" + std::to_string(matrices) + "];";
  Type word = on.builder.getI32Type(),
       type = LLVM::LLVMStructType::getLiteral(on.builder.getContext(), SmallVector<Type>(matrices, word));
  Value made = on.assembly(text, constraints + "r", matrices == 1 ? word : type, sharedWord(on, address),
                           /*effects=*/true);
  if (matrices == 1)
    return {made};
  gpu::Registers result;
  for (unsigned i = 0; i < matrices; ++i)
    result.push_back(on.make<LLVM::ExtractValueOp>(made, ArrayRef<int64_t>{int64_t(i)}));
  return result;
}

void NvidiaMachine::storeMatrices(gpu::Lowering &on, Value address, ArrayRef<Value> words, bool across) const {
  std::string list, constraints = "r";
  for (size_t i = 0; i < words.size(); ++i) {
    list += (i ? ", $" : "$") + std::to_string(i + 1);
    constraints += ",r";
  }
  SmallVector<Value> operands{sharedWord(on, address)};
  operands.append(words.begin(), words.end());
  on.assembly("stmatrix.sync.aligned.m8n8.x" + std::to_string(words.size()) + (across ? ".trans" : "") +
                  ".shared.b16 [$0], {" + list + "};",
              constraints, {}, operands, /*effects=*/true);
}

} // namespace tilewise::nvidia
