// Names that work on blocks: creation, shape, reductions, scans, order, dot, memory, atomics.
// Inputs are matrices x and y of 2 by 4.
#include "Coverage.h"

#include <algorithm>

namespace tilewise::test {
namespace {

using T = ElementType;

/// Values whose partial sums and products are exact in every type.
Bits plain(const T &t, unsigned which) {
  static const int values[2][kLanes] = {{1, 0, 3, 2, 1, 0, 2, 1}, {2, 1, 1, 0, 1, 3, 0, 1}};
  static const int signs[kLanes] = {1, 1, -1, 1, 1, -1, 1, -1};
  Bits bits;
  for (size_t k = 0; k < kLanes; ++k) {
    Number number;
    number.isFloat = t.isFloat;
    int value = values[which][k] * (t.isSigned ? signs[k] : 1);
    if (t.isFp8())
      value = std::clamp(value, -1, 1);
    number.d = value;
    number.i = value;
    bits.push_back(bitsOfNumber(t, number));
  }
  return bits;
}

struct Output {
  std::string expression;
  const T *type;
  Bits expected;
  double ulps = 0;
};

/// Stores a block in row-major order. Vectors and matrices go without a reshape, which an engine
/// may have or not.
const char *kPut = "@triton.jit\ndef put(p, r, count: tl.constexpr):\n"
                   "    if len(r.shape) == 1:\n"
                   "        tl.store(p + tl.arange(0, count), r)\n"
                   "    elif len(r.shape) == 2:\n"
                   "        rows = tl.arange(0, r.shape[0])[:, None]\n"
                   "        tl.store(p + rows * r.shape[1] + tl.arange(0, r.shape[1])[None, :], r)\n"
                   "    else:\n"
                   "        tl.store(p + tl.arange(0, count), r.reshape([count]))\n\n";

/// A kernel that computes expressions of x, y (2 by 4) and i (0..7), and stores each.
Probe probeOf(const T &t, std::vector<Output> outputs, const std::string &functions = "",
              const std::string &before = "") {
  Probe probe;
  probe.function = kPut + functions;
  probe.inputs = {{&t, plain(t, 0), 0}, {&t, plain(t, 1), 0}};
  probe.body = "    i = tl.arange(0, 8)\n    ij = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]\n    x = " +
               asElement(t, "tl.load(A + ij)") + "\n    y = " + asElement(t, "tl.load(B + ij)") + "\n" + before;
  for (size_t n = 0; n < outputs.size(); ++n) {
    const Output &output = outputs[n];
    std::string name = "r" + std::to_string(n), count = std::to_string(output.expected.size()), pointer(1, "OPQR"[n]);
    probe.body += "    " + name + " = " + output.expression + "\n    tl.static_assert(" + name +
                  ".dtype == " + languageName(*output.type) + ", f\"the result is {" + name + ".dtype}\")\n";
    std::string stored = asStored(*output.type, name);
    probe.body += output.expected.size() == 1 ? "    tl.store(" + pointer + ", " + stored + ")\n"
                                              : "    put(" + pointer + ", " + stored + ", " + count + ")\n";
    probe.outputs.push_back({output.type, output.expected, output.ulps});
  }
  return probe;
}

Probe failing(Probe probe, const std::string &error) {
  probe.error = error;
  return probe;
}

Bits at(const Bits &bits, std::initializer_list<int> places) {
  Bits moved;
  for (int place : places)
    moved.push_back(bits[size_t(place)]);
  return moved;
}

/// An expression that only moves elements of x: the places they come from.
CoverageRow moves(const std::string &name, const std::string &expression, std::initializer_list<int> places) {
  std::vector<int> from(places);
  return {name, [=](const T &t) {
            Bits x = plain(t, 0), expected;
            for (int place : from)
              expected.push_back(x[size_t(place)]);
            return probeOf(t, {{expression, &t, expected}});
          }};
}

void addShapes(std::vector<CoverageRow> &rows) {
  rows.push_back(moves("tl.reshape", "tl.reshape(x, [4, 2])", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.view", "tl.view(x, [8])", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.ravel", "tl.ravel(x)", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.trans", "tl.trans(x)", {0, 4, 1, 5, 2, 6, 3, 7}));
  rows.push_back(moves("x.T", "x.T", {0, 4, 1, 5, 2, 6, 3, 7}));
  rows.push_back(moves("tl.permute", "tl.permute(x.reshape([2, 2, 2]), (1, 2, 0))", {0, 4, 1, 5, 2, 6, 3, 7}));
  rows.push_back(moves("tl.broadcast_to", "tl.broadcast_to(x.reshape([8, 1]), [8, 2])",
                       {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}));
  rows.push_back(moves("tl.broadcast", "tl.broadcast(x.reshape([8, 1]), tl.zeros([8, 2], tl.int32))[0]",
                       {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}));
  rows.push_back(moves("tl.expand_dims", "tl.expand_dims(x, 1)", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.unsqueeze", "tl.unsqueeze(x, -1)", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.squeeze", "tl.squeeze(x.reshape([1, 8]), 0)", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("x[:, None]", "x[:, None, :]", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.flip", "tl.flip(x)", {3, 2, 1, 0, 7, 6, 5, 4}));
  rows.push_back(moves("tl.gather", "tl.gather(x, (3 - i % 4).reshape([2, 4]), 1)", {3, 2, 1, 0, 7, 6, 5, 4}));
  rows.push_back(moves("tl.cast", "tl.cast(x, x.dtype)", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.to_tensor", "tl.to_tensor(x)", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.max_contiguous", "tl.max_contiguous(x, (1, 1))", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.max_constancy", "tl.max_constancy(x, (1, 1))", {0, 1, 2, 3, 4, 5, 6, 7}));
  rows.push_back(moves("tl.multiple_of", "tl.multiple_of(x, (1, 1))", {0, 1, 2, 3, 4, 5, 6, 7}));
  auto two = [](const std::string &name, const std::string &expression, std::function<Bits(Bits, Bits)> expected) {
    return CoverageRow{name,
                       [=](const T &t) { return probeOf(t, {{expression, &t, expected(plain(t, 0), plain(t, 1))}}); }};
  };
  auto alternate = [](Bits x, Bits y) {
    Bits all;
    for (size_t k = 0; k < kLanes; ++k)
      all.insert(all.end(), {x[k], y[k]});
    return all;
  };
  rows.push_back(two("tl.join", "tl.join(x, y)", alternate));
  rows.push_back(two("tl.interleave", "tl.interleave(x, y)", alternate));
  rows.push_back(two("tl.cat", "tl.cat(x, y, can_reorder=True)", [](Bits x, Bits y) {
    x.insert(x.end(), y.begin(), y.end());
    return x;
  }));
  rows.push_back({"tl.split", [](const T &t) {
                    Bits x = plain(t, 0);
                    return probeOf(t, {{"a", &t, at(x, {0, 2, 4, 6})}, {"b", &t, at(x, {1, 3, 5, 7})}}, "",
                                   "    a, b = tl.split(x.reshape([4, 2]))\n");
                  }});
  auto filled = [](const std::string &name, std::string expression, int value) {
    return CoverageRow{name, [=](const T &t) {
                         std::string text = expression;
                         if (size_t hole = text.find("TYPE"); hole != std::string::npos)
                           text.replace(hole, 4, languageName(t));
                         Number number = {t.isFloat, value, double(value)};
                         return probeOf(t, {{text, &t, Bits(4, bitsOfNumber(t, number))}});
                       }};
  };
  rows.push_back(filled("tl.full", "tl.full([4], 1, TYPE)", 1));
  rows.push_back(filled("tl.zeros", "tl.zeros([2, 2], TYPE)", 0));
  rows.push_back(filled("tl.zeros_like", "tl.zeros_like(tl.full([4], 1, TYPE))", 0));
}

using Fold = std::function<Number(const T &, Number, Number)>;

Number foldAll(const T &t, const Bits &bits, std::initializer_list<int> places, const Fold &fold) {
  Number result;
  bool first = true;
  for (int place : places) {
    Number next = numberOf(t, bits[size_t(place)]);
    result = first ? next : fold(t, result, next);
    first = false;
  }
  return result;
}

/// Along axis 0, along axis 1, and over all.
Probe reduction(const T &t, const std::string &call, const std::string &rest, const T &result, const Fold &fold,
                const std::string &functions = "") {
  Bits x = plain(t, 0), down, across, all;
  for (int c = 0; c < 4; ++c)
    down.push_back(bitsOfNumber(result, foldAll(t, x, {c, c + 4}, fold)));
  across.push_back(bitsOfNumber(result, foldAll(t, x, {0, 1, 2, 3}, fold)));
  across.push_back(bitsOfNumber(result, foldAll(t, x, {4, 5, 6, 7}, fold)));
  all.push_back(bitsOfNumber(result, foldAll(t, x, {0, 1, 2, 3, 4, 5, 6, 7}, fold)));
  return probeOf(t,
                 {{call + "(x, 0" + rest + ")", &result, down},
                  {call + "(x, 1" + rest + ")", &result, across},
                  {call + "(x, None" + rest + ")", &result, all}},
                 functions);
}

Number plus(const T &t, Number a, Number b) { return {t.isFloat, a.i + b.i, a.d + b.d}; }
Number larger(const T &, Number a, Number b) { return a.isFloat ? (a.d >= b.d ? a : b) : a.i >= b.i ? a : b; }
Number smaller(const T &, Number a, Number b) { return a.isFloat ? (a.d <= b.d ? a : b) : a.i <= b.i ? a : b; }

/// What max and min give: at least 32 bits, unsigned ones too as int32.
const T &extreme(const T &t) { return t.bits >= 32 ? t : *findType(t.isFloat ? "fp32" : "i32"); }

const char *kAdd = "@triton.jit\ndef add(a, b):\n    return a + b\n";

/// A function run on each element; it only gives its argument back, so that every type can go
/// through it.
CoverageRow mapped() {
  return {"tl.map_elementwise", [](const T &t) {
            return probeOf(t, {{"tl.map_elementwise(pick, x, y)", &t, plain(t, 1)}},
                           "@triton.jit\ndef pick(a, b):\n    return b\n");
          }};
}

void addReductions(std::vector<CoverageRow> &rows) {
  rows.push_back({"tl.sum", [](const T &t) { return reduction(t, "tl.sum", "", widened(t), plus); }});
  rows.push_back({"tl.max", [](const T &t) { return reduction(t, "tl.max", "", extreme(t), larger); }});
  rows.push_back({"tl.min", [](const T &t) { return reduction(t, "tl.min", "", extreme(t), smaller); }});
  rows.push_back({"tl.reduce", [](const T &t) { return reduction(t, "tl.reduce", ", add", t, plus, kAdd); }});
  auto bitwise = [](const char *name, Fold fold) {
    return CoverageRow{name, [=](const T &t) {
                         Probe probe = reduction(t, name, "", t, fold);
                         return t.isInt() ? probe : failing(probe, "int");
                       }};
  };
  rows.push_back(bitwise("tl.xor_sum", [](const T &, Number a, Number b) { return Number{false, a.i ^ b.i, 0}; }));
  rows.push_back(bitwise("tl.reduce_or", [](const T &, Number a, Number b) { return Number{false, a.i | b.i, 0}; }));
  auto position = [](const std::string &name, bool greatest) {
    return CoverageRow{
        name, [=](const T &t) {
          const T &index = *findType("i32");
          Bits x = plain(t, 0), down, across;
          auto best = [&](std::initializer_list<int> places) {
            uint64_t found = 0, number = 0;
            std::vector<int> list(places);
            for (size_t k = 0; k < list.size(); ++k) {
              Number a = numberOf(t, x[size_t(list[k])]), b = numberOf(t, x[size_t(list[found])]);
              bool better = t.isFloat ? (greatest ? a.d > b.d : a.d < b.d) : greatest ? a.i > b.i : a.i < b.i;
              found = better ? k : found;
              number = found;
            }
            return number;
          };
          for (int c = 0; c < 4; ++c)
            down.push_back(best({c, c + 4}));
          across = {best({0, 1, 2, 3}), best({4, 5, 6, 7})};
          return probeOf(t, {{name + "(x, 0)", &index, down}, {name + "(x, 1)", &index, across}});
        }};
  };
  rows.push_back(position("tl.argmax", true));
  rows.push_back(position("tl.argmin", false));
}

/// Along axis 1, and backwards.
Probe scan(const T &t, const std::string &call, const std::string &rest, const T &result, const Fold &fold,
           const std::string &functions = "") {
  Bits x = plain(t, 0), forward(kLanes), backward(kLanes);
  for (size_t row = 0; row < 8; row += 4) {
    Number sum, back;
    for (size_t c = 0; c < 4; ++c) {
      Number next = numberOf(t, x[row + c]), last = numberOf(t, x[row + 3 - c]);
      sum = c ? fold(t, sum, next) : next;
      back = c ? fold(t, back, last) : last;
      forward[row + c] = bitsOfNumber(result, sum);
      backward[row + 3 - c] = bitsOfNumber(result, back);
    }
  }
  return probeOf(
      t,
      {{call + "(x, 1" + rest + ")", &result, forward}, {call + "(x, 1" + rest + ", reverse=True)", &result, backward}},
      functions);
}

void addScans(std::vector<CoverageRow> &rows) {
  auto single = [](const T &t) -> const T & { return std::string(t.name) == "bf16" ? *findType("fp32") : t; };
  rows.push_back({"tl.cumsum", [=](const T &t) { return scan(t, "tl.cumsum", "", widened(single(t)), plus); }});
  rows.push_back({"tl.cumprod", [=](const T &t) {
                    return scan(t, "tl.cumprod", "", single(t),
                                [](const T &o, Number a, Number b) { return Number{o.isFloat, a.i * b.i, a.d * b.d}; });
                  }});
  rows.push_back(
      {"tl.associative_scan", [](const T &t) { return scan(t, "tl.associative_scan", ", add", t, plus, kAdd); }});
  rows.push_back({"tl.sort", [](const T &t) {
                    Bits x = plain(t, 0);
                    auto less = [&](uint64_t a, uint64_t b) {
                      Number one = numberOf(t, a), other = numberOf(t, b);
                      return t.isFloat ? one.d < other.d : one.i < other.i;
                    };
                    std::sort(x.begin(), x.begin() + 4, less);
                    std::sort(x.begin() + 4, x.end(), less);
                    return probeOf(t, {{"tl.sort(x)", &t, x}});
                  }});
  rows.push_back({"tl.topk", [](const T &t) {
                    Bits x = plain(t, 0);
                    auto more = [&](uint64_t a, uint64_t b) {
                      Number one = numberOf(t, a), other = numberOf(t, b);
                      return t.isFloat ? one.d > other.d : one.i > other.i;
                    };
                    std::sort(x.begin(), x.begin() + 4, more);
                    std::sort(x.begin() + 4, x.end(), more);
                    return probeOf(t, {{"tl.topk(x, 2)", &t, at(x, {0, 1, 4, 5})}});
                  }});
  rows.push_back({"tl.histogram", [](const T &t) {
                    const T &counts = *findType("i32");
                    Bits expected(4, 0);
                    for (uint64_t bits : plain(t, 0))
                      if (Number n = numberOf(t, bits); !t.isFloat && n.i >= 0 && n.i < 4)
                        ++expected[size_t(n.i)];
                    Probe probe = probeOf(t, {{"tl.histogram(x.reshape([8]), 4)", &counts, expected}});
                    return t.isInt() && t.bits == 32 ? probe : failing(probe, "32-bit integer");
                  }});
  rows.push_back({"tl.softmax", [](const T &t) {
                    Bits x = plain(t, 0), expected;
                    double sum = 0;
                    for (uint64_t bits : x)
                      sum += std::exp(t.isFloat ? decode(t, bits) : 0);
                    for (uint64_t bits : x)
                      expected.push_back(bitsOfNumber(t, {true, 0, std::exp(t.isFloat ? decode(t, bits) : 0) / sum}));
                    Probe probe = probeOf(t, {{"tl.softmax(x.reshape([8]))", &t, expected, 8}});
                    return t.isFloat && t.bits >= 32 ? probe : failing(probe, "fp32");
                  }});
}

} // namespace

void addMemoryRows(std::vector<CoverageRow> &rows); // CoverageMemory.cpp

std::vector<CoverageRow> blockRows() {
  std::vector<CoverageRow> rows;
  addShapes(rows);
  addReductions(rows);
  addScans(rows);
  rows.push_back(mapped());
  addMemoryRows(rows);
  return rows;
}

} // namespace tilewise::test
