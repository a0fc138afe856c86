// Loads, stores and atomics as rows of their own, each in its forms.
#include "Grammar.h"

#include <algorithm>
#include <cmath>

namespace tilewise::random {
namespace {

using T = ElementType;

Facts rawFacts(const T &type) {
  Facts facts = anyFacts(type);
  facts.raw = true;
  return facts;
}

void addLoads(std::vector<Row> &rows) {
  struct Form {
    const char *op;
    Access::Through through;
    bool hasMask, hasOther;
  };
  static constexpr Form forms[] = {
      {"tl.load", Access::Pointers, false, false},          {"tl.load mask", Access::Pointers, true, false},
      {"tl.load other", Access::Pointers, true, true},      {"tl.load gathered", Access::Gathered, false, false},
      {"tl.load block", Access::BlockPointer, true, false}, {"tl.load modulo", Access::Modulo, true, false}};
  for (const Form &form : forms)
    rows.push_back({form.op,
                    // A block pointer to bools is one to int8.
                    [&form](const T &type) { return form.through != Access::BlockPointer || !type.isBool(); },
                    [&form](Builder &b, const T &type) {
                      Shape shape = b.blockShape();
                      int other = form.hasOther ? b.need(type, shape, {.raw = true}) : -1;
                      int buffer = b.addBuffer(type, Fill::Wild, 8);
                      Access access = b.access(buffer, shape);
                      access.through = form.through;
                      if (form.through == Access::Gathered)
                        access.indices = b.loadPlaces(typeNamed("i32"), shape, Fill::Index, buffer);
                      if (form.hasMask)
                        b.randomMask(access, shape);
                      if (form.through == Access::BlockPointer) {
                        access.mask = Access::Each;
                        access.maskValue = -1;
                      }
                      access.otherValue = other;
                      b.loadBy(form.op, type, shape, access, rawFacts(type));
                    },
                    nullptr});
}

void addStores(std::vector<Row> &rows) {
  for (const char *op : {"tl.store", "tl.store mask"})
    rows.push_back({op, anyType,
                    [op](Builder &b, const T &type) {
                      Shape shape = b.anyShape();
                      int value = b.need(type, shape, {.inexact = true});
                      int buffer = b.addBuffer(type, Fill::Poison, 0, true);
                      b.sketch.buffers.back().facts = b.at(value).facts;
                      Access access = b.access(buffer, shape);
                      access.overlap = access.samePlace = false;
                      if (std::string(op) != "tl.store")
                        b.randomMask(access, shape);
                      b.storeBy(op, value, access);
                    },
                    nullptr});
}

/// Descriptors of matrices; of both kinds in one row.
void addDescriptors(std::vector<Row> &rows) {
  auto notBool = [](const T &type) { return !type.isBool(); };
  const Shape shape = {kA, Dim{16, {}}};
  auto accessTo = [shape](Builder &b, int buffer) {
    Access access = b.access(buffer, shape);
    access.through = Access::Descriptor;
    access.cuts = {b.random.of({0, 1, 3}), b.random.of({0, 1, 5})};
    return access;
  };
  rows.push_back({"descriptor load", notBool,
                  [=](Builder &b, const T &type) {
                    int buffer = b.addBuffer(type, Fill::Wild, 8);
                    b.loadBy("descriptor load", type, shape, accessTo(b, buffer), rawFacts(type));
                  },
                  nullptr});
  rows.push_back({"descriptor store", notBool,
                  [=](Builder &b, const T &type) {
                    int value = b.need(type, shape, {.inexact = true});
                    int buffer = b.addBuffer(type, Fill::Poison, 0, true);
                    b.sketch.buffers.back().facts = b.at(value).facts;
                    b.storeBy("descriptor store", value, accessTo(b, buffer));
                  },
                  nullptr});
}

/// Loads before and after a store to the same elements, each in its own order: the program's order
/// decides what they see.
void addInPlace(std::vector<Row> &rows) {
  rows.push_back({"load store load", anyType,
                  [](Builder &b, const T &type) {
                    Shape shape = b.anyShape();
                    int buffer = b.addBuffer(type, Fill::Wild, 8, true);
                    b.sketch.buffers.back().facts = anyFacts(type);
                    Access access = b.access(buffer, shape);
                    access.overlap = access.samePlace = false;
                    auto turned = [&] {
                      Access other = access;
                      for (size_t d = 0; d < shape.size(); ++d)
                        other.backward[d] = b.random.chance(40);
                      return other;
                    };
                    if (b.random.chance(70))
                      b.loadBy("load store load", type, shape, turned(), rawFacts(type));
                    int value = b.need(type, shape);
                    Access stored = turned();
                    if (b.random.chance(50))
                      b.randomMask(stored, shape);
                    b.storeBy("load store load", value, stored);
                    if (b.random.chance(70))
                      b.loadBy("load store load", type, shape, turned(), anyFacts(type));
                  },
                  nullptr});
}

/// Lanes and programs that share addresses may come in any order, so only what does not depend on
/// it is shared: and then the old values are not looked at.
struct AtomicForm {
  const char *name;
  Takes takes;
  bool canShare;
};

void makeAtomic(const AtomicForm &form, Builder &b, const T &type) {
  std::string op = std::string("tl.") + form.name;
  Shape shape = b.anyShape();
  const int lanes = b.sizeOf(shape) * b.programs();
  bool shares = form.canShare && b.random.chance(60);
  Need need;
  Fill fill = Fill::Wild;
  if (type.isFloat) {
    // Sums of whole numbers are exact in any order; extremes are ordered by bits, which a NaN's are
    // not.
    need = {.noNaN = true, .noNegativeZero = true};
    fill = Fill::Moderate;
    if (std::string(form.name) == "atomic_add") {
      const double most = std::floor(exactIntegers(type) / (lanes * b.rounds() + 8));
      shares &= most >= 1;
      need.small = shares ? std::min(4.0, most) : 4;
      fill = Fill::Small;
    }
  }
  int value = b.need(type, shape, need);
  Statement s;
  s.kind = Statement::Atomic;
  s.op = op;
  s.type = &type;
  s.operands = {value};
  int buffer = b.addBuffer(type, fill, 4, true);
  b.sketch.buffers.back().facts = anyFacts(type);
  s.access = b.access(buffer, shape);
  s.access.overlap = shares && b.random.chance(30);
  s.access.samePlace = shares && !s.access.overlap;
  if (shares && !shape.empty() && b.random.chance(50)) {
    s.access.through = Access::Modulo;
    s.access.cuts.assign(shape.size(), -1);
  } else if (b.random.chance(30)) {
    b.randomMask(s.access, shape);
    if (s.access.maskValue >= 0)
      s.operands.push_back(s.access.maskValue);
  }
  if (std::string(form.name) == "atomic_cas") {
    s.access.mask = Access::None;
    s.access.maskValue = -1;
    s.operands = {value, b.need(type, shape, need)};
    s.text = op + "({p}, {0}, {1}" + b.random.of({")", ", sem=\"acquire\")", ", sem=\"release\", scope=\"cta\")"});
  } else {
    s.text = op + "({p}, {0}{m}";
    s.text += b.random.of({")", ", sem=\"relaxed\")", ", sem=\"acq_rel\")", ", sem=\"acquire\", scope=\"sys\")",
                           ", sem=\"release\", scope=\"cta\")", ", scope=\"gpu\")"});
  }
  if (!shares && b.random.chance(60)) {
    Facts facts = anyFacts(type);
    s.results = {b.addValue(type, shape, facts)};
  }
  b.append(std::move(s));
}

void addAtomics(std::vector<Row> &rows) {
  auto wide = [](const T &type) { return type.bits >= 32; };
  auto wideOrHalf = [](const T &type) { return type.bits >= 32 || (type.isFloat && type.bits == 16); };
  auto wideInt = [](const T &type) { return type.isInt() && type.bits >= 32; };
  auto half = [](const T &type) { return type.bits >= 16; };
  static const std::vector<AtomicForm> forms = {{"atomic_add", wideOrHalf, true}, {"atomic_max", wide, true},
                                                {"atomic_min", wide, true},       {"atomic_and", wideInt, true},
                                                {"atomic_or", wideInt, true},     {"atomic_xor", wideInt, true},
                                                {"atomic_xchg", wide, false},     {"atomic_cas", half, false}};
  for (const AtomicForm &form : forms)
    rows.push_back({std::string("tl.") + form.name, form.takes,
                    [&form](Builder &b, const T &type) { makeAtomic(form, b, type); }, nullptr});
}

} // namespace

void addMemory(std::vector<Row> &rows) {
  addLoads(rows);
  addStores(rows);
  addDescriptors(rows);
  addInPlace(rows);
  addAtomics(rows);
}

} // namespace tilewise::random
