// One inline assembly -> the dialect's ops: what its registers hold, statement by statement. Part
// of tile-expand-assembly.
#pragma once

#include "ir/Tile.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <vector>

namespace tilewise::tile {

/// A type of an instruction: the elements, and whether ints of it are signed.
struct PtxType {
  mlir::Type element;
  bool isSigned = false;
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element); }
};

/// What a register holds. `meaning` spells the computation with the operands by their number,
/// whichever of the `pack` elements they are, and `lanes` has a bit per element that took part: so
/// that one element's result can be proven to be every element's.
///
/// A register with several numbers in it, as f16x2 instructions make and elements of 16 or 8 bits
/// are packed, has them as its `pieces`, the lowest one first, and no value of its own until it is
/// read whole. Two elements of a pack are two pieces with a bit of `lanes` each:
///
///     $1 = {x: "$0", lane 0; x: "$0", lane 1}        add.f16x2 $0, $1, $1        $0 = {x + x, lane 0; x + x, lane 1}
struct Register {
  mlir::Value value;
  std::string meaning;
  uint64_t lanes = 0;
  std::vector<Register> pieces = {};
};

class Translation {
public:
  explicit Translation(InlineAsmOp op)
      : op_(op), b_(op), loc_(op.getLoc()), shape_(shapeOf(op.getResult(0).getType())) {}

  /// Nothing when some of the text is not understood; the ops made until then have no uses.
  std::optional<llvm::SmallVector<mlir::Value>> run();

private:
  bool bindRegisters();
  bool statement(llvm::StringRef text);
  bool instruction(llvm::StringRef opcode, llvm::ArrayRef<llvm::StringRef> operands, std::optional<Register> predicate,
                   bool isNegated);
  struct Instruction;
  struct Meaning;
  std::optional<Register> compute(llvm::ArrayRef<llvm::StringRef> parts, llvm::ArrayRef<llvm::StringRef> operands);
  bool readOperands(Instruction &instruction, llvm::ArrayRef<llvm::StringRef> operands);
  mlir::Value saturated(mlir::Value number, PtxType type);
  std::optional<Register> convert(llvm::ArrayRef<llvm::StringRef> parts, llvm::StringRef operand);
  std::optional<Register> compare(llvm::ArrayRef<llvm::StringRef> parts, llvm::ArrayRef<llvm::StringRef> operands);
  std::optional<Register> computePair(llvm::ArrayRef<llvm::StringRef> parts, llvm::ArrayRef<llvm::StringRef> operands);
  std::optional<Register> convertSmall(llvm::ArrayRef<llvm::StringRef> parts, llvm::ArrayRef<llvm::StringRef> operands);
  mlir::Value fourBits(mlir::Value number);
  mlir::Value eightBits(mlir::Value number, mlir::FloatType type);
  mlir::Value roundToTf32(mlir::Value number);
  mlir::Value exponentAbove(mlir::Value number);
  std::optional<std::vector<Register>> piecesOf(llvm::StringRef operand, unsigned count, unsigned width);
  Register joined(llvm::ArrayRef<Register> pieces);
  mlir::Value choose(uint64_t table, llvm::ArrayRef<mlir::Value> x);
  bool unpack(llvm::StringRef targets, llvm::StringRef source, PtxType type);
  void write(llvm::StringRef name, Register made, const std::optional<Register> &predicate, bool isNegated);
  std::optional<Register> read(llvm::StringRef operand, PtxType type);
  std::optional<Register> constant(llvm::StringRef text, PtxType type);
  std::optional<PtxType> typeNamed(llvm::StringRef name);

  mlir::Type typed(mlir::Type element) const { return blockOrScalar(shape_, element); }
  mlir::Value filled(mlir::Attribute element) {
    mlir::Type type = mlir::cast<mlir::TypedAttr>(element).getType();
    if (shape_.empty() && !mlir::isa<mlir::RankedTensorType>(op_.getResult(0).getType()))
      return b_.create<mlir::arith::ConstantOp>(loc_, mlir::cast<mlir::TypedAttr>(element));
    return b_.create<mlir::arith::ConstantOp>(
        loc_, mlir::SplatElementsAttr::get(mlir::cast<mlir::RankedTensorType>(typed(type)), element));
  }
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return b_.create<Op>(loc_, std::forward<Args>(args)...);
  }
  /// The bits of a value as another type; wider ones are filled with zeros.
  mlir::Value as(mlir::Value value, mlir::Type element);

  /// How many elements of this type share a register.
  size_t perRegister(mlir::Type type) {
    const unsigned width = elementTypeOf(type).getIntOrFloatBitWidth();
    return (width == 16 || width == 8) && op_.getPack() % (32 / width) == 0 ? 32 / width : 1;
  }

  InlineAsmOp op_;
  mlir::OpBuilder b_;
  mlir::Location loc_;
  llvm::ArrayRef<int64_t> shape_;
  bool isPacked_ = false; ///< Elements of 16 bits are two to a register, those of 8 bits four.
  llvm::StringMap<Register> registers_;
};

} // namespace tilewise::tile
