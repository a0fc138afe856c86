// tile-expand-assembly: inline assembly whose PTX instructions each compute a value => the dialect's own ops.
#include "passes/ExpandAssembly.h"

#include "ir/Tile.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_EXPANDASSEMBLY
#include "passes/Passes.h.inc"

namespace {

/// A type of an instruction: the elements, and whether ints of it are signed.
struct PtxType {
  Type element;
  bool isSigned = false;
  bool isFloat() const { return isa<FloatType>(element); }
};

/// What a register holds. `meaning` spells the computation with the operands by their number, whichever of the `pack` elements they are, and
/// `lanes` has a bit per element that took part: so that one element's result can be proven to be every element's.
struct Register {
  Value value;
  std::string meaning;
  uint64_t lanes = 0;
};

class Translation {
public:
  explicit Translation(InlineAsmOp op)
      : op_(op), b_(op), loc_(op.getLoc()), shape_(shapeOf(op.getResult(0).getType())) {}

  /// Nothing when some of the text is not understood; the ops made until then have no uses.
  std::optional<SmallVector<Value>> run();

private:
  bool bindRegisters();
  bool statement(StringRef text);
  bool instruction(StringRef opcode, ArrayRef<StringRef> operands, std::optional<Register> predicate, bool isNegated);
  std::optional<Register> compute(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands);
  std::optional<Register> convert(ArrayRef<StringRef> parts, StringRef operand);
  std::optional<Register> compare(ArrayRef<StringRef> parts, ArrayRef<StringRef> operands);
  bool unpack(StringRef targets, StringRef source, PtxType type);
  void write(StringRef name, Register made, const std::optional<Register> &predicate, bool isNegated);
  std::optional<Register> read(StringRef operand, PtxType type);
  std::optional<Register> constant(StringRef text, PtxType type);
  std::optional<PtxType> typeNamed(StringRef name);

  Type typed(Type element) const { return blockOrScalar(shape_, element); }
  Value filled(Attribute element) {
    Type type = cast<TypedAttr>(element).getType();
    if (shape_.empty() && !isa<RankedTensorType>(op_.getResult(0).getType()))
      return b_.create<arith::ConstantOp>(loc_, cast<TypedAttr>(element));
    return b_.create<arith::ConstantOp>(loc_, SplatElementsAttr::get(cast<RankedTensorType>(typed(type)), element));
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return b_.create<Op>(loc_, std::forward<Args>(args)...);
  }
  /// The bits of a value as another type; wider ones are filled with zeros.
  Value as(Value value, Type element);

  InlineAsmOp op_;
  OpBuilder b_;
  Location loc_;
  ArrayRef<int64_t> shape_;
  llvm::StringMap<Register> registers_;
};

Value Translation::as(Value value, Type element) {
  Type from = elementTypeOf(value.getType());
  if (from == element)
    return value;
  unsigned width = element.getIntOrFloatBitWidth(), had = from.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && (isa<FloatType>(element) || width != had))
    value = make<arith::BitcastOp>(typed(b_.getIntegerType(had)), value);
  if (width > had)
    value = make<arith::ExtUIOp>(typed(b_.getIntegerType(width)), value);
  if (width < had)
    value = make<arith::TruncIOp>(typed(b_.getIntegerType(width)), value);
  return value.getType() == typed(element) ? value : make<arith::BitcastOp>(typed(element), value);
}

std::optional<PtxType> Translation::typeNamed(StringRef name) {
  if (name == "pred")
    return PtxType{b_.getI1Type()};
  if (name == "bf16")
    return PtxType{b_.getBF16Type()};
  unsigned bits;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, bits))
    return std::nullopt;
  if (name[0] == 'f' && (bits == 16 || bits == 32 || bits == 64))
    return PtxType{bits == 16 ? Type(b_.getF16Type()) : bits == 32 ? Type(b_.getF32Type()) : Type(b_.getF64Type())};
  if (!StringRef("sub").contains(name[0]) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return std::nullopt;
  return PtxType{b_.getIntegerType(bits), name[0] == 's'};
}

std::optional<Register> Translation::constant(StringRef text, PtxType type) {
  std::string meaning = (text + "#").str();
  llvm::raw_string_ostream(meaning) << type.element;
  auto made = [&](Attribute element) { return Register{filled(element), meaning, 0}; };
  StringRef digits = text;
  if (type.isFloat()) {
    auto &semantics = cast<FloatType>(type.element).getFloatSemantics();
    uint64_t bits;
    for (auto [prefix, width] :
         {std::pair("0f", 32u), std::pair("0F", 32u), std::pair("0d", 64u), std::pair("0D", 64u)})
      if (digits.consume_front(prefix)) {
        if (digits.getAsInteger(16, bits) || width != type.element.getIntOrFloatBitWidth())
          return std::nullopt;
        return made(FloatAttr::get(type.element, APFloat(semantics, APInt(width, bits))));
      }
    APFloat number(semantics);
    auto status = number.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return std::nullopt;
    }
    return made(FloatAttr::get(type.element, number));
  }
  bool isNegative = digits.consume_front("-");
  uint64_t magnitude;
  if (digits.consume_back("U"), digits.getAsInteger(0, magnitude))
    return std::nullopt;
  return made(IntegerAttr::get(
      type.element, APInt(64, isNegative ? 0 - magnitude : magnitude).trunc(type.element.getIntOrFloatBitWidth())));
}

std::optional<Register> Translation::read(StringRef operand, PtxType type) {
  if (operand.starts_with("{")) { // Halves side by side, the lower one first.
    SmallVector<StringRef, 2> halves;
    operand.drop_front().drop_back().split(halves, ',');
    unsigned width = type.element.getIntOrFloatBitWidth();
    if (halves.size() != 2 || width < 32)
      return std::nullopt;
    Type half = b_.getIntegerType(width / 2), whole = b_.getIntegerType(width);
    auto low = read(halves[0].trim(), {half}), high = read(halves[1].trim(), {half});
    if (!low || !high)
      return std::nullopt;
    Value shifted = make<ShlOp>(as(high->value, whole), filled(IntegerAttr::get(whole, width / 2)));
    Value joined = make<arith::OrIOp>(as(low->value, whole), shifted);
    return Register{as(joined, type.element), "{" + low->meaning + "," + high->meaning + "}", low->lanes | high->lanes};
  }
  auto found = registers_.find(operand);
  if (found == registers_.end())
    return operand.empty() || !(llvm::isDigit(operand[0]) || operand[0] == '-') ? std::nullopt
                                                                                : constant(operand, type);
  if (!found->second.value)
    return std::nullopt; // Nothing has been written there.
  Register read = found->second;
  read.value = as(read.value, type.element);
  return read;
}

/// Binds `$0`, `$1`, ... : the results' registers first, then the operands', each with one element per register.
bool Translation::bindRegisters() {
  SmallVector<StringRef> constraints;
  op_.getConstraints().split(constraints, ',');
  size_t outputs = llvm::count_if(constraints, [](StringRef text) { return text.trim().starts_with("="); });
  size_t inputs = llvm::count_if(
      constraints, [](StringRef text) { return !text.trim().starts_with("=") && !text.trim().starts_with("~"); });
  size_t pack = op_.getPack();
  if (pack > 64 || outputs != op_.getNumResults() * pack || inputs != op_->getNumOperands() * pack)
    return false;
  for (size_t i = 0; i != outputs; ++i)
    registers_["$" + std::to_string(i)] = {};
  for (auto [number, operand] : llvm::enumerate(op_->getOperands())) {
    if (!elementTypeOf(operand.getType()).isIntOrFloat())
      return false;
    for (size_t lane = 0; lane != pack; ++lane)
      registers_["$" + std::to_string(outputs + number * pack + lane)] = {operand, "$" + std::to_string(number),
                                                                          uint64_t(1) << lane};
  }
  return true;
}

std::optional<SmallVector<Value>> Translation::run() {
  if (!bindRegisters())
    return std::nullopt;
  std::string text;
  StringRef rest = op_.getAssembly();
  while (!rest.empty()) { // Without comments.
    auto [before, after] = rest.split('/');
    text += before;
    if (after.starts_with("/"))
      rest = after.drop_until([](char c) { return c == '\n'; });
    else if (after.starts_with("*"))
      rest = after.split("*/").second;
    else if (before.size() != rest.size())
      return std::nullopt;
    else
      break;
  }
  for (StringRef line : llvm::split(StringRef(text), ';')) {
    line = line.trim();
    while (line.consume_front("{") || line.consume_front("}"))
      line = line.trim();
    if (!line.empty() && !statement(line))
      return std::nullopt;
  }
  SmallVector<Value> results;
  size_t pack = op_.getPack();
  for (auto [number, result] : llvm::enumerate(op_.getResults())) {
    Type element = elementTypeOf(result.getType());
    const Register &first = registers_["$" + std::to_string(number * pack)];
    for (size_t lane = 0; lane != pack; ++lane) {
      const Register &own = registers_["$" + std::to_string(number * pack + lane)];
      if (own.meaning != first.meaning || (own.lanes & ~(uint64_t(1) << lane)) != 0)
        return std::nullopt; // The elements of a pack meet, or are not treated alike.
    }
    // A result that nothing writes is whatever the register held.
    results.push_back(first.value ? as(first.value, element) : filled(b_.getZeroAttr(element)));
  }
  return results;
}

bool Translation::statement(StringRef text) {
  if (text.consume_front(".reg")) {
    for (StringRef name : llvm::split(text.trim().drop_while([](char c) { return !llvm::isSpace(c); }), ','))
      registers_[name.trim()] = {};
    return true;
  }
  std::optional<Register> predicate;
  bool isNegated = false;
  if (text.consume_front("@")) {
    isNegated = text.consume_front("!");
    StringRef name = text.take_while([](char c) { return !llvm::isSpace(c); });
    predicate = read(name, {b_.getI1Type()});
    if (!predicate)
      return false;
    text = text.drop_front(name.size()).trim();
  }
  StringRef opcode = text.take_while([](char c) { return !llvm::isSpace(c); });
  StringRef list = text.drop_front(opcode.size()).trim();
  SmallVector<StringRef> operands;
  for (size_t from = 0, at = 0, depth = 0; at <= list.size(); ++at) {
    if (at == list.size() || (list[at] == ',' && depth == 0)) {
      operands.push_back(list.slice(from, at).trim());
      from = at + 1;
      continue;
    }
    depth += list[at] == '{';
    depth -= list[at] == '}';
  }
  return instruction(opcode, operands, predicate, isNegated);
}

void Translation::write(StringRef name, Register made, const std::optional<Register> &predicate, bool isNegated) {
  Register &target = registers_[name];
  if (predicate && target.value) {
    Value old = as(target.value, elementTypeOf(made.value.getType()));
    Value chosen = make<arith::SelectOp>(predicate->value, isNegated ? old : made.value, isNegated ? made.value : old);
    std::string meaning = predicate->meaning + (isNegated ? "!" : "?") + made.meaning + ":" + target.meaning;
    made = {chosen, "(" + meaning + ")", made.lanes | target.lanes | predicate->lanes};
  }
  target = std::move(made);
}

bool Translation::unpack(StringRef targets, StringRef source, PtxType type) {
  SmallVector<StringRef, 2> halves;
  targets.drop_front().drop_back().split(halves, ',');
  unsigned width = type.element.getIntOrFloatBitWidth();
  Type whole = b_.getIntegerType(width), half = b_.getIntegerType(width / 2);
  std::optional<Register> from = read(source, {whole});
  if (halves.size() != 2 || width < 32 || !from)
    return false;
  Value high = make<ShrUOp>(from->value, filled(IntegerAttr::get(whole, width / 2)));
  write(halves[0].trim(), {as(from->value, half), from->meaning + ".lo", from->lanes}, std::nullopt, false);
  write(halves[1].trim(), {as(high, half), from->meaning + ".hi", from->lanes}, std::nullopt, false);
  return true;
}

bool Translation::instruction(StringRef opcode, ArrayRef<StringRef> operands, std::optional<Register> predicate,
                              bool isNegated) {
  SmallVector<StringRef> parts;
  opcode.split(parts, '.');
  // A program is one thread here, so there is nobody to wait for.
  if (parts[0] == "bar" || parts[0] == "barrier" || parts[0] == "membar" || parts[0] == "fence")
    return true;
  std::optional<PtxType> type = typeNamed(parts.back());
  if (!type || operands.size() < 2)
    return false;
  if (operands[0].starts_with("{"))
    return parts[0] == "mov" && !predicate && unpack(operands[0], operands[1], *type);
  std::optional<Register> made = parts[0] == "setp"  ? compare(parts, operands.drop_front())
                                 : parts[0] == "cvt" ? convert(parts, operands[1])
                                                     : compute(parts, operands.drop_front());
  if (!made || !registers_.contains(operands[0]))
    return false;
  write(operands[0], std::move(*made), predicate, isNegated);
  return true;
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

struct ExpandAssembly : impl::ExpandAssemblyBase<ExpandAssembly> {
  void runOnOperation() override {
    SmallVector<InlineAsmOp> found;
    getOperation().walk([&](InlineAsmOp op) { found.push_back(op); });
    for (InlineAsmOp op : found)
      expandAssembly(op);
  }
};

} // namespace

bool expandAssembly(Operation *op) {
  auto assembly = cast<InlineAsmOp>(op);
  std::optional<SmallVector<Value>> results = Translation(assembly).run();
  if (!results)
    return false;
  assembly->replaceAllUsesWith(*results);
  assembly->erase();
  return true;
}

} // namespace tilewise::tile
