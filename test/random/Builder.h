// Builds a sketch statement by statement: finds or makes operands, tracks facts, remembers what is
// not stored yet.
#pragma once

#include "Random.h"
#include "Sketch.h"

#include <optional>

namespace tilewise::random {

/// What an op asks of an operand beyond its type and shape.
struct Need {
  bool noNaN = false, noNegativeZero = false, raw = false;
  bool inexact = false;  ///< One that engines need not agree on will do: it is only moved.
  double small = 0;      ///< Whole numbers up to this.
  bool moderate = false; ///< Bounded, so that sums have a stated error.
};

inline const ElementType &typeNamed(const char *name) { return *test::findType(name); }
/// Up to here every whole number is one of the type.
double exactIntegers(const ElementType &type);
/// The type two operands meet in; nothing when the language has none.
const ElementType *promoted(const ElementType &a, const ElementType &b, bool division = false);
/// What is known of any value of the type, and what of one that memory of this fill gives.
Facts anyFacts(const ElementType &type);
Facts filledFacts(const ElementType &type, Fill fill, int limit);

class Builder {
public:
  explicit Builder(uint64_t seed);

  Random random;
  Sketch sketch;

  const Value &at(int value) const { return sketch.values[size_t(value)]; }
  int sizeOf(const Shape &shape) const { return sketch.sizes.of(shape); }
  int programs() const { return sketch.grid[0] * sketch.grid[1]; }

  /// One of the kernel's shapes: a scalar, a vector, a matrix, or one with a side of 1.
  Shape anyShape(bool scalars = true);
  Shape blockShape() { return anyShape(false); }
  Shape matrixShape() { return {kA, kB}; }

  /// A value that is there, or a new one: loaded, or made of another by a cast or a broadcast.
  int need(const ElementType &type, const Shape &shape, const Need &need = {});
  int load(const ElementType &type, const Shape &shape, const Need &need = {}, const char *op = "");
  int load(const ElementType &type, const Shape &shape, Fill fill, int limit);
  /// Indices of elements of a buffer.
  int loadPlaces(const ElementType &type, const Shape &shape, Fill fill, int buffer);

  int assign(const std::string &op, const ElementType &cell, const std::string &text, std::vector<int> operands,
             const ElementType &type, const Shape &shape, Facts facts);
  /// Several results of one statement: "v1, v2 = ...".
  std::vector<int> assignMany(const std::string &op, const ElementType &cell, const std::string &text,
                              std::vector<int> operands, const std::vector<Value> &results);
  int addValue(const ElementType &type, const Shape &shape, Facts facts);
  int addBuffer(const ElementType &type, Fill fill, int limit, bool written = false);
  Statement &append(Statement statement);
  /// A load of `access`, whatever it gives.
  int loadBy(const std::string &op, const ElementType &type, const Shape &shape, Access access, Facts facts);
  void storeBy(const std::string &op, int value, Access access);
  Access access(int buffer, const Shape &shape);
  void randomMask(Access &access, const Shape &shape);
  void store(int value, const char *op = "", const ElementType *cell = nullptr);

  /// Statements go into `block` and see the values of now, until `close`.
  struct Scope {
    std::vector<Statement> *outer;
    std::vector<int> visible;
    bool wasClosed;
  };
  /// A closed block, as a function's, sees nothing of before and loads nothing.
  Scope open(std::vector<Statement> &block, bool isClosed = false);
  void close(const Scope &scope);
  void show(int value) { visible_.push_back(value); }
  void hideLast() { visible_.pop_back(); }
  bool isInside() const { return depth_ > 0; }
  /// Functions see their parameters alone.
  bool isClosed() const { return isClosed_; }
  /// How often a statement of here may run at most.
  int rounds() const { return depth_ == 0 ? 1 : depth_ == 1 ? 5 : 25; }
  int depth() const { return depth_; }

  /// A line that gives nothing.
  void effect(const std::string &op, const ElementType &cell, const std::string &text, std::vector<int> operands);

  /// Stores everything that nothing has used.
  void finish();

private:
  bool fits(int value, const ElementType &type, const Shape &shape, const Need &need) const;

  std::vector<Statement> *block_;
  std::vector<int> visible_;
  std::vector<bool> used_;
  int depth_ = 0;
  bool isClosed_ = false;
};

} // namespace tilewise::random
