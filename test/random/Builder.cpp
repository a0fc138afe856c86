// Builds a sketch: see Builder.h.
#include "Builder.h"

#include "frontend/builtins/Builtins.h"

#include <algorithm>
#include <cmath>

namespace tilewise::random {

double exactIntegers(const ElementType &type) {
  if (!type.isFloat)
    return std::ldexp(1.0, type.bits - (type.isSigned ? 1 : 0)) - 1;
  return std::ldexp(1.0, type.mantissaBits + 1);
}

const ElementType *promoted(const ElementType &a, const ElementType &b, bool division) {
  auto either = [&](const char *name) { return name == std::string(a.name) || name == std::string(b.name); };
  if (either("fp64"))
    return &typeNamed("fp64");
  if ((division && (a.isFloat || b.isFloat)) || either("fp32"))
    return &typeNamed("fp32");
  if (either("fp16"))
    return &typeNamed("fp16");
  if (either("bf16"))
    return &a == &b ? &a : &typeNamed("fp32");
  if (a.isFp8() && b.isFp8())
    return &a == &b ? &a : &typeNamed("fp16");
  if (a.isFloat || b.isFloat || (division && a.isSigned != b.isSigned))
    return nullptr;
  if (a.isSigned == b.isSigned)
    return a.bits > b.bits ? &a : &b;
  const ElementType &plain = a.isSigned ? b : a, &withSign = a.isSigned ? a : b;
  return plain.bits >= withSign.bits ? &plain : &withSign;
}

Facts anyFacts(const ElementType &type) {
  Facts facts;
  if (!type.isFloat) {
    facts.raw = facts.noNaN = facts.noNegativeZero = facts.integral = true;
    facts.most = std::ldexp(1.0, type.bits);
  }
  return facts;
}

Facts filledFacts(const ElementType &type, Fill fill, int limit) {
  Facts facts = anyFacts(type);
  facts.raw = true;
  if (fill == Fill::Wild || (fill == Fill::Moderate && !type.isFloat))
    return facts;
  facts.noNaN = facts.noNegativeZero = true;
  facts.integral = fill != Fill::Moderate;
  facts.most = fill == Fill::Moderate ? 4 : limit + 2;
  if (fill == Fill::Small)
    facts.most = limit;
  return facts;
}

Builder::Builder(uint64_t seed) : random(mix(seed, 0x6b65726e656c)), block_(&sketch.statements) {
  sketch.seed = seed;
  // Most blocks are small: what matters is the odd size, the last vector, and more than one of
  // them.
  sketch.sizes.named = {1 << random.between(0, 6), 1 << random.between(0, 6), 1 << random.between(1, 5)};
  if (random.chance(10))
    sketch.sizes.named[0] = 1 << random.between(7, 10);
  while (sketch.sizes.named[0] * sketch.sizes.named[1] > 2048)
    sketch.sizes.named[1] /= 2;
  sketch.grid = {random.of({1, 1, 2, 3, 5}), random.of({1, 1, 1, 2})};
  sketch.fusion = !random.chance(10);
  sketch.checked = random.chance(6);
  // Code for older processors runs on this one, too.
  if (random.chance(20))
    sketch.machine = random.of({"haswell", "x86-64"});
  Random launch(mix(seed, 0x6c61756e6368));
  sketch.warps = launch.of({4u, 4u, 4u, 8u, 8u, 2u, 1u, 16u});
  sketch.stages = launch.of({3u, 3u, 2u, 4u, 5u, 1u});
}

Shape Builder::anyShape(bool scalars) {
  switch (random.below(scalars ? 12 : 10)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return {kA};
  case 4:
  case 5:
  case 6:
    return {kA, kB};
  case 7:
    return {kB};
  case 8:
    return random.chance(50) ? Shape{kA, kOne} : Shape{kOne, kB};
  case 9:
    return random.chance(50) ? Shape{kB, kA} : Shape{kOne, kB, Dim{2, {}}};
  default:
    return {};
  }
}

bool Builder::fits(int value, const ElementType &type, const Shape &shape, const Need &need) const {
  const Value &v = at(value);
  const Facts &facts = v.facts;
  if (v.type != &type || v.shape != shape || !(facts.exact || need.inexact))
    return false;
  if ((need.noNaN && !facts.noNaN) || (need.noNegativeZero && !facts.noNegativeZero) || (need.raw && !facts.raw))
    return false;
  if (need.small > 0 && (!facts.integral || facts.most > need.small))
    return false;
  return !need.moderate || facts.most <= 64;
}

int Builder::need(const ElementType &type, const Shape &shape, const Need &wanted) {
  std::vector<int> fresh, all;
  for (int value : visible_)
    if (fits(value, type, shape, wanted)) {
      all.push_back(value);
      if (!used_[size_t(value)])
        fresh.push_back(value);
    }
  if (!fresh.empty() && random.chance(85))
    return random.of(fresh);
  if (!all.empty() && (isInside() || random.chance(50)))
    return random.of(all);
  const bool isLoose = wanted.small == 0 && !wanted.moderate && !wanted.noNaN && !wanted.raw && !wanted.noNegativeZero;
  if (isLoose && random.chance(isInside() ? 90 : 35)) {
    std::vector<int> sources;
    for (int value : visible_)
      if (at(value).facts.exact && (at(value).shape == shape || at(value).shape.empty()) && at(value).type != &type)
        sources.push_back(value);
    if (!sources.empty()) {
      int source = random.of(sources);
      std::string text = "{0}.to({t:r0})";
      if (at(source).shape.empty() && !shape.empty())
        text = "tl.full({s:r0}, {0}, {t:r0})";
      return assign("to " + std::string(type.name), *at(source).type, text, {source}, type, shape, anyFacts(type));
    }
  }
  return load(type, shape, wanted);
}

int Builder::load(const ElementType &type, const Shape &shape, const Need &wanted, const char *op) {
  if (isClosed_) {
    Facts facts = filledFacts(type, Fill::Small, 1);
    return assign("tl.full", type, "tl.full({s:r0}, 1, {t:r0})", {}, type, shape, facts);
  }
  Fill fill = Fill::Wild;
  int limit = type.isFp8() ? 2 : type.isBool() ? 1 : 8;
  if (wanted.small > 0) {
    fill = Fill::Small;
    limit = std::max(1, int(std::min<double>(limit, wanted.small)));
  } else if (wanted.moderate || wanted.noNaN || wanted.noNegativeZero) {
    fill = Fill::Moderate;
  } else {
    fill = random.of({Fill::Wild, Fill::Wild, Fill::Wild, Fill::Moderate, Fill::Small});
  }
  Statement statement;
  statement.kind = Statement::Load;
  statement.op = *op ? op : "tl.load";
  statement.type = &type;
  int buffer = addBuffer(type, fill, limit);
  statement.access = access(buffer, shape);
  if (!isInside() && !shape.empty() && random.chance(12)) {
    statement.access.through = Access::Gathered;
    statement.access.indices = loadPlaces(typeNamed(random.chance(70) ? "i32" : "i64"), shape, Fill::Index, buffer);
  } else if (!shape.empty() && random.chance(8)) {
    statement.access.through = Access::Modulo;
  } else if (!shape.empty() && !type.isBool() && random.chance(12)) {
    // A block pointer to bools is one to int8.
    statement.access.through = Access::BlockPointer;
  }
  Facts facts = filledFacts(type, fill, limit);
  if (random.chance(45))
    randomMask(statement.access, shape);
  if (statement.access.through == Access::BlockPointer) {
    statement.access.mask = random.chance(50) ? Access::Each : Access::None;
    statement.access.maskValue = -1;
  }
  if (statement.access.mask != Access::None) {
    // A lane that is off gives 0, which is in every fill's range but Moderate's, where nothing
    // depends on it.
    if (statement.access.through != Access::BlockPointer && random.chance(50))
      statement.access.other = type.isFp8()   ? fill == Fill::Wild ? "129" : "0"
                               : type.isFloat ? random.of({"1.0", "-1.0", "0.0", "2.0"})
                                              : "1";
    if (fill == Fill::Wild && type.isFloat && !type.isFp8() && statement.access.through != Access::BlockPointer &&
        random.chance(20))
      statement.access.other = random.of({"float('inf')", "-float('inf')", "float('nan')", "-0.0"});
    if (limit == 1 && type.isFloat && statement.access.other == "2.0")
      statement.access.other = "1.0";
    if (statement.access.other == "float('nan')")
      facts.raw = false;
  }
  int result = addValue(type, shape, facts);
  statement.results = {result};
  if (statement.access.indices >= 0)
    statement.operands.push_back(statement.access.indices);
  if (statement.access.maskValue >= 0)
    statement.operands.push_back(statement.access.maskValue);
  append(std::move(statement));
  return result;
}

int Builder::load(const ElementType &type, const Shape &shape, Fill fill, int limit) {
  Statement statement;
  statement.kind = Statement::Load;
  statement.op = "tl.load";
  statement.type = &type;
  statement.access = access(addBuffer(type, fill, limit), shape);
  statement.results = {addValue(type, shape, filledFacts(type, fill, limit))};
  return append(std::move(statement)).results[0];
}

int Builder::loadPlaces(const ElementType &type, const Shape &shape, Fill fill, int buffer) {
  Statement statement;
  statement.kind = Statement::Load;
  statement.op = "tl.load";
  statement.type = &type;
  int places = addBuffer(type, fill, 0);
  sketch.buffers.back().limitOf = buffer;
  // A permutation stays one only when every element of it is read once.
  statement.access.buffer = places;
  for (size_t d = shape.size(); d-- > 0;)
    statement.access.order.push_back(int(d));
  statement.access.gaps.assign(shape.size(), 1);
  statement.access.backward.assign(shape.size(), false);
  statement.results = {addValue(type, shape, anyFacts(type))};
  return append(std::move(statement)).results[0];
}

static void addAccessOperands(Statement &statement) {
  const Access &access = statement.access;
  for (int value : {access.indices, access.maskValue, access.otherValue, access.chooser})
    if (value >= 0)
      statement.operands.push_back(value);
}

int Builder::loadBy(const std::string &op, const ElementType &type, const Shape &shape, Access access, Facts facts) {
  Statement statement;
  statement.kind = Statement::Load;
  statement.op = op;
  statement.type = &type;
  statement.access = std::move(access);
  addAccessOperands(statement);
  statement.results = {addValue(type, shape, facts)};
  return append(std::move(statement)).results[0];
}

void Builder::storeBy(const std::string &op, int value, Access access) {
  Statement statement;
  statement.kind = Statement::Store;
  statement.op = op;
  statement.type = at(value).type;
  statement.operands = {value};
  statement.access = std::move(access);
  addAccessOperands(statement);
  append(std::move(statement));
}

Access Builder::access(int buffer, const Shape &shape) {
  Access access;
  access.buffer = buffer;
  const bool isPlain = random.chance(50);
  for (size_t d = shape.size(); d-- > 0;)
    access.order.push_back(int(d));
  if (!isPlain && shape.size() > 1 && random.chance(40))
    std::swap(access.order[0], access.order[1]);
  for (size_t d = 0; d < shape.size(); ++d) {
    access.gaps.push_back(isPlain ? 1 : random.of({1, 1, 1, 2, 3}));
    access.backward.push_back(!isPlain && random.chance(10));
  }
  access.overlap = random.chance(15);
  access.samePlace = random.chance(15);
  access.wideOffsets = random.chance(15);
  access.numbers = random.of({Access::Literal, Access::Argument, Access::Argument, Access::Constant});
  return access;
}

void Builder::randomMask(Access &access, const Shape &shape) {
  access.mask = random.of({Access::Whole, Access::Each, Access::Each});
  if (shape.empty())
    access.mask = Access::Whole;
  access.cuts.clear();
  for (size_t d = 0; d < std::max<size_t>(1, shape.size()); ++d)
    access.cuts.push_back(random.of({0, 1, 1, 3, -1}));
  if (!shape.empty() && random.chance(30)) {
    std::vector<int> masks;
    for (int value : visible_)
      if (fits(value, typeNamed("i1"), shape, {}))
        masks.push_back(value);
    if (!masks.empty()) {
      access.mask = Access::Block;
      access.maskValue = random.of(masks);
    }
  }
}

int Builder::addValue(const ElementType &type, const Shape &shape, Facts facts) {
  sketch.values.push_back({&type, shape, facts});
  used_.push_back(false);
  visible_.push_back(int(sketch.values.size()) - 1);
  return visible_.back();
}

int Builder::addBuffer(const ElementType &type, Fill fill, int limit, bool written) {
  sketch.buffers.push_back({&type, fill, limit, -1, written, {}});
  return int(sketch.buffers.size()) - 1;
}

Statement &Builder::append(Statement statement) {
  auto use = [&](int value) {
    if (value >= 0)
      used_[size_t(value)] = true;
  };
  for (const std::vector<int> *list : {&statement.operands, &statement.carried})
    for (int value : *list)
      use(value);
  use(statement.access.indices);
  use(statement.access.maskValue);
  use(statement.access.otherValue);
  use(statement.access.chooser);
  block_->push_back(std::move(statement));
  return block_->back();
}

/// "tl.sum({0}, 1)" as "{0}.sum(1)": most functions of a block are methods of it, too.
static std::string asMethod(const std::string &text) {
  const size_t open = text.find("({0}");
  if (text.rfind("tl.", 0) != 0 || open == std::string::npos || !frontend::tensorMethod(text.substr(3, open - 3)))
    return text;
  const std::string rest = text.substr(open + 4);
  return "{0}." + text.substr(3, open - 3) + "(" + (rest.rfind(", ", 0) == 0 ? rest.substr(2) : rest);
}

std::vector<int> Builder::assignMany(const std::string &op, const ElementType &cell, const std::string &text,
                                     std::vector<int> operands, const std::vector<Value> &results) {
  Statement statement;
  statement.op = op;
  statement.type = &cell;
  statement.text = random.chance(20) ? asMethod(text) : text;
  statement.operands = std::move(operands);
  for (const Value &result : results)
    statement.results.push_back(addValue(*result.type, result.shape, result.facts));
  return append(std::move(statement)).results;
}

int Builder::assign(const std::string &op, const ElementType &cell, const std::string &text, std::vector<int> operands,
                    const ElementType &type, const Shape &shape, Facts facts) {
  return assignMany(op, cell, text, std::move(operands), {{&type, shape, facts}})[0];
}

void Builder::effect(const std::string &op, const ElementType &cell, const std::string &text,
                     std::vector<int> operands) {
  Statement statement;
  statement.kind = Statement::Effect;
  statement.op = op;
  statement.type = &cell;
  statement.text = text;
  statement.operands = std::move(operands);
  append(std::move(statement));
}

void Builder::store(int value, const char *op, const ElementType *cell) {
  const Value &stored = at(value);
  Statement statement;
  statement.kind = Statement::Store;
  statement.op = *op ? op : "tl.store";
  statement.type = cell ? cell : stored.type;
  int buffer = addBuffer(*stored.type, Fill::Poison, 0, true);
  sketch.buffers.back().facts = stored.facts;
  const Shape shape = stored.shape;
  statement.operands = {value};
  statement.access = access(buffer, shape);
  statement.access.overlap = statement.access.samePlace = false;
  if (random.chance(35))
    randomMask(statement.access, shape);
  if (!shape.empty() && !stored.type->isBool() && random.chance(10)) {
    statement.access.through = Access::BlockPointer;
    statement.access.mask = random.chance(50) ? Access::Each : Access::None;
    if (statement.access.mask == Access::Each && statement.access.cuts.size() != shape.size())
      statement.access.cuts.assign(shape.size(), 1);
    statement.access.maskValue = -1;
  } else if (!shape.empty() && random.chance(10)) {
    statement.access.through = Access::Gathered;
    statement.access.indices = loadPlaces(typeNamed("i32"), shape, Fill::Permutation, buffer);
    statement.operands.push_back(statement.access.indices);
  }
  if (statement.access.maskValue >= 0)
    statement.operands.push_back(statement.access.maskValue);
  append(std::move(statement));
}

Builder::Scope Builder::open(std::vector<Statement> &block, bool isClosed) {
  Scope scope{block_, visible_, isClosed_};
  block_ = &block;
  if (isClosed)
    visible_.clear();
  isClosed_ |= isClosed;
  ++depth_;
  return scope;
}

void Builder::close(const Scope &scope) {
  block_ = scope.outer;
  visible_ = scope.visible;
  isClosed_ = scope.wasClosed;
  --depth_;
}

void Builder::finish() {
  const std::vector<int> values = visible_;
  for (int value : values)
    if (!used_[size_t(value)] || random.chance(10))
      store(value);
}

} // namespace tilewise::random
