// Ops that make, move and order elements: creation, shapes, gather, sort, histogram.
#include "Grammar.h"

#include <algorithm>

namespace tilewise::random {
namespace {

using T = ElementType;

/// A row that only moves elements of x: facts and type stay.
void addMove(std::vector<Row> &rows, const std::string &op, std::function<Shape(Builder &)> from,
             std::function<std::pair<std::string, Shape>(Builder &, const Shape &)> to) {
  rows.push_back({op, anyType,
                  [=](Builder &b, const T &type) {
                    Shape shape = from(b);
                    int x = b.need(type, shape, {.inexact = true});
                    auto [text, result] = to(b, shape);
                    b.assign(op, type, text, {x}, type, result, b.at(x).facts);
                  },
                  nullptr});
}

/// x and y of one shape side by side.
void addPair(std::vector<Row> &rows, const std::string &op, const std::string &text, bool isVector,
             std::function<Shape(const Shape &)> to) {
  rows.push_back({op, anyType,
                  [=](Builder &b, const T &type) {
                    Shape shape = isVector ? Shape{kA} : b.random.chance(50) ? Shape{kA} : Shape{kA, kB};
                    int x = b.need(type, shape), y = b.need(type, shape);
                    b.assign(op, type, text, {x, y}, type, to(shape), anyFacts(type));
                  },
                  nullptr});
}

Shape vectorOf(Builder &b) { return {b.random.chance(50) ? kA : kB}; }
Shape matrixOf(Builder &b) { return b.random.chance(70) ? Shape{kA, kB} : Shape{kB, kA}; }
Shape anyBlock(Builder &b) { return b.blockShape(); }

Dim volume(const Shape &shape) {
  Dim all = kOne;
  for (Dim dim : shape)
    all = all * dim;
  return all;
}

void addMoves(std::vector<Row> &rows) {
  addMove(rows, "tl.reshape", matrixOf, [](Builder &b, const Shape &shape) {
    Shape result = b.random.chance(50) ? Shape{shape[1], shape[0]} : Shape{volume(shape)};
    return std::pair(std::string("tl.reshape({0}, {s:r0})"), result);
  });
  addMove(rows, "tl.view", matrixOf, [](Builder &, const Shape &shape) {
    return std::pair(std::string("tl.view({0}, {s:r0})"), Shape{volume(shape)});
  });
  addMove(rows, "tl.ravel", anyBlock,
          [](Builder &, const Shape &shape) { return std::pair(std::string("tl.ravel({0})"), Shape{volume(shape)}); });
  addMove(rows, "tl.trans", matrixOf, [](Builder &b, const Shape &shape) {
    return std::pair(std::string(b.random.chance(50) ? "tl.trans({0})" : "{0}.T"), Shape{shape[1], shape[0]});
  });
  addMove(
      rows, "tl.permute", [](Builder &) { return Shape{kOne, kA, kB}; },
      [](Builder &b, const Shape &shape) {
        int first = b.random.between(0, 2), second = (first + b.random.between(1, 2)) % 3, third = 3 - first - second;
        auto order = std::to_string(first) + ", " + std::to_string(second) + ", " + std::to_string(third);
        return std::pair("tl.permute({0}, (" + order + "))",
                         Shape{shape[size_t(first)], shape[size_t(second)], shape[size_t(third)]});
      });
  addMove(
      rows, "tl.broadcast_to", [](Builder &b) { return b.random.chance(50) ? Shape{kA, kOne} : Shape{kOne, kB}; },
      [](Builder &, const Shape &) { return std::pair(std::string("tl.broadcast_to({0}, {s:r0})"), Shape{kA, kB}); });
  addMove(rows, "tl.expand_dims", vectorOf, [](Builder &b, const Shape &shape) {
    return b.random.chance(50) ? std::pair(std::string("tl.expand_dims({0}, 0)"), Shape{kOne, shape[0]})
                               : std::pair(std::string("tl.expand_dims({0}, 1)"), Shape{shape[0], kOne});
  });
  addMove(rows, "x[:, None]", vectorOf, [](Builder &b, const Shape &shape) {
    return b.random.chance(50) ? std::pair(std::string("{0}[None, :]"), Shape{kOne, shape[0]})
                               : std::pair(std::string("{0}[:, None]"), Shape{shape[0], kOne});
  });
  addMove(rows, "tl.flip", matrixOf, [](Builder &b, const Shape &shape) {
    return std::pair(std::string(b.random.chance(50) ? "tl.flip({0}, 0)" : "tl.flip({0}, 1)"), shape);
  });
}

void addCreation(std::vector<Row> &rows) {
  rows.push_back({"tl.full", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.blockShape();
                    if (b.random.chance(50)) {
                      int x = b.need(type, {});
                      b.assign("tl.full", type, "tl.full({s:r0}, {0}, {t:r0})", {x}, type, shape, b.at(x).facts);
                    } else {
                      b.assign("tl.full", type, "tl.full({s:r0}, 1, {t:r0})", {}, type, shape,
                               filledFacts(type, Fill::Small, 1));
                    }
                  },
                  nullptr});
  rows.push_back({"tl.zeros", anyType,
                  [](Builder &b, const T &type) {
                    b.assign("tl.zeros", type, "tl.zeros({s:r0}, {t:r0})", {}, type, b.blockShape(),
                             filledFacts(type, Fill::Small, 1));
                  },
                  nullptr});
  rows.push_back({"tl.zeros_like", anyType,
                  [](Builder &b, const T &type) {
                    int x = b.need(type, b.blockShape(), {.inexact = true});
                    b.assign("tl.zeros_like", type, "tl.zeros_like({0})", {x}, type, b.at(x).shape,
                             filledFacts(type, Fill::Small, 1));
                  },
                  nullptr});
  rows.push_back({"tl.broadcast", anyType,
                  [](Builder &b, const T &type) {
                    int x = b.need(type, {kA, kOne}), y = b.need(type, {kOne, kB});
                    b.assignMany("tl.broadcast", type, "tl.broadcast({0}, {1})", {x, y},
                                 {{&type, {kA, kB}, b.at(x).facts}, {&type, {kA, kB}, b.at(y).facts}});
                  },
                  nullptr});
  rows.push_back({"tl.swizzle2d", [](const T &type) { return type.isInt() && type.bits >= 32; },
                  [](Builder &b, const T &type) {
                    std::vector<int> operands;
                    for (int k = 0; k < 5; ++k)
                      operands.push_back(b.need(type, {}));
                    b.assignMany("tl.swizzle2d", type, "tl.swizzle2d({0}, {1}, {2}, {3}, {4})", operands,
                                 {{&type, {}, anyFacts(type)}, {&type, {}, anyFacts(type)}});
                  },
                  nullptr});
  rows.push_back({"tl.arange", [](const T &type) { return std::string(type.name) == "i32"; },
                  [](Builder &b, const T &type) {
                    b.assign("tl.arange", type,
                             b.random.of({"tl.arange(0, {d:r0.0})", "tl.arange({d:r0.0}, 2 * {d:r0.0})"}), {}, type,
                             {b.random.of({kA, kB})}, anyFacts(type));
                  },
                  nullptr});
  rows.push_back({"tl.program_id", [](const T &type) { return std::string(type.name) == "i32"; },
                  [](Builder &b, const T &type) {
                    b.assign("tl.program_id", type,
                             b.random.of({"tl.program_id(0)", "tl.program_id(1)", "pid * 3 + tl.num_programs(0)"}), {},
                             type, {}, anyFacts(type));
                  },
                  nullptr});
}

void addOrdering(std::vector<Row> &rows) {
  rows.push_back({"tl.split", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.random.chance(50) ? Shape{kA, Dim{2, {}}} : Shape{kA, kB, Dim{2, {}}};
                    int x = b.need(type, shape);
                    Facts facts = b.at(x).facts;
                    shape.pop_back();
                    b.assignMany("tl.split", type, "tl.split({0})", {x},
                                 {{&type, shape, facts}, {&type, shape, facts}});
                  },
                  nullptr});
  rows.push_back({"tl.gather", anyType,
                  [](Builder &b, const T &type) {
                    const bool isVector = b.random.chance(50);
                    const int axis = isVector ? 0 : b.random.between(0, 1);
                    Shape shape = isVector ? Shape{kA} : Shape{kA, kB};
                    int x = b.need(type, shape);
                    int index = b.load(typeNamed(b.random.of({"i32", "i32", "i64"})), shape, Fill::NearIndex,
                                       b.sketch.sizes.of(shape[size_t(axis)]));
                    b.assign("tl.gather", type, "tl.gather({0}, {1}, " + std::to_string(axis) + ")", {x, index}, type,
                             shape, anyFacts(type));
                  },
                  nullptr});
  // Where NaNs end up is open, and so is the order of zeros of two signs. The network of
  // comparisons is unrolled: short rows.
  auto sorted = [](Builder &b, const T &type, const char *op) {
    const Shape shape = b.random.chance(15)   ? Shape{Dim{32, {}}}
                        : b.random.chance(50) ? Shape{Dim{8, {}}}
                                              : Shape{Dim{2, {}}, Dim{4, {}}};
    int x = b.need(type, shape, {.noNaN = true, .noNegativeZero = true});
    Facts facts = b.at(x).facts;
    facts.raw = !type.isFloat;
    if (std::string(op) != "tl.topk")
      return b.assign(op, type, std::string(op) + (b.random.chance(50) ? "({0})" : "({0}, descending=True)"), {x}, type,
                      shape, facts);
    Shape top = shape;
    top.back() = Dim{b.random.of({1, 2, 4}), {}};
    return b.assign(op, type, "tl.topk({0}, {d:r0." + std::to_string(top.size() - 1) + "})", {x}, type, top, facts);
  };
  for (const char *op : {"tl.sort", "tl.topk", "tl.bitonic_merge"})
    rows.push_back({op, anyType, [=](Builder &b, const T &type) { sorted(b, type, op); }, nullptr});
  rows.push_back({"tl.histogram", [](const T &type) { return type.isInt() && type.bits == 32; },
                  [](Builder &b, const T &type) {
                    Shape shape = {b.random.of({kA, kB, kA * kB})};
                    int x = b.random.chance(70) ? b.load(type, shape, type.isSigned ? Fill::NearIndex : Fill::Index, 9)
                                                : b.need(type, shape);
                    const T &counts = typeNamed("i32");
                    Shape bins = {Dim{b.random.of({2, 8, 16}), {}}};
                    if (b.random.chance(60))
                      b.assign("tl.histogram", type, "tl.histogram({0}, {d:r0.0})", {x}, counts, bins,
                               anyFacts(counts));
                    else
                      b.assign("tl.histogram", type, "tl.histogram({0}, {d:r0.0}, {1})",
                               {x, b.need(typeNamed("i1"), shape)}, counts, bins, anyFacts(counts));
                  },
                  nullptr});
  for (const char *function : {"fn_pick", "fn_branch"})
    rows.push_back({std::string("tl.map_elementwise ") + function, anyType,
                    [function](Builder &b, const T &type) {
                      Shape shape = b.blockShape();
                      int x = b.need(type, shape), y = b.need(type, shape);
                      b.assign(std::string("tl.map_elementwise ") + function, type,
                               std::string("tl.map_elementwise(") + function + ", {0}, {1})", {x, y}, type, shape,
                               anyFacts(type));
                    },
                    nullptr});
}

/// Philox: every integer that can be an offset.
void addRandomNumbers(std::vector<Row> &rows) {
  auto offsets = [](const T &type) { return type.isInt() && type.bits >= 32; };
  struct Draw {
    const char *name, *result;
    bool isNormal;
  };
  for (Draw draw : {Draw{"randint", "u32", false}, {"rand", "fp32", false}, {"randn", "fp32", true}})
    for (bool fourTimes : {false, true}) {
      std::string op = std::string("tl.") + draw.name + (fourTimes ? "4x" : "");
      rows.push_back({op, offsets,
                      [=](Builder &b, const T &type) {
                        Shape shape = b.anyShape();
                        int offset = b.need(type, shape),
                            seed = b.need(typeNamed(b.random.chance(50) ? "i32" : "i64"), {});
                        const T &result = typeNamed(draw.result);
                        Facts facts = anyFacts(result);
                        if (draw.isNormal) {
                          // Normals are a radius up to 5.7 times a cosine near its zero: absolute,
                          // not in ulp.
                          facts.exact = false;
                          facts.within = 1e-5;
                        }
                        if (!fourTimes)
                          return void(b.assign(op, type, op + "({1}, {0})", {offset, seed}, result, shape, facts));
                        b.assignMany(op, type, op + "({1}, {0}" + b.random.of({")", ", n_rounds=7)"}), {offset, seed},
                                     std::vector<Value>(4, Value{&result, shape, facts}));
                      },
                      nullptr});
    }
  auto words = [](const T &type) { return std::string(type.name) == "u32" || std::string(type.name) == "i32"; };
  rows.push_back({"tl.philox", words,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    std::vector<int> operands = {b.need(typeNamed("i64"), {})};
                    for (int k = 0; k < 4; ++k)
                      operands.push_back(b.need(type, shape));
                    const T &word = typeNamed("u32");
                    b.assignMany("tl.philox", type, "tl.philox({0}, {1}, {2}, {3}, {4})", operands,
                                 std::vector<Value>(4, Value{&word, shape, anyFacts(word)}));
                  },
                  nullptr});
  rows.push_back({"tl.uint_to_uniform_float",
                  [](const T &type) { return type.isInt() && (type.bits == 32 || type.bits == 64); },
                  [](Builder &b, const T &type) {
                    int x = b.need(type, b.anyShape());
                    b.assign("tl.uint_to_uniform_float", type, "tl.uint_to_uniform_float({0})", {x}, typeNamed("fp32"),
                             b.at(x).shape, anyFacts(typeNamed("fp32")));
                  },
                  nullptr});
}

} // namespace

void addShapes(std::vector<Row> &rows) {
  addCreation(rows);
  addMoves(rows);
  auto two = Dim{2, {}};
  addPair(rows, "tl.join", "tl.join({0}, {1})", false, [=](const Shape &shape) {
    Shape result = shape;
    result.push_back(two);
    return result;
  });
  addPair(rows, "tl.interleave", "tl.interleave({0}, {1})", true,
          [=](const Shape &shape) { return Shape{shape[0] * two}; });
  addPair(rows, "tl.cat", "tl.cat({0}, {1}, can_reorder=True)", true,
          [=](const Shape &shape) { return Shape{shape[0] * two}; });
  addPair(rows, "tl.cat dim", "tl.cat({0}, {1}, dim=0)", false, [=](const Shape &shape) {
    Shape result = shape;
    result[0] = result[0] * two;
    return result;
  });
  addOrdering(rows);
  addRandomNumbers(rows);
}

} // namespace tilewise::random
