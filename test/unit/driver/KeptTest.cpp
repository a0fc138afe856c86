// What a thread keeps between compiles must not show in what it compiles: contexts and code
// generators.
#include "TestRoot.h"
#include "driver/Compile.h"
#include "driver/Contexts.h"

#include <gtest/gtest.h>

#include <thread>

namespace tilewise {
namespace {

std::string objectOf(const std::string &kernel, const char *signature, const char *target = "cpu:x86-64-v3") {
  const std::string path = "kernels/" + kernel + ".py";
  SourceFile source(path, test::readRootFile(path));
  CompileRequest request;
  request.kernel.file = &source;
  request.kernel.kernel = kernel;
  request.kernel.arguments = *frontend::parseSignature(signature);
  request.target = *Target::parse(target);
  auto artifact = compile(request);
  EXPECT_TRUE(bool(artifact)) << artifact.failure().message;
  return artifact ? artifact->code : "";
}

constexpr const char *kAdd = "*fp32:16, *fp32:16, *fp32:16, i32, 1024";
constexpr const char *kSoftmax = "*fp32:16, *fp32:16, i32:16, i32:16, i32, 1024";
constexpr const char *kMatmul = "*fp32, *fp32, *fp32, i32, i32, i32, i32, 1, i32, 1, i32, 1, 16, 16, 16";

// A thread begins with nothing.
template <typename Body> std::string inNewThread(Body body) {
  std::string result;
  std::thread([&] { result = body(); }).join();
  return result;
}

TEST(Kept, ObjectsAreTheSameWhateverWasCompiledBefore) {
  const std::string add = inNewThread([] { return objectOf("vector_add", kAdd); });
  const std::string softmax = inNewThread([] { return objectOf("softmax", kSoftmax); });
  ASSERT_NE(add, softmax);
  inNewThread([&] {
    objectOf("matmul", kMatmul);
    EXPECT_EQ(objectOf("softmax", kSoftmax), softmax);
    EXPECT_EQ(objectOf("vector_add", kAdd), add);
    objectOf("vector_add", kAdd, "cpu:x86-64-v4");
    EXPECT_EQ(objectOf("vector_add", kAdd), add);
    EXPECT_EQ(objectOf("softmax", kSoftmax), softmax);
    return "";
  });
}

TEST(Kept, AContextServesSomeCompilesOneAfterAnother) {
  std::thread([] {
    ContextHandle first = takeContext();
    const mlir::MLIRContext *context = first.get();
    EXPECT_NE(takeContext().get(), context) << "two that are in use at once";
    first.reset();
    EXPECT_EQ(takeContext().get(), context);
    int uses = 0;
    for (ContextHandle next = takeContext(); next.get_deleter().uses > 1; next.reset(), next = takeContext())
      ASSERT_LT(++uses, 1000) << "it is never renewed";
    EXPECT_GT(uses, 10);
    ContextHandle spoilt = takeContext();
    spoilt.get_deleter().isSpoilt = true;
    spoilt.reset();
    EXPECT_EQ(takeContext().get_deleter().uses, 1u);
  }).join();
}

// More compiles than a context serves.
TEST(Kept, ContextsAreRenewed) {
  const std::string add = inNewThread([] { return objectOf("vector_add", kAdd); });
  inNewThread([&] {
    for (int i = 0; i < 40; ++i)
      EXPECT_EQ(objectOf("vector_add", kAdd), add) << i;
    return "";
  });
}

// A kernel with an error leaves a context behind in which the next compiles.
TEST(Kept, AnErrorIsForgotten) {
  const std::string add = inNewThread([] { return objectOf("vector_add", kAdd); });
  inNewThread([&] {
    SourceFile source("wrong.py", "import triton\nimport triton.language as tl\n\n@triton.jit\ndef wrong(x):\n"
                                  "    tl.store(x, tl.arange(0, 4) + tl.arange(0, 8))\n");
    CompileRequest request;
    request.kernel.file = &source;
    request.kernel.kernel = "wrong";
    request.kernel.arguments = *frontend::parseSignature("*fp32");
    request.target = *Target::parse("cpu:x86-64-v3");
    for (int i = 0; i < 2; ++i) {
      auto artifact = compile(request);
      EXPECT_FALSE(bool(artifact));
      EXPECT_EQ(artifact.failure().kind, ErrorKind::Kernel);
    }
    EXPECT_EQ(objectOf("vector_add", kAdd), add);
    return "";
  });
}

} // namespace
} // namespace tilewise
