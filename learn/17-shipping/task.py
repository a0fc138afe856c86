"""What step 17 asks for."""

import numpy as np

import tilewise
from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def case(n, block=256):
    x = np.random.default_rng(17).random(n).astype(np.float32)
    return Case(f"n = {n}", (-(-n // block),), dict(x_ptr=x, y_ptr=np.zeros(n, np.float32), factor=3.0, shift=0.5, n=n, BLOCK=block),
                dict(y_ptr=x.astype(float) * 3 + 0.5))


def ships(module):
    signature = module.SIGNATURE
    if not isinstance(signature, str):
        return f"SIGNATURE should be a string of six entries; it is of type {type(signature).__name__}"
    kernel = tilewise.load(module.__file__, "scale_and_shift")
    for target in ("cpu", "cpu:x86-64", "cuda:80", "cuda:90"):
        try:
            artifact = kernel.artifact(signature, target)
        except Exception as error:
            return f"with this signature it does not compile for {target}:\n{error}"
        if target == "cpu":
            here = artifact
    memory = np.zeros(1000 + 16, np.float32)
    skip = (-memory.ctypes.data // 4) % 4
    x, y = memory[skip:skip + 500], memory[skip + 504:skip + 1004]
    x[:] = 1
    try:
        tilewise.from_artifact(here)[(2,)](x, y, 3.0, 0.5, 500, BLOCK=256)
    except Exception as error:
        return f"compiled, but it refuses fp32 arrays, two floats, an int and BLOCK=256:\n{error}"
    if not (y == 3.5).all():
        return "compiled ahead of time it computes something else"
    if signature.replace(" ", "").count(":16") < 2:
        return "it works, but the addresses are multiples of 16: say so with :16, and accesses can be wide"
    return None


def picture(shown):
    signature, kernel = shown.module().SIGNATURE, tilewise.load(str(shown.step.solution), "scale_and_shift")
    return bars("bytes of the compiled kernel, by what it is compiled for", [(target, len(kernel.artifact(signature, target)))
                                                                             for target in ("cpu:x86-64", "cpu:avx2", "cpu:avx512", "cuda:80", "cuda:90")])


TASK = Task("scale_and_shift", lambda: [case(256), case(300)],
            ["*fp32:16 for x_ptr and for y_ptr, fp32 for factor and for shift", 'SIGNATURE = "*fp32:16, *fp32:16, fp32, fp32, i32, 256"'], also=ships,
            bench=lambda: case(1 << 22, 8192), rival=lambda v: v["x_ptr"] * np.float32(3) + np.float32(0.5), rival_name="two operations of numpy", picture=picture)
