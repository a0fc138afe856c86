// The coverage table: every name of the language against every element type. A cell is a tiny
// kernel with its expected result, computed here and not by the library, or the error that the
// language states for this type.
#pragma once

#include "Elements.h"

#include <functional>
#include <map>

namespace tilewise::test {

using Bits = std::vector<uint64_t>;

struct Column {
  const ElementType *type = nullptr;
  Bits elements;
  double ulps = 0;
};

/// One kernel: `body` reads the pointers A, B, C and writes O, P, Q; a jit function `f` of
/// `parameters` may stand before it.
struct Probe {
  std::string function, body;
  std::vector<Column> inputs, outputs;
  /// Set: compiling fails with this text in its message.
  std::string error;
};

/// The rows of one part of the language: name of the row, and its probe for a type.
struct CoverageRow {
  std::string name;
  std::function<Probe(const ElementType &)> probe;
};

std::vector<CoverageRow> elementwiseRows(); // CoverageElementwise.cpp
std::vector<CoverageRow> blockRows();       // CoverageBlocks.cpp

/// Every name of the language -> what stands for it in the tests: `types`, a row of the table,
/// unless test/semantics/names.list says otherwise.
std::map<std::string, std::string> kindsOfNames();

/// The file with the probe's kernel, `cell`.
std::string textOf(const Probe &probe);

/// Eight small values of the type, a different eight for each `which`; none is zero for which > 0.
Bits sampleOf(const ElementType &type, unsigned which);
/// The first power of two times eight elements, all different where the type has as many values.
inline constexpr size_t kLanes = 8;

/// A number of any type: an integer, or a float in double.
struct Number {
  bool isFloat = false;
  __int128 i = 0;
  double d = 0;
};
Number numberOf(const ElementType &type, uint64_t bits);
/// Rounded or wrapped to the type; the other kind is converted first, as a cast does.
uint64_t bitsOfNumber(const ElementType &type, Number number);

/// The type that `tl.sum` and its like give.
const ElementType &widened(const ElementType &type);

} // namespace tilewise::test
