// The rows of the coverage table: every op with the types it takes and how a kernel comes to use
// it.
//
// A row's rule says which types the language allows; cells it forbids are known by that rule and
// need no list.
#pragma once

#include "Builder.h"

#include <functional>

namespace tilewise::random {

using Takes = std::function<bool(const ElementType &)>;

struct Row {
  std::string op;
  Takes takes;
  /// Appends statements one of which has this op and type.
  std::function<void(Builder &, const ElementType &)> make;
  /// The same for a given shape, giving the result: for exact elementwise ops, which bodies of
  /// loops and functions are made of.
  std::function<int(Builder &, const ElementType &, const Shape &)> makeAt;
  bool isControl = false;
};

const std::vector<Row> &rows();

struct Cell {
  const Row *row;
  const ElementType *type;
};
/// Every cell that the language allows, in the table's order.
const std::vector<Cell> &cells();

// The parts of `rows`, one per file.
void addOperators(std::vector<Row> &rows);  // GrammarElementwise.cpp
void addCasts(std::vector<Row> &rows);      // GrammarCasts.cpp
void addLibdevice(std::vector<Row> &rows);  // GrammarCasts.cpp
void addShapes(std::vector<Row> &rows);     // GrammarBlocks.cpp
void addReductions(std::vector<Row> &rows); // GrammarReductions.cpp
void addDots(std::vector<Row> &rows);       // GrammarReductions.cpp
void addScaledDots(std::vector<Row> &rows); // GrammarScaled.cpp
void addMemory(std::vector<Row> &rows);     // GrammarMemory.cpp
void addPointers(std::vector<Row> &rows);   // GrammarPointers.cpp
void addEffects(std::vector<Row> &rows);    // GrammarEffects.cpp
void addTuples(std::vector<Row> &rows);     // GrammarControl.cpp
void addControl(std::vector<Row> &rows);    // GrammarControl.cpp

// Rules that several parts use.
inline bool anyType(const ElementType &) { return true; }
inline bool isInteger(const ElementType &type) { return type.isInt(); }
inline bool isFloating(const ElementType &type) { return type.isFloat; }
inline bool isWideFloat(const ElementType &type) { return type.isFloat && type.bits >= 32; }
inline bool isSingle(const ElementType &type) { return type.isFloat && type.bits == 32; }

/// bfloat16 is compared and scanned in float32.
const ElementType &comparable(const ElementType &type);
/// What a sum of the type has: small integers grow to 32 bits.
const ElementType &summed(const ElementType &type);

} // namespace tilewise::random
