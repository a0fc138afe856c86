// Reductions, scans and dots. Engines combine floats in any order: either every order gives the
// same (whole numbers that the type holds), or the result has a bound and goes to an output.
#include "Grammar.h"

#include <algorithm>
#include <cmath>

namespace tilewise::random {
namespace {

using T = ElementType;

struct Line {
  Shape shape, reduced;
  std::string axis; ///< "0", "1" or "None"
  int length = 1;
};

Line anyLine(Builder &b, bool canBeAll) {
  Line line;
  if (b.random.chance(45)) {
    line = {{b.random.of({kA, kB})}, {}, canBeAll && b.random.chance(30) ? "None" : "0", 1};
  } else {
    line.shape = b.random.chance(70) ? Shape{kA, kB} : Shape{kB, kA};
    if (b.random.chance(15)) {
      line.shape.insert(line.shape.begin() + b.random.between(0, 2), Dim{2, {}});
      const size_t axis = b.random.below(3);
      line.axis = std::to_string(axis);
      line.reduced = line.shape;
      line.reduced.erase(line.reduced.begin() + long(axis));
    } else if (canBeAll && b.random.chance(15)) {
      line.axis = "None";
    } else {
      const bool first = b.random.chance(50);
      line.axis = first ? "0" : "1";
      line.reduced = {line.shape[first ? 1 : 0]};
    }
  }
  line.length = b.sizeOf(line.shape) / b.sizeOf(line.reduced);
  return line;
}

/// Facts of a sum of whole numbers, whose zero may have either sign; adding 0.0 makes it one that
/// ops may use.
Facts wholeSum(const T &type, double most) {
  Facts facts = anyFacts(type);
  if (type.isFloat) {
    facts.noNaN = facts.noNegativeZero = facts.integral = true;
    facts.most = most;
  }
  return facts;
}

/// n numbers of at most `most`, added in any order, of engines that both round: docs/semantics.md,
/// twice.
Facts boundedSum(const T &type, double n, double most) {
  Facts facts;
  facts.exact = false;
  facts.within = 2 * n * std::ldexp(1.0, -type.mantissaBits) * n * most;
  return facts;
}

/// A sum over `line`, by `text` with {0} as its operand.
int makeSum(Builder &b, const std::string &op, const std::string &text, const T &type, const T &result,
            const Line &line, const Shape &shape) {
  if (!type.isFloat)
    return b.assign(op, type, text, {b.need(type, line.shape)}, result, shape, anyFacts(result));
  if (type.bits >= 32 && b.random.chance(40)) {
    int x = b.need(type, line.shape, {.moderate = true});
    return b.assign(op, type, text, {x}, result, shape, boundedSum(result, line.length, b.at(x).facts.most));
  }
  const double holds = exactIntegers(type) / line.length;
  if (holds < 1) {
    // Not even ones can be added up exactly: powers of two of one sign could, but an order may lose
    // them. A bound it is.
    int x = b.need(type, line.shape, {.moderate = true});
    return b.assign(op, type, text, {x}, result, shape, boundedSum(result, line.length, b.at(x).facts.most));
  }
  int x = b.need(type, line.shape, {.small = std::floor(holds)});
  return b.assign(op, type, text + " + 0.0", {x}, result, shape, wholeSum(result, b.at(x).facts.most * line.length));
}

void addSums(std::vector<Row> &rows) {
  rows.push_back(
      {"tl.sum", anyType,
       [](Builder &b, const T &type) {
         Line line = anyLine(b, true);
         if (line.axis != "None" && b.random.chance(20)) {
           Shape kept = line.shape;
           kept[size_t(line.axis[0] - '0')] = kOne;
           makeSum(b, "tl.sum", "tl.sum({0}, " + line.axis + ", keep_dims=True)", type, summed(type), line, kept);
         } else if (!type.isFloat && b.random.chance(20)) {
           const T &wide = typeNamed("i64");
           makeSum(b, "tl.sum", "tl.sum({0}, " + line.axis + ", dtype=tl.int64)", type, wide, line, line.reduced);
         } else {
           makeSum(b, "tl.sum", "tl.sum({0}, " + line.axis + ")", type, summed(type), line, line.reduced);
         }
       },
       nullptr});
  rows.push_back({"tl.reduce add", anyType,
                  [](Builder &b, const T &type) {
                    Line line = anyLine(b, true);
                    makeSum(b, "tl.reduce add", "tl.reduce({0}, " + line.axis + ", fn_add)", type, type, line,
                            line.reduced);
                  },
                  nullptr});
  for (bool scanOfFunction : {false, true}) {
    std::string op = scanOfFunction ? "tl.associative_scan add" : "tl.cumsum";
    rows.push_back({op, anyType,
                    [=](Builder &b, const T &type) {
                      Line line = anyLine(b, false);
                      std::string reverse = b.random.chance(40) ? ", reverse=True" : "";
                      std::string text = scanOfFunction
                                             ? "tl.associative_scan({0}, " + line.axis + ", fn_add" + reverse + ")"
                                             : "tl.cumsum({0}, " + line.axis + reverse + ")";
                      makeSum(b, op, text, type, scanOfFunction ? type : summed(comparable(type)), line, line.shape);
                    },
                    nullptr});
  }
}

/// max and min: at least 32 bits, unsigned ones as int32 too.
const T &extremeOf(const T &type) { return type.bits >= 32 ? type : typeNamed(type.isFloat ? "fp32" : "i32"); }

void addExtremes(std::vector<Row> &rows) {
  for (const char *name : {"max", "min"}) {
    std::string op = std::string("tl.") + name;
    rows.push_back({op, anyType,
                    [=](Builder &b, const T &type) {
                      Line line = anyLine(b, true);
                      int x = b.need(type, line.shape);
                      if (line.axis != "None" && b.random.chance(20)) {
                        Shape kept = line.shape;
                        kept[size_t(line.axis[0] - '0')] = kOne;
                        b.assign(op, type, op + "({0}, " + line.axis + ", keep_dims=True)", {x}, extremeOf(type), kept,
                                 anyFacts(extremeOf(type)));
                      } else {
                        b.assign(op, type, op + "({0}, " + line.axis + ")", {x}, extremeOf(type), line.reduced,
                                 anyFacts(extremeOf(type)));
                      }
                    },
                    nullptr});
    // A NaN beats nothing and is beaten by nothing: which place wins then depends on the order.
    std::string arg = std::string("tl.arg") + name;
    rows.push_back({arg, anyType,
                    [=](Builder &b, const T &type) {
                      Line line = anyLine(b, false);
                      int x = b.need(type, line.shape, {.noNaN = true});
                      const T &index = typeNamed("i32");
                      if (b.random.chance(60))
                        b.assign(arg, type, arg + "({0}, " + line.axis + ")", {x}, index, line.reduced,
                                 anyFacts(index));
                      else
                        b.assignMany(arg, type, op + "({0}, " + line.axis + ", return_indices=True)", {x},
                                     {{&comparable(type), line.reduced, anyFacts(comparable(type))},
                                      {&index, line.reduced, anyFacts(index)}});
                    },
                    nullptr});
  }
}

/// One of the table's functions on x, exact in any order.
void addFold(std::vector<Row> &rows, const std::string &op, const std::string &call, bool isScan, const Takes &takes,
             const Need &need, bool keepsNaN) {
  rows.push_back({op, takes,
                  [=](Builder &b, const T &type) {
                    Line line = anyLine(b, false);
                    int x = b.need(type, line.shape, type.isFloat ? need : Need());
                    std::string text = call;
                    text.replace(text.find("AXIS"), 4, line.axis);
                    if (isScan && b.random.chance(40))
                      text.insert(text.size() - 1, ", reverse=True");
                    const T &result = op == "tl.cumprod" || !keepsNaN ? comparable(type) : type;
                    b.assign(op, type, text, {x}, result, isScan ? line.shape : line.reduced, anyFacts(result));
                  },
                  nullptr});
}

void addFolds(std::vector<Row> &rows) {
  addFold(rows, "tl.xor_sum", "tl.xor_sum({0}, AXIS)", false, isInteger, {}, true);
  addFold(rows, "tl.reduce_or", "tl.reduce_or({0}, AXIS)", false, isInteger, {}, true);
  // Products of -1, 0 and 1 are exact, and so is the sign of their zeros.
  addFold(rows, "tl.reduce mul", "tl.reduce({0}, AXIS, fn_mul)", false, anyType, {.small = 1}, true);
  addFold(rows, "tl.cumprod", "tl.cumprod({0}, AXIS)", true, anyType, {.small = 1}, true);
  addFold(rows, "tl.associative_scan xor", "tl.associative_scan({0}, AXIS, fn_xor)", true, isInteger, {}, true);
  addFold(rows, "tl.associative_scan second", "tl.associative_scan({0}, AXIS, fn_second)", true, anyType, {}, true);
  // tl.maximum of bf16 is float32, which a combine function may not give: bf16 is left to tl.max.
  auto notBf16 = [](const T &type) { return &comparable(type) == &type; };
  addFold(rows, "tl.reduce max", "tl.reduce({0}, AXIS, fn_larger)", false, notBf16, {}, true);
  addFold(rows, "tl.associative_scan min", "tl.associative_scan({0}, AXIS, fn_smaller)", true, notBf16, {}, true);
  // Two operands at once.
  auto pair = [](Builder &b, const T &type, const std::string &op, bool isScan) {
    Line line = anyLine(b, false);
    const Need whole = {.small = type.isFloat ? std::max(1.0, std::floor(exactIntegers(type) / line.length)) : 0};
    int x = b.need(type, line.shape, whole), y = b.need(type, line.shape, whole);
    Shape shape = isScan ? line.shape : line.reduced;
    std::string text = isScan ? "tl.associative_scan(({0}, {1}), " + line.axis + ", fn_affine)"
                              : "tl.reduce(({0}, {1}), " + line.axis + ", fn_both)";
    std::vector<Value> results = {{&type, shape, anyFacts(type)}, {&type, shape, anyFacts(type)}};
    if (type.isFloat) {
      // The sum's zero may have either sign.
      results[0].facts.exact = false;
      results[0].facts.ulps = exactIntegers(type) < line.length ? 1e9 : 0;
    }
    b.assignMany(op, type, text, {x, y}, results);
  };
  rows.push_back(
      {"tl.reduce both", notBf16, [=](Builder &b, const T &type) { pair(b, type, "tl.reduce both", false); }, nullptr});
  rows.push_back({"tl.associative_scan affine", isInteger,
                  [=](Builder &b, const T &type) { pair(b, type, "tl.associative_scan affine", true); }, nullptr});
  // Three operands of three types: the largest, where it is, and how many there are.
  for (bool isScan : {false, true}) {
    std::string op = isScan ? "tl.associative_scan mixed" : "tl.reduce mixed";
    rows.push_back({op, anyType,
                    [=](Builder &b, const T &type) {
                      Line line = anyLine(b, false);
                      // Which of several equal places wins must not depend on the order: zeros of
                      // both signs are equal.
                      int x = b.need(type, line.shape, {.noNaN = true, .noNegativeZero = true});
                      const T &place = typeNamed("i32"), &count = typeNamed(b.random.of({"i64", "u8", "i16"}));
                      int at = b.load(place, line.shape, Fill::Small, 4), n = b.need(count, line.shape);
                      Shape shape = isScan ? line.shape : line.reduced;
                      Facts facts = b.at(x).facts;
                      facts.raw = !type.isFloat;
                      b.assignMany(
                          op, type, op.substr(0, op.find(' ')) + "(({0}, {1}, {2}), " + line.axis + ", fn_mixed)",
                          {x, at, n},
                          {{&type, shape, facts}, {&place, shape, anyFacts(place)}, {&count, shape, anyFacts(count)}});
                    },
                    nullptr});
  }
  rows.push_back({"tl.softmax", isWideFloat,
                  [](Builder &b, const T &type) {
                    int x = b.need(type, {kA}, {.moderate = true});
                    Facts facts;
                    facts.exact = false;
                    // 8 ulp by the table for few elements, and the error of the sum below.
                    facts.ulps = 12 + b.sizeOf({kA});
                    b.assign("tl.softmax", type, "tl.softmax({0})", {x}, type, {kA}, facts);
                  },
                  nullptr});
}

} // namespace

void addReductions(std::vector<Row> &rows) {
  addSums(rows);
  addExtremes(rows);
  addFolds(rows);
}

void addDots(std::vector<Row> &rows) {
  auto takes = [](const T &type) { return type.isFloat || std::string(type.name) == "i8"; };
  auto make = [](Builder &b, const T &type, const char *op, bool isBatched) {
    Shape left = {kA, kK}, right = {kK, kB}, result = {kA, kB};
    if (isBatched)
      for (Shape *shape : {&left, &right, &result})
        shape->insert(shape->begin(), Dim{2, {}});
    const T &sum = typeNamed(!type.isFloat ? "i32" : type.bits == 64 ? "fp64" : "fp32");
    const int depth = b.sizeOf({kK});
    std::string text = "tl.dot({0}, {1}";
    std::vector<int> operands;
    // The accumulator's error is the product's: moderate operands have a bound, whole ones are
    // exact. tf32 has 11 bits: more than both.
    const bool isWhole = type.isFp8() || !type.isFloat || b.random.chance(60);
    const Need need = isWhole ? Need{.small = type.isFloat ? 4.0 : 0} : Need{.moderate = true};
    operands = {b.need(type, left, need), b.need(type, right, need)};
    // Operands that are turned, or computed first: other ways for them to lie in memory.
    if (!isBatched && b.random.chance(20)) {
      operands[0] = b.need(type, {kK, kA}, need);
      text.replace(text.find("{0}"), 3, "tl.trans({0})");
    }
    if (!isBatched && b.random.chance(20)) {
      operands[1] = b.need(type, {kB, kK}, need);
      text.replace(text.find("{1}"), 3, "{1}.T");
    }
    double most = b.at(operands[0]).facts.most * b.at(operands[1]).facts.most * depth;
    if (b.random.chance(50)) {
      operands.push_back(b.need(sum, result, sum.isFloat ? Need{.small = 1024} : Need()));
      text += ", {2}";
      most += 1024;
    }
    if (isSingle(type))
      text += b.random.of({", input_precision=\"ieee\"", ", input_precision=\"tf32\"", ", input_precision=\"tf32x3\"",
                           ", input_precision=\"bf16x3\"", ", input_precision=\"bf16x6\"", ", allow_tf32=False", ""});
    if (type.isFp8() && b.random.chance(20))
      text += ", max_num_imprecise_acc=0";
    Facts facts = wholeSum(sum, most);
    if (!sum.isFloat) {
      facts = anyFacts(sum);
    } else if (!isWhole) {
      facts = Facts();
      facts.exact = false;
      // tf32 operands have an error of 2^-11 each.
      const double eps = isSingle(type) ? std::ldexp(1.0, -10) : std::ldexp(1.0, -sum.mantissaBits);
      facts.within = 2 * eps * depth * most + 2 * std::ldexp(1.0, -sum.mantissaBits) * 2048;
    }
    b.assign(op, type, text + (sum.isFloat && isWhole ? ") + 0.0" : ")"), operands, sum, result, facts);
  };
  rows.push_back({"tl.dot", takes, [=](Builder &b, const T &type) { make(b, type, "tl.dot", false); }, nullptr});
  // Whole numbers up to 2 in an accumulator of 11 bits.
  auto small = [](Builder &b, const T &left, const T &right, const char *op, const T &sum) {
    int x = b.need(left, {kA, kK}, {.small = 2}), y = b.need(right, {kK, kB}, {.small = 2}),
        z = b.need(sum, {kA, kB}, {.small = 64});
    std::string text = b.random.chance(50) ? "tl.dot({0}, {1}, {2}" : "tl.dot({0}, {1}";
    if (std::string(sum.name) == "fp16")
      text += ", out_dtype=tl.float16";
    std::vector<int> operands = {x, y};
    if (text.find("{2}") != std::string::npos)
      operands.push_back(z);
    b.assign(op, left, text + ") + 0.0", operands, sum, {kA, kB}, wholeSum(sum, 64 + 4.0 * b.sizeOf({kK})));
  };
  rows.push_back({"tl.dot half", [](const T &type) { return type.isFp8() || std::string(type.name) == "fp16"; },
                  [=](Builder &b, const T &type) { small(b, type, type, "tl.dot half", typeNamed("fp16")); }, nullptr});
  rows.push_back({"tl.dot mixed", [](const T &type) { return type.isFp8(); },
                  [=](Builder &b, const T &type) {
                    std::vector<const T *> others;
                    for (const T &other : test::elementTypes())
                      if (other.isFp8() && &other != &type)
                        others.push_back(&other);
                    small(b, type, *b.random.of(others), "tl.dot mixed", typeNamed("fp32"));
                  },
                  nullptr});
  rows.push_back(
      {"tl.dot batched", takes, [=](Builder &b, const T &type) { make(b, type, "tl.dot batched", true); }, nullptr});
}

} // namespace tilewise::random
