// Sema driven from C++ with no syntax tree: promotion, broadcasting, casts and checks, against a
// sink that only writes down what it is told.
#include "frontend/sema/Sema.h"

#include "frontend/values/ConstantMath.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace tilewise::frontend {
namespace {

template <typename T> T nothing() { return T(); }

/// Every op that Sema may write, none of which a test has said anything about.
class UntoldSink : public OpSink {
public:
#define TILEWISE_SINK_OP(RESULT, NAME, PARAMETERS, NAMES)                                                              \
  RESULT NAME PARAMETERS override {                                                                                    \
    ADD_FAILURE() << "nobody told TextSink what " #NAME " looks like";                                                 \
    return nothing<RESULT>();                                                                                          \
  }
#include "frontend/sema/OpSink.def"
};

/// Each value is the text of the expression that made it, so a test compares one string.
class TextSink final : public UntoldSink {
public:
  std::vector<std::string> effects;

  static const std::string &text(const Value &value) { return *static_cast<std::string *>(value.handle); }
  Value make(Type type, std::string text) {
    texts_.push_back(std::move(text));
    return {std::move(type), &texts_.back()};
  }

  static std::string joined(llvm::ArrayRef<Value> values) {
    return llvm::join(llvm::map_range(values, [](const Value &value) { return text(value); }), ", ");
  }

  /// AddInt as "add", AddFloat as "addf", MinNum as "minnum".
  static std::string shortened(llvm::StringRef name) {
    const bool isFloat = name.consume_back("Float");
    name.consume_back("Int");
    return name.lower() + (isFloat ? "f" : "");
  }

  void setProvenance(const Provenance &) override {}
  Value constantInt(const Type &type, const llvm::APInt &bits) override {
    return make(type, llvm::toString(bits, 10, type.element.isSigned()) + ":" + type.str());
  }
  Value constantFloat(const Type &type, const llvm::APFloat &value) override {
    llvm::SmallString<16> digits;
    value.toString(digits);
    return make(type, digits.str().str() + ":" + type.str());
  }
  Value binary(BinaryOp op, const Value &lhs, const Value &rhs) override {
    EXPECT_EQ(lhs.type, rhs.type);
    static const char *names[] = {
#define TILEWISE_BINARY_OP(NAME, OP) #NAME,
#include "frontend/sema/OpSink.def"
    };
    return make(lhs.type, shortened(names[int(op)]) + "(" + text(lhs) + ", " + text(rhs) + ")");
  }
  Value unary(UnaryOp op, const Value &x) override {
    static const char *names[] = {
#define TILEWISE_UNARY_OP(NAME, OP) #NAME,
#include "frontend/sema/OpSink.def"
    };
    return make(x.type, shortened(names[int(op)]) + "(" + text(x) + ")");
  }
  Value fma(const Value &a, const Value &b, const Value &c) override {
    return make(a.type, "fma(" + text(a) + ", " + text(b) + ", " + text(c) + ")");
  }
  Value compare(CompareOp op, const Value &lhs, const Value &rhs) override {
    EXPECT_EQ(lhs.type, rhs.type);
    static const char *names[] = {"eq",  "ne",  "lts", "les", "gts", "ges", "ltu", "leu",
                                  "gtu", "geu", "eqf", "nef", "ltf", "lef", "gtf", "gef"};
    return make(lhs.type.withElement(Scalar::Int1),
                std::string(names[int(op)]) + "(" + text(lhs) + ", " + text(rhs) + ")");
  }
  Value select(const Value &c, const Value &yes, const Value &no) override {
    return make(yes.type, "select(" + text(c) + ", " + text(yes) + ", " + text(no) + ")");
  }
  Value convert(ConvertOp op, const Value &x, DType to) override {
    static const char *names[] = {"sext",   "zext",   "trunc",  "extf",    "truncf",   "truncfz",  "sitofp",
                                  "uitofp", "fptosi", "fptoui", "bitcast", "ptrtoint", "inttoptr", "ptrcast"};
    return make(x.type.withElement(to), std::string(names[int(op)]) + "(" + text(x) + " to " + to.str() + ")");
  }
  Value retype(const Value &x, DType to) override { return make(x.type.withElement(to), text(x)); }
  Value programId(unsigned axis) override { return make(Scalar::Int32, "pid" + std::to_string(axis)); }
  Value numPrograms(unsigned axis) override { return make(Scalar::Int32, "programs" + std::to_string(axis)); }
  Value range(int32_t start, int32_t end) override {
    return make(Type(Scalar::Int32, end - start), "range(" + std::to_string(start) + ", " + std::to_string(end) + ")");
  }
  Value splat(const Value &x, llvm::ArrayRef<int64_t> shape) override {
    return make(x.type.withShape(shape), "splat(" + text(x) + ")");
  }
  Value expandDims(const Value &x, unsigned axis) override {
    Type type = x.type;
    type.shape.insert(type.shape.begin() + axis, 1);
    return make(type, "expand" + std::to_string(axis) + "(" + text(x) + ")");
  }
  Value broadcast(const Value &x, llvm::ArrayRef<int64_t> shape) override {
    return make(x.type.withShape(shape), "broadcast(" + text(x) + ")");
  }
  Value reshape(const Value &x, llvm::ArrayRef<int64_t> shape) override {
    return make(x.type.withShape(shape), "reshape(" + text(x) + ")");
  }
  Value permute(const Value &x, llvm::ArrayRef<int64_t> order) override {
    Type type = x.type;
    for (size_t d = 0; d < order.size(); ++d)
      type.shape[d] = x.type.shape[size_t(order[d])];
    return make(type, "permute(" + text(x) + ")");
  }
  Value join(const Value &a, const Value &b) override {
    Type type = a.type;
    type.shape.push_back(2);
    return make(type, "join(" + text(a) + ", " + text(b) + ")");
  }
  std::pair<Value, Value> split(const Value &x) override {
    Type type = x.type;
    type.shape.pop_back();
    return {make(type, "first(" + text(x) + ")"), make(type, "second(" + text(x) + ")")};
  }
  Value gather(const Value &x, const Value &indices, unsigned axis) override {
    return make(indices.type.withElement(x.type.element),
                "gather" + std::to_string(axis) + "(" + text(x) + ", " + text(indices) + ")");
  }
  Value atomic(AtomicOp op, const Value &p, const Value &value, const Value *mask, const AtomicOptions &) override {
    static const char *names[] = {"add", "addf", "maxs", "maxu", "mins", "minu", "and", "or", "xor", "xchg"};
    return make(value.type, std::string("atomic_") + names[int(op)] + "(" + text(p) + ", " + text(value) +
                                (mask ? ", " + text(*mask) : "") + ")");
  }
  Value compareAndSwap(const Value &p, const Value &expected, const Value &value, const AtomicOptions &) override {
    return make(value.type, "cas(" + text(p) + ", " + text(expected) + ", " + text(value) + ")");
  }
  void barrier() override { effects.push_back("barrier"); }
  void print(llvm::StringRef prefix, llvm::ArrayRef<Value>, bool) override {
    effects.push_back("print " + prefix.str());
  }
  void assertion(const Value &condition, llvm::StringRef message, const Value *mask) override {
    effects.push_back("assert " + text(condition) + " " + message.str() + (mask ? " " + text(*mask) : ""));
  }
  Value hint(const Value &x, Promise promise, llvm::ArrayRef<int64_t> numbers) override {
    static const char *names[] = {"divisibility", "contiguity", "constancy"};
    return make(x.type, std::string(names[int(promise)]) + shapeText(numbers) + "(" + text(x) + ")");
  }
  void assume(const Value &condition) override { effects.push_back("assume " + text(condition)); }
  Value externCall(llvm::StringRef symbol, llvm::ArrayRef<Value> operands, DType result, bool) override {
    return make(operands.empty() ? Type(result) : operands.front().type.withElement(result),
                symbol.str() + "(" + joined(operands) + ")");
  }
  llvm::SmallVector<Value> inlineAsm(llvm::StringRef assembly, llvm::StringRef, llvm::ArrayRef<Value> operands,
                                     llvm::ArrayRef<Type> results, unsigned, bool) override {
    llvm::SmallVector<Value> values;
    for (const Type &type : results)
      values.push_back(make(type, "asm " + assembly.str() + "(" + joined(operands) + ")"));
    return values;
  }
  std::optional<llvm::SmallVector<Value>> map(llvm::ArrayRef<Value> sources, unsigned pack, Combine body) override {
    llvm::SmallVector<Value> arguments, results;
    for (const Value &source : sources)
      for (unsigned i = 0; i < pack; ++i)
        arguments.push_back(make(Type(source.type.element), "e" + std::to_string(i)));
    auto mapped = body(arguments);
    if (!mapped)
      return std::nullopt;
    for (size_t i = 0; i < mapped->size(); i += pack)
      results.push_back(
          make(sources.front().type.withElement((*mapped)[i].type.element), "map(" + text((*mapped)[i]) + ")"));
    return results;
  }
  Value histogram(const Value &x, const Value *mask, int64_t bins) override {
    return make(Type(Scalar::Int32, bins), "histogram(" + text(x) + (mask ? ", " + text(*mask) : "") + ")");
  }
  std::optional<llvm::SmallVector<Value>> scan(llvm::ArrayRef<Value> sources, unsigned, bool,
                                               Combine combine) override {
    llvm::SmallVector<Value> arguments, results;
    for (const char *side : {"a", "b"})
      for (const Value &source : sources)
        arguments.push_back(make(Type(source.type.element), side));
    auto combined = combine(arguments);
    if (!combined)
      return std::nullopt;
    for (auto [source, value] : llvm::zip(sources, *combined))
      results.push_back(make(source.type, "scan(" + text(source) + ", " + text(value) + ")"));
    return results;
  }
  Value pointerAdd(const Value &p, const Value &offset) override {
    return make(p.type, "move(" + text(p) + ", " + text(offset) + ")");
  }
  Value load(const Value &p, const Value *mask, const Value *other, const LoadOptions &) override {
    DType element = p.type.element.pointee();
    return make(p.type.withElement(element.isBool() ? DType(Scalar::Int8) : element),
                "load(" + text(p) + (mask ? ", " + text(*mask) : "") + (other ? ", " + text(*other) : "") + ")");
  }
  void store(const Value &p, const Value &value, const Value *mask, const LoadOptions &) override {
    effects.push_back("store(" + text(p) + ", " + text(value) + (mask ? ", " + text(*mask) : "") + ")");
  }
  Value dot(const Value &a, const Value &b, const Value &acc, DotPrecision) override {
    return make(acc.type, "dot(" + text(a) + ", " + text(b) + ", " + text(acc) + ")");
  }
  std::optional<llvm::SmallVector<Value>> reduce(llvm::ArrayRef<Value> sources, unsigned axis,
                                                 Combine combine) override {
    llvm::SmallVector<Value> arguments, results;
    for (const char *side : {"a", "b"})
      for (const Value &source : sources)
        arguments.push_back(make(Type(source.type.element), side));
    auto combined = combine(arguments);
    if (!combined)
      return std::nullopt;
    for (auto [source, value] : llvm::zip(sources, *combined)) {
      Type type = source.type;
      type.shape.erase(type.shape.begin() + axis);
      results.push_back(make(type, "reduce" + std::to_string(axis) + "(" + text(source) + ", " + text(value) + ")"));
    }
    return results;
  }
  std::optional<llvm::APInt> known(const Value &) override { return std::nullopt; }
  llvm::SmallVector<Value> openRegion(llvm::ArrayRef<Type>) override { return {}; }
  Region *closeRegion() override { return nullptr; }
  void dropRegion(Region *) override {}
  llvm::SmallVector<Value> ifElse(const Value &, Region *, llvm::ArrayRef<Value>, Region *,
                                  llvm::ArrayRef<Value>) override {
    return {};
  }
  llvm::SmallVector<Value> forLoop(const Value &, const Value &, const Value &, llvm::ArrayRef<Value>, Region *,
                                   llvm::ArrayRef<Value>, const LoopOptions &) override {
    return {};
  }
  llvm::SmallVector<Value> whileLoop(llvm::ArrayRef<Value>, Region *, const Value &, Region *,
                                     llvm::ArrayRef<Value>) override {
    return {};
  }

private:
  std::deque<std::string> texts_;
};

class SemaTest : public testing::Test {
protected:
  TextSink sink;
  Sema sema{sink};

  Operand value(Type type, std::string name = "x") { return sink.make(std::move(type), std::move(name)); }
  std::string text(Result<Operand> result) {
    return result ? (result->isRuntime() ? TextSink::text(result->value()) + " -> " + result->value().type.str()
                                         : result->repr())
                  : "error: " + result.failure().message;
  }
  std::string text(Result<Value> result) {
    return result ? TextSink::text(*result) + " -> " + result->type.str() : "error: " + result.failure().message;
  }
  Operand n(int64_t number) { return Operand::ofInt(number); }
  Operand f(double number) { return Operand::ofFloat(number); }
};

using B = BinaryOperator;
using C = CompareOperator;

TEST_F(SemaTest, NumberAdoptsTheTensorsType) {
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Fp16), f(0.5))), "addf(x, 0.5:fp16) -> fp16");
  EXPECT_EQ(text(sema.binary(B::Mul, n(2), value(Scalar::UInt8))), "mul(2:uint8, x) -> uint8");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Fp16), n(3))), "addf(x, 3:fp16) -> fp16");
  EXPECT_EQ(text(sema.binary(B::BitAnd, value(Scalar::Int64), n(15))), "and(x, 15:int64) -> int64");
}

TEST_F(SemaTest, NumberOfAHigherKindTakesPart) {
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Int64), f(0.5))), "addf(sitofp(x to fp32), 0.5:fp32) -> fp32");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Int1), n(3))), "add(zext(x to int32), 3:int32) -> int32");
}

TEST_F(SemaTest, DivisionOfHalvesIsInFp32) {
  EXPECT_EQ(text(sema.binary(B::Div, value(Scalar::Fp16, "a"), value(Scalar::Fp16, "b"))),
            "divf(extf(a to fp32), extf(b to fp32)) -> fp32");
  EXPECT_EQ(text(sema.binary(B::Div, value(Scalar::Bf16), n(2))), "divf(extf(x to fp32), 2:fp32) -> fp32");
  EXPECT_EQ(text(sema.binary(B::Div, value(Scalar::Int32, "a"), value(Scalar::Int32, "b"))),
            "divf(sitofp(a to fp32), sitofp(b to fp32)) -> fp32");
  EXPECT_EQ(text(sema.binary(B::Mod, value(Scalar::Fp64), n(2))), "remf(x, 2:fp64) -> fp64");
}

TEST_F(SemaTest, FloatsMeet) {
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Fp16, "a"), value(Scalar::Bf16, "b"))),
            "addf(a, truncf(extf(b to fp32) to fp16)) -> fp16");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Bf16, "a"), value(Scalar::Int32, "b"))),
            "addf(extf(a to fp32), sitofp(b to fp32)) -> fp32");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Fp32, "a"), value(Scalar::Fp64, "b"))),
            "addf(extf(a to fp64), b) -> fp64");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Bf16, "a"), value(Scalar::Bf16, "b"))), "addf(a, b) -> bf16");
}

TEST_F(SemaTest, IntsMeetAsInC) {
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Int8, "a"), value(Scalar::Int32, "b"))),
            "add(sext(a to int32), b) -> int32");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Int32, "a"), value(Scalar::UInt32, "b"))), "add(a, b) -> uint32");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Int64, "a"), value(Scalar::UInt32, "b"))),
            "add(a, zext(b to int64)) -> int64");
  EXPECT_EQ(text(sema.binary(B::FloorDiv, value(Scalar::UInt32, "a"), value(Scalar::UInt8, "b"))),
            "divu(a, zext(b to uint32)) -> uint32");
  EXPECT_EQ(text(sema.binary(B::FloorDiv, value(Scalar::Int32, "a"), value(Scalar::UInt32, "b"))),
            "error: Cannot use '/', '//' or '%' on int32 and uint32 because they have different signedness; cast one "
            "side to the other's type");
}

TEST_F(SemaTest, NumbersOutOfRange) {
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::UInt8), n(-1))),
            "error: the negative number -1 meets the unsigned type uint8; cast the tensor to a signed type first");
  EXPECT_EQ(sema.takeBlamedArgument(), 1);
  EXPECT_EQ(text(sema.binary(B::Add, n(300), value(Scalar::Int8))), "error: the number 300 is out of range for int8");
  EXPECT_EQ(sema.takeBlamedArgument(), 0);
}

TEST_F(SemaTest, ComparisonsMakeTheNumberATensorFirst) {
  EXPECT_EQ(text(sema.compare(C::Gt, value(Scalar::Fp16), f(0.5))), "gtf(extf(x to fp32), 0.5:fp32) -> int1");
  EXPECT_EQ(text(sema.compare(C::Lt, value(Scalar::UInt8), n(300))), "lts(zext(x to int32), 300:int32) -> int1");
  EXPECT_EQ(text(sema.compare(C::Lt, value(Scalar::UInt32, "a"), value(Scalar::UInt32, "b"))), "ltu(a, b) -> int1");
  EXPECT_EQ(text(sema.compare(C::Ne, value(Scalar::Fp32, "a"), value(Scalar::Fp32, "b"))), "nef(a, b) -> int1");
  EXPECT_EQ(text(sema.compare(C::Is, value(Scalar::Fp32), Operand::none())), "False");
  EXPECT_EQ(text(sema.compare(C::Eq, value(DType(Scalar::Fp32).pointerTo()), n(0))),
            "error: pointers cannot be compared; cast them with .to(tl.int64) first");
}

TEST_F(SemaTest, MinimumAndMaximum) {
  EXPECT_EQ(text(sema.maximum(value(Scalar::Fp16), f(0.0), NanRule::Loses)), "maxnum(extf(x to fp32), 0:fp32) -> fp32");
  EXPECT_EQ(text(sema.minimum(value(Scalar::Bf16, "a"), value(Scalar::Bf16, "b"), NanRule::Wins)),
            "minnan(extf(a to fp32), extf(b to fp32)) -> fp32");
  EXPECT_EQ(text(sema.minimum(value(Scalar::UInt32), value(Scalar::UInt32, "b"), NanRule::Loses)),
            "minu(x, b) -> uint32");
  EXPECT_EQ(text(sema.clamp(value(Scalar::Fp32), f(0), f(1), NanRule::Loses)),
            "minnum(maxnum(x, 0:fp32), 1:fp32) -> fp32");
}

TEST_F(SemaTest, WhereKeepsTheWeakNumber) {
  EXPECT_EQ(text(sema.where(value(Scalar::Int1, "c"), value(Scalar::Fp16), f(0.0))), "select(c, x, 0:fp16) -> fp16");
  EXPECT_EQ(text(sema.where(value(Type(Scalar::Int1, {16}), "c"), n(1), n(0))),
            "select(c, splat(1:int32), splat(0:int32)) -> int32[16]");
}

TEST_F(SemaTest, LiteralTypes) {
  EXPECT_EQ(text(sema.toValue(n(3))), "3:int32 -> int32");
  EXPECT_EQ(text(sema.toValue(n(int64_t(1) << 31))), "2147483648:uint32 -> uint32");
  EXPECT_EQ(text(sema.toValue(n(-(int64_t(1) << 31) - 1))), "-2147483649:int64 -> int64");
  EXPECT_EQ(text(sema.toValue(f(0.5))), "0.5:fp32 -> fp32");
  EXPECT_EQ((*sema.toValue(f(1e300))).type.str(), "fp64");
  EXPECT_EQ((*sema.toValue(f(1e-40))).type.str(), "fp64");
  EXPECT_EQ((*sema.toValue(f(INFINITY))).type.str(), "fp32");
  EXPECT_EQ((*sema.toValue(Operand::ofBool(true))).type.str(), "int1");
}

TEST_F(SemaTest, Broadcasting) {
  Operand row = value(Type(Scalar::Int32, {1, 32}), "row"), column = value(Type(Scalar::Int32, {16, 1}), "column");
  EXPECT_EQ(text(sema.binary(B::Add, column, row)), "add(broadcast(column), broadcast(row)) -> int32[16, 32]");
  EXPECT_EQ(text(sema.binary(B::Add, value(Type(Scalar::Int32, {32}), "v"), row)),
            "add(expand0(v), row) -> int32[1, 32]");
  EXPECT_EQ(text(sema.binary(B::Add, value(Scalar::Int32, "s"), row)), "add(splat(s), row) -> int32[1, 32]");
  EXPECT_EQ(text(sema.binary(B::Add, value(Type(Scalar::Int32, {16}), "v"), row)),
            "error: cannot broadcast shapes [16] and [1, 32]: dimension 1 is 16 against 32");
}

TEST_F(SemaTest, Indexing) {
  Value x = value(Type(Scalar::Fp32, {16}), "x").value();
  Operand all = Operand::ofSlice({}, {}, {});
  EXPECT_EQ(text(sema.index(x, {all, Operand::none()})), "expand1(x) -> fp32[16, 1]");
  EXPECT_EQ(text(sema.index(x, {Operand::none(), all, Operand::none()})), "expand2(expand0(x)) -> fp32[1, 16, 1]");
  EXPECT_EQ(text(sema.index(x, {n(3)})),
            "error: unsupported tensor index: expected ':' or None, got int; elements are reached through tl.load");
}

TEST_F(SemaTest, Casts) {
  auto cast = [&](Scalar from, Scalar to) { return text(sema.cast(value(from).value(), to)); };
  EXPECT_EQ(cast(Scalar::Fp32, Scalar::Int8), "fptosi(x to int8) -> int8");
  EXPECT_EQ(cast(Scalar::Fp16, Scalar::UInt16), "fptoui(extf(x to fp32) to uint16) -> uint16");
  EXPECT_EQ(cast(Scalar::Int32, Scalar::Int1), "ne(x, 0:int32) -> int1");
  EXPECT_EQ(cast(Scalar::Fp32, Scalar::Int1), "nef(x, 0:fp32) -> int1");
  EXPECT_EQ(cast(Scalar::Int1, Scalar::Fp32), "uitofp(x to fp32) -> fp32");
  EXPECT_EQ(cast(Scalar::Int32, Scalar::UInt32), "x -> uint32");
  EXPECT_EQ(cast(Scalar::Int64, Scalar::UInt8), "trunc(x to uint8) -> uint8");
  EXPECT_EQ(cast(Scalar::UInt8, Scalar::Int64), "zext(x to int64) -> int64");
  EXPECT_EQ(cast(Scalar::Bf16, Scalar::Fp16), "truncf(extf(x to fp32) to fp16) -> fp16");
  EXPECT_EQ(cast(Scalar::Int32, Scalar::Fp8E5),
            "truncf(minnan(maxnan(sitofp(x to fp32), -57344:fp32), 57344:fp32) to fp8e5) -> fp8e5");
  EXPECT_EQ(text(sema.cast(value(Scalar::Fp64).value(), Scalar::Fp16, FloatRounding::TowardZero)),
            "truncfz(x to fp16) -> fp16");
  EXPECT_EQ(text(sema.bitcast(value(Scalar::Fp32).value(), Scalar::UInt32)), "bitcast(x to uint32) -> uint32");
  EXPECT_EQ(text(sema.bitcast(value(Scalar::Fp32).value(), Scalar::Int16)),
            "error: Cannot bitcast data-type of size 32 to data-type of size 16, got fp32 to int16; a bitcast keeps "
            "the width");
}

TEST_F(SemaTest, PointersMove) {
  DType pointer = DType(Scalar::Fp32).pointerTo();
  EXPECT_EQ(text(sema.binary(B::Add, value(pointer, "p"), value(Scalar::UInt32, "n"))),
            "move(p, zext(n to int64)) -> pointer<fp32>");
  EXPECT_EQ(text(sema.binary(B::Add, n(4), value(pointer, "p"))), "move(p, 4:int32) -> pointer<fp32>");
  EXPECT_EQ(text(sema.binary(B::Sub, value(pointer, "p"), value(Scalar::Int32, "n"))),
            "move(p, sub(0:int32, n)) -> pointer<fp32>");
  EXPECT_EQ(text(sema.binary(B::Add, value(pointer, "p"), value(Type(Scalar::Int32, {16}), "n"))),
            "move(splat(p), n) -> pointer<fp32>[16]");
  EXPECT_TRUE(llvm::StringRef(text(sema.binary(B::Mul, value(pointer, "p"), n(2))))
                  .starts_with("error: operator '*' cannot take"));
}

TEST_F(SemaTest, PointerCasts) {
  Value p = value(DType(Scalar::Fp32).pointerTo(), "p").value();
  EXPECT_EQ(text(sema.cast(p, Scalar::Int64)), "ptrtoint(p to int64) -> int64");
  EXPECT_EQ(text(sema.cast(p, Scalar::Int1)), "ne(ptrtoint(p to int64), 0:int64) -> int1");
  EXPECT_EQ(text(sema.cast(p, DType(Scalar::Int8).pointerTo())), "ptrcast(p to pointer<int8>) -> pointer<int8>");
  EXPECT_EQ(text(sema.cast(p, DType(Scalar::Fp32).pointerTo(true))), "p -> const pointer<fp32>");
  EXPECT_EQ(text(sema.cast(value(Scalar::UInt32).value(), DType(Scalar::Fp32).pointerTo())),
            "inttoptr(zext(x to int64) to pointer<fp32>) -> pointer<fp32>");
  EXPECT_EQ(text(sema.cast(p, Scalar::Int32)),
            "error: cannot cast pointer<fp32> to int32; an address is 64 bits: .to(tl.int64)");
}

TEST_F(SemaTest, Atomics) {
  Operand floats = value(DType(Scalar::Fp32).pointerTo(), "f"), ints = value(DType(Scalar::UInt32).pointerTo(), "i");
  using A = Sema::Atomic;
  EXPECT_EQ(text(sema.atomic(A::Add, floats, n(1), Operand::none(), {})), "atomic_addf(f, 1:fp32) -> fp32");
  EXPECT_EQ(text(sema.atomic(A::Max, ints, value(Scalar::Int32), Operand::none(), {})), "atomic_maxu(i, x) -> uint32");
  EXPECT_EQ(text(sema.atomic(A::Max, value(DType(Scalar::Fp16).pointerTo()), f(1), Operand::none(), {})),
            "error: tl.atomic_max does not support fp16");
  EXPECT_EQ(text(sema.atomic(A::And, floats, n(1), Operand::none(), {})), "error: tl.atomic_and does not support fp32");
  EXPECT_EQ(
      text(sema.atomic(A::Max, floats, value(Scalar::Fp32, "v"), Operand::none(), {})),
      "bitcast(select(xor(lts(bitcast(v to int32), 0:int32), 1:int1), "
      "atomic_maxs(ptrcast(f to pointer<int32>), bitcast(v to int32), xor(lts(bitcast(v to int32), 0:int32), 1:int1)), "
      "atomic_minu(ptrcast(f to pointer<int32>), bitcast(v to int32), lts(bitcast(v to int32), 0:int32))) to fp32) -> "
      "fp32");
  EXPECT_EQ(text(sema.compareAndSwap(ints, n(0), n(1), {})), "cas(i, 0:uint32, 1:uint32) -> uint32");
  EXPECT_EQ(text(sema.compareAndSwap(ints, n(0), value(Scalar::Int64), {})),
            "error: tl.atomic_cas converts nothing: expected uint32, got int64; cast it with .to(...)");
}

TEST_F(SemaTest, MovingElements) {
  Value x = value(Type(Scalar::Fp32, {16, 32}), "x").value();
  EXPECT_EQ(text(sema.reshape(x, {512})), "reshape(x) -> fp32[512]");
  EXPECT_EQ(text(sema.reshape(x, {16, 16})),
            "error: cannot reshape fp32[16, 32] to [16, 16]: the number of elements differs");
  EXPECT_EQ(text(sema.permute(x, {-1, 0})), "permute(x) -> fp32[32, 16]");
  EXPECT_FALSE(bool(sema.permute(x, {0, 0})));
  EXPECT_FALSE(bool(sema.permute(x, {0})));
  EXPECT_EQ(text(sema.join(value(Scalar::Fp32, "a"), value(Scalar::Fp32, "b"))), "join(a, b) -> fp32[2]");
  EXPECT_FALSE(bool(sema.split(x)));
}

TEST_F(SemaTest, LoadAndStore) {
  Operand pointers = value(Type(DType(Scalar::Fp16).pointerTo(), {16}), "p"),
          mask = value(Type(Scalar::Int1, {16}), "m");
  EXPECT_EQ(text(sema.load(pointers, mask, f(1.5), {})), "load(p, m, splat(1.5:fp16)) -> fp16[16]");
  EXPECT_EQ(text(sema.load(pointers, Operand::ofBool(true), Operand::none(), {})),
            "load(p, splat(1:int1)) -> fp16[16]");
  EXPECT_EQ(text(sema.load(value(DType(Scalar::Int1).pointerTo(), "b"), Operand::none(), Operand::none(), {})),
            "ne(load(b), 0:int8) -> int1");
  EXPECT_TRUE(bool(sema.store(pointers, value(Scalar::Fp32, "v"), mask, {})));
  EXPECT_TRUE(
      bool(sema.store(value(DType(Scalar::Int1).pointerTo(), "b"), value(Scalar::Int32, "v"), Operand::none(), {})));
  EXPECT_EQ(sink.effects, (std::vector<std::string>{"store(p, splat(truncf(v to fp16)), m)",
                                                    "store(b, zext(ne(v, 0:int32) to int8))"}));
  EXPECT_FALSE(
      bool(sema.store(value(DType(Scalar::Fp32).pointerTo(/*isConst=*/true), "c"), f(1), Operand::none(), {})));
}

TEST_F(SemaTest, DotTypes) {
  Value half = value(Type(Scalar::Fp16, {16, 32}), "a").value(),
        other = value(Type(Scalar::Fp16, {32, 8}), "b").value();
  EXPECT_EQ(text(sema.dot(half, other, Operand::none(), {})), "dot(a, b, 0:fp32[16, 8]) -> fp32[16, 8]");
  EXPECT_EQ(text(sema.dot(half, other, value(Type(Scalar::Fp16, {16, 8}), "c"), {})), "dot(a, b, c) -> fp16[16, 8]");
  EXPECT_EQ(text(sema.dot(half, other, value(Type(Scalar::Fp32, {8, 8}), "c"), {})),
            "error: tl.dot: expected accumulator shape [16, 8], got [8, 8]");
}

TEST_F(SemaTest, DotOfBatchesAndOfMixedFp8) {
  Value a = value(Type(Scalar::Fp8E5, {2, 3, 16, 32}), "a").value(),
        b = value(Type(Scalar::Fp8E4NV, {2, 3, 32, 8}), "b").value();
  EXPECT_EQ(text(sema.dot(a, b, Operand::none(), {})),
            "reshape(dot(reshape(a), reshape(b), reshape(0:fp32[2, 3, 16, 8]))) -> fp32[2, 3, 16, 8]");
  Value bytes = value(Type(Scalar::Int8, {16, 16}), "i").value();
  Sema::DotOptions options;
  // Ints accumulate in int32 whatever the usual default says.
  options.outType = DType(Scalar::Fp32);
  EXPECT_EQ(text(sema.dot(bytes, bytes, Operand::none(), options)), "dot(i, i, 0:int32[16, 16]) -> int32[16, 16]");
}

TEST(SemaFacts, DebugBuildsAssert) {
  TextSink sink;
  Sema sema(sink, {.target = {}, .options = {.debug = true}});
  auto scalar = [&](Scalar type, const char *name) { return Operand(sink.make(Type(type), name)); };
  ASSERT_TRUE(bool(sema.binary(BinaryOperator::Add, scalar(Scalar::Int32, "x"), scalar(Scalar::Int32, "y"))));
  ASSERT_TRUE(bool(sema.binary(BinaryOperator::Mul, scalar(Scalar::UInt8, "x"), scalar(Scalar::UInt8, "y"), false)));
  ASSERT_TRUE(bool(sema.binary(BinaryOperator::Mul, scalar(Scalar::Int64, "x"), scalar(Scalar::Int64, "y"))));
  ASSERT_TRUE(bool(sema.deviceAssert(scalar(Scalar::Int1, "c"), Operand::ofString("m"), Operand::none())));
  EXPECT_EQ(sink.effects,
            (std::vector<std::string>{
                "assert and(ges(add(sext(x to int64), sext(y to int64)), -2147483648:int64), les(add(sext(x to int64), "
                "sext(y to int64)), 2147483647:int64)) int32 overflow detected for operation add",
                "assert c m"}));
}

TEST_F(SemaTest, ReduceAlongAllAxesAndKeepingThem) {
  Value x = value(Type(Scalar::Fp32, {16, 32}), "x").value();
  auto larger = [&](llvm::ArrayRef<Value> pair) {
    return std::optional<llvm::SmallVector<Value>>({sink.binary(BinaryOp::MaxNum, pair[0], pair[1])});
  };
  auto all = sema.reduce(x, std::nullopt, /*keepDims=*/true, larger);
  ASSERT_TRUE(bool(all));
  EXPECT_EQ(TextSink::text(all->front()), "splat(reduce0(reduce1(x, maxnum(a, b)), maxnum(a, b)))");
  EXPECT_EQ(all->front().type.str(), "fp32[1, 1]");
  auto last = sema.reduce(x, -1, /*keepDims=*/true, larger);
  ASSERT_TRUE(bool(last));
  EXPECT_EQ(TextSink::text(last->front()), "expand1(reduce1(x, maxnum(a, b)))");
  EXPECT_FALSE(bool(sema.reduce(x, 2, false, larger)));
}

TEST_F(SemaTest, ShiftsFollowTheTensorWhoseMethodRuns) {
  EXPECT_EQ(text(sema.binary(B::RShift, value(Scalar::Int32), n(3))), "shrs(x, 3:int32) -> int32");
  EXPECT_EQ(text(sema.binary(B::RShift, value(Scalar::UInt32), n(3))), "shru(x, 3:uint32) -> uint32");
  EXPECT_EQ(text(sema.binary(B::RShift, n(100), value(Scalar::UInt32))), "shru(100:uint32, x) -> uint32");
}

TEST(ConstantMath, FollowsPython) {
  auto binary = [](BinaryOperator op, Operand a, Operand b) { return (*constantBinary(op, a, b)).repr(); };
  auto n = [](int64_t x) { return Operand::ofInt(x); };
  EXPECT_EQ(binary(B::FloorDiv, n(-7), n(2)), "-4");
  EXPECT_EQ(binary(B::Mod, n(-7), n(2)), "1");
  EXPECT_EQ(binary(B::Mod, n(7), n(-2)), "-1");
  EXPECT_EQ(binary(B::Pow, n(2), n(100)), "1267650600228229401496703205376");
  EXPECT_EQ(binary(B::Pow, n(-1), n(1001)), "-1");
  EXPECT_EQ(binary(B::Pow, n(0), n(0)), "1");
  EXPECT_EQ(binary(B::Pow, n(2), n(-1)), "0.5");
  EXPECT_EQ(binary(B::Mul, n(INT64_MAX), n(INT64_MAX)), "85070591730234615847396907784232501249");
  EXPECT_EQ(binary(B::LShift, n(-1), n(70)), "-1180591620717411303424");
  EXPECT_EQ(binary(B::RShift, n(-5), n(1)), "-3");
  EXPECT_EQ(binary(B::RShift, n(5), n(1000)), "0");
  EXPECT_EQ(binary(B::Div, n(-1), n(2)), "-0.5");
  EXPECT_EQ(binary(B::FloorDiv, Operand::ofFloat(-7.5), n(2)), "-4.0");
  EXPECT_EQ(binary(B::Add, Operand::ofTuple({n(1)}), Operand::ofTuple({n(2)})), "(1, 2)");
  EXPECT_EQ(binary(B::Mul, Operand::ofString("ab"), n(2)), "'abab'");
  EXPECT_FALSE(bool(constantBinary(B::FloorDiv, n(1), n(0))));
  EXPECT_FALSE(bool(constantBinary(B::Pow, n(10), n(1000000))));
  EXPECT_FALSE(bool(constantBinary(B::Mul, Operand::ofTuple({n(1)}), n(int64_t(1) << 40))));
}

TEST(ConstantMath, Printing) {
  EXPECT_EQ(Operand::ofFloat(1e16).repr(), "1e+16");
  EXPECT_EQ(Operand::ofFloat(0.0001).repr(), "0.0001");
  EXPECT_EQ(Operand::ofFloat(3).repr(), "3.0");
  EXPECT_EQ(Operand::ofTuple({Operand::ofInt(1)}).repr(), "(1,)");
  EXPECT_EQ(Operand::ofString("it's").repr(), "\"it's\"");
  EXPECT_EQ(Operand::ofType(Scalar::Bf16).str(), "bf16");
}

TEST(ConstantMath, Subscripts) {
  auto n = [](int64_t x) { return Operand::ofInt(x); };
  Operand tuple = Operand::ofTuple({n(10), n(11), n(12), n(13)});
  EXPECT_EQ((*constantSubscript(tuple, n(-1))).repr(), "13");
  EXPECT_EQ((*constantSubscript(tuple, Operand::ofSlice(n(1), {}, n(2)))).repr(), "(11, 13)");
  EXPECT_EQ((*constantSubscript(tuple, Operand::ofSlice({}, {}, n(-1)))).repr(), "(13, 12, 11, 10)");
  EXPECT_EQ((*constantSubscript(tuple, Operand::ofSlice(n(-2), n(100), {}))).repr(), "(12, 13)");
  EXPECT_FALSE(bool(constantSubscript(tuple, n(4))));
}

} // namespace
} // namespace tilewise::frontend
