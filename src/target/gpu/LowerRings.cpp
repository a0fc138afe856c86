// Rings and tiles -> addresses in shared memory, asynchronous copies and multiplications.
#include "target/gpu/TileAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

/// The block's layout with byte offsets for element numbers: both are linear over bits.
static LinearLayout offsetsOf(const TileForm &form, const LinearLayout &layout) {
  LinearLayout::Bases levels[3];
  for (Level level : {Level::Register, Level::Lane, Level::Warp})
    for (uint32_t basis : layout.bases(level))
      levels[unsigned(level)].push_back(form.offset(basis));
  return LinearLayout({form.bytes()}, levels[0], levels[1], levels[2]);
}

TileAccess::TileAccess(Lowering &on, Value tile, TileType type, const LinearLayout &layout)
    : on_(on), tile_(tile), element_(type.getElement()), offsets_(offsetsOf(TileForm(type), layout)) {
  unsigned bytes = elementBytes(element_), reach = bytes;
  for (uint32_t basis : offsets_.bases(Level::Register)) {
    if (basis != reach || reach >= 16 || Lowering::threadBits(offsets_) & reach)
      break;
    reach *= 2;
  }
  group_ = reach / bytes;
  // A thread that reads 16 bytes at once needs no help.
  if (reach < 16 && on.machine.hasMatrixLoads())
    matrices_ = matrixAccessFor(offsets_, bytes);
}

Value TileAccess::addressOf(uint32_t reg) {
  return on_.advance(tile_, on_.elementAt(offsets_, on_.threadElement(offsets_), reg));
}

void TileAccess::storeRun(uint32_t first, ArrayRef<Value> values) {
  Value stored = on_.toMemory(values.front(), element_);
  if (values.size() > 1) {
    Value packed = on_.make<LLVM::UndefOp>(VectorType::get({int64_t(values.size())}, on_.memoryType(element_)));
    for (auto [i, value] : llvm::enumerate(values))
      packed = on_.make<LLVM::InsertElementOp>(packed, on_.toMemory(value, element_), on_.i32(i));
    stored = packed;
  }
  on_.builder.create<LLVM::StoreOp>(on_.loc, stored, addressOf(first), values.size() * elementBytes(element_));
}

Registers TileAccess::loadMatrices(uint32_t first) {
  const LinearLayout &addresses = matrices_->addresses;
  Value offset =
      on_.xorConstant(on_.threadElement(addresses), Lowering::threadBits(addresses), offsets_.element(first));
  Type type = on_.memoryType(element_);
  unsigned inWord = 4 / elementBytes(element_);
  Registers result;
  for (Value word : on_.machine.loadMatrices(on_, on_.advance(tile_, offset), matrices_->matrices, matrices_->across)) {
    Value elements = on_.make<LLVM::BitcastOp>(VectorType::get({inWord}, type), word);
    for (unsigned i = 0; i < inWord; ++i)
      result.push_back(on_.fromMemory(on_.make<LLVM::ExtractElementOp>(elements, on_.i32(i)), element_));
  }
  return result;
}

Registers TileAccess::loadRun(uint32_t first) {
  if (matrices_)
    return loadMatrices(first);
  Type type = on_.memoryType(element_);
  Value address = addressOf(first);
  if (group_ == 1)
    return {on_.fromMemory(on_.make<LLVM::LoadOp>(type, address, elementBytes(element_)), element_)};
  Value loaded = on_.make<LLVM::LoadOp>(VectorType::get({group_}, type), address, group_ * elementBytes(element_));
  Registers result;
  for (unsigned i = 0; i < group_; ++i)
    result.push_back(on_.fromMemory(on_.make<LLVM::ExtractElementOp>(loaded, on_.i32(i)), element_));
  return result;
}

Value Lowering::slotOf(RingType type, Value ring, Value n) {
  if (type.getSlots() == 1)
    return ring;
  Value slot = make<LLVM::URemOp>(n, i32(type.getSlots()));
  return advance(ring, make<LLVM::MulOp>(slot, i32(TileForm(type.getTile()).stride())));
}

LogicalResult Lowering::lowerSlot(SlotOp op) {
  set(op, {slotOf(op.getRing().getType(), scalarOf(op.getRing()), scalarOf(op.getN()))});
  return success();
}

LogicalResult Lowering::lowerAwait(AwaitOp op) {
  machine.waitForCopies(*this, op.getPending());
  machine.publishShared(*this);
  barrier();
  return success();
}

LogicalResult Lowering::lowerStage(StageOp op) {
  Value address = sharedAddress(scratchOffset(op));
  TileAccess tile(*this, address, op.getType(), layoutOf(op.getSource().getType()));
  const Registers values = registersOf(op.getSource());
  for (unsigned first = 0; first < values.size(); first += tile.group())
    tile.storeRun(first, ArrayRef<Value>(values).slice(first, tile.group()));
  if (!llvm::all_of(op->getUsers(), [](Operation *user) { return isa<ReadOp>(user); }))
    machine.publishShared(*this);
  barrier();
  set(op, {address});
  return success();
}

LogicalResult Lowering::lowerRead(ReadOp op) {
  if (isReadByDot(op))
    return success();
  LinearLayout layout = layoutOf(op.getType());
  TileAccess tile(*this, scalarOf(op.getTile()), op.getTile().getType(), layout);
  Registers values;
  for (unsigned first = 0; first < layout.registers(); first += tile.loadGroup())
    llvm::append_range(values, tile.loadRun(first));
  set(op, std::move(values));
  return success();
}

LogicalResult Lowering::lowerAsyncMma(MmaOp op) {
  const Registers a = registersOf(op.getA()), sums = registersOf(op.getAcc());
  set(op, machine.multiplyAsync(*this, op, a, scalarOf(op.getB()), sums));
  return success();
}

LogicalResult Lowering::lowerMmaWait(MmaWaitOp op) {
  const Registers sums = registersOf(op.getAcc());
  set(op, machine.waitForMultiplies(*this, op.getPending(), sums));
  return success();
}

} // namespace tilewise::gpu
