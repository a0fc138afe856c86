// Loops and branches: trip counts, carried values that trade places, nesting.
#include "engines/RunKernel.h"

namespace tilewise::engines {
namespace {

class Control : public OnEngine {};
ON_EACH_ENGINE(Control);

std::string scalarKernel(const std::string &body) {
  return "func.func @kernel(%out: !tile.ptr<i32>, %a: i32, %b: i32, %c: i32) attributes {tile.kernel} {\n" + body +
         "\n  tile.store %out, %r : !tile.ptr<i32>, i32\n  return\n}\n";
}

int32_t runScalar(const std::string &body, int32_t a, int32_t b, int32_t c) {
  std::vector<int32_t> out = {-12345};
  runKernel(scalarKernel(body), {1, 1, 1}, out, a, b, c);
  return out[0];
}

const char *kCountTrips = R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %a to %b step %c iter_args(%n = %c0) -> (i32) : i32 {
    %m = arith.addi %n, %c1 : i32
    scf.yield %m : i32
  })";

TEST_P(Control, TripCounts) {
  EXPECT_EQ(runScalar(kCountTrips, 0, 10, 3), 4);
  EXPECT_EQ(runScalar(kCountTrips, 0, 9, 3), 3);
  EXPECT_EQ(runScalar(kCountTrips, 5, 5, 1), 0);
  EXPECT_EQ(runScalar(kCountTrips, 6, 5, 1), 0);
  EXPECT_EQ(runScalar(kCountTrips, -5, 5, 2), 5);
  // The index would overflow behind the last trip.
  EXPECT_EQ(runScalar(kCountTrips, INT32_MAX - 5, INT32_MAX, 4), 2);
  EXPECT_EQ(runScalar(kCountTrips, INT32_MIN, INT32_MAX, INT32_MAX), 3);
  EXPECT_EQ(runScalar(kCountTrips, 0, 10, 0), 0);
  EXPECT_EQ(runScalar(kCountTrips, 0, 10, -1), 0);
}

TEST_P(Control, CarriedValuesTradePlaces) {
  const char *fibonacci = R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r, %s = scf.for %i = %c0 to %a step %c1 iter_args(%x = %c0, %y = %c1) -> (i32, i32) : i32 {
    %z = arith.addi %x, %y : i32
    scf.yield %y, %z : i32, i32
  })";
  EXPECT_EQ(runScalar(fibonacci, 10, 0, 0), 55);
  const char *swapped = R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r, %s = scf.for %i = %c0 to %a step %c1 iter_args(%x = %b, %y = %c) -> (i32, i32) : i32 {
    scf.yield %y, %x : i32, i32
  })";
  EXPECT_EQ(runScalar(swapped, 3, 7, 8), 8);
  EXPECT_EQ(runScalar(swapped, 4, 7, 8), 7);
}

TEST_P(Control, NestedLoopsStartAfresh) {
  const char *triangle = R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %a step %c1 iter_args(%n = %c0) -> (i32) : i32 {
    %inner = scf.for %j = %c0 to %i step %c1 iter_args(%m = %c0) -> (i32) : i32 {
      %k = arith.addi %m, %c1 : i32
      scf.yield %k : i32
    }
    %sum = arith.addi %n, %inner : i32
    scf.yield %sum : i32
  })";
  EXPECT_EQ(runScalar(triangle, 10, 0, 0), 45);
}

TEST_P(Control, BranchesGiveTheirOwnValues) {
  const char *choose = R"(
  %less = arith.cmpi slt, %a, %b : i32
  %r = scf.if %less -> (i32) {
    %s = arith.addi %a, %c : i32
    scf.yield %s : i32
  } else {
    scf.yield %c : i32
  })";
  EXPECT_EQ(runScalar(choose, 1, 2, 10), 11);
  EXPECT_EQ(runScalar(choose, 2, 2, 10), 10);
}

TEST_P(Control, WhileGivesWhatTheConditionForwards) {
  // Halve until odd; what the condition forwards is a count, not what the body carries.
  const char *halve = R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r, %last = scf.while (%x = %a, %n = %c0) : (i32, i32) -> (i32, i32) {
    %bit = arith.andi %x, %c1 : i32
    %even = arith.cmpi eq, %bit, %c0 : i32
    scf.condition(%even) %n, %x : i32, i32
  } do {
  ^bb0(%n: i32, %x: i32):
    %half = tile.div_s %x, %c2 : i32
    %m = arith.addi %n, %c1 : i32
    scf.yield %half, %m : i32, i32
  })";
  EXPECT_EQ(runScalar(halve, 96, 0, 0), 5);
  EXPECT_EQ(runScalar(halve, 7, 0, 0), 0);
}

} // namespace
} // namespace tilewise::engines
