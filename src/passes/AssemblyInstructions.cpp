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

std::optional<Register> Translation::convert(ArrayRef<StringRef> parts, StringRef operand) {
  std::optional<PtxType> to = parts.size() < 3 ? std::nullopt : typeNamed(parts[parts.size() - 2]);
  PtxType from = *typeNamed(parts.back());
  auto x = read(operand, from);
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

std::optional<Register> Translation::compute(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands) {
  PtxType type = *typeNamed(parts.back());
  StringRef name = parts.front();
  auto has = [&](StringRef word) { return llvm::is_contained(parts, word); };
  for (StringRef word : parts.drop_front().drop_back())
    if (!llvm::is_contained({"rn", "approx", "full", "ftz", "lo", "sat"}, word))
      return std::nullopt;
  SmallVector<Value, 4> x;
  std::string meaning;
  uint64_t lanes = 0;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // A shift's amount has 32 bits, the choice of selp is a predicate.
    PtxType wanted = name == "selp" && i == 2                     ? PtxType{b_.getI1Type()}
                     : (name == "shl" || name == "shr") && i == 1 ? PtxType{b_.getI32Type()}
                                                                  : type;
    auto one = read(operand, wanted);
    if (!one)
      return std::nullopt;
    if ((name == "shl" || name == "shr") && i == 1)
      one->value = as(one->value, type.element);
    x.push_back(one->value);
    meaning += (i ? "," : "") + one->meaning;
    lanes |= one->lanes;
  }
  Value made;
  auto floats = [&](StringRef which, size_t count) { return type.isFloat() && name == which && x.size() == count; };
  auto ints = [&](StringRef which, size_t count) { return !type.isFloat() && name == which && x.size() == count; };
  if (name == "mov" && x.size() == 1)
    made = x[0];
  else if (name == "selp" && x.size() == 3)
    made = make<arith::SelectOp>(x[2], x[0], x[1]);
  else if (floats("add", 2))
    made = make<arith::AddFOp>(x[0], x[1]);
  else if (floats("sub", 2))
    made = make<arith::SubFOp>(x[0], x[1]);
  else if (floats("mul", 2))
    made = make<arith::MulFOp>(x[0], x[1]);
  else if (floats("fma", 3) || floats("mad", 3))
    made = make<math::FmaOp>(x[0], x[1], x[2]);
  else if (floats("div", 2) || floats("rcp", 1)) {
    Value above = x.size() == 2 ? x[0] : filled(FloatAttr::get(type.element, 1.0));
    auto division = b_.create<arith::DivFOp>(loc_, above, x.back());
    if (has("rn"))
      division->setAttr(kExactAttr, b_.getUnitAttr());
    made = division;
  } else if (floats("min", 2))
    made = make<arith::MinNumFOp>(x[0], x[1]);
  else if (floats("max", 2))
    made = make<arith::MaxNumFOp>(x[0], x[1]);
  else if (floats("neg", 1))
    made = make<arith::NegFOp>(x[0]);
  else if (floats("abs", 1))
    made = make<math::AbsFOp>(x[0]);
  else if (floats("sqrt", 1))
    made = make<math::SqrtOp>(x[0]);
  else if (floats("rsqrt", 1))
    made = make<math::RsqrtOp>(x[0]);
  else if (floats("ex2", 1))
    made = make<math::Exp2Op>(x[0]);
  else if (floats("lg2", 1))
    made = make<math::Log2Op>(x[0]);
  else if (floats("sin", 1))
    made = make<math::SinOp>(x[0]);
  else if (floats("cos", 1))
    made = make<math::CosOp>(x[0]);
  else if (floats("tanh", 1))
    made = make<math::TanhOp>(x[0]);
  else if (ints("add", 2))
    made = make<arith::AddIOp>(x[0], x[1]);
  else if (ints("sub", 2))
    made = make<arith::SubIOp>(x[0], x[1]);
  else if (ints("mul", 2) && has("lo"))
    made = make<arith::MulIOp>(x[0], x[1]);
  else if (ints("mad", 3) && has("lo"))
    made = make<arith::AddIOp>(make<arith::MulIOp>(x[0], x[1]), x[2]);
  else if (ints("min", 2))
    made = type.isSigned ? make<arith::MinSIOp>(x[0], x[1]) : make<arith::MinUIOp>(x[0], x[1]);
  else if (ints("max", 2))
    made = type.isSigned ? make<arith::MaxSIOp>(x[0], x[1]) : make<arith::MaxUIOp>(x[0], x[1]);
  else if (ints("neg", 1))
    made = make<arith::SubIOp>(filled(b_.getZeroAttr(type.element)), x[0]);
  else if (ints("abs", 1))
    made = make<math::AbsIOp>(x[0]);
  else if (ints("and", 2))
    made = make<arith::AndIOp>(x[0], x[1]);
  else if (ints("or", 2))
    made = make<arith::OrIOp>(x[0], x[1]);
  else if (ints("xor", 2))
    made = make<arith::XOrIOp>(x[0], x[1]);
  else if (uint64_t table; ints("lop3", 4) && !operands[3].getAsInteger(0, table))
    made = choose(table, x);
  else if (ints("not", 1))
    made = make<arith::XOrIOp>(
        x[0], filled(IntegerAttr::get(type.element, APInt::getAllOnes(type.element.getIntOrFloatBitWidth()))));
  else if (ints("shl", 2))
    made = make<ShlOp>(x[0], x[1]);
  else if (ints("shr", 2))
    made = type.isSigned ? make<ShrSOp>(x[0], x[1]) : make<ShrUOp>(x[0], x[1]);
  else
    return std::nullopt;
  if (has("sat")) {
    if (!type.isFloat())
      return std::nullopt;
    made = make<arith::MaxNumFOp>(made, filled(FloatAttr::get(type.element, 0.0)));
    made = make<arith::MinNumFOp>(made, filled(FloatAttr::get(type.element, 1.0)));
  }
  // A copy means what its source means.
  return Register{made, name == "mov" ? meaning : llvm::join(parts, ".") + "(" + meaning + ")", lanes};
}

} // namespace tilewise::tile
