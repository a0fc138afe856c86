// Expressions over operands, evaluated at once on the reference engine.
#include "interpreter/Interpreter.h"

#include "frontend/python/LiveHost.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>

using namespace tilewise;
using namespace tilewise::interpreter;
using frontend::Scalar;
using frontend::Type;

namespace {

class InterpreterTest : public testing::Test {
protected:
  using Names = std::vector<std::pair<llvm::StringRef, Operand>>;

  Result<Operand> valueOf(llvm::StringRef text, const Names &names) {
    llvm::SmallVector<llvm::StringRef> bound;
    llvm::SmallVector<Operand> operands;
    for (const auto &[name, operand] : names) {
      bound.push_back(name);
      operands.push_back(operand);
    }
    Result<Interpreter::Expression *> expression = interpreter.parse(text, bound);
    return expression ? interpreter.evaluate(**expression, operands) : expression.takeFailure();
  }
  Operand evaluate(llvm::StringRef expression, Names names = {}) {
    names.emplace_back("tl", *frontend::languageOperand("triton.language"));
    Result<Operand> result = valueOf(expression, names);
    EXPECT_TRUE(result) << (result ? "" : result.failure().message);
    if (!result)
      return {};
    kept.push_back(*result);
    return *result;
  }
  std::string failureOf(llvm::StringRef expression, Names names = {}) {
    names.emplace_back("tl", *frontend::languageOperand("triton.language"));
    Result<Operand> result = valueOf(expression, names);
    EXPECT_FALSE(result);
    return result ? "" : result.failure().message;
  }
  template <typename T> std::vector<T> elementsOf(const Operand &operand) {
    llvm::ArrayRef<std::byte> bytes = Interpreter::bytesOf(operand.value());
    std::vector<T> elements(bytes.size() / sizeof(T));
    std::memcpy(elements.data(), bytes.data(), bytes.size());
    return elements;
  }
  Operand pointerTo(const void *memory, Scalar scalar) {
    Operand pointer =
        interpreter.argument(Type(frontend::DType(scalar).pointerTo()), reinterpret_cast<uint64_t>(memory));
    kept.push_back(pointer);
    return pointer;
  }
  Operand scalar(int32_t number) {
    kept.push_back(interpreter.argument(Type(Scalar::Int32), uint32_t(number)));
    return kept.back();
  }
  void TearDown() override {
    for (const Operand &operand : kept)
      interpreter.drop(operand);
  }

  Interpreter interpreter;
  std::vector<Operand> kept;
};

TEST_F(InterpreterTest, NumbersStayNumbersAndBlocksAreComputed) {
  EXPECT_EQ(evaluate("a * 2", {{"a", Operand::ofInt(21)}}).asInt64(), 42);
  Operand block = evaluate("tl.arange(0, 8) * 3 + 1");
  EXPECT_EQ(block.value().type.str(), "int32[8]");
  EXPECT_EQ(elementsOf<int32_t>(block), (std::vector<int32_t>{1, 4, 7, 10, 13, 16, 19, 22}));
  EXPECT_EQ(evaluate("x.shape", {{"x", block}}).elements().size(), 1u);
}

TEST_F(InterpreterTest, ProgramIdIsThatOfTheProgramAtHand) {
  for (uint32_t program : {0u, 3u}) {
    interpreter.setProgram({program, 0, 0}, {4, 1, 1});
    EXPECT_EQ(elementsOf<uint32_t>(evaluate("tl.program_id(0)")), std::vector<uint32_t>{program});
  }
  EXPECT_EQ(elementsOf<uint32_t>(evaluate("tl.num_programs(0)")), std::vector<uint32_t>{4});
}

TEST_F(InterpreterTest, LoadsAndStoresHappenAtOnce) {
  std::vector<float> memory(10);
  std::iota(memory.begin(), memory.end(), 1.0f);
  Operand pointer = pointerTo(memory.data(), Scalar::Fp32);
  Operand offsets = evaluate("tl.arange(0, 16)");
  Operand mask = evaluate("o < 10", {{"o", offsets}});
  Operand loaded = evaluate("tl.load(p + o, mask=m, other=-1.0)", {{"p", pointer}, {"o", offsets}, {"m", mask}});
  std::vector<float> expected(16, -1.0f);
  std::iota(expected.begin(), expected.begin() + 10, 1.0f);
  EXPECT_EQ(elementsOf<float>(loaded), expected);
  evaluate("tl.store(p + o, x * 2, mask=m)", {{"p", pointer}, {"o", offsets}, {"x", loaded}, {"m", mask}});
  EXPECT_EQ(memory[9], 20.0f);
}

TEST_F(InterpreterTest, LibraryFunctionsRunAndReductionsEmitTheirCombineFunction) {
  Operand block = evaluate("tl.arange(0, 64).to(tl.float32)");
  EXPECT_EQ(elementsOf<float>(evaluate("tl.sum(x, axis=0)", {{"x", block}})), std::vector<float>{2016.0f});
  EXPECT_EQ(elementsOf<float>(evaluate("tl.cumsum(x)", {{"x", block}})).back(), 2016.0f);
  Operand both = evaluate("tl.max(x, axis=0, return_indices=True)", {{"x", block}});
  EXPECT_EQ(elementsOf<int32_t>(both.elements()[1]), std::vector<int32_t>{63});
  std::vector<float> softmax = elementsOf<float>(evaluate("tl.softmax(x)", {{"x", block}}));
  EXPECT_NEAR(std::accumulate(softmax.begin(), softmax.end(), 0.0f), 1.0f, 1e-5f);
}

TEST_F(InterpreterTest, ErrorsAreThoseOfCompiledKernels) {
  EXPECT_NE(failureOf("tl.arange(0, 3)").find("power of 2"), std::string::npos);
  EXPECT_NE(failureOf("tl.laod(1)").find("laod"), std::string::npos);
  EXPECT_NE(failureOf("tl.load(p)", {{"p", pointerTo(nullptr, Scalar::Fp32)}}).find("null pointer"), std::string::npos);
  // And the next operation is none the worse for it.
  EXPECT_EQ(elementsOf<int32_t>(evaluate("tl.arange(0, 2)")), (std::vector<int32_t>{0, 1}));
}

// From the second time on an expression over operands of known kinds is a kernel of its own.
TEST_F(InterpreterTest, AnExpressionMeansTheSameHoweverOftenItIsEvaluated) {
  for (int32_t round = 0; round < 5; ++round) {
    Operand block = evaluate("tl.arange(0, 4) + n", {{"n", scalar(round)}});
    EXPECT_EQ(elementsOf<int32_t>(block), (std::vector<int32_t>{round, round + 1, round + 2, round + 3}));
    EXPECT_EQ(elementsOf<int32_t>(evaluate("tl.sum(x, axis=0)", {{"x", block}})),
              (std::vector<int32_t>{4 * round + 6}));
    // Constants are part of the kind.
    EXPECT_EQ(elementsOf<int32_t>(evaluate("x * k", {{"x", block}, {"k", Operand::ofInt(round)}})),
              (std::vector<int32_t>{round * round, round * (round + 1), round * (round + 2), round * (round + 3)}));
    // A result that holds two values, and one that is no runtime value.
    Operand halves = evaluate("tl.split(tl.reshape(x, (2, 2)))", {{"x", block}});
    ASSERT_TRUE(halves.isTuple());
    EXPECT_EQ(elementsOf<int32_t>(halves.elements()[1]), (std::vector<int32_t>{round + 1, round + 3}));
    EXPECT_EQ(evaluate("x.shape[0]", {{"x", block}}).asInt64(), 4);
    // What hangs on a runtime value is decided anew each time.
    EXPECT_EQ(
        elementsOf<int32_t>(evaluate("a if n > 2 else b", {{"n", scalar(round)}, {"a", scalar(1)}, {"b", scalar(2)}})),
        (std::vector<int32_t>{round > 2 ? 1 : 2}));
  }
}

TEST_F(InterpreterTest, AnAccessIsCheckedAgainstTheArgumentItsPointerComesFromEachTime) {
  std::vector<int32_t> small(4, 7), large(16, 9);
  auto pointer = [&](std::vector<int32_t> &memory, std::string name) {
    auto begin = reinterpret_cast<uint64_t>(memory.data());
    Operand made = interpreter.pointer(Type(frontend::DType(Scalar::Int32).pointerTo()), begin, std::move(name),
                                       {begin, begin + 4 * memory.size(), begin});
    kept.push_back(made);
    return made;
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(elementsOf<int32_t>(evaluate("tl.load(p + tl.arange(0, 8))", {{"p", pointer(large, "large")}})),
              std::vector<int32_t>(8, 9));
    EXPECT_NE(failureOf("tl.load(p + tl.arange(0, 8))", {{"p", pointer(small, "small")}}).find("'small'"),
              std::string::npos);
    // A choice of two arguments' pointers is nobody's.
    evaluate("tl.where(c, p, q)", {{"c", scalar(1)}, {"p", pointer(small, "small")}, {"q", pointer(large, "large")}});
    interpreter.reset();
  }
}

TEST_F(InterpreterTest, WarningsAreToldEachTime) {
  for (int round = 0; round < 3; ++round) {
    evaluate("tl.where(x, 1, 2)", {{"x", evaluate("tl.arange(0, 4)")}});
    ASSERT_EQ(interpreter.warnings().size(), 1u);
    EXPECT_NE(interpreter.warnings()[0].find("expects a bool condition"), std::string::npos);
  }
}

} // namespace
