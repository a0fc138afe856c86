// Loads and stores said in other words: cache modifiers, computed addresses, block pointers and
// descriptors in all their forms.
#include "Grammar.h"

namespace tilewise::random {
namespace {

using T = ElementType;

bool notBool(const T &type) { return !type.isBool(); }

Facts rawFacts(const T &type) {
  Facts facts = anyFacts(type);
  facts.raw = true;
  return facts;
}

/// What is not said in memory's own words is padding.
Facts paddedFacts(const T &type, const Access &access) {
  Facts facts = rawFacts(type);
  if (access.padsWithNaN)
    facts.raw = false;
  return facts;
}

int outputFor(Builder &b, int value) {
  int buffer = b.addBuffer(*b.at(value).type, Fill::Poison, 0, true);
  b.sketch.buffers.back().facts = b.at(value).facts;
  return buffer;
}

/// Hints to caches, which change no value.
void addModifiers(std::vector<Row> &rows) {
  struct Form {
    const char *op;
    std::vector<const char *> modifiers;
  };
  static const Form loads[] = {
      {"tl.load cache",
       {", cache_modifier=\".ca\"", ", cache_modifier=\".cg\"", ", cache_modifier=\".cv\"",
        ", cache_modifier=\".cs\""}},
      {"tl.load evict", {", eviction_policy=\"evict_first\"", ", eviction_policy=\"evict_last\""}},
      {"tl.load volatile", {", volatile=True"}}};
  static const Form stores[] = {
      {"tl.store cache",
       {", cache_modifier=\".wb\"", ", cache_modifier=\".cg\"", ", cache_modifier=\".cs\"",
        ", cache_modifier=\".wt\""}},
      {"tl.store evict", {", eviction_policy=\"evict_first\"", ", eviction_policy=\"evict_last\""}}};
  auto chosen = [](Builder &b, const Form &form, const Shape &shape, Access &access) {
    access.modifiers = b.random.of(form.modifiers);
    if (b.random.chance(40))
      b.randomMask(access, shape);
    if (!shape.empty() && !b.sketch.buffers[size_t(access.buffer)].type->isBool() && b.random.chance(20)) {
      access.through = Access::BlockPointer;
      access.mask = b.random.chance(50) ? Access::Each : Access::None;
      access.cuts.assign(shape.size(), 1);
      access.maskValue = -1;
    }
  };
  for (const Form &form : loads)
    rows.push_back({form.op, anyType,
                    [&form, chosen](Builder &b, const T &type) {
                      Shape shape = b.anyShape();
                      Access access = b.access(b.addBuffer(type, Fill::Wild, 8), shape);
                      chosen(b, form, shape, access);
                      b.loadBy(form.op, type, shape, access, rawFacts(type));
                    },
                    nullptr});
  for (const Form &form : stores)
    rows.push_back({form.op, anyType,
                    [&form, chosen](Builder &b, const T &type) {
                      Shape shape = b.anyShape();
                      int value = b.need(type, shape, {.inexact = true});
                      Access access = b.access(outputFor(b, value), shape);
                      access.overlap = access.samePlace = false;
                      chosen(b, form, shape, access);
                      b.storeBy(form.op, value, access);
                    },
                    nullptr});
}

/// Addresses that are computed as numbers, or chosen lane by lane between two tensors.
void addAddresses(std::vector<Row> &rows) {
  rows.push_back({"load by address", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    Access access = b.access(b.addBuffer(type, Fill::Wild, 8), shape);
                    access.asNumber = true;
                    if (b.random.chance(40))
                      b.randomMask(access, shape);
                    b.loadBy("load by address", type, shape, access, rawFacts(type));
                  },
                  nullptr});
  rows.push_back({"store by address", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    int value = b.need(type, shape, {.inexact = true});
                    Access access = b.access(outputFor(b, value), shape);
                    access.overlap = access.samePlace = false;
                    access.asNumber = true;
                    if (b.random.chance(40))
                      b.randomMask(access, shape);
                    b.storeBy("store by address", value, access);
                  },
                  nullptr});
  rows.push_back({"load as other type", notBool,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    Access access = b.access(b.addBuffer(type, Fill::Wild, 8), shape);
                    access.asBits = true;
                    if (b.random.chance(40))
                      b.randomMask(access, shape);
                    b.loadBy("load as other type", type, shape, access, rawFacts(type));
                  },
                  nullptr});
  rows.push_back({"store as other type", notBool,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    int value = b.need(type, shape, {.inexact = true});
                    Access access = b.access(outputFor(b, value), shape);
                    access.overlap = access.samePlace = false;
                    access.asBits = true;
                    if (b.random.chance(40))
                      b.randomMask(access, shape);
                    b.storeBy("store as other type", value, access);
                  },
                  nullptr});
  rows.push_back({"load of either", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    int chooser = b.need(typeNamed("i1"), b.random.chance(70) ? shape : Shape{});
                    Access access = b.access(b.addBuffer(type, Fill::Wild, 8), shape);
                    access.otherBuffer = b.addBuffer(type, Fill::Wild, 8);
                    access.chooser = chooser;
                    if (b.random.chance(40))
                      b.randomMask(access, shape);
                    b.loadBy("load of either", type, shape, access, rawFacts(type));
                  },
                  nullptr});
}

void addBlockPointers(std::vector<Row> &rows) {
  rows.push_back({"tl.load block nan", [](const T &type) { return type.isFloat && !type.isFp8(); },
                  [](Builder &b, const T &type) {
                    Shape shape = b.blockShape();
                    Access access = b.access(b.addBuffer(type, Fill::Wild, 8), shape);
                    access.through = Access::BlockPointer;
                    access.mask = Access::Each;
                    access.padsWithNaN = true;
                    b.loadBy("tl.load block nan", type, shape, access, paddedFacts(type, access));
                  },
                  nullptr});
  rows.push_back({"tl.store block", notBool,
                  [](Builder &b, const T &type) {
                    Shape shape = b.blockShape();
                    int value = b.need(type, shape, {.inexact = true});
                    Access access = b.access(outputFor(b, value), shape);
                    access.overlap = access.samePlace = false;
                    access.through = Access::BlockPointer;
                    access.mask = b.random.chance(70) ? Access::Each : Access::None;
                    b.storeBy("tl.store block", value, access);
                  },
                  nullptr});
  rows.push_back({"tl.store gathered", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.blockShape();
                    int value = b.need(type, shape, {.inexact = true});
                    int buffer = outputFor(b, value);
                    Access access = b.access(buffer, shape);
                    access.overlap = access.samePlace = false;
                    access.through = Access::Gathered;
                    access.indices = b.loadPlaces(typeNamed("i32"), shape, Fill::Permutation, buffer);
                    if (b.random.chance(40))
                      b.randomMask(access, shape);
                    b.storeBy("tl.store gathered", value, access);
                  },
                  nullptr});
}

/// Descriptors of vectors, matrices and boxes.
Shape describedShape(Builder &b) {
  const Dim inner = {32, {}};
  return b.random.of(std::vector<Shape>{{inner}, {kA, inner}, {Dim{2, {}}, Dim{4, {}}, inner}});
}

Access described(Builder &b, int buffer, const Shape &shape) {
  Access access = b.access(buffer, shape);
  access.through = Access::Descriptor;
  for (size_t d = 0; d < shape.size(); ++d)
    access.cuts.push_back(b.random.of({0, 1, 3}));
  return access;
}

void addDescriptorForms(std::vector<Row> &rows) {
  rows.push_back({"descriptor load nan", [](const T &type) { return type.isFloat && !type.isFp8(); },
                  [](Builder &b, const T &type) {
                    Shape shape = describedShape(b);
                    Access access = described(b, b.addBuffer(type, Fill::Wild, 8), shape);
                    access.padsWithNaN = true;
                    b.loadBy("descriptor load nan", type, shape, access, paddedFacts(type, access));
                  },
                  nullptr});
  const Shape rowsOf = {Dim{8, {}}, Dim{32, {}}};
  rows.push_back({"descriptor gather", notBool,
                  [=](Builder &b, const T &type) {
                    int numbers = b.load(typeNamed(b.random.of({"i32", "i16"})), {rowsOf[0]}, Fill::NearIndex, 8);
                    Access access = described(b, b.addBuffer(type, Fill::Wild, 8), rowsOf);
                    access.through = Access::DescriptorRows;
                    access.indices = numbers;
                    b.loadBy("descriptor gather", type, rowsOf, access, rawFacts(type));
                  },
                  nullptr});
  rows.push_back({"descriptor scatter", notBool,
                  [=](Builder &b, const T &type) {
                    int value = b.need(type, rowsOf, {.inexact = true});
                    const T &word = typeNamed("i32");
                    int numbers = b.assign("tl.arange", word, "pid * 8 + (tl.arange(0, 8) ^ 5)", {}, word, {rowsOf[0]},
                                           anyFacts(word));
                    Access access = described(b, outputFor(b, value), rowsOf);
                    access.through = Access::DescriptorRows;
                    access.indices = numbers;
                    b.storeBy("descriptor scatter", value, access);
                  },
                  nullptr});
  auto sums = [](const T &type) {
    return (type.isFloat && (type.bits == 16 || type.bits == 32)) || (type.isInt() && type.bits == 32) ||
           std::string(type.name) == "u64";
  };
  auto others = [](const T &type) { return type.isInt() && type.bits >= 32; };
  for (const char *name : {"add", "min", "max", "and", "or", "xor"}) {
    const bool isSum = std::string(name) == "add";
    std::string op = std::string("descriptor atomic_") + name;
    rows.push_back({op, isSum ? Takes(sums) : Takes(others),
                    [=](Builder &b, const T &type) {
                      Shape shape = describedShape(b);
                      Need need;
                      if (type.isFloat)
                        need.small = 4;
                      int value = b.need(type, shape, need);
                      Statement s;
                      s.kind = Statement::Atomic;
                      s.op = op;
                      s.type = &type;
                      s.operands = {value};
                      int buffer = b.addBuffer(type, type.isFloat ? Fill::Small : Fill::Wild, 4, true);
                      b.sketch.buffers.back().facts = anyFacts(type);
                      s.access = described(b, buffer, shape);
                      s.text = std::string("{p}.atomic_") + name + "({o}, {0})";
                      b.append(std::move(s));
                    },
                    nullptr});
  }
}

} // namespace

void addPointers(std::vector<Row> &rows) {
  addModifiers(rows);
  addAddresses(rows);
  addBlockPointers(rows);
  addDescriptorForms(rows);
}

} // namespace tilewise::random
