// What the reference engine says when a launch is wrong.
#include "reference/Reference.h"

#include <gtest/gtest.h>

namespace tilewise::reference {
namespace {

TEST(ReferenceLaunch, ErrorsNameThePlace) {
  Artifact artifact;
  artifact.code = R"(
func.func @bad(%p: !tile.ptr<i32>, %a: i32) attributes {tile.kernel} {
  %q = arith.divsi %a, %a : i32 loc("k.py":3:7)
  tile.store %p, %q : !tile.ptr<i32>, i32 loc("k.py":4:1)
  return
})";
  auto program = Program::load(artifact);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.failure().kind, ErrorKind::Internal);
  EXPECT_EQ(program.failure().message, "k.py:3:7: the reference engine does not execute op 'arith.divsi'");

  artifact.code = R"(
func.func @null(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %p : !tile.ptr<i32> -> i32 loc("k.py":5:2)
  tile.store %p, %v : !tile.ptr<i32>, i32
  return
})";
  program = Program::load(artifact);
  ASSERT_TRUE(program);
  auto done = (*program)->run({uint64_t(0)}, {1, 1, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().kind, ErrorKind::Launch);
  EXPECT_EQ(done.failure().message,
            "k.py:5:2: error: load through a null pointer made from 'argument 0', in program (0, 0, 0)\n"
            "note: leave such lanes out by a mask, as in tl.load(pointers, mask=offsets < n)");
  EXPECT_FALSE((*program)->run({}, {1, 1, 1})) << "too few arguments";

  artifact.code = "this is no IR";
  program = Program::load(artifact);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.failure().kind, ErrorKind::Internal);
}

TEST(ReferenceLaunch, AssertStopsTheLaunch) {
  Artifact artifact;
  artifact.code = R"(
func.func @check(%n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %i = tile.range 0 to 4 : tensor<4xi32>
  %ps = tile.splat %pid : tensor<4xi32>
  %at = arith.addi %i, %ps : tensor<4xi32>
  %ns = tile.splat %n : tensor<4xi32>
  %small = arith.cmpi slt, %at, %ns : tensor<4xi32>
  tile.assert %small, "too far" : tensor<4xi1> loc("k.py":9:3)
  return
})";
  auto program = Program::load(artifact);
  ASSERT_TRUE(program) << program.failure().message;
  EXPECT_TRUE((*program)->run({uint64_t(9)}, {6, 1, 1}));
  auto done = (*program)->run({uint64_t(6)}, {6, 1, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().message, "k.py:9:3: error: assertion failed: too far, in program (3, 0, 0), lane (3)");
  // Of many programs that fail on several threads, the first is the one reported.
  for (int round = 0; round < 20; ++round) {
    done = (*program)->run({uint64_t(500)}, {1000, 1, 1});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.failure().message, "k.py:9:3: error: assertion failed: too far, in program (497, 0, 0), lane (3)");
  }
}

} // namespace
} // namespace tilewise::reference
