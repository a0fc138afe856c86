// What gives no value: prints, barriers, hints and assumptions, an early return.
#include "Grammar.h"

namespace tilewise::random {
namespace {

using T = ElementType;

/// Engines print the same text for the same bits; that of a NaN shows its sign, so the bits must be
/// those of memory, or no NaN's.
void addPrints(std::vector<Row> &rows) {
  for (bool isHex : {false, true}) {
    std::string op = isHex ? "tl.device_print hex" : "tl.device_print";
    rows.push_back({op, anyType,
                    [=](Builder &b, const T &type) {
                      auto operand = [&](const T &its) {
                        Shape shape = b.anyShape();
                        if (b.sizeOf(shape) > 128) // A line per element.
                          shape = {};
                        return b.need(its, shape, b.random.chance(50) ? Need{.noNaN = true} : Need{.raw = true});
                      };
                      std::vector<int> operands = {operand(type)};
                      std::string text = "{0}";
                      if (b.random.chance(30)) {
                        operands.push_back(operand(typeNamed(b.random.of({"i32", "fp32", "u8"}))));
                        text += ", {1}";
                      }
                      b.effect(op, type,
                               b.random.of({"tl.device_print(\"value\", ", "tl.device_print(\"at: \", ",
                                            isHex ? "tl.device_print(\"\", " : "print(\"x =\", "}) +
                                   text + (isHex ? ", hex=True)" : ")"),
                               operands);
                    },
                    nullptr});
  }
}

void addHints(std::vector<Row> &rows) {
  auto ints = [](const T &type) { return type.isInt() && !type.isBool(); };
  auto wide = [](const T &type) { return type.isInt() && type.bits >= 32; };
  auto hint = [&](const std::string &op, const Takes &takes, const std::string &text, bool isVector) {
    rows.push_back({op, takes,
                    [=](Builder &b, const T &type) {
                      Shape shape = isVector || b.random.chance(50) ? Shape{b.random.of({kA, kB})} : Shape{};
                      int x = b.need(type, isVector ? Shape{} : shape);
                      b.assign(op, type, text, {x}, type, shape, anyFacts(type));
                    },
                    nullptr});
  };
  // What is said is true: a wrong hint has no meaning.
  hint("tl.multiple_of", ints, "tl.multiple_of({0} * 16, 16)", false);
  hint("tl.max_contiguous", wide, "tl.max_contiguous({0} * 2 + tl.arange(0, {d:r0.0}), {d:r0.0})", true);
  hint("tl.max_constancy", wide, "tl.max_constancy({0} + tl.arange(0, {d:r0.0}) // {d:r0.0}, {d:r0.0})", true);
  rows.push_back({"tl.assume", wide,
                  [](Builder &b, const T &type) {
                    int x = b.load(type, {}, Fill::Index, 7);
                    b.effect("tl.assume", type, b.random.of({"tl.assume({0} >= 0)", "tl.assume({0} < 7)"}), {x});
                    b.assign("tl.assume", type, "{0} // 2 + {0} % 4", {x}, type, {}, anyFacts(type));
                  },
                  nullptr});
}

} // namespace

void addEffects(std::vector<Row> &rows) {
  addPrints(rows);
  addHints(rows);
  auto word = [](const T &type) { return std::string(type.name) == "i32"; };
  rows.push_back({"tl.debug_barrier", word,
                  [](Builder &b, const T &type) { b.effect("tl.debug_barrier", type, "tl.debug_barrier()", {}); },
                  nullptr});
  // Some programs end here, and what they would have written stays as it was. Loops and functions
  // have no such return.
  rows.push_back({"return", word,
                  [](Builder &b, const T &type) {
                    if (b.isInside())
                      return;
                    int x = b.load(type, {}, Fill::Index, 4);
                    b.effect("return", type, "if {0} == 3:\n    return", {x});
                  },
                  nullptr});
  // Assembly that computes values runs on every engine.
  rows.push_back({"tl.inline_asm_elementwise", [](const T &type) { return type.bits == 32; },
                  [](Builder &b, const T &type) {
                    Shape shape = b.blockShape();
                    int x = b.need(type, shape), y = b.need(type, shape);
                    const char *function = type.isFloat
                                               ? b.random.of({"fn_asm_sum", "fn_asm_fma"})
                                               : b.random.of({"fn_asm_xor", "fn_asm_less",
                                                              b.sizeOf(shape) > 1 ? "fn_asm_pack" : "fn_asm_xor"});
                    b.assign("tl.inline_asm_elementwise", type, std::string(function) + "({0}, {1})", {x, y}, type,
                             shape, anyFacts(type));
                  },
                  nullptr});
}

} // namespace tilewise::random
