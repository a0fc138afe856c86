// Loops, branches and functions whose bodies are exact elementwise ops on a value of the row's
// type.
#include "Grammar.h"

#include <algorithm>

namespace tilewise::random {
namespace {

using T = ElementType;

/// Rows that a body may use for a type.
const std::vector<const Row *> &bodyRows(const T &type) {
  static const std::vector<std::vector<const Row *>> all = [] {
    std::vector<std::vector<const Row *>> lists;
    for (const T &each : test::elementTypes()) {
      lists.emplace_back();
      for (const Row &row : rows())
        if (row.makeAt && row.takes(each))
          lists.back().push_back(&row);
    }
    return lists;
  }();
  return all[size_t(&type - test::elementTypes().data())];
}

/// A few ops on values of the type, then one value of it per yield; `from` are what the block is
/// about.
std::vector<int> makeBody(Builder &b, const T &type, const Shape &shape, const std::vector<int> &from, size_t yields) {
  for (int k = b.random.between(1, 3); k > 0; --k) {
    // Anything at all now and then: stores, prints and atomics in loops, reductions, loops in
    // loops.
    if (!b.isClosed() && b.depth() < 3 && b.random.chance(12)) {
      const Cell &cell = b.random.of(cells());
      cell.row->make(b, *cell.type);
    } else {
      b.random.of(bodyRows(type))->makeAt(b, type, shape);
    }
  }
  std::vector<int> given;
  for (size_t k = 0; k < yields; ++k)
    switch (b.random.below(5)) {
    case 0:
      given.push_back(b.random.of(from));
      break;
    case 1:
      given.push_back(b.need(type, shape));
      break;
    default: // What goes on from round to round, and is seen at the end.
      given.push_back(b.assign("x + y", type, "{0} + {1}", {from[k % from.size()], b.need(type, shape)}, type, shape,
                               anyFacts(type)));
    }
  return given;
}

Facts carriedFacts(const T &type) { return anyFacts(type); }

struct Carried {
  Shape shape;
  Statement statement;
};

Carried carry(Builder &b, const T &type, Statement::Kind kind, const char *op) {
  Carried made{b.anyShape(), {}};
  made.statement.kind = kind;
  made.statement.op = op;
  made.statement.type = &type;
  for (int k = b.random.between(1, 2); k > 0; --k)
    made.statement.carried.push_back(b.need(type, made.shape));
  return made;
}

/// Values inside the block for what is carried.
void enter(Builder &b, Carried &c) {
  for (size_t k = 0; k < c.statement.carried.size(); ++k)
    c.statement.inner.push_back(b.addValue(*c.statement.type, c.shape, carriedFacts(*c.statement.type)));
}

void finish(Builder &b, Carried &c) {
  for (size_t k = 0; k < c.statement.carried.size(); ++k)
    c.statement.results.push_back(b.addValue(*c.statement.type, c.shape, carriedFacts(*c.statement.type)));
  b.append(std::move(c.statement));
}

void makeLoop(Builder &b, const T &type, bool isWhile) {
  Carried c = carry(b, type, isWhile ? Statement::While : Statement::For, isWhile ? "while" : "for");
  Statement &s = c.statement;
  if (!isWhile && b.random.chance(15)) {
    s.text = "tl.static_range(" + std::to_string(b.random.between(1, 3)) + ")";
  } else {
    s.operands = {b.load(typeNamed("i32"), {}, Fill::Index, 5)};
    s.text = isWhile ? "{0}"
                     : b.random.of({"range({0})", "range(0, {0})", "range(1, {0} * 2, 2)", "tl.range(0, {0})",
                                    "range({0}, 0, -1)", "tl.range(0, {0}, num_stages=3)",
                                    "tl.range({0}, loop_unroll_factor=2)", "tl.range(0, {0}, 1, flatten=True)"});
  }
  Builder::Scope scope = b.open(s.body);
  enter(b, c);
  if (!isWhile) {
    s.counter = b.addValue(typeNamed("i32"), {}, anyFacts(typeNamed("i32")));
    if (s.operands.empty()) // That of a static range is a plain number.
      b.hideLast();
  }
  s.yields = makeBody(b, type, c.shape, s.inner, s.inner.size());
  if (s.yields.size() == 2 && b.random.chance(30))
    std::swap(s.yields[0], s.yields[1]);
  b.close(scope);
  finish(b, c);
}

/// A load inside a loop by pointers that go on with every round.
int loadWalking(Builder &b, const T &type, const Shape &shape, int walk, Fill fill, int limit, bool masked) {
  Access access = b.access(b.addBuffer(type, fill, limit), shape);
  access.through = Access::Walked;
  access.walk = walk;
  access.walksBlock = !type.isBool() && b.random.chance(25);
  access.backward.assign(shape.size(), false);
  access.mask = masked ? Access::Each : Access::None;
  return b.loadBy("walk", type, shape, access, filledFacts(type, fill, limit));
}

Statement countedLoop(Builder &b, const T &type, const char *op) {
  Statement s;
  s.kind = Statement::For;
  s.op = op;
  s.type = &type;
  s.operands = {b.load(typeNamed("i32"), {}, Fill::Index, 5)};
  s.text = b.random.of({"range({0})", "range(0, {0})"});
  return s;
}

/// acc = acc op load(p); p += step
void makeWalk(Builder &b, const T &type) {
  Shape shape = b.random.chance(60) ? Shape{b.random.of({kA, kB})} : Shape{kA, kB};
  Statement s = countedLoop(b, type, "walk");
  s.carried = {b.need(type, shape)};
  Builder::Scope scope = b.open(s.body);
  s.inner = {b.addValue(type, shape, anyFacts(type))};
  s.counter = b.addValue(typeNamed("i32"), {}, anyFacts(typeNamed("i32")));
  int x = loadWalking(b, type, shape, b.random.between(0, int(shape.size()) - 1), Fill::Wild, 8, b.random.chance(60));
  const char *text = type.isFloat ? b.random.of({"{0} + {1}", "{0} - {1}", "tl.where({1} > {0}, {1}, {0})"})
                                  : b.random.of({"{0} + {1}", "{0} ^ {1}", "{0} * {1}"});
  s.yields = {b.assign("walk", type, text, {s.inner[0], x}, type, shape, anyFacts(type))};
  b.close(scope);
  s.results = {b.addValue(type, shape, anyFacts(type))};
  b.append(std::move(s));
}

/// The loop of a matrix product: whole numbers, so that the sum is exact.
void makeDotLoop(Builder &b, const T &type) {
  const T &sum = typeNamed(!type.isFloat ? "i32" : type.bits == 64 ? "fp64" : "fp32");
  const Shape shape = {kA, kB};
  Statement s = countedLoop(b, type, "dot loop");
  Facts facts = anyFacts(sum);
  if (sum.isFloat) {
    facts.noNaN = facts.noNegativeZero = facts.integral = true;
    // Four rounds of 32 products of at most 16, and the start: exact in float32.
    facts.most = 1 << 14;
  }
  s.carried = {
      b.random.chance(60)
          ? b.assign("tl.zeros", sum, "tl.zeros({s:r0}, {t:r0})", {}, sum, shape, filledFacts(sum, Fill::Small, 1))
          : b.need(sum, shape, sum.isFloat ? Need{.noNegativeZero = true, .small = 1024} : Need())};
  Builder::Scope scope = b.open(s.body);
  s.inner = {b.addValue(sum, shape, facts)};
  s.counter = b.addValue(typeNamed("i32"), {}, anyFacts(typeNamed("i32")));
  const int limit = type.isFp8() ? 2 : 4;
  const bool masked = b.random.chance(60);
  int x = loadWalking(b, type, {kA, kK}, 1, Fill::Small, limit, masked),
      y = loadWalking(b, type, {kK, kB}, 0, Fill::Small, limit, masked);
  const char *text = b.random.chance(70) ? "tl.dot({0}, {1}, {2})" : "{2} + tl.dot({0}, {1})";
  s.yields = {b.assign("dot loop", type, text, {x, y, s.inner[0]}, sum, shape, facts)};
  b.close(scope);
  s.results = {b.addValue(sum, shape, facts)};
  b.append(std::move(s));
}

void makeBranch(Builder &b, const T &type) {
  Carried c = carry(b, type, Statement::If, "if");
  Statement &s = c.statement;
  if (b.random.chance(50)) {
    s.operands = {b.load(typeNamed("i32"), {}, Fill::Index, 3)};
    s.text = "{0} > 1";
  } else {
    s.text = b.random.of({"pid % 2 == 0", "pid > 0"});
  }
  Builder::Scope scope = b.open(s.body);
  enter(b, c);
  const size_t count = s.inner.size();
  s.yields = makeBody(b, type, c.shape, s.inner, count);
  b.close(scope);
  s.hasElse = b.random.chance(50);
  if (s.hasElse) {
    Builder::Scope other = b.open(s.otherwise);
    for (int inner : s.inner)
      b.show(inner);
    s.otherwiseYields = makeBody(b, type, c.shape, s.inner, count);
    b.close(other);
  }
  finish(b, c);
}

void makeCall(Builder &b, const T &type) {
  Statement s;
  s.kind = Statement::Call;
  s.op = "call";
  s.type = &type;
  Shape shape = b.anyShape();
  for (int k = b.random.between(1, 2); k > 0; --k)
    s.operands.push_back(b.need(type, shape));
  Builder::Scope scope = b.open(s.body, true);
  for (size_t k = 0; k < s.operands.size(); ++k)
    s.inner.push_back(b.addValue(type, shape, carriedFacts(type)));
  s.yields = makeBody(b, type, shape, s.inner, size_t(b.random.between(1, 2)));
  b.close(scope);
  for (size_t k = 0; k < s.yields.size(); ++k)
    s.results.push_back(b.addValue(type, shape, carriedFacts(type)));
  b.append(std::move(s));
}

} // namespace

void addTuples(std::vector<Row> &rows) {
  auto pair = [](Builder &b, const T &type, const std::string &op, const std::string &text, bool isCounted) {
    Shape shape = b.anyShape();
    int x = b.need(type, shape), y = b.need(type, shape);
    std::vector<int> operands = {x, y};
    if (isCounted)
      operands.push_back(b.load(typeNamed("i32"), {}, Fill::Index, 5));
    b.assignMany(op, type, text, operands, {{&type, shape, anyFacts(type)}, {&type, shape, anyFacts(type)}});
  };
  rows.push_back({"tuple", anyType,
                  [=](Builder &b, const T &type) {
                    pair(b, type, "tuple", b.random.of({"fn_swap(({0}, {1}))", "fn_nest({0}, {1})"}), false);
                  },
                  nullptr});
  rows.push_back({"tuple loop", anyType,
                  [=](Builder &b, const T &type) { pair(b, type, "tuple loop", "fn_rotate(({0}, {1}), {2})", true); },
                  nullptr});
}

void addControl(std::vector<Row> &rows) {
  rows.push_back({"for", anyType, [](Builder &b, const T &type) { makeLoop(b, type, false); }, nullptr, true});
  rows.push_back({"while", anyType, [](Builder &b, const T &type) { makeLoop(b, type, true); }, nullptr, true});
  rows.push_back({"walk", anyType, makeWalk, nullptr, true});
  rows.push_back({"dot loop", [](const T &type) { return type.isFloat || std::string(type.name) == "i8"; }, makeDotLoop,
                  nullptr, true});
  rows.push_back({"if", anyType, makeBranch, nullptr, true});
  rows.push_back({"call", anyType, makeCall, nullptr, true});
}

} // namespace tilewise::random
