// tile-expand-assembly: inline assembly whose PTX instructions each compute a value => the
// dialect's own ops.
#include "passes/ExpandAssembly.h"

#include "passes/AssemblyTranslation.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace tilewise::tile {

#define GEN_PASS_DEF_EXPANDASSEMBLY
#include "passes/Passes.h.inc"

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

/// Pieces side by side, the lowest one first, as one number.
Register Translation::joined(ArrayRef<Register> pieces) {
  const unsigned width = elementTypeOf(pieces[0].value.getType()).getIntOrFloatBitWidth();
  Type piece = b_.getIntegerType(width), whole = b_.getIntegerType(width * pieces.size());
  Register all{as(as(pieces[0].value, piece), whole), "{" + pieces[0].meaning, pieces[0].lanes};
  for (auto [i, one] : llvm::enumerate(pieces.drop_front())) {
    Value shifted = make<ShlOp>(as(as(one.value, piece), whole), filled(IntegerAttr::get(whole, width * (i + 1))));
    all.value = make<arith::OrIOp>(all.value, shifted);
    all.meaning += "," + one.meaning;
    all.lanes |= one.lanes;
  }
  all.meaning += "}";
  return all;
}

std::optional<Register> Translation::read(StringRef operand, PtxType type) {
  std::vector<Register> pieces;
  if (operand.starts_with("{")) {
    SmallVector<StringRef, 4> names;
    operand.drop_front().drop_back().split(names, ',');
    const unsigned width = type.element.getIntOrFloatBitWidth() / names.size();
    if ((names.size() != 2 && names.size() != 4) || width < 8)
      return std::nullopt;
    for (StringRef name : names) {
      auto one = read(name.trim(), {b_.getIntegerType(width)});
      if (!one)
        return std::nullopt;
      pieces.push_back(*one);
    }
  } else {
    auto found = registers_.find(operand);
    if (found == registers_.end())
      return operand.empty() || !(llvm::isDigit(operand[0]) || operand[0] == '-') ? std::nullopt
                                                                                  : constant(operand, type);
    pieces = found->second.pieces;
    if (pieces.empty() && !found->second.value)
      return std::nullopt; // Nothing has been written there.
    if (pieces.empty())
      pieces.push_back(found->second);
  }
  Register read = pieces.size() == 1 ? pieces[0] : joined(pieces);
  read.value = as(read.value, type.element);
  return read;
}

/// The numbers of `width` bits that make up a register.
std::optional<std::vector<Register>> Translation::piecesOf(StringRef operand, unsigned count, unsigned width) {
  if (auto found = registers_.find(operand); found != registers_.end() && found->second.pieces.size() == count)
    return found->second.pieces;
  Type whole = b_.getIntegerType(count * width);
  std::optional<Register> from = read(operand, {whole});
  if (!from)
    return std::nullopt;
  std::vector<Register> pieces;
  for (unsigned i = 0; i != count; ++i) {
    Value shifted = i == 0 ? from->value : make<ShrUOp>(from->value, filled(IntegerAttr::get(whole, width * i)));
    pieces.push_back({as(shifted, b_.getIntegerType(width)), from->meaning + "." + std::to_string(i), from->lanes});
  }
  return pieces;
}

/// Binds `$0`, `$1`, ... : the results' registers first, then the operands', each with one element
/// per register, or two of 16 bits, or four of 8 bits.
bool Translation::bindRegisters() {
  SmallVector<StringRef> constraints;
  op_.getConstraints().split(constraints, ',');
  size_t outputs = llvm::count_if(constraints, [](StringRef text) { return text.trim().starts_with("="); });
  size_t inputs = llvm::count_if(
      constraints, [](StringRef text) { return !text.trim().starts_with("=") && !text.trim().starts_with("~"); });
  size_t pack = op_.getPack();
  for (Type type : op_->getOperandTypes())
    if (!elementTypeOf(type).isIntOrFloat())
      return false;
  auto registersOf = [&](TypeRange types) {
    size_t count = 0;
    for (Type type : types)
      count += pack / (isPacked_ ? perRegister(type) : 1);
    return count;
  };
  auto fits = [&] {
    return outputs == registersOf(op_->getResultTypes()) && inputs == registersOf(op_->getOperandTypes());
  };
  isPacked_ = !fits();
  if (pack > 64 || (isPacked_ && !fits()))
    return false;
  for (size_t i = 0; i != outputs; ++i)
    registers_["$" + std::to_string(i)] = {};
  size_t next = outputs;
  for (auto [number, operand] : llvm::enumerate(op_->getOperands())) {
    const size_t step = isPacked_ ? perRegister(operand.getType()) : 1;
    auto element = [&, name = "$" + std::to_string(number)](size_t lane) {
      return Register{operand, name, uint64_t(1) << lane};
    };
    for (size_t lane = 0; lane != pack; lane += step) {
      Register &bound = registers_["$" + std::to_string(next++)];
      bound = step == 1 ? element(lane) : Register{};
      for (size_t piece = 0; step != 1 && piece != step; ++piece)
        bound.pieces.push_back(element(lane + piece));
    }
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
  size_t pack = op_.getPack(), next = 0;
  for (Value result : op_.getResults()) {
    Type element = elementTypeOf(result.getType());
    const size_t step = isPacked_ ? perRegister(result.getType()) : 1;
    SmallVector<Register> own; // One per element of the pack.
    for (size_t lane = 0; lane != pack; lane += step) {
      const std::string name = "$" + std::to_string(next++);
      if (step != 1) {
        auto pieces = piecesOf(name, step, 32 / step);
        if (!pieces)
          return std::nullopt;
        own.append(pieces->begin(), pieces->end());
      } else if (const Register &whole = registers_[name]; whole.pieces.empty()) {
        own.push_back(whole);
      } else {
        own.push_back(joined(whole.pieces));
      }
    }
    for (size_t lane = 0; lane != pack; ++lane)
      if (own[lane].meaning != own[0].meaning || (own[lane].lanes & ~(uint64_t(1) << lane)) != 0)
        return std::nullopt; // The elements of a pack meet, or are not treated alike.
    // A result that nothing writes is whatever the register held.
    results.push_back(own[0].value ? as(own[0].value, element) : filled(b_.getZeroAttr(element)));
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
  if (predicate && (target.value || !target.pieces.empty())) {
    if (!made.pieces.empty() || !target.pieces.empty()) {
      // Piece by piece.
      const std::vector<Register> &like = made.pieces.empty() ? target.pieces : made.pieces;
      const unsigned count = like.size(), width = elementTypeOf(like[0].value.getType()).getIntOrFloatBitWidth();
      registers_["made here"] = std::move(made);
      auto before = piecesOf(name, count, width), after = piecesOf("made here", count, width);
      Register chosen;
      for (auto [old, now] : llvm::zip(*before, *after)) {
        registers_["piece here"] = old;
        write("piece here", now, predicate, isNegated);
        chosen.pieces.push_back(registers_["piece here"]);
      }
      registers_[name] = std::move(chosen);
      return;
    }
    Value old = as(target.value, elementTypeOf(made.value.getType()));
    Value chosen = make<arith::SelectOp>(predicate->value, isNegated ? old : made.value, isNegated ? made.value : old);
    std::string meaning = predicate->meaning + (isNegated ? "!" : "?") + made.meaning + ":" + target.meaning;
    made = {chosen, "(" + meaning + ")", made.lanes | target.lanes | predicate->lanes};
  }
  target = std::move(made);
}

bool Translation::unpack(StringRef targets, StringRef source, PtxType type) {
  SmallVector<StringRef, 4> names;
  targets.drop_front().drop_back().split(names, ',');
  const unsigned width = type.element.getIntOrFloatBitWidth() / names.size();
  if ((names.size() != 2 && names.size() != 4) || width < 8)
    return false;
  auto found = piecesOf(source, names.size(), width);
  for (size_t i = 0; found && i < names.size(); ++i)
    if (names[i].trim() != "_") // PTX's name for what nobody wants.
      write(names[i].trim(), (*found)[i], std::nullopt, false);
  return found.has_value();
}

bool Translation::instruction(StringRef opcode, ArrayRef<StringRef> operands, std::optional<Register> predicate,
                              bool isNegated) {
  SmallVector<StringRef> parts;
  opcode.split(parts, '.');
  // A program is one thread here, so there is nobody to wait for.
  if (parts[0] == "bar" || parts[0] == "barrier" || parts[0] == "membar" || parts[0] == "fence")
    return true;
  auto isPair = [&](StringRef word) { return word.consume_back("x2") && typeNamed(word); };
  const bool isSmall = parts[0] == "cvt" && parts.size() > 2 && !isPair(parts[parts.size() - 2]) &&
                       parts[parts.size() - 2].ends_with("x2");
  if ((isSmall || isPair(parts.back()) || (parts.size() > 2 && isPair(parts[parts.size() - 2]))) &&
      operands.size() >= 2 && registers_.contains(operands[0])) {
    std::optional<Register> made =
        isSmall ? convertSmall(parts, operands.drop_front()) : computePair(parts, operands.drop_front());
    if (made)
      write(operands[0], std::move(*made), predicate, isNegated);
    return made.has_value();
  }
  std::optional<PtxType> type = typeNamed(parts.back());
  if (!type || operands.size() < 2)
    return false;
  if (parts[0] == "mov" && registers_.contains(operands[0])) {
    // Pieces stay pieces.
    Register made;
    SmallVector<StringRef, 4> names;
    if (operands[1].starts_with("{"))
      operands[1].drop_front().drop_back().split(names, ',');
    const unsigned width = names.empty() ? 0 : type->element.getIntOrFloatBitWidth() / names.size();
    for (StringRef name : names)
      if (auto one = width < 8 ? std::nullopt : read(name.trim(), {b_.getIntegerType(width)}))
        made.pieces.push_back(*one);
    if (auto found = registers_.find(operands[1]); found != registers_.end())
      made.pieces = found->second.pieces;
    if (made.pieces.size() == 2 || made.pieces.size() == 4) {
      write(operands[0], std::move(made), predicate, isNegated);
      return true;
    }
  }
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

namespace {

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
