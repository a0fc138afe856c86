// The PTX instructions of tile-expand-assembly: each as the op that computes the same value.
#include "passes/AssemblyTranslation.h"

#include "passes/Passes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewise::tile {

/// add.f16x2 and its kin: the instruction on each number; cvt.rn.f16x2.f32 has one operand for
/// each, the upper one first.
std::optional<Register> Translation::computePair(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands) {
  const bool isConversion = parts[0] == "cvt";
  SmallVector<StringRef> single(parts);
  for (StringRef &word : single)
    word.consume_back("x2");
  std::optional<PtxType> type = typeNamed(single.back());
  if (!type || (isConversion && (operands.size() != 2 || parts.back().ends_with("x2"))))
    return std::nullopt;
  Register made;
  SmallVector<std::vector<Register>> all;
  for (StringRef operand : operands)
    if (!isConversion) {
      auto pieces = piecesOf(operand, 2, type->element.getIntOrFloatBitWidth());
      if (!pieces)
        return std::nullopt;
      all.push_back(std::move(*pieces));
    }
  for (size_t at : {0, 1}) {
    SmallVector<std::string> names;
    for (auto [i, pieces] : llvm::enumerate(all)) {
      names.push_back("piece here " + std::to_string(i));
      registers_[names.back()] = pieces[at];
    }
    SmallVector<StringRef> texts(names.begin(), names.end());
    std::optional<Register> one = isConversion ? convert(single, operands[1 - at]) : compute(single, texts);
    if (!one)
      return std::nullopt;
    made.pieces.push_back(std::move(*one));
  }
  return made;
}

/// The fp32 as e2m1, in the lower bits of an i8: how many of the borders between neighbours lie
/// below it, a border itself going to the neighbour whose last bit is 0, and the sign. What is too
/// large is 6, and so is a NaN.
Value Translation::fourBits(Value number) {
  using F = arith::CmpFPredicate;
  Type i8 = typed(b_.getI8Type());
  Value magnitude = make<math::AbsFOp>(number);
  Value code = filled(b_.getZeroAttr(b_.getI8Type()));
  for (auto [border, predicate] :
       {std::pair(0.25, F::UGT), std::pair(0.75, F::UGE), std::pair(1.25, F::UGT), std::pair(1.75, F::UGE),
        std::pair(2.5, F::UGT), std::pair(3.5, F::UGE), std::pair(5.0, F::UGT)}) {
    Value above = make<arith::CmpFOp>(predicate, magnitude, filled(b_.getF32FloatAttr(border)));
    code = make<arith::AddIOp>(code, make<arith::ExtUIOp>(i8, above));
  }
  Value bits = make<ShrUOp>(as(number, b_.getI32Type()), filled(b_.getI32IntegerAttr(28)));
  Value sign = make<arith::AndIOp>(as(bits, b_.getI8Type()), filled(b_.getI8IntegerAttr(8)));
  Value isNumber = make<arith::CmpFOp>(F::ORD, number, number);
  sign = make<arith::SelectOp>(isNumber, sign, filled(b_.getZeroAttr(b_.getI8Type())));
  return make<arith::OrIOp>(code, sign);
}

/// The least power of two that is not below the fp32, as ue8m0: its exponent, one more unless it is
/// a power itself; 255 for NaN and what is too large. An fp32 below 2^-126 has the exponent 0,
/// which ue8m0 reads as 2^-127.
Value Translation::exponentAbove(Value number) {
  using I = arith::CmpIPredicate;
  Type i32 = typed(b_.getI32Type());
  auto of = [&](int32_t n) { return filled(b_.getI32IntegerAttr(n)); };
  Value bits = as(number, b_.getI32Type());
  Value exponent = make<arith::AndIOp>(make<ShrUOp>(bits, of(23)), of(255));
  Value fraction = make<arith::AndIOp>(bits, of(0x7fffff));
  Value isTiny = make<arith::CmpIOp>(I::eq, exponent, of(0));
  Value power = make<arith::SelectOp>(isTiny, of(0x400000), of(0));
  Value more = make<arith::ExtUIOp>(i32, make<arith::CmpIOp>(I::ugt, fraction, power));
  Value above = make<arith::MinUIOp>(make<arith::AddIOp>(exponent, more), of(255));
  return as(above, b_.getI8Type());
}

/// The fp32 as a float of 8 bits; what is too large is the largest one.
Value Translation::eightBits(Value number, FloatType type) {
  const double largest = APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  number = make<arith::MaximumFOp>(number, filled(b_.getF32FloatAttr(-largest)));
  number = make<arith::MinimumFOp>(number, filled(b_.getF32FloatAttr(largest)));
  return make<arith::TruncFOp>(typed(type), number);
}

/// cvt.rn.satfinite.e2m1x2.f32 and its kin: two numbers to a register of 8 or 16 bits, the first
/// operand's above the second's.
std::optional<Register> Translation::convertSmall(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands) {
  const std::string mode = llvm::join(parts.drop_front().drop_back(2), ".");
  const StringRef to = parts[parts.size() - 2];
  const bool isFour = to == "e2m1x2" && mode == "rn.satfinite";
  const bool isPower = to == "ue8m0x2" && mode == "rp";
  const bool isEight = (to == "e4m3x2" || to == "e5m2x2") && mode == "rn.satfinite";
  if (parts.back() != "f32" || operands.size() != 2 || !(isFour || isPower || isEight))
    return std::nullopt;
  Register made;
  for (StringRef operand : {operands[1], operands[0]}) {
    auto x = read(operand, {b_.getF32Type()});
    if (!x)
      return std::nullopt;
    FloatType eight = b_.getFloat8E5M2Type();
    if (to == "e4m3x2")
      eight = b_.getFloat8E4M3FNType();
    Value small = isFour ? fourBits(x->value) : isPower ? exponentAbove(x->value) : eightBits(x->value, eight);
    made.pieces.push_back({small, llvm::join(parts, ".") + "(" + x->meaning + ")", x->lanes});
  }
  if (!isFour)
    return made;
  Value above = make<ShlOp>(made.pieces[1].value, filled(b_.getI8IntegerAttr(4)));
  const Register &low = made.pieces[0], &high = made.pieces[1];
  return Register{make<arith::OrIOp>(low.value, above), "{" + low.meaning + "," + high.meaning + "}",
                  low.lanes | high.lanes};
}

/// lop3: bit k of the table is the result where the bits of a, b and c are those of k, a's the
/// highest.
Value Translation::choose(uint64_t table, ArrayRef<Value> x) {
  Value ones = filled(IntegerAttr::get(elementTypeOf(x[0].getType()), -1)), all;
  for (unsigned k = 0; k < 8; ++k) {
    if (!(table >> k & 1))
      continue;
    Value term = ones;
    for (unsigned i = 0; i < 3; ++i)
      term = make<arith::AndIOp>(term, k >> (2 - i) & 1 ? x[i] : make<arith::XOrIOp>(x[i], ones));
    all = all ? make<arith::OrIOp>(all, term) : term;
  }
  return all ? all : make<arith::XOrIOp>(ones, ones);
}

std::optional<Register> Translation::compare(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands) {
  PtxType type = *typeNamed(parts.back());
  SmallVector<StringRef> words(llvm::make_filter_range(parts, [](StringRef part) { return part != "ftz"; }));
  if (words.size() != 3 || operands.size() != 2)
    return std::nullopt;
  auto x = read(operands[0], type), y = read(operands[1], type);
  if (!x || !y)
    return std::nullopt;
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static const llvm::StringMap<F> floats = {{"lt", F::OLT},  {"le", F::OLE},  {"gt", F::OGT},  {"ge", F::OGE},
                                            {"eq", F::OEQ},  {"ne", F::ONE},  {"ltu", F::ULT}, {"leu", F::ULE},
                                            {"gtu", F::UGT}, {"geu", F::UGE}, {"equ", F::UEQ}, {"neu", F::UNE},
                                            {"num", F::ORD}, {"nan", F::UNO}};
  static const llvm::StringMap<std::pair<I, I>> ints = {
      {"lt", {I::slt, I::ult}}, {"le", {I::sle, I::ule}}, {"gt", {I::sgt, I::ugt}}, {"ge", {I::sge, I::uge}},
      {"eq", {I::eq, I::eq}},   {"ne", {I::ne, I::ne}},   {"lo", {I::ult, I::ult}}, {"ls", {I::ule, I::ule}},
      {"hi", {I::ugt, I::ugt}}, {"hs", {I::uge, I::uge}}};
  Value made;
  if (type.isFloat()) {
    auto found = floats.find(words[1]);
    if (found == floats.end())
      return std::nullopt;
    made = make<arith::CmpFOp>(found->second, x->value, y->value);
  } else {
    auto found = ints.find(words[1]);
    if (found == ints.end())
      return std::nullopt;
    made = make<arith::CmpIOp>(type.isSigned ? found->second.first : found->second.second, x->value, y->value);
  }
  return Register{made, llvm::join(words, ".") + "(" + x->meaning + "," + y->meaning + ")", x->lanes | y->lanes};
}

/// The fp32 with the 10 bits of fraction of a tf32: half of the last one is added to the magnitude,
/// what is below it is cut off. A NaN, which that could carry into its sign, stays as it is.
Value Translation::roundToTf32(Value number) {
  auto of = [&](uint32_t n) { return filled(b_.getI32IntegerAttr(int32_t(n))); };
  Value bits = make<arith::AddIOp>(as(number, b_.getI32Type()), of(0x1000));
  Value rounded = as(make<arith::AndIOp>(bits, of(0xffffe000)), b_.getF32Type());
  return make<arith::SelectOp>(make<arith::CmpFOp>(arith::CmpFPredicate::ORD, number, number), rounded, number);
}

std::optional<Register> Translation::convert(ArrayRef<StringRef> parts, StringRef operand) {
  std::optional<PtxType> to = parts.size() < 3 ? std::nullopt : typeNamed(parts[parts.size() - 2]);
  PtxType from = *typeNamed(parts.back());
  auto x = read(operand, from);
  if (x && llvm::join(parts, ".") == "cvt.rna.tf32.f32")
    return Register{roundToTf32(x->value), "cvt.rna.tf32.f32(" + x->meaning + ")", x->lanes};
  if (!to || !x)
    return std::nullopt;
  Value value = x->value;
  for (StringRef mode : parts.drop_front().drop_back(2)) {
    if (mode == "rni" || mode == "rzi" || mode == "rmi" || mode == "rpi") {
      if (!from.isFloat())
        return std::nullopt;
      value = mode == "rni"   ? make<math::RoundEvenOp>(value)
              : mode == "rzi" ? make<math::TruncOp>(value)
              : mode == "rmi" ? make<math::FloorOp>(value)
                              : make<math::CeilOp>(value);
    } else if (mode != "rn" && mode != "ftz") {
      return std::nullopt;
    }
  }
  Type result = typed(to->element);
  unsigned width = to->element.getIntOrFloatBitWidth(), had = from.element.getIntOrFloatBitWidth();
  if (from.isFloat() && to->isFloat() && width == had) {
    if (from.element != to->element)
      return std::nullopt;
  } else if (from.isFloat() && to->isFloat()) {
    value = width > had ? make<arith::ExtFOp>(result, value) : make<arith::TruncFOp>(result, value);
  } else if (from.isFloat()) {
    value = to->isSigned ? make<FpToSiOp>(result, value) : make<FpToUiOp>(result, value);
  } else if (to->isFloat()) {
    value = from.isSigned ? make<arith::SIToFPOp>(result, value) : make<arith::UIToFPOp>(result, value);
  } else if (width > had) {
    value = from.isSigned ? make<arith::ExtSIOp>(result, value) : make<arith::ExtUIOp>(result, value);
  } else if (width < had) {
    value = make<arith::TruncIOp>(result, value);
  }
  return Register{value, llvm::join(parts, ".") + "(" + x->meaning + ")", x->lanes};
}

/// An instruction with its operands read: `add.rn.ftz.f32 $0, $1, $2` without the target.
struct Translation::Instruction {
  ArrayRef<StringRef> parts; ///< The words between points.
  PtxType type;
  SmallVector<Value, 4> x = {};
  std::string operandsMeaning = {};
  uint64_t lanes = 0;
  std::optional<uint64_t> lastNumber = std::nullopt; ///< Of lop3: the table.

  StringRef name() const { return parts.front(); }
  bool has(StringRef word) const { return llvm::is_contained(parts, word); }
  bool isShift() const { return name() == "shl" || name() == "shr"; }
};

/// What instructions of a name compute: `of` is null for a form that is not understood.
struct Translation::Meaning {
  enum Kind { Any, Float, Int } kind;
  size_t operands;
  Value (*of)(Translation &, const Instruction &);

  template <typename Op> static Value one(Translation &t, const Instruction &i) { return t.make<Op>(i.x[0]); }
  template <typename Op> static Value two(Translation &t, const Instruction &i) { return t.make<Op>(i.x[0], i.x[1]); }
  template <typename Signed, typename Unsigned> static Value bySign(Translation &t, const Instruction &i) {
    return i.type.isSigned ? two<Signed>(t, i) : two<Unsigned>(t, i);
  }
  static Value copy(Translation &, const Instruction &i) { return i.x[0]; }
  static Value select(Translation &t, const Instruction &i) { return t.make<arith::SelectOp>(i.x[2], i.x[0], i.x[1]); }
  static Value fma(Translation &t, const Instruction &i) { return t.make<math::FmaOp>(i.x[0], i.x[1], i.x[2]); }
  /// x / y, and 1 / y of one operand.
  static Value divide(Translation &t, const Instruction &i) {
    Value above = i.x.size() == 2 ? i.x[0] : t.filled(FloatAttr::get(i.type.element, 1.0));
    auto division = t.b_.create<arith::DivFOp>(t.loc_, above, i.x.back());
    if (i.has("rn"))
      division->setAttr(kExactAttr, t.b_.getUnitAttr());
    return division;
  }
  static Value product(Translation &t, const Instruction &i) {
    return i.has("lo") ? two<arith::MulIOp>(t, i) : Value();
  }
  static Value productAndSum(Translation &t, const Instruction &i) {
    Value made = product(t, i);
    return made ? t.make<arith::AddIOp>(made, i.x[2]) : Value();
  }
  static Value negateInt(Translation &t, const Instruction &i) {
    return t.make<arith::SubIOp>(t.filled(t.b_.getZeroAttr(i.type.element)), i.x[0]);
  }
  static Value invert(Translation &t, const Instruction &i) {
    APInt ones = APInt::getAllOnes(i.type.element.getIntOrFloatBitWidth());
    return t.make<arith::XOrIOp>(i.x[0], t.filled(IntegerAttr::get(i.type.element, ones)));
  }
  static Value lookUp(Translation &t, const Instruction &i) {
    return i.lastNumber ? t.choose(*i.lastNumber, i.x) : Value();
  }

  static const Meaning *find(const Instruction &instruction);
};

const Translation::Meaning *Translation::Meaning::find(const Instruction &instruction) {
  static const std::pair<StringRef, Meaning> table[] = {
      {"mov", {Any, 1, copy}},
      {"selp", {Any, 3, select}},
      {"add", {Float, 2, two<arith::AddFOp>}},
      {"sub", {Float, 2, two<arith::SubFOp>}},
      {"mul", {Float, 2, two<arith::MulFOp>}},
      {"fma", {Float, 3, fma}},
      {"mad", {Float, 3, fma}},
      {"div", {Float, 2, divide}},
      {"rcp", {Float, 1, divide}},
      {"min", {Float, 2, two<arith::MinNumFOp>}},
      {"max", {Float, 2, two<arith::MaxNumFOp>}},
      {"neg", {Float, 1, one<arith::NegFOp>}},
      {"abs", {Float, 1, one<math::AbsFOp>}},
      {"sqrt", {Float, 1, one<math::SqrtOp>}},
      {"rsqrt", {Float, 1, one<math::RsqrtOp>}},
      {"ex2", {Float, 1, one<math::Exp2Op>}},
      {"lg2", {Float, 1, one<math::Log2Op>}},
      {"sin", {Float, 1, one<math::SinOp>}},
      {"cos", {Float, 1, one<math::CosOp>}},
      {"tanh", {Float, 1, one<math::TanhOp>}},
      {"add", {Int, 2, two<arith::AddIOp>}},
      {"sub", {Int, 2, two<arith::SubIOp>}},
      {"mul", {Int, 2, product}},
      {"mad", {Int, 3, productAndSum}},
      {"min", {Int, 2, bySign<arith::MinSIOp, arith::MinUIOp>}},
      {"max", {Int, 2, bySign<arith::MaxSIOp, arith::MaxUIOp>}},
      {"neg", {Int, 1, negateInt}},
      {"abs", {Int, 1, one<math::AbsIOp>}},
      {"and", {Int, 2, two<arith::AndIOp>}},
      {"or", {Int, 2, two<arith::OrIOp>}},
      {"xor", {Int, 2, two<arith::XOrIOp>}},
      {"not", {Int, 1, invert}},
      {"lop3", {Int, 4, lookUp}},
      {"shl", {Int, 2, two<ShlOp>}},
      {"shr", {Int, 2, bySign<ShrSOp, ShrUOp>}},
  };
  for (const auto &[name, meaning] : table)
    if (name == instruction.name() && meaning.operands == instruction.x.size() &&
        (meaning.kind == Any || (meaning.kind == Float) == instruction.type.isFloat()))
      return &meaning;
  return nullptr;
}

bool Translation::readOperands(Instruction &instruction, ArrayRef<StringRef> operands) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // A shift's amount has 32 bits, the choice of selp is a predicate.
    const bool isAmount = instruction.isShift() && i == 1, isChoice = instruction.name() == "selp" && i == 2;
    PtxType wanted = isChoice ? PtxType{b_.getI1Type()} : isAmount ? PtxType{b_.getI32Type()} : instruction.type;
    auto one = read(operand, wanted);
    if (!one)
      return false;
    instruction.x.push_back(isAmount ? as(one->value, instruction.type.element) : one->value);
    instruction.operandsMeaning += (i ? "," : "") + one->meaning;
    instruction.lanes |= one->lanes;
  }
  uint64_t number;
  if (!operands.empty() && !operands.back().getAsInteger(0, number))
    instruction.lastNumber = number;
  return true;
}

/// Between 0 and 1; a NaN becomes 0.
Value Translation::saturated(Value number, PtxType type) {
  number = make<arith::MaxNumFOp>(number, filled(FloatAttr::get(type.element, 0.0)));
  return make<arith::MinNumFOp>(number, filled(FloatAttr::get(type.element, 1.0)));
}

std::optional<Register> Translation::compute(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands) {
  for (StringRef word : parts.drop_front().drop_back())
    if (!llvm::is_contained({"rn", "approx", "full", "ftz", "lo", "sat"}, word))
      return std::nullopt;
  Instruction instruction{parts, *typeNamed(parts.back())};
  if (!readOperands(instruction, operands))
    return std::nullopt;
  const Meaning *meaning = Meaning::find(instruction);
  Value made = meaning ? meaning->of(*this, instruction) : Value();
  const bool saturates = instruction.has("sat");
  if (!made || (saturates && !instruction.type.isFloat()))
    return std::nullopt;
  if (saturates)
    made = saturated(made, instruction.type);
  // A copy means what its source means.
  const std::string &from = instruction.operandsMeaning;
  return Register{made, instruction.name() == "mov" ? from : llvm::join(parts, ".") + "(" + from + ")",
                  instruction.lanes};
}

} // namespace tilewise::tile
