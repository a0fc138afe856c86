// Artifacts survive being written and read, and damage is noticed.
#include "artifact/Artifact.h"

#include <gtest/gtest.h>

using namespace tilewise;

namespace {

Artifact sample() {
  Artifact artifact;
  artifact.target = *Target::parse("cuda:90");
  artifact.kernel = "softmax";
  artifact.plan.parameters = {{"x_ptr", 0, ScalarKind::Pointer, 64, "*fp32"}, {"n", 2, ScalarKind::Int, 32, "i32"}};
  artifact.plan.sharedBytes = 4096;
  artifact.plan.threadsPerProgram = 128;
  artifact.code = std::string("code with a \0 inside", 20);
  return artifact;
}

} // namespace

TEST(Artifact, RoundTrip) {
  Artifact written = sample();
  Result<Artifact> read = Artifact::deserialize(written.serialize());
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->target, written.target);
  EXPECT_EQ(read->kernel, "softmax");
  EXPECT_EQ(read->code, written.code);
  ASSERT_EQ(read->plan.parameters.size(), 2u);
  EXPECT_EQ(read->plan.parameters[1].name, "n");
  EXPECT_EQ(read->plan.parameters[1].argument, 2u);
  EXPECT_EQ(read->plan.parameters[1].kind, ScalarKind::Int);
  EXPECT_EQ(read->plan.parameters[1].bits, 32);
  EXPECT_EQ(read->plan.sharedBytes, 4096u);
  EXPECT_EQ(read->serialize(), written.serialize());
}

TEST(Artifact, EveryDamagedByteIsNoticed) {
  std::string good = sample().serialize();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x20;
    EXPECT_FALSE(bool(Artifact::deserialize(bad))) << "byte " << i;
  }
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(bool(Artifact::deserialize(llvm::StringRef(good).take_front(length)))) << "length " << length;
}

TEST(Target, NamesRoundTrip) {
  for (const char *name : {"reference", "cpu", "cpu:x86-64-v3", "cuda:90", "cuda:75"}) {
    Result<Target> target = Target::parse(name);
    ASSERT_TRUE(bool(target)) << name;
    EXPECT_EQ(target->str(), name);
  }
  EXPECT_EQ(Target::parse("cuda")->capability, 90);
  for (const char *name : {"", "gpu", "cuda:70", "cuda:x", "reference:1"})
    EXPECT_FALSE(bool(Target::parse(name))) << name;
}
