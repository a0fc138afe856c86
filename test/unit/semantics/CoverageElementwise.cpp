// Elementwise names: operators, functions, casts. Each cell runs on a scalar, a vector and a
// matrix.
#include "Coverage.h"

#include <map>

namespace tilewise::test {
namespace {

using T = ElementType;
using Types = std::function<bool(const T &)>;
using ResultType = std::function<const T &(const T &)>;
using Compute = std::function<Number(const T &, const std::vector<Number> &)>;

Number ofInt(__int128 value) { return {false, value, 0}; }
Number ofFloat(double value) { return {true, 0, value}; }
Number ofBool(bool value) { return ofInt(value); }

bool any(const T &) { return true; }
bool ints(const T &t) { return t.isInt(); }
bool floats(const T &t) { return t.isFloat; }
bool bools(const T &t) { return t.isBool(); }
bool wide(const T &t) { return t.isFloat && t.bits >= 32; }
bool wideInts(const T &t) { return t.isInt() && t.bits >= 32; }

const T &same(const T &t) { return t; }
const T &boolean(const T &) { return *findType("i1"); }
/// Division: integers and small floats give fp32.
const T &divided(const T &t) { return t.isFloat && t.bits == 64 ? t : *findType("fp32"); }
const T &remainder(const T &t) { return t.isFloat ? divided(t) : t; }

/// The scalar is element 0, the matrix is 2 by 4.
Probe probeOf(const T &t, const std::string &expression, unsigned arity, const T &result, const Compute &compute,
              double ulps) {
  static const char *names = "xyz", *pointers = "ABC";
  Probe probe;
  std::string parameters, scalars, vectors, matrices;
  std::vector<Bits> inputs;
  for (unsigned n = 0; n < arity; ++n) {
    std::string separator = n ? ", " : "", pointer(1, pointers[n]);
    std::string vector = asElement(t, "tl.load(" + pointer + " + i)");
    parameters += separator + names[n];
    scalars += separator + asElement(t, "tl.load(" + pointer + ")");
    vectors += separator + vector;
    matrices += separator + asElement(t, "tl.load(" + pointer + " + ij)");
    inputs.push_back(sampleOf(t, n));
    probe.inputs.push_back({&t, inputs.back(), 0});
  }
  probe.function = "@triton.jit\ndef f(" + parameters + "):\n    r = " + expression +
                   "\n    tl.static_assert(r.dtype == " + languageName(result) +
                   ", f\"the result is {r.dtype}\")\n    return r\n";
  std::string count = std::to_string(kLanes);
  probe.body = "    i = tl.arange(0, " + count +
               ")\n    ij = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]\n    s = f(" + scalars +
               ")\n    tl.store(O, " + asStored(result, "s") + ")\n    v = f(" + vectors + ")\n    tl.store(P + i, " +
               asStored(result, "v") + ")\n    m = f(" + matrices + ")\n    tl.store(Q + ij, " + asStored(result, "m") +
               ")\n";
  Bits expected;
  for (size_t k = 0; k < kLanes; ++k) {
    std::vector<Number> numbers;
    for (const Bits &input : inputs)
      numbers.push_back(numberOf(t, input[k]));
    expected.push_back(bitsOfNumber(result, compute(t, numbers)));
  }
  probe.outputs = {{&result, {expected[0]}, ulps}, {&result, expected, ulps}, {&result, expected, ulps}};
  return probe;
}

class Rows {
public:
  std::vector<CoverageRow> rows;

  /// `error` stands in the message for types that are not `ok`.
  void add(const std::string &name, const std::string &expression, unsigned arity, Types ok, ResultType result,
           Compute compute, const std::string &error = "", double ulps = 0) {
    rows.push_back({name, [=](const T &t) {
                      if (ok(t))
                        return probeOf(t, expression, arity, result(t), compute, ulps);
                      Probe probe =
                          probeOf(t, expression, arity, t, [](const T &, const auto &) { return Number(); }, 0);
                      probe.error = error;
                      return probe;
                    }});
  }
};

/// A float operation and an integer operation of one name.
Compute either(std::function<double(double, double)> ofFloats, std::function<__int128(__int128, __int128)> ofInts) {
  return [=](const T &t, const std::vector<Number> &n) {
    return t.isFloat ? ofFloat(ofFloats(n[0].d, n[1].d)) : ofInt(ofInts(n[0].i, n[1].i));
  };
}
Compute comparison(std::function<bool(double, double)> ofFloats, std::function<bool(__int128, __int128)> ofInts) {
  return [=](const T &t, const std::vector<Number> &n) {
    return ofBool(t.isFloat ? ofFloats(n[0].d, n[1].d) : ofInts(n[0].i, n[1].i));
  };
}
Compute unary(std::function<double(double)> f) {
  return [=](const T &, const std::vector<Number> &n) { return ofFloat(f(n[0].d)); };
}
Compute intOnly(std::function<__int128(const T &, __int128, __int128)> f) {
  return [=](const T &t, const std::vector<Number> &n) { return ofInt(f(t, n[0].i, n.size() > 1 ? n[1].i : 0)); };
}

void addOperators(Rows &rows) {
  auto plus = either([](double a, double b) { return a + b; }, [](__int128 a, __int128 b) { return a + b; });
  auto minus = either([](double a, double b) { return a - b; }, [](__int128 a, __int128 b) { return a - b; });
  auto times = either([](double a, double b) { return a * b; }, [](__int128 a, __int128 b) { return a * b; });
  rows.add("x + y", "x + y", 2, any, same, plus);
  rows.add("x - y", "x - y", 2, any, same, minus);
  rows.add("x * y", "x * y", 2, any, same, times);
  rows.add("tl.add", "tl.add(x, y)", 2, any, same, plus);
  rows.add("tl.sub", "tl.sub(x, y)", 2, any, same, minus);
  rows.add("tl.mul", "tl.mul(x, y)", 2, any, same, times);
  rows.add(
      "x / y", "x / y", 2, any, divided,
      [](const T &t, const std::vector<Number> &n) {
        return ofFloat(t.isFloat ? n[0].d / n[1].d : double(n[0].i) / double(n[1].i));
      },
      "", 2);
  rows.add("x // y", "x // y", 2, ints, same, intOnly([](const T &, __int128 a, __int128 b) { return a / b; }),
           "takes ints");
  rows.add("x % y", "x % y", 2, any, remainder,
           either([](double a, double b) { return std::fmod(a, b); }, [](__int128 a, __int128 b) { return a % b; }));
  rows.add("-x", "-x", 1, any, same,
           [](const T &t, const std::vector<Number> &n) { return t.isFloat ? ofFloat(-n[0].d) : ofInt(-n[0].i); });
  rows.add("~x", "~x", 1, ints, same, intOnly([](const T &, __int128 a, __int128) { return ~a; }), "takes ints");
  rows.add("not x", "not x", 1, bools, boolean, intOnly([](const T &, __int128 a, __int128) { return !a; }), "int1");
  rows.add("x and y", "x and y", 2, bools, boolean, intOnly([](const T &, __int128 a, __int128 b) { return a && b; }),
           "int1");
  rows.add("x or y", "x or y", 2, bools, boolean, intOnly([](const T &, __int128 a, __int128 b) { return a || b; }),
           "int1");
  rows.add("x & y", "x & y", 2, ints, same, intOnly([](const T &, __int128 a, __int128 b) { return a & b; }),
           "take ints");
  rows.add("x | y", "x | y", 2, ints, same, intOnly([](const T &, __int128 a, __int128 b) { return a | b; }),
           "take ints");
  rows.add("x ^ y", "x ^ y", 2, ints, same, intOnly([](const T &, __int128 a, __int128 b) { return a ^ b; }),
           "take ints");
  auto shift = [](const T &t, __int128 by) { return by >= t.bits ? -1 : int(by); };
  rows.add("x << y", "x << y", 2, ints, same, intOnly([=](const T &t, __int128 a, __int128 by) {
             return shift(t, by) < 0 ? __int128(0) : a * (__int128(1) << shift(t, by));
           }),
           "take ints");
  rows.add("x >> y", "x >> y", 2, ints, same, intOnly([=](const T &t, __int128 a, __int128 by) {
             return shift(t, by) < 0 ? __int128(a < 0 ? -1 : 0) : a >> shift(t, by);
           }),
           "take ints");
  rows.add("x < y", "x < y", 2, any, boolean, comparison(std::less<double>(), std::less<__int128>()));
  rows.add("x <= y", "x <= y", 2, any, boolean, comparison(std::less_equal<double>(), std::less_equal<__int128>()));
  rows.add("x > y", "x > y", 2, any, boolean, comparison(std::greater<double>(), std::greater<__int128>()));
  rows.add("x >= y", "x >= y", 2, any, boolean,
           comparison(std::greater_equal<double>(), std::greater_equal<__int128>()));
  rows.add("x == y", "x == y", 2, any, boolean, comparison(std::equal_to<double>(), std::equal_to<__int128>()));
  rows.add("x != y", "x != y", 2, any, boolean, comparison(std::not_equal_to<double>(), std::not_equal_to<__int128>()));
}

void addFunctions(Rows &rows) {
  auto least =
      either([](double a, double b) { return std::fmin(a, b); }, [](__int128 a, __int128 b) { return a < b ? a : b; });
  auto greatest =
      either([](double a, double b) { return std::fmax(a, b); }, [](__int128 a, __int128 b) { return a > b ? a : b; });
  auto extreme = [](const T &t) -> const T & { return std::string(t.name) == "bf16" ? *findType("fp32") : t; };
  rows.add("tl.minimum", "tl.minimum(x, y)", 2, any, extreme, least);
  rows.add("tl.maximum", "tl.maximum(x, y)", 2, any, extreme, greatest);
  rows.add("tl.where", "tl.where(x > y, x, y)", 2, any, same, greatest);
  rows.add("tl.abs", "tl.abs(x)", 1, any, same, [](const T &t, const std::vector<Number> &n) {
    return t.isFloat ? ofFloat(std::fabs(n[0].d)) : ofInt(n[0].i < 0 ? -n[0].i : n[0].i);
  });
  rows.add("tl.fma", "tl.fma(x, y, z)", 3, any, same, [](const T &t, const std::vector<Number> &n) {
    return t.isFloat ? ofFloat(std::fma(n[0].d, n[1].d, n[2].d)) : ofInt(n[0].i * n[1].i + n[2].i);
  });
  rows.add(
      "tl.clamp", "tl.clamp(x, y - y, y - y + 1)", 2, floats, extreme,
      [](const T &, const std::vector<Number> &n) { return ofFloat(std::fmin(std::fmax(n[0].d, 0.0), 1.0)); }, "float");
  rows.add(
      "tl.fdiv", "tl.fdiv(x, y)", 2, floats, divided,
      [](const T &, const std::vector<Number> &n) { return ofFloat(n[0].d / n[1].d); }, "float", 2);
  rows.add(
      "tl.umulhi", "tl.umulhi(x, y)", 2, wideInts, same,
      [](const T &t, const std::vector<Number> &n) {
        auto low = [&](__int128 v) {
          return (unsigned __int128)(uint64_t(v) & (t.bits == 64 ? ~0ull : 0xffffffffull));
        };
        return ofInt(__int128(low(n[0].i) * low(n[1].i) >> t.bits));
      },
      "int");
  rows.add(
      "tl.cdiv", "tl.cdiv(x, y)", 2, [](const T &t) { return t.isInt() && !t.isBool(); }, same,
      [](const T &t, const std::vector<Number> &n) {
        // As the language writes it: (x + y - 1) // y, in the operands' type.
        return ofInt(__int128(wrap(t, n[0].i + n[1].i - 1)) / n[1].i);
      },
      "'//'");
  struct Function {
    const char *name;
    double (*f)(double);
    double ulps;
  };
  static const Function functions[] = {
      {"exp", [](double x) { return std::exp(x); }, 2},   {"exp2", [](double x) { return std::exp2(x); }, 2},
      {"log", [](double x) { return std::log(x); }, 2},   {"log2", [](double x) { return std::log2(x); }, 2},
      {"sin", [](double x) { return std::sin(x); }, 2},   {"cos", [](double x) { return std::cos(x); }, 2},
      {"sqrt", [](double x) { return std::sqrt(x); }, 1}, {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 2},
      {"erf", [](double x) { return std::erf(x); }, 3},   {"floor", [](double x) { return std::floor(x); }, 0},
      {"ceil", [](double x) { return std::ceil(x); }, 0}};
  for (const Function &function : functions)
    rows.add(std::string("tl.") + function.name, std::string("tl.") + function.name + "(x)", 1, wide, same,
             unary(function.f), "fp32", function.ulps);
  auto isSingle = [](const T &t) { return std::string(t.name) == "fp32"; };
  rows.add(
      "tl.div_rn", "tl.div_rn(x, y)", 2, isSingle, same,
      [](const T &, const std::vector<Number> &n) { return ofFloat(n[0].d / n[1].d); }, "fp32");
  rows.add("tl.sqrt_rn", "tl.sqrt_rn(x)", 1, isSingle, same, unary([](double x) { return std::sqrt(x); }), "fp32");
  rows.add("tl.sigmoid", "tl.sigmoid(x)", 1, wide, same, unary([](double x) { return 1 / (1 + std::exp(-x)); }), "fp32",
           4);
}

/// The bits of the largest number.
const std::map<std::string, uint64_t> kLargest = {
    {"fp8e4nv", 0x7e}, {"fp8e5", 0x7b}, {"fp8e4b8", 0x7f}, {"fp8e5b16", 0x7f}};

/// From every type to every type.
void addCasts(Rows &rows) {
  for (const T &to : elementTypes()) {
    auto compute = [&to](const T &, const std::vector<Number> &n) {
      if (to.isBool())
        return ofBool(n[0].isFloat ? n[0].d != 0 : n[0].i != 0);
      if (to.isFloat && to.bits == 8) {
        // Casts to 8-bit floats saturate at the largest number.
        double value = n[0].isFloat ? n[0].d : double(n[0].i), largest = decode(to, kLargest.at(to.name));
        return std::fabs(value) > largest ? ofFloat(std::copysign(largest, value)) : n[0];
      }
      return n[0];
    };
    rows.add(
        "to " + std::string(to.name), "x.to(" + languageName(to) + ")", 1, any,
        [&to](const T &) -> const T & { return to; }, compute);
  }
  for (const T &to : elementTypes()) {
    if (to.isBool())
      continue;
    rows.add(
        "bitcast " + std::string(to.name), "x.to(" + languageName(to) + ", bitcast=True)", 1,
        [&to](const T &t) { return t.bits == to.bits; }, [&to](const T &) -> const T & { return to; },
        [&to](const T &t, const std::vector<Number> &n) {
          uint64_t bits = bitsOfNumber(t, n[0]);
          return numberOf(to, bits);
        },
        "bit");
  }
}

} // namespace

std::vector<CoverageRow> elementwiseRows() {
  Rows rows;
  addOperators(rows);
  addFunctions(rows);
  addCasts(rows);
  return rows.rows;
}

} // namespace tilewise::test
