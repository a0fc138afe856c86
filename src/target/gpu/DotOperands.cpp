// Which loads are for dots by matrix instructions alone, and how they would lie in shared memory.
#include "target/gpu/DotOperands.h"

#include "target/gpu/TileAccess.h"
#include "target/gpu/TileForm.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewise::gpu {

bool isTransposition(Operation *op) {
  auto permute = dyn_cast_if_present<tile::PermuteOp>(op);
  return permute && permute.getOrder().size() == 2 && permute.getOrder()[0] == 1;
}

TileType transposed(TileType type) {
  return TileType::get(type.getContext(), {type.getShape()[1], type.getShape()[0]}, type.getElement(),
                       1 - type.getMinor(), type.getSwizzle());
}

Operation *beforeTransposition(Value value) {
  Operation *op = value.getDefiningOp();
  while (isTransposition(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

unsigned minorOf(const LinearLayout &layout) {
  ArrayRef<uint32_t> registers = layout.bases(Level::Register);
  return !registers.empty() && registers[0] == layout.shape()[1] ? 0 : 1;
}

DotOperands::DotOperands(func::FuncOp kernel, const Machine &machine) : machine_(machine) {
  kernel.walk([&](tile::DotOp dot) {
    if (auto name = dot->getAttrOfType<StringAttr>(GpuDialect::kMmaAttr))
      dots_.push_back({dot, *machine_.matrixInstruction(name)});
  });
}

const DotOperands::Dot *DotOperands::asynchronous(Operation *op) const {
  for (const Dot &dot : dots_)
    if (dot.op == op && dot.instruction.isAsynchronous)
      return &dot;
  return nullptr;
}

bool DotOperands::isForSomeDot(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isTransposition(user) || isa<ConvertLayoutOp>(user) ? isForSomeDot(user)
                                                               : user->hasAttr(GpuDialect::kMmaAttr);
  });
}

bool DotOperands::leadsToDot(Operation *convert) {
  return llvm::all_of(convert->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return isa<tile::DotOp>(user) && isFactor(use) && user->hasAttr(GpuDialect::kMmaAttr) &&
           user->getBlock() == convert->getBlock();
  });
}

bool DotOperands::isForDots(tile::LoadOp load, bool isLocal) const {
  bool isUsed = false;
  auto check = [&](auto &&self, Operation *op) -> bool {
    for (OpOperand &use : op->getUses()) {
      Operation *user = use.getOwner();
      if (isLocal && user->getBlock() != load->getBlock())
        return false;
      if (isTransposition(user)        ? self(self, user)
          : isa<ConvertLayoutOp>(user) ? leadsToDot(user)
                                       : asynchronous(user) && isFactor(use)) {
        isUsed = true;
        continue;
      }
      return false;
    }
    return true;
  };
  return check(check, load) && isUsed;
}

/// Bytes that a thread moves at once.
static unsigned bytesAtOnce(tile::LoadOp load) {
  auto vector = load->getAttrOfType<IntegerAttr>(GpuDialect::kVectorAttr);
  return (vector ? vector.getInt() : 1) * elementBytes(tile::elementTypeOf(load.getType()));
}

std::string DotOperands::whyNotCopied(tile::LoadOp load) const {
  if (cast<RankedTensorType>(load.getType()).getRank() != 2)
    return "it loads no matrix";
  if (load.getIsVolatile() || load.getCache() != tile::CacheModifier::none)
    return "it is volatile or has a cache modifier";
  if (load.getOther() && !matchPattern(load.getOther(), m_AnyZeroFloat()) && !matchPattern(load.getOther(), m_Zero()))
    return "copies leave zeros where the mask is off, 'other' says something else";
  if (unsigned bytes = bytesAtOnce(load); !machine_.canCopyAsync(bytes))
    return "a thread can only move " + std::to_string(bytes) +
           " bytes of it at once, too few for a copy; let the elements of a row be neighbours, and strides and "
           "addresses multiples of 16, or say so with tl.multiple_of";
  TileType form = formOf(load);
  if (!form)
    return "its rows are shorter than 32 bytes";
  return suits(load, form) ? "" : "its rows do not run along k, as the instruction reads them";
}

TileType DotOperands::formOf(tile::LoadOp load) {
  auto block = cast<RankedTensorType>(load.getType());
  return TileForm::typeFor(block.getShape(), block.getElementType(), minorOf(layoutOf(block)));
}

/// Whether all asynchronous dots can read the block in this form.
bool DotOperands::suits(Operation *op, TileType form) const {
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (isTransposition(user) && !suits(user, transposed(form)))
      return false;
    if (const Dot *dot = asynchronous(user);
        dot && !machine_.canMultiply(dot->instruction, form, use.getOperandNumber()))
      return false;
  }
  return true;
}

} // namespace tilewise::gpu
