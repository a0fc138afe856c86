// Kernel text -> tile IR: the kernels of the library over the float types, locations, and what
// module-level code may do.
#include "frontend/Frontend.h"
#include "frontend/values/Environment.h"
#include "ir/TextRange.h"
#include "ir/Tile.h"

#include "TestRoot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace tilewise::frontend {
namespace {

class EmitTileTest : public testing::Test {
protected:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  llvm::StringMap<std::string> defines;

  mlir::OwningOpRef<mlir::ModuleOp> emit(std::string path, std::string text, const std::string &kernel,
                                         const std::string &signature) {
    file = std::make_unique<SourceFile>(std::move(path), std::move(text));
    EmitRequest request;
    request.file = file.get();
    request.kernel = kernel;
    request.arguments = *parseSignature(signature);
    request.defines = defines;
    return emitTile(request, context, diagnostics);
  }
  mlir::OwningOpRef<mlir::ModuleOp> emitFile(const std::string &name, const std::string &kernel,
                                             const std::string &signature) {
    return emit(test::rootPath("kernels/" + name), test::readRootFile("kernels/" + name), kernel, signature);
  }
  /// A kernel `k` after the usual imports, which take lines 1 and 2.
  mlir::OwningOpRef<mlir::ModuleOp> emitText(const std::string &body, const std::string &signature) {
    return emit("test.py", "import triton\nimport triton.language as tl\n" + body, "k", signature);
  }
  std::string print(const mlir::OwningOpRef<mlir::ModuleOp> &module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (module)
      module.get().print(os);
    return text;
  }
  std::string replaced(std::string text, const std::string &what, const std::string &by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
    return text;
  }
  template <typename Op> int count(mlir::ModuleOp module) {
    int found = 0;
    module.walk([&](Op) { ++found; });
    return found;
  }
};

class EmitFloats : public EmitTileTest, public testing::WithParamInterface<const char *> {
protected:
  std::string signature(const std::string &text) { return replaced(text, "T", GetParam()); }
};

TEST_P(EmitFloats, VectorAdd) {
  auto module = emitFile("vector_add.py", "vector_add", signature("*T:16, *T:16, *T:16, i32, 1024"));
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<tile::LoadOp>(*module), 2);
  EXPECT_EQ(count<tile::StoreOp>(*module), 1);
  auto kernel = tile::kernelOf(*module);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel.getNumArguments(), 4u);
  EXPECT_EQ(kernel.getArgAttrOfType<mlir::StringAttr>(3, "tile.name").getValue(), "n");
  EXPECT_EQ(kernel.getArgAttrOfType<mlir::IntegerAttr>(0, "tile.divisibility").getInt(), 16);
  EXPECT_FALSE(kernel.getArgAttr(3, "tile.divisibility"));
}

TEST_P(EmitFloats, Softmax) {
  auto module = emitFile("softmax.py", "softmax", signature("*T, *T, i32, i32, i32, 256"));
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<tile::ReduceOp>(*module), 2);
  EXPECT_EQ(count<mlir::math::ExpOp>(*module), 1);
  // The maximum ignores NaN, and both reductions are of fp32 whatever the memory holds.
  EXPECT_EQ(count<mlir::arith::MaxNumFOp>(*module), 1);
  module->walk([](tile::ReduceOp reduce) { EXPECT_TRUE(reduce.getResult(0).getType().isF32()); });
}

TEST_P(EmitFloats, Greyscale) {
  auto module = emitFile("greyscale.py", "greyscale", signature("*T, *T, i32, i32, 16, 32"));
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<tile::LoadOp>(*module), 3);
  // 0.299 is weak: the arithmetic stays in the pixels' type.
  module->walk([](mlir::arith::MulFOp mul) {
    mlir::Operation *parent = mul->getOperand(1).getDefiningOp();
    EXPECT_TRUE(llvm::isa<tile::LoadOp>(parent));
  });
}

TEST_P(EmitFloats, Matmul) {
  auto module =
      emitFile("matmul.py", "matmul", signature("*T, *T, *T, i32, i32, i32, i32, 1, i32, 1, i32, 1, 32, 64, 16"));
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<mlir::scf::ForOp>(*module), 1);
  module->walk([](mlir::scf::ForOp loop) { EXPECT_EQ(loop.getInitArgs().size(), 3u); });
  module->walk([](tile::DotOp dot) { EXPECT_EQ(dot.getPrecision(), tile::Precision::ieee); });
  EXPECT_EQ(tile::kernelOf(*module).getNumArguments(), 9u);
}

INSTANTIATE_TEST_SUITE_P(Types, EmitFloats, testing::Values("fp32", "fp16", "bf16"),
                         [](const auto &info) { return std::string(info.param); });

TEST_F(EmitTileTest, OpsCarryTheUsersPlaceAndTheCallChain) {
  auto module = emitText(
      "@triton.jit\ndef half(x):\n    return x * 0.5\n\n@triton.jit\ndef k(p):\n    tl.store(p, half(tl.load(p)))\n",
      "*fp32");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  module->walk([](tile::LoadOp load) {
    std::optional<tile::TextRange> range = tile::textRangeOf(load.getLoc());
    ASSERT_TRUE(range);
    EXPECT_EQ(range->start.getFilename().getValue(), "test.py");
    EXPECT_EQ(range->start.getLine(), 9u);
    EXPECT_EQ(range->start.getColumn(), 22u);
    EXPECT_EQ(range->length, 10u); // tl.load(p)
  });
  module->walk([](mlir::arith::MulFOp mul) {
    auto loc = mlir::dyn_cast<mlir::CallSiteLoc>(mul.getLoc());
    ASSERT_TRUE(loc);
    std::optional<tile::TextRange> callee = tile::textRangeOf(loc.getCallee()),
                                   caller = tile::textRangeOf(loc.getCaller());
    ASSERT_TRUE(callee && caller);
    EXPECT_EQ(callee->start.getLine(), 5u);
    EXPECT_EQ(caller->start.getLine(), 9u);
  });
}

TEST_F(EmitTileTest, SameInputGivesTheSameText) {
  auto text = [&] {
    return print(
        emitFile("matmul.py", "matmul", "*fp16, *fp16, *fp16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 32, 32, 16"));
  };
  std::string first = text();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, text());
}

TEST_F(EmitTileTest, ModuleLevelCodeIsLazy) {
  const char *body = "import torch\n"
                     "try:\n    from triton.nowhere import fast as impl\n    SPEED = tl.constexpr(2)\nexcept "
                     "ImportError:\n    SPEED = tl.constexpr(3)\n"
                     "device = torch.device('cuda')\n"
                     "BASE = 4\nif BASE > 3:\n    WIDTH = tl.constexpr(BASE * 2)\nelse:\n    WIDTH = device.width\n"
                     "WIDTH = WIDTH * SPEED\n"
                     "from triton.language import arange as ar, store\n"
                     "@triton.jit\ndef k(p, B: tl.constexpr = BASE):\n    store(p + ar(0, 8), WIDTH + B)\n";
  auto module = emitText(body, "*i32");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_NE(print(module).find("dense<28>"), std::string::npos) << print(module);
}

TEST_F(EmitTileTest, DefinesComeFirst) {
  defines["COUNT"] = "7";
  auto module = emitText("import os\nCOUNT = os.cpu_count()\n@triton.jit\ndef k(p):\n    tl.store(p, COUNT)\n", "*i32");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_NE(print(module).find("arith.constant 7 : i32"), std::string::npos);
}

TEST_F(EmitTileTest, OnlyTheTakenBranchIsCompiled) {
  auto module = emitText("@triton.jit\ndef k(p, MODE: tl.constexpr):\n    if MODE == 'a':\n        tl.store(p, 1.0)\n  "
                         "  else:\n        tl.nonsense(p)\n",
                         "*fp32, \"a\"");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<mlir::scf::IfOp>(*module), 0);
}

TEST_F(EmitTileTest, FunctionsAreConstants) {
  auto module = emitText("@triton.jit\ndef twice(x):\n    return x * 2\n\n@triton.jit\ndef k(p, F: tl.constexpr):\n    "
                         "tl.store(p, F(tl.load(p)))\n",
                         "*fp32, twice");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<mlir::arith::MulFOp>(*module), 1);
}

TEST_F(EmitTileTest, EarlyReturnBecomesBranches) {
  auto module = emitText(
      "@triton.jit\ndef k(p, n):\n    if n > 3:\n        tl.store(p, 1.0)\n        return\n    tl.store(p, 2.0)\n",
      "*fp32, i32");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  module->walk([](mlir::scf::IfOp op) {
    EXPECT_FALSE(op.getElseRegion().empty());
    EXPECT_EQ(llvm::range_size(op.getThenRegion().getOps<tile::StoreOp>()), 1);
    EXPECT_EQ(llvm::range_size(op.getElseRegion().getOps<tile::StoreOp>()), 1);
  });
  EXPECT_EQ(count<mlir::scf::IfOp>(*module), 1);
}

TEST_F(EmitTileTest, DownwardsLoop) {
  auto module = emitText(
      "@triton.jit\ndef k(p, n):\n    x = 0\n    for i in range(n, 0, -2):\n        x += i\n    tl.store(p, x)\n",
      "*i32, i32");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_EQ(count<mlir::scf::ForOp>(*module), 1);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
}

TEST_F(EmitTileTest, StaticPrintIsANote) {
  auto module =
      emitText("@triton.jit\ndef k(p, B: tl.constexpr):\n    tl.static_print('block', B, p.dtype)\n", "*fp32, 8");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all().front().message, "block 8 pointer<fp32>");
}

TEST_F(EmitTileTest, BoolsAreBytesInMemory) {
  auto module = emitText("@triton.jit\ndef k(p, q):\n    tl.store(q, tl.load(p))\n", "*i1, *i1");
  ASSERT_TRUE(bool(module)) << diagnostics.render();
  EXPECT_NE(print(module).find("!tile.ptr<i8>"), std::string::npos);
}

} // namespace
} // namespace tilewise::frontend
