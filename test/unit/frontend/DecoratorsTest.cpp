// What @triton.autotune and @triton.heuristics give a kernel, evaluated from the file's text.
#include "frontend/Frontend.h"

#include <gtest/gtest.h>

namespace tilewise::frontend {

static constexpr char kText[] = R"PY(
import triton
import triton.language as tl

SIZES = [32, 64]


def configs(stages):
    found = []
    for size in SIZES:
        for warps in (4, 8):
            if size == 32 and warps == 8:
                continue
            found.append(triton.Config({"BLOCK": size, "FLAG": size > 32}, num_warps=warps, num_stages=stages))
    return found


def is_even(args):
    return args["n"] % args["BLOCK"] == 0


@triton.autotune(configs(2) + [triton.Config({"BLOCK": 16}, maxnreg=128)], key=["n"])
@triton.heuristics(values={"EVEN": is_even, "HALF": lambda args: triton.cdiv(args["BLOCK"], 2)})
@triton.jit
def tuned(p, n, BLOCK: tl.constexpr, FLAG: tl.constexpr, EVEN: tl.constexpr, HALF: tl.constexpr):
    pass


@triton.autotune(configs=make_them_at_run_time(), key=[])
@triton.jit
def broken(p):
    pass


@triton.jit
def plain(p):
    pass
)PY";

TEST(Decorators, ConfigsAreEvaluated) {
  SourceFile file("tuned.py", kText);
  Result<AutotuneInfo> info = autotuneOf(file, "tuned", {});
  ASSERT_TRUE(info) << info.failure().message;
  EXPECT_EQ(info->key, std::vector<std::string>{"n"});
  ASSERT_EQ(info->configs.size(), 4u);
  EXPECT_EQ(info->configs[0], (ConfigInfo{{{"BLOCK", "32"}, {"FLAG", "False"}}, 4, 2, 1, std::nullopt}));
  EXPECT_EQ(info->configs[2], (ConfigInfo{{{"BLOCK", "64"}, {"FLAG", "True"}}, 8, 2, 1, std::nullopt}));
  EXPECT_EQ(info->configs[3], (ConfigInfo{{{"BLOCK", "16"}}, 4, 3, 1, 128}));
}

TEST(Decorators, HeuristicsSeeTheLaunch) {
  SourceFile file("tuned.py", kText);
  auto values = heuristicsOf(file, "tuned", {}, {{"n", "96"}, {"BLOCK", "32"}});
  ASSERT_TRUE(values) << values.failure().message;
  EXPECT_EQ(*values, (std::vector<std::pair<std::string, std::string>>{{"EVEN", "True"}, {"HALF", "16"}}));
}

TEST(Decorators, WhatCannotBeEvaluatedFailsOnlyOnUse) {
  SourceFile file("tuned.py", kText);
  Diagnostics diagnostics;
  std::vector<KernelInfo> kernels = listKernels(file, diagnostics);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_TRUE(kernels[0].isAutotuned && kernels[0].hasHeuristics && kernels[1].isAutotuned);
  Result<AutotuneInfo> info = autotuneOf(file, "broken", {});
  ASSERT_FALSE(info);
  EXPECT_NE(info.failure().message.find("make_them_at_run_time"), std::string::npos) << info.failure().message;
  EXPECT_TRUE(autotuneOf(file, "plain", {})->configs.empty());
}

} // namespace tilewise::frontend
