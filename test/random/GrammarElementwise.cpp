// Elementwise operators and functions.
#include "Grammar.h"

#include <algorithm>

namespace tilewise::random {

const ElementType &comparable(const ElementType &type) {
  return std::string(type.name) == "bf16" ? typeNamed("fp32") : type;
}

const ElementType &summed(const ElementType &type) {
  return type.isFloat || type.bits >= 32 ? type : typeNamed(type.isSigned ? "i32" : "u32");
}

const std::vector<Row> &rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> list;
    addOperators(list);
    addCasts(list);
    addLibdevice(list);
    addShapes(list);
    addReductions(list);
    addDots(list);
    addScaledDots(list);
    addMemory(list);
    addPointers(list);
    addEffects(list);
    addTuples(list);
    addControl(list);
    return list;
  }();
  return all;
}

const std::vector<Cell> &cells() {
  static const std::vector<Cell> all = [] {
    std::vector<Cell> list;
    for (const Row &row : rows())
      for (const ElementType &type : test::elementTypes())
        if (row.takes(type))
          list.push_back({&row, &type});
    return list;
  }();
  return all;
}

namespace {

using T = ElementType;
using Combine = std::function<Facts(const T &, const std::vector<Facts> &)>;

Facts unknown(const T &type, const std::vector<Facts> &) { return anyFacts(type); }

/// Whole numbers stay whole, and exact, as long as the type holds them all.
Facts wholeUpTo(const T &type, double most, bool operandsAreWhole) {
  Facts facts = anyFacts(type);
  if (type.isFloat && operandsAreWhole && most <= exactIntegers(type)) {
    facts.integral = facts.noNaN = true;
    facts.most = most;
  }
  return facts;
}

Facts ofSum(const T &type, const std::vector<Facts> &of) {
  Facts facts = wholeUpTo(type, of[0].most + of[1].most, of[0].integral && of[1].integral);
  facts.noNegativeZero |= of[0].noNegativeZero;
  return facts;
}
Facts ofProduct(const T &type, const std::vector<Facts> &of) {
  return wholeUpTo(type, of[0].most * of[1].most, of[0].integral && of[1].integral);
}
Facts ofNegation(const T &type, const std::vector<Facts> &of) {
  Facts facts = of[0];
  facts.raw = !type.isFloat;
  facts.noNegativeZero = !type.isFloat;
  return facts;
}
Facts ofMagnitude(const T &type, const std::vector<Facts> &of) {
  Facts facts = of[0];
  facts.raw = !type.isFloat;
  facts.noNegativeZero = true;
  return facts;
}
Facts ofExtreme(const T &type, const std::vector<Facts> &of) {
  Facts facts = anyFacts(type);
  facts.noNaN |= of[0].noNaN || of[1].noNaN;
  facts.noNegativeZero |= of[0].noNegativeZero && of[1].noNegativeZero;
  facts.integral |= of[0].integral && of[1].integral && of[0].isBounded() && of[1].isBounded();
  if (type.isFloat && of[0].isBounded() && of[1].isBounded())
    facts.most = std::max(of[0].most, of[1].most);
  return facts;
}
Facts ofChoice(const T &type, const std::vector<Facts> &of) {
  Facts facts = ofExtreme(type, of);
  facts.noNaN = (of[0].noNaN && of[1].noNaN) || !type.isFloat;
  facts.raw = (of[0].raw && of[1].raw) || !type.isFloat;
  return facts;
}

struct Operator {
  std::string op, text;
  size_t arity = 2;
  Takes takes = anyType;
  std::function<const T &(const T &)> result = [](const T &t) -> const T & { return t; };
  Combine combine = unknown;
  double ulps = 0;
  enum Mix { Same, Mixed, Divided } mix = Same;
  bool takesLiteral = false;
  double within = 0; ///< Of results in fp32, beside the ulps.
};

const T &asBool(const T &) { return typeNamed("i1"); }
const T &asQuotient(const T &type) { return type.isFloat && type.bits == 64 ? type : typeNamed("fp32"); }
const T &asRemainder(const T &type) { return type.isFloat ? asQuotient(type) : type; }

std::string literalOf(Builder &b, const T &type) {
  if (type.isFloat)
    return b.random.of({"0.5", "-1.5", "3", "0.0", "-2", "1e-3", "100"});
  if (type.isBool())
    return b.random.of({"True", "False"});
  return type.isSigned ? b.random.of({"1", "-1", "3", "100", "-7"}) : b.random.of({"1", "2", "100"});
}

int makeOperator(const Operator &op, Builder &b, const T &type, const Shape &shape) {
  std::vector<int> operands = {b.need(type, shape)};
  const T *meeting = &type;
  std::string text = op.text;
  if (op.takesLiteral && b.random.chance(20)) {
    // A plain number takes the block's type.
    std::string number = literalOf(b, type);
    text.replace(text.find("{1}"), 3, number[0] == '-' ? "(" + number + ")" : number);
  } else {
    for (size_t k = 1; k < op.arity; ++k) {
      const T *other = &type;
      Shape otherShape = shape;
      if (op.mix != Operator::Same && b.random.chance(25)) {
        const T &candidate = test::elementTypes()[b.random.below(test::elementTypes().size())];
        if (const T *common = promoted(type, candidate, op.mix == Operator::Divided);
            common && op.takes(candidate) && op.takes(*common)) {
          other = &candidate;
          meeting = common;
        }
      }
      if (shape.size() == 2 && b.random.chance(20))
        otherShape[b.random.below(2)] = kOne;
      else if (shape.size() == 1 && b.random.chance(10))
        otherShape = {};
      operands.push_back(b.need(*other, otherShape));
    }
    // A function of bf16 that widens does so for two; of one bf16 and another the rule of promotion
    // has done it.
  }
  const T &result = op.result(*meeting);
  std::vector<Facts> facts;
  for (int operand : operands)
    facts.push_back(b.at(operand).facts);
  Facts known = anyFacts(result);
  if (meeting == &type && facts.size() == op.arity)
    known = op.combine(result, facts);
  if (op.ulps > 0) {
    known = Facts();
    known.exact = false;
    known.ulps = op.ulps;
    known.within = result.bits == 32 ? op.within : 0;
  }
  return b.assign(op.op, type, text, operands, result, shape, known);
}

void add(std::vector<Row> &rows, Operator op) {
  Row row{op.op, op.takes, [op](Builder &b, const T &type) { makeOperator(op, b, type, b.anyShape()); }, nullptr};
  if (op.ulps == 0)
    row.makeAt = [op](Builder &b, const T &type, const Shape &shape) { return makeOperator(op, b, type, shape); };
  rows.push_back(std::move(row));
}

bool takesQuotient(const T &) { return true; }

} // namespace

void addOperators(std::vector<Row> &rows) {
  auto same = [](const T &t) -> const T & { return t; };
  auto notBool = [](const T &t) { return t.isInt() && !t.isBool(); };
  auto bools = [](const T &t) { return t.isBool(); };
  auto wideInts = [](const T &t) { return t.isInt() && t.bits >= 32; };
  add(rows, {"x + y", "{0} + {1}", 2, anyType, same, ofSum, 0, Operator::Mixed, true});
  add(rows, {"x - y", "{0} - {1}", 2, anyType, same, ofSum, 0, Operator::Mixed, true});
  add(rows, {"x * y", "{0} * {1}", 2, anyType, same, ofProduct, 0, Operator::Mixed, true});
  add(rows, {"tl.add", "tl.add({0}, {1})", 2, anyType, same, ofSum, 0, Operator::Mixed});
  add(rows, {"tl.sub", "tl.sub({0}, {1})", 2, anyType, same, ofSum, 0, Operator::Mixed});
  add(rows, {"tl.mul", "tl.mul({0}, {1})", 2, anyType, same, ofProduct, 0, Operator::Mixed});
  add(rows, {"x / y", "{0} / {1}", 2, takesQuotient, asQuotient, unknown, 3, Operator::Divided});
  add(rows, {"x // y", "{0} // {1}", 2, isInteger, same, unknown, 0, Operator::Divided});
  add(rows, {"x % y", "{0} % {1}", 2, anyType, asRemainder, unknown, 0, Operator::Divided});
  add(rows, {"x & y", "{0} & {1}", 2, isInteger, same, unknown, 0, Operator::Mixed, true});
  add(rows, {"x | y", "{0} | {1}", 2, isInteger, same, unknown, 0, Operator::Mixed, true});
  add(rows, {"x ^ y", "{0} ^ {1}", 2, isInteger, same, unknown, 0, Operator::Mixed, true});
  add(rows, {"x << y", "{0} << {1}", 2, isInteger, same});
  add(rows, {"x >> y", "{0} >> {1}", 2, isInteger, same});
  for (const char *compare : {"<", "<=", ">", ">=", "==", "!="})
    add(rows, {std::string("x ") + compare + " y", std::string("{0} ") + compare + " {1}", 2, anyType, asBool, unknown,
               0, Operator::Mixed});
  add(rows, {"-x", "-{0}", 1, anyType, same, ofNegation});
  add(rows, {"~x", "~{0}", 1, isInteger, same});
  add(rows, {"not x", "not {0}", 1, bools, same});
  add(rows, {"x and y", "{0} and {1}", 2, bools, same});
  add(rows, {"x or y", "{0} or {1}", 2, bools, same});
  add(rows, {"x.logical_and", "{0}.logical_and({1})", 2, bools, asBool});
  add(rows, {"x.logical_or", "{0}.logical_or({1})", 2, bools, asBool});
  add(rows, {"tl.abs", "tl.abs({0})", 1, anyType, same, ofMagnitude});
  for (const char *name : {"minimum", "maximum"}) {
    std::string function = std::string("tl.") + name;
    add(rows, {function, function + "({0}, {1})", 2, anyType, comparable, ofExtreme});
    add(rows, {std::string(name).substr(0, 3) + "(x, y)", std::string(name).substr(0, 3) + "({0}, {1})", 2, anyType,
               comparable, ofExtreme});
    add(rows,
        {function + " nan", function + "({0}, {1}, propagate_nan=tl.PropagateNan.ALL)", 2, isFloating, comparable});
  }
  add(rows, {"tl.clamp", "tl.clamp({0}, {1} - {1}, {1} - {1} + 1)", 2, isFloating, comparable});
  add(rows, {"tl.fma", "tl.fma({0}, {1}, {2})", 3, anyType, same});
  add(rows, {"x * y + z", "{0} * {1} + {2}", 3, anyType, same});
  add(rows, {"tl.fdiv", "tl.fdiv({0}, {1})", 2, isFloating, asQuotient, unknown, 3});
  add(rows, {"tl.fdiv ieee", "tl.fdiv({0}, {1}, ieee_rounding=True)", 2, isWideFloat, asQuotient, unknown, 3});
  add(rows, {"tl.umulhi", "tl.umulhi({0}, {1})", 2, wideInts, same});
  add(rows, {"tl.cdiv", "tl.cdiv({0}, {1})", 2, notBool, same});
  add(rows, {"tl.div_rn", "tl.div_rn({0}, {1})", 2, isSingle, same});
  add(rows, {"tl.sqrt_rn", "tl.sqrt_rn({0})", 1, isSingle, same});
  add(rows, {"tl.floor", "tl.floor({0})", 1, isWideFloat, same});
  add(rows, {"tl.ceil", "tl.ceil({0})", 1, isWideFloat, same});
  // One more ulp than the bound: the reference engine is not the exact value either.
  // Powers may be 0 where they are no normal fp32.
  struct Function {
    const char *name;
    double ulps, within = 0;
  };
  const double leastNormal = std::numeric_limits<float>::min();
  for (Function f : {Function{"exp", 3, leastNormal},
                     {"exp2", 3, leastNormal},
                     {"log", 3},
                     {"log2", 3},
                     {"sin", 3},
                     {"cos", 3},
                     {"sqrt", 2},
                     {"rsqrt", 3},
                     {"erf", 4},
                     {"sigmoid", 5}}) {
    const std::string name = std::string("tl.") + f.name;
    Operator function{name, name + "({0})", 1, isWideFloat, same, unknown, f.ulps};
    function.within = f.within;
    add(rows, function);
  }
  // The condition is a block of its own, or a comparison of the two.
  auto choose = [](Builder &b, const T &type, const Shape &shape) {
    int x = b.need(type, shape), y = b.need(type, shape);
    Facts facts = ofChoice(type, {b.at(x).facts, b.at(y).facts});
    if (b.random.chance(40))
      return b.assign("tl.where", type, "tl.where({0} > {1}, {0}, {1})", {x, y}, type, shape, facts);
    int condition = b.need(typeNamed("i1"), shape);
    return b.assign("tl.where", type, "tl.where({2}, {0}, {1})", {x, y, condition}, type, shape, facts);
  };
  // One condition for all elements, so that it is a branch.
  auto branch = [](Builder &b, const T &type, const Shape &shape) {
    int x = b.need(type, shape), y = b.need(type, shape), condition = b.need(typeNamed("i1"), {});
    return b.assign("x if c else y", type, "{0} if {2} else {1}", {x, y, condition}, type, shape,
                    ofChoice(type, {b.at(x).facts, b.at(y).facts}));
  };
  rows.push_back({"x if c else y", anyType, [=](Builder &b, const T &type) { branch(b, type, b.anyShape()); }, branch});
  rows.push_back({"tl.where", anyType, [=](Builder &b, const T &type) { choose(b, type, b.anyShape()); }, choose});
}

} // namespace tilewise::random
