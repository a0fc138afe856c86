// Loads, stores and atomics as rows of their own, each in its forms.
#include "Grammar.h"

#include <algorithm>
#include <cmath>

namespace tilewise::random {
namespace {

using T = ElementType;

void addLoads(std::vector<Row> &rows) {
  struct Form {
    const char *op;
    Access::Through through;
    Access::Mask mask;
    bool hasOther;
  };
  static constexpr Form forms[] = {{"tl.load", Access::Pointers, Access::None, false},
                                   {"tl.load mask", Access::Pointers, Access::Each, false},
                                   {"tl.load other", Access::Pointers, Access::Each, true},
                                   {"tl.load gathered", Access::Gathered, Access::None, false},
                                   {"tl.load block", Access::BlockPointer, Access::Each, false},
                                   {"tl.load modulo", Access::Modulo, Access::Whole, false}};
  for (const Form &form : forms)
    rows.push_back({form.op,
                    // A block pointer to bools is one to int8.
                    [&form](const T &type) { return form.through != Access::BlockPointer || !type.isBool(); },
                    [&form](Builder &b, const T &type) {
                      Shape shape = b.blockShape();
                      int value = -1;
                      if (form.hasOther)
                        value = b.need(type, shape, {.raw = true});
                      Statement s;
                      s.kind = Statement::Load;
                      s.op = form.op;
                      s.type = &type;
                      int buffer = b.addBuffer(type, Fill::Wild, 8);
                      s.access = b.access(buffer, shape);
                      s.access.through = form.through;
                      if (form.through == Access::Gathered) {
                        s.access.indices = b.loadPlaces(typeNamed("i32"), shape, Fill::Index, buffer);
                        s.operands.push_back(s.access.indices);
                      }
                      if (form.mask != Access::None) {
                        b.randomMask(s.access, shape);
                        if (form.through == Access::BlockPointer) {
                          s.access.mask = Access::Each;
                          s.access.maskValue = -1;
                        }
                        if (s.access.maskValue >= 0)
                          s.operands.push_back(s.access.maskValue);
                      }
                      if (value >= 0) {
                        s.access.otherValue = value;
                        s.operands.push_back(value);
                      }
                      Facts facts = anyFacts(type);
                      facts.raw = true;
                      s.results = {b.addValue(type, shape, facts)};
                      b.append(std::move(s));
                    },
                    nullptr});
}

void addStores(std::vector<Row> &rows) {
  for (const char *op : {"tl.store", "tl.store mask"})
    rows.push_back({op, anyType,
                    [op](Builder &b, const T &type) {
                      Shape shape = b.anyShape();
                      int value = b.need(type, shape);
                      Statement s;
                      s.kind = Statement::Store;
                      s.op = op;
                      s.type = &type;
                      s.operands = {value};
                      s.access = b.access(b.addBuffer(type, Fill::Poison, 0, true), shape);
                      b.sketch.buffers.back().facts = b.at(value).facts;
                      s.access.overlap = s.access.samePlace = false;
                      if (std::string(op) != "tl.store")
                        b.randomMask(s.access, shape);
                      if (s.access.maskValue >= 0)
                        s.operands.push_back(s.access.maskValue);
                      b.append(std::move(s));
                    },
                    nullptr});
}

/// Lanes and programs that share addresses may come in any order, so only what does not depend on it is shared: and then the old values are not
/// looked at.
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
    // Sums of whole numbers are exact in any order; extremes are ordered by bits, which a NaN's are not.
    need = {.noNaN = true, .noNegativeZero = true};
    fill = Fill::Moderate;
    if (std::string(form.name) == "atomic_add") {
      const double most = std::floor(exactIntegers(type) / (lanes + 8));
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
    s.text = op + "({p}, {0}, {1})";
  } else {
    s.text = op + "({p}, {0}{m}";
    s.text += b.random.of({")", ", sem=\"relaxed\")", ", sem=\"acq_rel\")"});
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
  addAtomics(rows);
}

} // namespace tilewise::random
