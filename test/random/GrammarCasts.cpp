// Conversions from every type to every type, and the functions of libdevice, whose types come from
// the library's own table.
#include "Grammar.h"

#include "libdevice/Libdevice.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewise::random {
namespace {

using T = ElementType;

Facts ofCast(const T &from, const T &to, const Facts &of) {
  Facts facts = anyFacts(to);
  if (!to.isFloat)
    return facts;
  const bool holdsAll = of.integral && of.most <= exactIntegers(to);
  // Casts to 8-bit floats saturate, others give infinity; only formats with their NaN at -0 could
  // make one.
  facts.noNaN = of.noNaN && (!to.isFp8() || holdsAll);
  facts.noNegativeZero = !from.isFloat || (of.noNegativeZero && holdsAll);
  if (holdsAll) {
    facts.integral = true;
    facts.most = of.most;
  }
  return facts;
}

void addCastRow(std::vector<Row> &rows, const T &to) {
  auto cast = [&to](Builder &b, const T &from, const Shape &shape) {
    int x = b.need(from, shape);
    std::string text = b.random.chance(70) ? "{0}.to({t:r0})" : "tl.cast({0}, {t:r0})";
    if (from.isFloat && to.isFloat && from.bits > to.bits && b.random.chance(20))
      text = "{0}.to({t:r0}, fp_downcast_rounding=\"rtne\")";
    return b.assign(std::string("to ") + to.name, from, text, {x}, to, shape, ofCast(from, to, b.at(x).facts));
  };
  rows.push_back(
      {std::string("to ") + to.name, anyType, [=](Builder &b, const T &from) { cast(b, from, b.anyShape()); }, cast});
}

void addBitcastRow(std::vector<Row> &rows, const T &to) {
  std::string op = std::string("bitcast ") + to.name;
  rows.push_back(
      {op, [&to](const T &from) { return from.bits == to.bits; },
       [&to, op](Builder &b, const T &from) {
         Shape shape = b.anyShape();
         int x = b.need(from, shape, {.raw = true});
         Facts facts = anyFacts(to);
         facts.raw = true;
         b.assign(op, from, b.random.chance(70) ? "{0}.to({t:r0}, bitcast=True)" : "tl.cast({0}, {t:r0}, bitcast=True)",
                  {x}, to, shape, facts);
       },
       nullptr});
}

const T &typeOf(libdevice::Element element) {
  switch (element) {
  case libdevice::Element::Bool:
    return typeNamed("i1");
  case libdevice::Element::I32:
    return typeNamed("i32");
  case libdevice::Element::U32:
    return typeNamed("u32");
  case libdevice::Element::I64:
    return typeNamed("i64");
  case libdevice::Element::U64:
    return typeNamed("u64");
  case libdevice::Element::F32:
    return typeNamed("fp32");
  case libdevice::Element::F64:
    return typeNamed("fp64");
  }
  return typeNamed("i1");
}

/// Functions that docs/libdevice.md gives a bound; all others are exact.
double ulpsOf(const std::string &name) {
  static const std::set<std::string> bounded = {
      "rsqrt_rn", "sin",        "cos",           "tan",           "sinpi",  "cospi",       "asin",    "acos",
      "atan",     "atan2",      "sinh",          "cosh",          "tanh",   "asinh",       "acosh",   "atanh",
      "exp",      "exp2",       "exp10",         "expm1",         "log",    "log2",        "log10",   "log1p",
      "sqrt",     "rsqrt",      "cbrt",          "rcbrt",         "pow",    "hypot",       "rhypot",  "norm3d",
      "rnorm3d",  "norm4d",     "rnorm4d",       "erf",           "erfc",   "erfinv",      "erfcinv", "erfcx",
      "normcdf",  "normcdfinv", "lgamma",        "tgamma",        "j0",     "j1",          "y0",      "y1",
      "jn",       "yn",         "cyl_bessel_i0", "cyl_bessel_i1", "rcp64h", "fast_dividef"};
  return bounded.count(name) || name.rfind("fast_", 0) == 0 ? 6 : 0;
}

/// What a GPU has within a distance of the value or of 1, whichever is more. As for `tgamma`, of
/// which it has 8 ulp where the reference engine has 4: docs/libdevice.md.
bool isBessel(const std::string &name) {
  static const std::set<std::string> names = {"j0", "j1", "jn", "y0", "y1", "yn"};
  return names.count(name) != 0;
}

/// Functions that look at the bits of a NaN, or at its sign.
bool readsBits(const std::string &name) {
  return name.find("_as_") != std::string::npos || name == "double2loint" || name == "double2hiint" ||
         name == "signbit" || name == "copysign";
}

void makeLibdevice(const libdevice::Name &name, Builder &b, const T &type) {
  std::vector<const libdevice::Function *> fitting;
  for (const libdevice::Function &overload : name.overloads())
    if (&typeOf(overload.operands()[0]) == &type)
      fitting.push_back(&overload);
  const libdevice::Function &chosen = *b.random.of(fitting);
  const std::string function = name.name.str();
  Shape shape = b.anyShape();
  std::vector<int> operands;
  std::string text = "libdevice." + function + "(";
  for (size_t k = 0; k < chosen.operands().size(); ++k) {
    const T &operand = typeOf(chosen.operands()[k]);
    // An order of a Bessel function is the number of steps it takes.
    if (function == "jn" || function == "yn")
      operands.push_back(operand.isFloat ? b.need(operand, shape) : b.load(operand, shape, Fill::Index, 8));
    else
      operands.push_back(b.need(operand, shape, {.raw = operand.isFloat && readsBits(function)}));
    text += (k ? ", {" : "{") + std::to_string(k) + "}";
  }
  const T &result = typeOf(chosen.result);
  Facts facts = anyFacts(result);
  if (double ulps = ulpsOf(function)) {
    facts = Facts();
    facts.exact = false;
    facts.ulps = ulps;
    if (function == "tgamma")
      facts.ulps = 12;
    if (isBessel(function)) {
      const bool isNarrow = chosen.result == libdevice::Element::F32;
      facts.within = isNarrow ? 1e-6 : 1e-14;
      facts.ulps = std::ceil(facts.within / (isNarrow ? 0x1p-24 : 0x1p-53));
    }
    // Near its zeros below 0 a GPU's logarithm of gamma keeps no more digits than it has near 1;
    // its exponentials have no denormals.
    if (function == "lgamma")
      facts.within = 1e-15;
    if ((function == "exp" || function == "exp2" || function == "fast_expf") &&
        chosen.result == libdevice::Element::F32)
      facts.within = 0x1p-126;
  }
  b.assign("libdevice." + function, type, text + ")", operands, result, shape, facts);
}

} // namespace

void addCasts(std::vector<Row> &rows) {
  for (const T &to : test::elementTypes())
    addCastRow(rows, to);
  for (const T &to : test::elementTypes())
    if (!to.isBool())
      addBitcastRow(rows, to);
  for (const T &to : test::elementTypes()) {
    if (!to.isFloat || to.bits > 16)
      continue;
    std::string op = std::string("to ") + to.name + " rtz";
    rows.push_back({op, [&to](const T &from) { return from.isFloat && from.bits > to.bits; },
                    [&to, op](Builder &b, const T &from) {
                      Shape shape = b.anyShape();
                      int x = b.need(from, shape);
                      b.assign(op, from, "tl.cast({0}, {t:r0}, fp_downcast_rounding=\"rtz\")", {x}, to, shape,
                               anyFacts(to));
                    },
                    nullptr});
  }
  // A format to store in: its bits are what there is to see.
  rows.push_back({"to fp8e4b15", [](const T &type) { return isSingle(type) || std::string(type.name) == "fp16"; },
                  [](Builder &b, const T &from) {
                    Shape shape = b.blockShape();
                    // A NaN saturates with its sign, which is open.
                    int x = b.need(from, shape, {.noNaN = true});
                    b.assign("to fp8e4b15", from, "{0}.to(tl.float8e4b15).to(tl.uint8, bitcast=True)", {x},
                             typeNamed("u8"), shape, anyFacts(typeNamed("u8")));
                  },
                  nullptr});
  rows.push_back({"from fp8e4b15", [](const T &type) { return type.isFloat && type.bits >= 16; },
                  [](Builder &b, const T &to) {
                    int x = b.need(typeNamed("u8"), b.blockShape());
                    b.assign("from fp8e4b15", to, "{0}.to(tl.float8e4b15, bitcast=True).to({t:r0})", {x}, to,
                             b.at(x).shape, anyFacts(to));
                  },
                  nullptr});
}

void addLibdevice(std::vector<Row> &rows) {
  for (const libdevice::Name &name : libdevice::names())
    rows.push_back({"libdevice." + name.name.str(),
                    [&name](const T &type) {
                      return std::any_of(
                          name.overloads().begin(), name.overloads().end(),
                          [&](const libdevice::Function &f) { return &typeOf(f.operands()[0]) == &type; });
                    },
                    [&name](Builder &b, const T &type) { makeLibdevice(name, b, type); }, nullptr});
}

} // namespace tilewise::random
