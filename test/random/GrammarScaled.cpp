// tl.dot_scaled: every format of an operand with every other, scales of both kinds or none.
#include "Grammar.h"

#include <cmath>

namespace tilewise::random {
namespace {

using T = ElementType;

/// A format, the type its operands have in memory, and its numbers: multiples of `unit` up to
/// `most`, as they are filled here.
struct Format {
  const char *name, *type;
  double unit, most;
  double small = 0; ///< Whole numbers up to this; 0: any byte is a number.
};
constexpr Format kFormats[] = {{"e2m1", "u8", 0.5, 6},       {"e2m3", "u8", 0.125, 7.5}, {"e3m2", "u8", 0.0625, 28},
                               {"e4m3", "fp8e4nv", 1, 2, 2}, {"e5m2", "fp8e5", 1, 2, 2}, {"bf16", "bf16", 1, 4, 4},
                               {"fp16", "fp16", 1, 4, 4}};

/// An operand with its scale: what the call says of it, and the size of its numbers.
struct Side {
  int value = -1, scale = -1;
  double unit = 1, most = 1;
  bool isPackedAcross = false; ///< Two numbers of a byte are neighbours in the other dimension.
};

Side makeSide(Builder &b, const Format &format, Dim across, int depth, int group, bool isLeft) {
  Side side{-1, -1, format.unit, format.most};
  const bool isPacked = std::string(format.name) == "e2m1";
  side.isPackedAcross = isPacked && b.random.chance(30);
  Dim along = {isPacked && !side.isPackedAcross ? depth / 2 : depth, {}};
  Shape shape = isLeft ? Shape{across, along} : Shape{along, across};
  side.value = b.need(typeNamed(format.type), shape, {.small = format.small});
  if (side.isPackedAcross)
    across = across * Dim{2, {}};
  if (group == 0)
    return side;
  const Shape scales = {across, Dim{depth / group, {}}};
  if (group == 16) {
    side.scale = b.need(typeNamed("fp8e4nv"), scales, {.small = 2});
    side.most *= 2;
  } else {
    // 2^-1 .. 2^2
    int places = b.load(typeNamed("u8"), scales, Fill::Index, 4);
    side.scale =
        b.assign("x + y", typeNamed("u8"), "{0} + 126", {places}, typeNamed("u8"), scales, anyFacts(typeNamed("u8")));
    side.unit *= 0.5;
    side.most *= 4;
  }
  return side;
}

void makeScaledDot(Builder &b, const T &type) {
  std::vector<const Format *> fitting;
  for (const Format &format : kFormats)
    if (&typeNamed(format.type) == &type)
      fitting.push_back(&format);
  const Format &left = *b.random.of(fitting), &right = kFormats[b.random.below(std::size(kFormats))];
  const int depth = b.random.of({32, 64}), group = b.random.of({32, 32, 16});
  const bool scalesLeft = b.random.chance(80), scalesRight = b.random.chance(60);
  Side x = makeSide(b, left, kA, depth, scalesLeft ? group : 0, true),
       y = makeSide(b, right, kB, depth, scalesRight ? group : 0, false);
  const Dim two = {2, {}};
  const Shape shape = {x.isPackedAcross ? kA * two : kA, y.isPackedAcross ? kB * two : kB};
  const T &sum = typeNamed("fp32");
  std::vector<int> operands = {x.value, y.value};
  auto named = [&](int value) {
    if (value < 0)
      return std::string("None");
    operands.push_back(value);
    return "{" + std::to_string(operands.size() - 1) + "}";
  };
  const std::string leftScale = named(x.scale), rightScale = named(y.scale);
  std::string text =
      "tl.dot_scaled({0}, " + leftScale + ", \"" + left.name + "\", {1}, " + rightScale + ", \"" + right.name + "\"";
  double most = depth * x.most * y.most;
  if (b.random.chance(40)) {
    text += ", acc=" + named(b.need(sum, shape, {.small = 64}));
    most += 64;
  }
  if (x.isPackedAcross)
    text += ", lhs_k_pack=False";
  if (y.isPackedAcross)
    text += ", rhs_k_pack=False";
  Facts facts;
  if (most / (x.unit * y.unit) <= exactIntegers(sum)) {
    // Every sum of such products is a float32.
    facts.noNaN = facts.noNegativeZero = true;
    text += ") + 0.0";
  } else {
    facts.exact = false;
    facts.within = 2 * depth * std::ldexp(1.0, -23) * most;
    text += ")";
  }
  b.assign("tl.dot_scaled", type, text, operands, sum, shape, facts);
}

} // namespace

void addScaledDots(std::vector<Row> &rows) {
  rows.push_back({"tl.dot_scaled",
                  [](const T &type) {
                    for (const Format &format : kFormats)
                      if (&typeNamed(format.type) == &type)
                        return true;
                    return false;
                  },
                  makeScaledDot, nullptr});
}

} // namespace tilewise::random
