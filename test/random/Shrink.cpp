// A failing kernel -> a smaller one that fails in the same way: greedy, until nothing can be left
// out.
#include "Shrink.h"

#include "Builder.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tilewise::random {
namespace {

void replaceIn(std::vector<int> &list, int from, int to) { std::replace(list.begin(), list.end(), from, to); }

void replaceUses(std::vector<Statement> &block, int from, int to) {
  forEachStatement(block, [&](Statement &s) {
    for (std::vector<int> *list : {&s.operands, &s.carried, &s.yields, &s.otherwiseYields})
      replaceIn(*list, from, to);
    for (int *value : {&s.access.indices, &s.access.maskValue, &s.access.otherValue})
      if (*value == from)
        *value = to;
    if (s.access.chooser == from)
      s.access.chooser = to;
  });
}

/// Whether what holds for `have` is at least what holds for `want`, so that one may stand for the
/// other.
bool covers(const Facts &have, const Facts &want) {
  return have.exact && (have.raw || !want.raw) && (have.noNaN || !want.noNaN) &&
         (have.noNegativeZero || !want.noNegativeZero) && (have.integral || !want.integral) && have.most <= want.most;
}

/// Takes out what reaches no store.
void dropDead(std::vector<Statement> &block, std::set<int> &wanted) {
  for (size_t k = block.size(); k-- > 0;) {
    Statement &s = block[k];
    bool isLive = hasEffect(s);
    for (int result : s.results)
      isLive |= wanted.count(result) > 0;
    if (!isLive) {
      block.erase(block.begin() + long(k));
      continue;
    }
    for (const std::vector<int> *list : {&s.operands, &s.carried, &s.yields, &s.otherwiseYields})
      wanted.insert(list->begin(), list->end());
    dropDead(s.body, wanted);
    dropDead(s.otherwise, wanted);
  }
}

class Shrinker {
public:
  Shrinker(Sketch sketch, const BatchOptions &options, Outcome &outcome)
      : best_(std::move(sketch)), options_(options), outcome_(outcome) {
    // A hang is waited for at every try.
    if (outcome.kind == Outcome::Hang)
      options_.secondsPerKernel = std::min(options_.secondsPerKernel, 5.0);
  }

  Sketch run() {
    for (bool changed = true; changed && tries_ < kMaxTries;) {
      changed = false;
      changed |= sizes();
      changed |= statements(&Shrinker::removed);
      changed |= statements(&Shrinker::bypassed);
      changed |= statements(&Shrinker::constant);
      changed |= statements(&Shrinker::inlined);
      changed |= statements(&Shrinker::plain);
    }
    return best_;
  }

private:
  static constexpr int kMaxTries = 600;

  bool accept(Sketch candidate) {
    std::set<int> wanted;
    dropDead(candidate.statements, wanted);
    if (candidate.statements.empty() || ++tries_ > kMaxTries)
      return false;
    Outcome outcome = runIsolated(emit(candidate), options_);
    if (outcome.kind != outcome_.kind)
      return false;
    best_ = std::move(candidate);
    outcome_ = std::move(outcome);
    return true;
  }

  bool sizes() {
    bool changed = false;
    for (const auto &simplify : {+[](Sketch &s) { s.machine.clear(); }, +[](Sketch &s) { s.checked = false; },
                                 +[](Sketch &s) { s.warps = 4; }, +[](Sketch &s) { s.stages = 3; }}) {
      Sketch candidate = best_;
      simplify(candidate);
      if (candidate.machine != best_.machine || candidate.checked != best_.checked || candidate.warps != best_.warps ||
          candidate.stages != best_.stages)
        changed |= accept(std::move(candidate));
    }
    for (int *size :
         {&best_.grid[0], &best_.grid[1], &best_.sizes.named[0], &best_.sizes.named[1], &best_.sizes.named[2]}) {
      const size_t place = size_t(reinterpret_cast<char *>(size) - reinterpret_cast<char *>(&best_));
      for (bool smaller = true; smaller;) {
        Sketch candidate = best_;
        int &its = *reinterpret_cast<int *>(reinterpret_cast<char *>(&candidate) + place);
        if (its == 1)
          break;
        its /= 2;
        smaller = accept(std::move(candidate));
        changed |= smaller;
      }
    }
    return changed;
  }

  /// Tries a change at every statement, last first; `change` says whether there is one.
  bool statements(bool (Shrinker::*change)(Sketch &, std::vector<Statement> &, size_t)) {
    bool changed = false;
    size_t count = 0;
    forEachStatement(best_.statements, [&](Statement &) { ++count; });
    for (size_t number = count; number-- > 0;) {
      Sketch candidate = best_;
      size_t at = number;
      std::vector<Statement> *block = nullptr;
      size_t place = 0;
      if (find(candidate.statements, at, block, place) && (this->*change)(candidate, *block, place))
        changed |= accept(std::move(candidate));
    }
    return changed;
  }

  static bool find(std::vector<Statement> &block, size_t &number, std::vector<Statement> *&found, size_t &place) {
    for (size_t k = 0; k < block.size(); ++k) {
      if (number == 0) {
        found = &block;
        place = k;
        return true;
      }
      --number;
      if (find(block[k].body, number, found, place) || find(block[k].otherwise, number, found, place))
        return true;
    }
    return false;
  }

  /// A store or atomic goes.
  bool removed(Sketch &, std::vector<Statement> &block, size_t k) {
    if (!block[k].results.empty())
      return false;
    block.erase(block.begin() + long(k));
    return true;
  }

  /// An operand of the same type and shape stands for the result.
  bool bypassed(Sketch &sketch, std::vector<Statement> &block, size_t k) {
    Statement s = block[k];
    if (s.results.size() != 1)
      return false;
    const Value result = sketch.values[size_t(s.results[0])];
    std::vector<int> candidates = s.kind == Statement::Assign || s.kind == Statement::Call ? s.operands : s.carried;
    for (int operand : candidates) {
      const Value &value = sketch.values[size_t(operand)];
      if (value.type != result.type || value.shape != result.shape ||
          !(covers(value.facts, result.facts) || !result.facts.exact))
        continue;
      replaceUses(sketch.statements, s.results[0], operand);
      block.erase(block.begin() + long(k));
      return true;
    }
    return false;
  }

  /// Ones stand for the results.
  bool constant(Sketch &sketch, std::vector<Statement> &block, size_t k) {
    Statement s = block[k];
    if (s.results.empty() || (s.kind == Statement::Assign && s.operands.empty()))
      return false;
    block.erase(block.begin() + long(k));
    for (int result : s.results) {
      Statement ones;
      ones.op = "tl.full";
      ones.type = sketch.values[size_t(result)].type;
      ones.text = "tl.full({s:r0}, 1, {t:r0})";
      ones.results = {result};
      block.insert(block.begin() + long(k), std::move(ones));
    }
    return true;
  }

  /// A loop, branch or call becomes its body, once.
  bool inlined(Sketch &sketch, std::vector<Statement> &block, size_t k) {
    Statement s = block[k];
    if (s.body.empty() || s.counter >= 0)
      return false;
    block.erase(block.begin() + long(k));
    block.insert(block.begin() + long(k), s.body.begin(), s.body.end());
    const std::vector<int> &from = s.kind == Statement::Call ? s.operands : s.carried;
    for (size_t n = 0; n < s.results.size(); ++n)
      replaceUses(sketch.statements, s.results[n], s.yields[n]);
    for (size_t n = 0; n < s.inner.size(); ++n)
      replaceUses(sketch.statements, s.inner[n], from[n]);
    return true;
  }

  /// An access without mask, gaps and turns.
  bool plain(Sketch &sketch, std::vector<Statement> &block, size_t k) {
    Statement &s = block[k];
    Access &access = s.access;
    if (access.buffer < 0)
      return false;
    if (access.walk >= 0) {
      const bool changes = access.mask != Access::None || access.walksBlock;
      access.mask = Access::None;
      access.walksBlock = false;
      return changes;
    }
    Access simple = access;
    const size_t rank = access.order.size();
    simple.order.clear();
    for (size_t d = rank; d-- > 0;)
      simple.order.push_back(int(d));
    simple.gaps.assign(rank, 1);
    simple.backward.assign(rank, false);
    simple.wideOffsets = simple.overlap = simple.samePlace = false;
    simple.numbers = Access::Literal;
    simple.modifiers.clear();
    simple.asNumber = simple.asBits = simple.padsWithNaN = false;
    bool isSame = simple.order == access.order && simple.gaps == access.gaps && simple.backward == access.backward &&
                  simple.wideOffsets == access.wideOffsets && simple.overlap == access.overlap &&
                  simple.samePlace == access.samePlace && simple.numbers == access.numbers &&
                  simple.modifiers == access.modifiers && simple.asNumber == access.asNumber &&
                  simple.asBits == access.asBits && simple.padsWithNaN == access.padsWithNaN;
    if (isSame && access.mask == Access::None && access.through == Access::Pointers && access.chooser < 0)
      return false;
    if (isSame) {
      simple.mask = Access::None;
      simple.through = Access::Pointers;
      simple.indices = simple.maskValue = simple.otherValue = simple.chooser = simple.otherBuffer = -1;
      s.operands.resize(s.kind == Statement::Load ? 0 : 1);
    }
    (void)sketch;
    access = simple;
    return true;
  }

  Sketch best_;
  BatchOptions options_;
  Outcome &outcome_;
  int tries_ = 0;
};

} // namespace

Sketch shrink(const Sketch &sketch, const BatchOptions &options, Outcome &outcome) {
  return Shrinker(sketch, options, outcome).run();
}

} // namespace tilewise::random
