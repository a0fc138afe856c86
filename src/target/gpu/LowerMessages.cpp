// Prints, assertions and checks of accesses -> a branch that few threads take, in which the machine
// tells the host.
//
// What a person reads is worded as the reference engine words it. An element is told of by one
// thread, the owner of its copies. Lines of different threads come in any order.
#include "target/gpu/Lowering.h"

#include "ir/PrintedText.h"
#include "ir/TextRange.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

/// A line for the host in C's notation, and what it prints.
struct Line {
  std::string format;
  SmallVector<Value> values;

  void text(const llvm::Twine &plain) {
    for (char letter : plain.str())
      format += letter == '%' ? "%%" : std::string(1, letter);
  }
  void value(StringRef directive, Value printed) {
    format += directive;
    values.push_back(printed);
  }
};

void addProgram(Lowering &on, Line &line) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    line.text(axis ? ", " : "(");
    line.value("%u", on.machine.programId(on, axis));
  }
  line.text(")");
}

/// "( 3, 12)" of an element number; `padded` as prints are.
void addIndex(Lowering &on, Line &line, const LinearLayout &layout, Value element, bool padded) {
  line.text("(");
  for (unsigned dim = 0; dim < layout.shape().size(); ++dim) {
    Value index = on.make<LLVM::AndOp>(element, on.i32(layout.dimMask(dim)));
    if (unsigned shift = layout.dimShift(dim))
      index = on.make<LLVM::LShrOp>(index, on.i32(shift));
    if (dim)
      line.text(", ");
    int width = padded ? tile::printedWidth(layout.shape()[dim]) : 0;
    line.value(width ? "%" + std::to_string(width) + "u" : "%u", index);
  }
  line.text(")");
}

/// An element as a print shows it.
void addElement(Lowering &on, Line &line, Value value, Type element, bool isSigned, bool hex) {
  Builder &b = on.builder;
  if (isa<tile::PtrType>(element))
    return line.value("0x%llx", on.make<LLVM::PtrToIntOp>(b.getI64Type(), value));
  if (isa<FloatType>(element)) {
    Value wide = element.isF64() ? value : on.machine.convertFloat(on, value, element, b.getF32Type());
    if (!element.isF64())
      wide = on.make<LLVM::FPExtOp>(b.getF64Type(), wide);
    return line.value(hex ? "%a" : "%f", wide);
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  bool extendsSign = isSigned && bits > 1 && !hex;
  Type wide = bits > 32 ? b.getI64Type() : b.getI32Type();
  if (value.getType() != wide)
    value = extendsSign ? on.make<LLVM::SExtOp>(wide, value) : on.make<LLVM::ZExtOp>(wide, value);
  std::string size = bits > 32 ? "ll" : "";
  if (hex)
    return line.value("0x%0" + std::to_string((bits + 3) / 4) + size + "x", value);
  line.value("%" + size + (extendsSign ? "d" : "u"), value);
}

/// Registers of a block that are no copies of others in the same thread.
SmallVector<unsigned> distinctRegisters(const LinearLayout &layout) {
  SmallVector<unsigned> registers;
  for (unsigned reg = 0; reg < layout.registers(); ++reg)
    if (!(reg & layout.freeBits(Level::Register)))
      registers.push_back(reg);
  return registers;
}

/// In the threads that speak for elements: all of them where `owner` is null.
void inOwners(Lowering &on, Value owner, llvm::function_ref<void()> make) {
  if (!owner)
    return make();
  on.branchAround(owner, {}, [&] {
    make();
    return Registers();
  });
}

/// The place, program and lane that a failure is told with, before the launch ends.
class FailureReport {
public:
  FailureReport(Lowering &on, Operation *op) : on_(on) {
    if (SmallVector<tile::TextRange> places = tile::userPlaces(op->getLoc()); !places.empty()) {
      file_ = places.front().start.getFilename();
      line_ = places.front().start.getLine();
      column_ = places.front().start.getColumn();
    }
  }

  void run(StringRef summary, const LinearLayout *layout, Value element, llvm::function_ref<void(Line &)> details) {
    Line line;
    line.text(file_ + ":" + llvm::Twine(line_) + ":" + llvm::Twine(column_) + ": error: " + summary);
    details(line);
    line.text(", in program ");
    addProgram(on_, line);
    if (layout) {
      line.text(", lane ");
      addIndex(on_, line, *layout, element, /*padded=*/false);
    }
    line.text("\n");
    on_.machine.print(on_, line.format, line.values);
    on_.machine.endLaunch(on_, summary, file_, line_);
  }

private:
  Lowering &on_;
  StringRef file_ = "?";
  unsigned line_ = 0, column_ = 0;
};

/// Reports the first register whose `wrong` is true; `details` are of that register's `value`.
void reportFirst(Lowering &on, Operation *op, StringRef summary, Type type, ArrayRef<Value> wrong,
                 ArrayRef<Value> values, llvm::function_ref<void(Line &, Value)> details) {
  std::optional<LinearLayout> layout;
  SmallVector<unsigned> registers{0};
  if (isBlock(type)) {
    layout = layoutOf(type);
    registers = distinctRegisters(*layout);
  }
  Value any;
  for (unsigned reg : registers)
    any = any ? on.make<LLVM::OrOp>(any, wrong[reg]) : wrong[reg];
  any = on.both(layout ? on.ownerOf(*layout) : on.isFirstThread(), any);
  on.branchAround(any, {}, [&] {
    SmallVector<Value> elements = layout ? on.elementsOf(*layout) : SmallVector<Value>();
    Value element = layout ? elements[registers.back()] : Value();
    Value value = values.empty() ? Value() : values[registers.back()];
    for (unsigned reg : llvm::reverse(ArrayRef(registers).drop_back())) {
      if (element)
        element = on.select(wrong[reg], elements[reg], element);
      if (value)
        value = on.select(wrong[reg], values[reg], value);
    }
    FailureReport(on, op).run(summary, layout ? &*layout : nullptr, element, [&](Line &line) { details(line, value); });
    return Registers();
  });
}

} // namespace

LogicalResult Lowering::lowerPrint(tile::PrintOp op) {
  const std::string prefix = tile::printedPrefix(op.getPrefix(), !op.getValues().empty());
  if (op.getValues().empty())
    inOwners(*this, isFirstThread(), [&] {
      Line line;
      line.text("pid ");
      addProgram(*this, line);
      line.text(prefix + "\n");
      machine.print(*this, line.format, line.values);
    });
  for (auto [operand, value] : llvm::enumerate(op.getValues())) {
    const bool isLaidOut = isBlock(value.getType());
    const LinearLayout layout = isLaidOut ? layoutOf(value.getType()) : LinearLayout({}, {}, {}, {});
    const Registers registers = registersOf(value);
    const bool isSigned = operand < op.getIsSigned().size() && op.getIsSigned()[operand];
    inOwners(*this, isLaidOut ? ownerOf(layout) : isFirstThread(), [&] {
      for (unsigned reg : distinctRegisters(layout)) {
        Line line;
        line.text("pid ");
        addProgram(*this, line);
        line.text(" idx ");
        addIndex(*this, line, layout, isLaidOut ? elementsOf(layout)[reg] : Value(), /*padded=*/true);
        line.text(prefix);
        if (op.getValues().size() > 1)
          line.text("(operand " + llvm::Twine(operand) + ") ");
        addElement(*this, line, registers[reg], tile::elementTypeOf(value.getType()), isSigned, op.getHex());
        line.text("\n");
        machine.print(*this, line.format, line.values);
      }
    });
  }
  return success();
}

LogicalResult Lowering::lowerAssert(tile::AssertOp op) {
  Value yes = constant(builder.getI1Type(), 1);
  SmallVector<Value> wrong;
  for (auto [reg, condition] : llvm::enumerate(Registers(registersOf(op.getCondition()))))
    wrong.push_back(both(make<LLVM::XOrOp>(condition, yes), op.getMask() ? registersOf(op.getMask())[reg] : Value()));
  std::string summary = "assertion failed" + (op.getMessage().empty() ? "" : ": " + op.getMessage().str());
  reportFirst(*this, op, summary, op.getCondition().getType(), wrong, {}, [](Line &, Value) {});
  return success();
}

LogicalResult Lowering::lowerCheck(CheckOp op) {
  Type i64 = builder.getI64Type();
  const unsigned bytes = elementBytes(cast<tile::PtrType>(tile::elementTypeOf(op.getPointer().getType())).getPointee());
  SmallVector<Value> begins, lasts;
  for (auto [begin, end] : llvm::zip(op.getBegins(), op.getEnds())) {
    begins.push_back(scalarOf(begin));
    lasts.push_back(make<LLVM::SubOp>(scalarOf(end), constant(i64, bytes)));
  }
  SmallVector<Value> wrong, addresses;
  for (auto [reg, pointer] : llvm::enumerate(Registers(registersOf(op.getPointer())))) {
    Value address = make<LLVM::PtrToIntOp>(i64, pointer), outside;
    for (auto [begin, last] : llvm::zip(begins, lasts)) {
      Value isOut = make<LLVM::OrOp>(compare(LLVM::ICmpPredicate::ult, address, begin),
                                     compare(LLVM::ICmpPredicate::ugt, address, last));
      outside = both(outside, isOut);
    }
    wrong.push_back(both(outside, op.getMask() ? registersOf(op.getMask())[reg] : Value()));
    addresses.push_back(address);
  }
  std::string names;
  for (auto [index, name] : llvm::enumerate(op.getNames().getAsValueRange<StringAttr>()))
    names += (index ? " or '" : "'") + name.str() + "'";
  std::string summary = (op.getVerb() + " outside of " + names).str();
  auto addDistance = [&, bytes](Line &line, Value address) {
    // Of several arguments none is the one that was meant.
    if (begins.size() != 1)
      return;
    auto elements = [&](Value from, Value to) {
      Value distance = make<LLVM::SubOp>(to, from);
      return make<LLVM::AShrOp>(distance, constant(i64, llvm::Log2_32(bytes)));
    };
    line.text(": element ");
    line.value("%lld", elements(begins[0], address));
    line.text(" of ");
    line.value("%lld", elements(begins[0], make<LLVM::AddOp>(lasts[0], constant(i64, bytes))));
  };
  reportFirst(*this, op, summary, op.getPointer().getType(), wrong, addresses, addDistance);
  return success();
}

} // namespace tilewise::gpu
