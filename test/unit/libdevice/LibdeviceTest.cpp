// Libdevice against values computed elsewhere: every function of the table, every type.
#include "libdevice/Libdevice.h"
#include "TestRoot.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilewise::libdevice {
namespace {

struct Row {
  const char *symbol, *operands, *value;
  double bound;
};

constexpr Row kRows[] = {
#define V(symbol, operands, value, bound) {#symbol, operands, value, bound},
#include "libdevice/Values.inc"
#undef V
};

/// The bits of a number given as text, in the low bytes.
uint64_t bitsOf(const std::string &text, Element type) {
  switch (type) {
  case Element::F32:
    return std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr));
  case Element::F64:
    return std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr));
  case Element::U64:
    return std::strtoull(text.c_str(), nullptr, 10);
  default:
    return uint64_t(std::strtoll(text.c_str(), nullptr, 10));
  }
}

size_t bytesOf(Element type) {
  return type == Element::Bool ? 1 : type == Element::I64 || type == Element::U64 || type == Element::F64 ? 8 : 4;
}

/// How many units in the last place of T lie between the value and the exact one.
template <typename T> double distance(T got, long double expected) {
  T nearest = T(expected);
  if (nearest == got && std::isinf(got))
    return 0;
  int exponent;
  std::frexp(nearest, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return double(std::fabs(got - expected) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

std::string check(const Function &function, const Row &row) {
  llvm::SmallVector<llvm::StringRef> texts;
  llvm::StringRef(row.operands).split(texts, ' ');
  if (texts.size() != function.arity)
    return "takes " + std::to_string(function.arity) + " operands";
  uint64_t operands[4] = {}, result = 0;
  const void *pointers[4] = {};
  for (size_t i = 0; i < texts.size(); ++i) {
    operands[i] = bitsOf(texts[i].str(), function.operands()[i]);
    pointers[i] = &operands[i];
  }
  function.apply(pointers, &result, 1);

  bool isFloat = function.result == Element::F32 || function.result == Element::F64;
  if (isFloat && std::isnan(std::strtod(row.value, nullptr))) {
    double got =
        function.result == Element::F32 ? std::bit_cast<float>(uint32_t(result)) : std::bit_cast<double>(result);
    return std::isnan(got) ? "" : "gave " + std::to_string(got);
  }
  if (row.bound == 0) {
    uint64_t expected = bitsOf(row.value, function.result);
    return std::memcmp(&result, &expected, bytesOf(function.result)) == 0
               ? ""
               : "gave the bits " + std::to_string(result) + ", expected " + std::to_string(expected);
  }
  long double expected = std::strtold(row.value, nullptr);
  double away = function.result == Element::F32 ? distance(std::bit_cast<float>(uint32_t(result)), expected)
                                                : distance(std::bit_cast<double>(result), expected);
  return away <= row.bound ? "" : "is " + std::to_string(away) + " ulp away";
}

TEST(Libdevice, Values) {
  for (const Row &row : kRows) {
    const Function *function = findSymbol(row.symbol);
    ASSERT_TRUE(function) << row.symbol;
    std::string trouble = check(*function, row);
    EXPECT_EQ(trouble, "") << row.symbol << "(" << row.operands << ") = " << row.value;
  }
}

TEST(Libdevice, EveryFunctionHasValues) {
  llvm::StringSet<> tested;
  for (const Row &row : kRows)
    tested.insert(row.symbol);
  size_t functions = 0;
  for (const Name &name : names()) {
    EXPECT_FALSE(name.overloads().empty()) << name.name.str();
    for (const Function &function : name.overloads()) {
      ++functions;
      EXPECT_TRUE(tested.contains(function.symbol)) << function.symbol.str();
    }
  }
  EXPECT_EQ(functions, tested.size());
  // The 198 of the language, and `min` and `max` of older releases.
  EXPECT_EQ(names().size(), 200u);
}

/// "f32(f32, i32)"
std::string typeOf(const Function &function) {
  auto nameOf = [](Element type) {
    constexpr const char *kNames[] = {"i1", "i32", "u32", "i64", "u64", "fp32", "fp64"};
    return std::string(kNames[size_t(type)]);
  };
  std::string text = nameOf(function.result) + "(";
  for (Element operand : function.operands())
    text += (text.back() == '(' ? "" : ", ") + nameOf(operand);
  return text + ")";
}

/// The table of docs/libdevice.md: neighbours of one type and one bound share a row.
std::string markdown() {
  llvm::StringMap<double> bounds;
  for (const Row &row : kRows)
    bounds[row.symbol] = std::max(bounds[row.symbol], row.bound);
  std::string text = "| functions | types | bound |\n|---|---|---|\n", shared, row;
  for (const Name &name : names()) {
    std::string types, bound;
    double worst = 0;
    for (const Function &function : name.overloads()) {
      types += (types.empty() ? "" : ", ") + typeOf(function);
      worst = std::max(worst, bounds[function.symbol]);
    }
    char number[32];
    std::snprintf(number, sizeof number, "%g", worst);
    std::string cells = " | " + types + " | " + (worst == 0 ? "exact" : number) + " |\n";
    if (cells != shared) {
      text += row.empty() ? "" : row + shared;
      row = "| ";
    } else {
      row += ", ";
    }
    row += "`" + name.name.str() + "`";
    shared = cells;
  }
  return text + row + shared;
}

TEST(Libdevice, ThePageShowsTheFunctions) {
  const std::string begin = "<!-- libdevice -->\n", page = test::readRootFile("docs/libdevice.md");
  size_t at = page.find(begin), end = page.find("<!-- end -->", at);
  ASSERT_NE(at, std::string::npos);
  std::string made = page;
  made.replace(at + begin.size(), end - at - begin.size(), markdown());
  if (std::getenv("TILEWISE_UPDATE"))
    std::ofstream(test::rootPath("docs/libdevice.md"), std::ios::binary) << made;
  else
    EXPECT_TRUE(made == page) << "docs/libdevice.md differs from libdevice: run this test with TILEWISE_UPDATE=1";
}

TEST(Libdevice, LoopsOverBlocks) {
  const Function *power = findSymbol("powif");
  ASSERT_TRUE(power);
  float x[] = {2, 3, 4}, result[3];
  int32_t n[] = {3, 2, -1};
  const void *operands[] = {x, n};
  power->apply(operands, result, 3);
  EXPECT_EQ(result[0], 8);
  EXPECT_EQ(result[1], 9);
  EXPECT_EQ(result[2], 0.25f);
  EXPECT_EQ(findSymbol("__nv_powif"), nullptr);
}

} // namespace
} // namespace tilewise::libdevice
