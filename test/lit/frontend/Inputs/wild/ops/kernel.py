# A kernel with everything around it that files in repositories have.
from __future__ import annotations

import os

import torch
from triton import jit as J
from triton.language import load as L, store
import triton.language as language
from ..compat import triton, tl
from . import double
from . import helpers
from .helpers import Activation
from wild.ops.helpers import FACTOR as SCALE

try:
    from missing_package import libentry
except ImportError:
    def libentry():
        return lambda fn: fn

device = torch.device("cuda")
FAST = os.environ.get("WILD_FAST", "0") == "1"

if FAST:
    exp = None
else:
    @triton.jit
    def exp(x):
        return tl.exp(x)


def configs():
    return [triton.Config({"BLOCK": b, "EVEN": b > 16}, num_warps=w, num_stages=2) for b in [16, 32] for w in (2, 4)]


@libentry()
@triton.autotune(configs=configs(), key=["n"])
@triton.heuristics({"WIDE": lambda args: args["n"] > 1000, "TWICE": lambda args: args["BLOCK"] * 2})
@triton.jit
def tuned(p, n, BLOCK: "tl.constexpr", EVEN: tl.constexpr, WIDE: tl.constexpr, TWICE: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = L(p + offs, mask=offs < n)
    x = helpers.double(double(exp(x))) * SCALE
    store(p + offs, Activation.relu(x), mask=offs < n)


@J
def aliased(p):
    language.store(p, 1.0)


def launch(x):
    tuned[(1,)](x, x.numel())
