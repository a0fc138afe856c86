// wgmma: four warps multiply tiles in shared memory while they go on with other work.
//
// The instruction finds an operand by a *descriptor* of 64 bits. Addresses and distances are in
// units of 16 bytes:
//
//     bits  0-13  where the part to multiply begins
//     bits 16-29  from one panel to the next, where rows run along m or n
//     bits 32-45  from eight rows to the next eight
//     bits 62-63  the swizzle: 1 for rows of 128 bytes, 2 for 64, 3 for 32
//
// A step along k, or to another part of the tile, only moves where it begins; swizzles are undone
// by the bits of the address itself, which is why tiles lie at multiples of 1024 bytes
// (gpu/TileForm.h).
#include "target/gpu/TileForm.h"
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

Value sharedWord(gpu::Lowering &on, Value address);

namespace {

/// Operands are read along k in their rows, or, where the type has 16 bits, across them.
bool isAlongK(gpu::TileType tile, unsigned index) { return tile.getMinor() == (index == 0 ? 1u : 0u); }

/// All of a descriptor but where it begins.
uint64_t formBits(gpu::TileType tile, unsigned index) {
  gpu::TileForm form(tile);
  uint64_t row = form.rowBytes(), swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
  uint64_t panels = isAlongK(tile, index) ? 1 : form.panelBytes() / 16;
  return panels << 16 | (8 * row / 16) << 32 | swizzle << 62;
}

/// One gpu.mma as one piece of PTX: all its parts of 64 rows and steps along k, then the end of the
/// group.
class Multiplication {
public:
  Multiplication(gpu::Lowering &on, gpu::MmaOp op, const gpu::MatrixInstruction &instruction)
      : on_(on), op_(op), instruction_(instruction), layout_(gpu::layoutOf(op.getType())) {}

  gpu::Registers emit(ArrayRef<Value> a, Value b, ArrayRef<Value> c) {
    sums_ = c.size();
    std::string letter = isa<FloatType>(c.front().getType()) ? "f" : "r", constraints;
    for (size_t i = 0; i < sums_; ++i)
      constraints += (i ? ",=" : "=") + letter;
    for (size_t i = 0; i < sums_; ++i)
      constraints += "," + std::to_string(i);
    operands_.assign(c.begin(), c.end());
    auto tileA = dyn_cast<gpu::TileType>(op_.getA().getType());
    SmallVector<unsigned> left;
    if (tileA) {
      left.push_back(add(descriptor(a.front(), tileA, 0), "l", constraints));
    } else {
      for (Value word : packed(a))
        left.push_back(add(word, "r", constraints));
    }
    unsigned right = add(descriptor(b, op_.getB().getType(), 1), "l", constraints);
    std::string text = "{ .reg .b64 da, db; .reg .pred add; setp.eq.u32 add, 0, 0; wgmma.fence.sync.aligned; ";
    text += parts(tileA, left, right);
    text += "wgmma.commit_group.sync.aligned; }";
    Type type =
        LLVM::LLVMStructType::getLiteral(on_.builder.getContext(), SmallVector<Type>(sums_, c.front().getType()));
    Value made = on_.assembly(text, constraints, type, operands_, /*effects=*/true);
    gpu::Registers result;
    for (size_t i = 0; i < sums_; ++i)
      result.push_back(on_.make<LLVM::ExtractValueOp>(made, ArrayRef<int64_t>{int64_t(i)}));
    return result;
  }

private:
  unsigned add(Value operand, StringRef letter, std::string &constraints) {
    constraints += ("," + letter).str();
    operands_.push_back(operand);
    // Operands are numbered behind the results, which the first of them are tied to.
    return sums_ + operands_.size() - 1;
  }

  /// Of the part of the tile that this thread's warpgroup begins with.
  Value descriptor(Value address, gpu::TileType tile, unsigned index) {
    gpu::TileForm form(tile);
    LinearLayout::Bases warps;
    for (auto [bit, basis] : llvm::enumerate(layout_.bases(Level::Warp))) {
      SmallVector<int64_t> at = layout_.coordinates(basis);
      uint32_t element = index == 0 ? at[0] * tile.getShape()[1] : at[1];
      warps.push_back(bit < 2 ? 0 : form.plainOffset(element));
    }
    LinearLayout::Bases lanes(layout_.bases(Level::Lane).size(), 0);
    // All lanes of a warp have the same; said by a shuffle, the assembler keeps it in uniform
    // registers, where instructions want their descriptors.
    LinearLayout offsets({form.bytes()}, {}, lanes, warps);
    Value group = on_.atStart(
        [&] { return on_.machine.shuffle(on_, on_.threadElement(offsets), gpu::ShuffleMode::Index, on_.i32(0)); });
    Value start = on_.make<LLVM::AddOp>(sharedWord(on_, address), group);
    Type i64 = on_.builder.getI64Type();
    Value low = on_.make<LLVM::ZExtOp>(i64, on_.make<LLVM::LShrOp>(start, on_.i32(4)));
    return on_.make<LLVM::OrOp>(low, on_.constant(i64, int64_t(formBits(tile, index))));
  }

  /// Neighbours along k in registers of 32 bits.
  SmallVector<Value> packed(ArrayRef<Value> elements) {
    unsigned pack = 32 / elements.front().getType().getIntOrFloatBitWidth();
    SmallVector<Value> words;
    for (size_t first = 0; first < elements.size(); first += pack) {
      Value vector = on_.make<LLVM::UndefOp>(VectorType::get({pack}, elements[first].getType()));
      for (unsigned i = 0; i < pack; ++i)
        vector = on_.make<LLVM::InsertElementOp>(vector, elements[first + i], on_.i32(i));
      words.push_back(on_.make<LLVM::BitcastOp>(on_.builder.getI32Type(), vector));
    }
    return words;
  }

  std::string parts(gpu::TileType tileA, ArrayRef<unsigned> left, unsigned right) {
    gpu::TileType tileB = op_.getB().getType();
    int64_t depth = tileB.getShape()[0], perPart = instruction_.c.registers();
    auto [shape, type] = StringRef(instruction_.name).substr(6).split('.');
    bool isInteger = type == "s8", hasMajor = type == "f16" || type == "bf16";
    std::string head = "wgmma.mma_async.sync.aligned." + shape.str() +
                       (isInteger ? ".s32.s8.s8" : "." + std::string("f32.") + type.str() + "." + type.str());
    std::string tail = ", add";
    if (!isInteger)
      tail += ", 1, 1";
    std::string major = tileA && hasMajor ? (isAlongK(tileA, 0) ? ", 0" : ", 1") : "";
    if (hasMajor)
      major += isAlongK(tileB, 1) ? ", 0" : ", 1";
    std::string text;
    for (size_t part = 0; part < sums_ / perPart; ++part) {
      SmallVector<int64_t> at = layout_.coordinates(layout_.element(part * perPart));
      for (int64_t k = 0; k < depth; k += instruction_.k()) {
        std::string sums;
        for (int64_t i = 0; i < perPart; ++i)
          sums += (i ? ", $" : "$") + std::to_string(part * perPart + i);
        std::string a = "da";
        if (tileA)
          text += moved("da", left[0], gpu::TileForm(tileA).plainOffset(at[0] * tileA.getShape()[1] + k));
        else
          a = "{" + registersAt(left, at[0], k) + "}";
        text += moved("db", right, gpu::TileForm(tileB).plainOffset(k * tileB.getShape()[1] + at[1]));
        text += head + " {" + sums + "}, " + a + ", db" + tail + major + "; ";
      }
    }
    return text;
  }

  /// As one number of 64 bits: in two halves, the assembler moves the upper one anew each time.
  static std::string moved(const char *to, unsigned from, uint32_t bytes) {
    return std::string("add.u64 ") + to + ", $" + std::to_string(from) + ", " + std::to_string(bytes / 16) + "; ";
  }

  /// The words of a left operand in registers for one step: those of the tile that begins there, in
  /// the instruction's order.
  std::string registersAt(ArrayRef<unsigned> words, int64_t row, int64_t k) {
    LinearLayout block = gpu::layoutOf(op_.getA().getType());
    unsigned pack = block.registers() / words.size();
    std::string list;
    for (uint32_t reg = 0; reg < instruction_.a.registers(); reg += pack) {
      SmallVector<int64_t> in = instruction_.a.coordinates(instruction_.a.element(reg));
      uint32_t wanted = uint32_t((row + in[0]) * block.shape()[1] + k + in[1]), found = 0;
      while (block.element(found) != wanted)
        ++found;
      list += (list.empty() ? "$" : ", $") + std::to_string(words[found / pack]);
    }
    return list;
  }

  gpu::Lowering &on_;
  gpu::MmaOp op_;
  const gpu::MatrixInstruction &instruction_;
  LinearLayout layout_;
  SmallVector<Value> operands_;
  size_t sums_ = 0;
};

} // namespace

bool NvidiaMachine::canMultiply(const gpu::MatrixInstruction &instruction, gpu::TileType tile, unsigned index) const {
  return gpu::elementBytes(tile.getElement()) == 2 || isAlongK(tile, index);
}

gpu::Registers NvidiaMachine::multiplyAsync(gpu::Lowering &on, gpu::MmaOp op, ArrayRef<Value> a, Value b,
                                            ArrayRef<Value> c) const {
  gpu::MatrixInstruction instruction = *matrixInstruction(op.getInstruction());
  return Multiplication(on, op, instruction).emit(a, b, c);
}

gpu::Registers NvidiaMachine::waitForMultiplies(gpu::Lowering &on, unsigned pending, ArrayRef<Value> sums) const {
  std::string letter = isa<FloatType>(sums.front().getType()) ? "f" : "r", constraints;
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += (i ? ",=" : "=") + letter;
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += "," + std::to_string(i);
  Type type =
      LLVM::LLVMStructType::getLiteral(on.builder.getContext(), SmallVector<Type>(sums.size(), sums.front().getType()));
  Value made = on.assembly("wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", constraints, type, sums,
                           /*effects=*/true);
  gpu::Registers result;
  for (size_t i = 0; i < sums.size(); ++i)
    result.push_back(on.make<LLVM::ExtractValueOp>(made, ArrayRef<int64_t>{int64_t(i)}));
  return result;
}

} // namespace tilewise::nvidia
