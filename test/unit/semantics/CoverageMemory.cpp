// Memory and dot against every type: loads and stores with and without masks, atomics, matrix
// products.
#include "Coverage.h"

namespace tilewise::test {
namespace {

using T = ElementType;

/// A kernel on the pointers A and B (eight elements each, 8-bit floats as bytes) that writes O.
Probe memoryProbe(const T &t, const std::string &body, const T &result, Bits expected, std::string error = "") {
  Probe probe;
  probe.inputs = {{&t, sampleOf(t, 1), 0}, {&t, sampleOf(t, 2), 0}};
  probe.outputs = {{&result, std::move(expected), 0}};
  probe.body = "    i = tl.arange(0, 8)\n" + body;
  probe.error = std::move(error);
  return probe;
}

void addAccesses(std::vector<CoverageRow> &rows) {
  rows.push_back({"tl.load", [](const T &t) {
                    return memoryProbe(t, "    tl.store(O + i, tl.load(A + i))\n", t, sampleOf(t, 1));
                  }});
  rows.push_back({"tl.load scalar", [](const T &t) {
                    return memoryProbe(t, "    tl.store(O, tl.load(A + 3))\n", t, {sampleOf(t, 1)[3]});
                  }});
  rows.push_back({"tl.load mask", [](const T &t) {
                    Bits expected = sampleOf(t, 1);
                    expected[0] = expected[1] = 0;
                    return memoryProbe(t, "    tl.store(O + i, tl.load(A + i, mask=i > 1))\n", t, expected);
                  }});
  rows.push_back({"tl.load other", [](const T &t) {
                    Bits expected = sampleOf(t, 1), other = sampleOf(t, 2);
                    expected[0] = other[0];
                    expected[1] = other[1];
                    return memoryProbe(t, "    tl.store(O + i, tl.load(A + i, mask=i > 1, other=tl.load(B + i)))\n", t,
                                       expected);
                  }});
  rows.push_back({"tl.store mask", [](const T &t) {
                    Bits expected = sampleOf(t, 1);
                    expected[0] = expected[1] = 0;
                    return memoryProbe(t, "    tl.store(O + i, tl.load(A + i), mask=i > 1)\n", t, expected);
                  }});
  rows.push_back({"tl.store scalar", [](const T &t) {
                    return memoryProbe(t, "    tl.store(O + i, tl.load(A))\n", t, Bits(8, sampleOf(t, 1)[0]));
                  }});
}

/// Through a block pointer that hangs over the end by half, and through a descriptor of two rows of
/// 16.
void addStructured(std::vector<CoverageRow> &rows) {
  rows.push_back({"tl.make_block_ptr", [](const T &t) {
                    Bits x = sampleOf(t, 1), expected(x.begin() + 4, x.end());
                    expected.resize(8, 0);
                    return memoryProbe(
                        t,
                        "    p = tl.make_block_ptr(A, (8,), (1,), (2,), (8,), (0,))\n"
                        "    p = tl.advance(p, (2,))\n"
                        "    tl.store(O + i, tl.load(p, boundary_check=(0,), padding_option=\"zero\"))\n",
                        t, expected);
                  }});
  rows.push_back({"tl.make_tensor_descriptor", [](const T &t) {
                    Probe probe;
                    Bits x, expected;
                    for (int copy = 0; copy < 4; ++copy) {
                      Bits some = sampleOf(t, unsigned(copy) % 3);
                      x.insert(x.end(), some.begin(), some.end());
                    }
                    expected.assign(x.begin() + 16, x.end());
                    expected.resize(32, 0);
                    probe.inputs = {{&t, x, 0}};
                    probe.outputs = {{&t, expected, 0}};
                    probe.body =
                        "    d = tl.make_tensor_descriptor(A, shape=[2, 16], strides=[16, 1], block_shape=[2, 16])\n"
                        "    e = tl.make_tensor_descriptor(O, shape=[2, 16], strides=[16, 1], block_shape=[2, 16])\n"
                        "    e.store([0, 0], d.load([1, 0]))\n";
                    return probe;
                  }});
}

using Update = std::function<uint64_t(const T &, uint64_t, uint64_t)>;

/// The old values, then what memory holds: memory A is read back after the atomic.
CoverageRow atomic(const std::string &name, std::function<std::string(const T &)> error, Update update) {
  return {"tl." + name, [=](const T &t) {
            Bits memory = sampleOf(t, 1), values = sampleOf(t, 2), expected = memory;
            for (size_t k = 0; k < kLanes; ++k)
              expected.push_back(update(t, memory[k], values[k]));
            std::string body = "    old = tl." + name +
                               "(A + i, tl.load(B + i))\n    tl.store(O + i, old)\n"
                               "    tl.store(O + 8 + i, tl.load(A + i))\n";
            // 8-bit floats reach the kernel as bytes, for which the rule is the bytes'.
            return memoryProbe(t, body, t, expected, error(t.isFp8() ? *findType("u8") : t));
          }};
}

Number combined(const T &t, uint64_t a, uint64_t b, std::function<__int128(__int128, __int128)> ofInts,
                std::function<double(double, double)> ofFloats) {
  Number x = numberOf(t, a), y = numberOf(t, b);
  return {t.isFloat, t.isFloat ? 0 : ofInts(x.i, y.i), t.isFloat ? ofFloats(x.d, y.d) : 0};
}

void addAtomics(std::vector<CoverageRow> &rows) {
  auto wide = [](const T &t) { return std::string(t.bits >= 32 ? "" : "atomic"); };
  auto wideOrHalf = [](const T &t) { return std::string(t.bits >= 32 || (t.isFloat && t.bits == 16) ? "" : "atomic"); };
  auto wideInt = [](const T &t) {
    return std::string(t.bits >= 32 && t.isInt() ? "" : t.bits >= 32 ? "does not support" : "atomic");
  };
  rows.push_back(atomic("atomic_add", wideOrHalf, [](const T &t, uint64_t a, uint64_t b) {
    return bitsOfNumber(
        t, combined(t, a, b, [](__int128 x, __int128 y) { return x + y; }, [](double x, double y) { return x + y; }));
  }));
  rows.push_back(atomic("atomic_max", wide, [](const T &t, uint64_t a, uint64_t b) {
    return bitsOfNumber(t, combined(
                               t, a, b, [](__int128 x, __int128 y) { return x > y ? x : y; },
                               [](double x, double y) { return x > y ? x : y; }));
  }));
  rows.push_back(atomic("atomic_min", wide, [](const T &t, uint64_t a, uint64_t b) {
    return bitsOfNumber(t, combined(
                               t, a, b, [](__int128 x, __int128 y) { return x < y ? x : y; },
                               [](double x, double y) { return x < y ? x : y; }));
  }));
  rows.push_back(atomic("atomic_and", wideInt, [](const T &, uint64_t a, uint64_t b) { return a & b; }));
  rows.push_back(atomic("atomic_or", wideInt, [](const T &, uint64_t a, uint64_t b) { return a | b; }));
  rows.push_back(atomic("atomic_xor", wideInt, [](const T &, uint64_t a, uint64_t b) { return a ^ b; }));
  rows.push_back(atomic("atomic_xchg", wide, [](const T &, uint64_t, uint64_t b) { return b; }));
  rows.push_back(
      {"tl.atomic_cas", [](const T &t) {
         Bits memory = sampleOf(t, 1), other = sampleOf(t, 2), expected = memory;
         for (size_t k = 0; k < kLanes; ++k)
           expected.push_back(memory[k] == memory[0] ? other[k] : memory[k]);
         std::string body =
             "    first = tl.load(A)\n    old = tl.atomic_cas(A + i, tl.broadcast_to(first, [8]), tl.load(B + i))\n"
             "    tl.store(O + i, old)\n    tl.store(O + 8 + i, tl.load(A + i))\n";
         return memoryProbe(t, body, t, expected, t.bits >= 16 ? "" : "atomic");
       }});
}

/// 16 by 16 blocks of small numbers, whose products and sums are exact.
Probe dotProbe(const T &t) {
  constexpr size_t n = 32;
  std::string name = t.name;
  const T &result = *findType(t.isInt() ? "i32" : t.bits == 64 ? "fp64" : "fp32");
  Probe probe;
  Bits a, b, expected;
  auto value = [&](size_t at, int factor) {
    int small = int(at * size_t(factor) % 5) - (t.isSigned ? 2 : 0);
    return bitsOfNumber(t, {t.isFloat, small, double(small)});
  };
  for (size_t at = 0; at < n * n; ++at) {
    a.push_back(value(at, 7));
    b.push_back(value(at, 11));
  }
  for (size_t row = 0; row < n; ++row)
    for (size_t column = 0; column < n; ++column) {
      Number sum{result.isFloat, 0, 0};
      for (size_t k = 0; k < n; ++k) {
        Number x = numberOf(t, a[row * n + k]), y = numberOf(t, b[k * n + column]);
        sum.i += x.i * y.i;
        sum.d += x.d * y.d;
      }
      expected.push_back(bitsOfNumber(result, sum));
    }
  probe.inputs = {{&t, a, 0}, {&t, b, 0}};
  probe.outputs = {{&result, expected, 0}};
  probe.body =
      "    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]\n    x = " + asElement(t, "tl.load(A + i)") +
      "\n    y = " + asElement(t, "tl.load(B + i)") +
      "\n    r = tl.dot(x, y)\n    tl.static_assert(r.dtype == " + languageName(result) +
      ", f\"the result is {r.dtype}\")\n    tl.store(O + i, r)\n";
  if (t.isInt() && name != "i8")
    probe.error = "tl.dot";
  return probe;
}

} // namespace

void addMemoryRows(std::vector<CoverageRow> &rows) {
  addAccesses(rows);
  addStructured(rows);
  addAtomics(rows);
  rows.push_back({"tl.dot", dotProbe});
}

} // namespace tilewise::test
