// Matrix instructions: the table of their shapes and types, and mma.sync itself (Wgmma.cpp has the
// other). Lane numbers are those of the PTX manual's figures for each shape.
#include "target/gpu/MatrixInstruction.h"
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// Where the accumulators of all shapes lie: a row is a group of four lanes, each with two columns;
/// the second half of the rows is another two registers.
LinearLayout accumulatorTile() { return LinearLayout({16, 8}, {1, 8 * 8}, {2, 4, 1 * 8, 2 * 8, 4 * 8}, {}); }

/// Operands with `pack` neighbours along k in one 32-bit register: a group of four lanes has 4 *
/// pack of them, a second register of each row or column the next as many.
LinearLayout leftTile(unsigned pack) {
  unsigned k = 8 * pack;
  LinearLayout::Bases registers, lanes;
  for (unsigned step = 1; step < pack; step *= 2)
    registers.push_back(step);
  registers.append({8 * k, 4 * pack});
  lanes.append({pack, 2 * pack, k, 2 * k, 4 * k});
  return LinearLayout({16, k}, registers, lanes, {});
}

LinearLayout rightTile(unsigned pack) {
  unsigned k = 8 * pack;
  LinearLayout::Bases registers, lanes;
  for (unsigned step = 1; step < pack; step *= 2)
    registers.push_back(step * 8);
  registers.push_back(4 * pack * 8);
  lanes.append({pack * 8, 2 * pack * 8, 1, 2, 4});
  return LinearLayout({k, 8}, registers, lanes, {});
}

struct Kind {
  const char *name;  ///< In the attribute and, behind `mma.sync.aligned.`, in PTX.
  const char *types; ///< Of C, A, B, C.
  unsigned pack;     ///< Elements of an operand in one register.
};

constexpr Kind kKinds[] = {
    {"m16n8k16.f16", "f32.f16.f16.f32", 2},
    {"m16n8k16.bf16", "f32.bf16.bf16.f32", 2},
    {"m16n8k8.tf32", "f32.tf32.tf32.f32", 1},
    {"m16n8k32.s8", "s32.s8.s8.s32", 4},
};

const Kind *kindOf(StringRef name) {
  for (const Kind &kind : kKinds)
    if (name == kind.name)
      return &kind;
  return nullptr;
}

} // namespace

/// The wgmma of a dot by warpgroups of four warps, each with 64 rows or a multiple; without a name
/// when its shape does not fit.
static gpu::MatrixChoice wgmmaFor(tile::DotOp dot, gpu::OperandWalks walks, unsigned warps, const Kind &kind) {
  ArrayRef<int64_t> result = tile::shapeOf(dot.getType());
  if (result.size() != 2)
    return {"", "wgmma takes no batches; give each program one"};
  if (warps < 4)
    return {"", "wgmma is given by four warps together; num_warps is " + std::to_string(warps)};
  int64_t rows = result[0], columns = result[1];
  // Operands of 32 bits are read along k only, and copies put rows of memory into rows of a tile.
  // A left operand that lies across k comes through registers instead; a right one is the left one
  // of the transposed dot. Where both do, or are computed, mma.sync is faster.
  const bool transposes = kind.pack == 1 && !walks.rightAlongK;
  if (transposes && !walks.leftAlongK)
    return {"", "wgmma reads tf32 along k, and memory holds neither operand so; store one of them transposed"};
  if (transposes)
    std::swap(rows, columns);
  const char *across = transposes ? "rows" : "columns";
  if (rows < 64)
    return {"", std::string("wgmma takes 64 ") + (transposes ? "columns" : "rows") + " or more, this has " +
                    std::to_string(rows)};
  // Sums that are being added to cannot leave their registers, and a multiprocessor has 65536 of
  // those; ptxas asks for 26 beside the sums.
  constexpr int64_t kBeside = 32;
  int64_t threads = 32 * int64_t(warps), most = std::min<int64_t>(255, 65536 / threads) - kBeside;
  if (rows * columns / threads > most)
    return {"", "its sums take " + std::to_string(rows * columns / threads) + " registers of a thread, " +
                    std::to_string(most) + " are left for them; take a smaller block or more warps"};
  int64_t groups = warps / 4, tall = rows / 64;
  // Groups that find no rows of their own share the columns.
  columns = std::min<int64_t>(256, groups > tall ? columns * tall / groups : columns);
  int64_t depth = 8 * kind.pack;
  // Both operands in rows of at least 32 bytes, whichever their minor dimension.
  if (int64_t least = kind.pack == 4 ? 32 : 16; columns < least)
    return {"", "wgmma takes " + std::to_string(least) + " " + across + " or more for each four warps, this has " +
                    std::to_string(columns)};
  if (int64_t k = tile::shapeOf(dot.getA().getType())[1]; k < depth)
    return {"", "wgmma takes " + std::to_string(depth) + " of k at once, this has " + std::to_string(k)};
  gpu::MatrixChoice choice;
  choice.name = "wgmma.m64n" + std::to_string(columns) + "k" + std::to_string(depth) + "." +
                StringRef(kind.name).split('.').second.str();
  choice.transposes = transposes;
  return choice;
}

gpu::MatrixChoice NvidiaMachine::matrixInstructionFor(tile::DotOp dot, gpu::OperandWalks walks, unsigned warps) const {
  Type a = tile::elementTypeOf(dot.getA().getType()), sum = tile::elementTypeOf(dot.getType());
  if (capability < 80)
    return {"", "tensor cores are used from compute capability 8.0 on"};
  if (a != tile::elementTypeOf(dot.getB().getType()))
    return {"", "its operands have two types"};
  const bool isFloat = sum.isF32() || sum.isF16() || sum.isBF16();
  StringRef name = a.isF16() && isFloat                                                      ? "m16n8k16.f16"
                   : a.isBF16() && isFloat                                                   ? "m16n8k16.bf16"
                   : a.isF32() && sum.isF32() && dot.getPrecision() == tile::Precision::tf32 ? "m16n8k8.tf32"
                   : a.isInteger(8) && sum.isInteger(32)                                     ? "m16n8k32.s8"
                                                                                             : "";
  const Kind *kind = kindOf(name);
  // Each 8-bit float fits into f16; four warps of Hopper multiply them as they are.
  const bool isByteFloat = isa<Float8E4M3FNType, Float8E5M2Type>(a) && sum.isF32();
  if (isByteFloat && capability == 90) {
    constexpr Kind kE4m3 = {"m16n8k32.e4m3", "", 4}, kE5m2 = {"m16n8k32.e5m2", "", 4};
    gpu::MatrixChoice wide = wgmmaFor(dot, walks, warps, isa<Float8E4M3FNType>(a) ? kE4m3 : kE5m2);
    wide.takesNarrow = true;
    if (!wide.name.empty())
      return wide;
  }
  if (a.getIntOrFloatBitWidth() == 8 && isa<FloatType>(a) && isFloat)
    kind = kindOf("m16n8k16.f16");
  if (!kind && a.isF32())
    return {"", "tensor cores round fp32 to tf32, which input_precision=\"tf32\" allows"};
  if (!kind)
    return {"", "there is no instruction of tensor cores for its types"};
  ArrayRef<int64_t> left = tile::shapeOf(dot.getA().getType()), result = tile::shapeOf(dot.getType());
  bool fits = result[result.size() - 2] >= 16 && result.back() >= 8 && left.back() >= 8 * kind->pack;
  if (!fits)
    return {"", "tensor cores take 16 x 8 x " + std::to_string(8 * kind->pack) + " or more, this is " +
                    std::to_string(result[result.size() - 2]) + " x " + std::to_string(result.back()) + " x " +
                    std::to_string(left.back())};
  if (capability != 90)
    return {kind->name, ""};
  gpu::MatrixChoice wide = wgmmaFor(dot, walks, warps, *kind);
  return wide.name.empty() ? gpu::MatrixChoice{kind->name, wide.why} : wide;
}

/// Four warps with 16 rows each.
static LinearLayout withFourWarps(const LinearLayout &tile, int64_t columns) {
  LinearLayout::Bases registers, lanes, warps;
  auto place = [&](uint32_t basis) {
    SmallVector<int64_t> at = tile.coordinates(basis);
    return uint32_t(at[0] * columns + at[1]);
  };
  for (uint32_t basis : tile.bases(Level::Register))
    registers.push_back(place(basis));
  for (uint32_t basis : tile.bases(Level::Lane))
    lanes.push_back(place(basis));
  for (int64_t column = tile.shape()[1]; column < columns; column *= 2)
    registers.push_back(uint32_t(column));
  warps = {uint32_t(16 * columns), uint32_t(32 * columns)};
  return LinearLayout({64, columns}, registers, lanes, warps);
}

static std::optional<gpu::MatrixInstruction> wgmma(StringRef name) {
  // wgmma.m64n256k16.f16
  StringRef shape = name.split('.').second.split('.').first, type = name.rsplit('.').second;
  int64_t columns = 0, depth = 0;
  shape.consume_front("m64n");
  if (shape.consumeInteger(10, columns) || !shape.consume_front("k") || shape.consumeInteger(10, depth))
    return std::nullopt;
  unsigned pack = type == "tf32" ? 1 : type.ends_with("16") ? 2 : 4;
  LinearLayout right({depth, columns}, {}, {}, {});
  return gpu::MatrixInstruction{name.str(), withFourWarps(leftTile(pack), depth), right,
                                withFourWarps(accumulatorTile(), columns), /*isAsynchronous=*/true};
}

std::optional<gpu::MatrixInstruction> NvidiaMachine::matrixInstruction(StringRef name) const {
  if (name.starts_with("wgmma."))
    return wgmma(name);
  const Kind *kind = kindOf(name);
  if (!kind)
    return std::nullopt;
  return gpu::MatrixInstruction{name.str(), leftTile(kind->pack), rightTile(kind->pack), accumulatorTile()};
}

/// Registers of 32 bits, each with `pack` elements, lowest first.
static SmallVector<Value> packed(gpu::Lowering &on, ArrayRef<Value> elements, unsigned pack) {
  SmallVector<Value> words;
  Type word = on.builder.getI32Type();
  for (size_t first = 0; first < elements.size(); first += pack) {
    if (pack == 1) {
      // To nearest, ties away from zero: the instruction would cut the digits off.
      words.push_back(on.assembly("cvt.rna.tf32.f32 $0, $1;", "=r,f", word, elements[first], /*effects=*/false));
      continue;
    }
    Value vector = on.make<LLVM::UndefOp>(VectorType::get({pack}, elements[first].getType()));
    for (unsigned i = 0; i < pack; ++i)
      vector = on.make<LLVM::InsertElementOp>(vector, elements[first + i], on.i32(i));
    words.push_back(on.make<LLVM::BitcastOp>(word, vector));
  }
  return words;
}

gpu::Registers NvidiaMachine::multiply(gpu::Lowering &on, const gpu::MatrixInstruction &instruction, ArrayRef<Value> a,
                                       ArrayRef<Value> b, ArrayRef<Value> c) const {
  const Kind &kind = *kindOf(instruction.name);
  StringRef shape = StringRef(kind.name).split('.').first;
  bool isFloat = isa<FloatType>(c.front().getType());
  std::string letter = isFloat ? "f" : "r";
  SmallVector<Value> operands = packed(on, a, kind.pack);
  llvm::append_range(operands, packed(on, b, kind.pack));
  operands.append(c.begin(), c.end());
  std::string text = "mma.sync.aligned." + shape.str() + ".row.col." + kind.types +
                     " {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};";
  std::string constraints;
  for (unsigned i = 0; i < 4; ++i)
    constraints += (i ? ",=" : "=") + letter;
  constraints += ",r,r,r,r,r,r,0,1,2,3";
  Type type = LLVM::LLVMStructType::getLiteral(on.builder.getContext(), SmallVector<Type>(4, c.front().getType()));
  // All lanes of a warp take part: nothing may move it under a condition.
  Value made = on.assembly(text, constraints, type, operands, /*effects=*/true);
  gpu::Registers result;
  for (int64_t i = 0; i < 4; ++i)
    result.push_back(on.make<LLVM::ExtractValueOp>(made, ArrayRef<int64_t>{i}));
  return result;
}

} // namespace tilewise::nvidia
