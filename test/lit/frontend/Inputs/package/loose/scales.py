# A module in a folder that is no package.
import triton.language as tl

STEP: tl.constexpr = tl.constexpr(2.5)
