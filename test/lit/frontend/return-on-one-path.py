# A function that comes to its end on some paths gives zeros there, of the types that it returns on the others.
# RUN: %tilewise run %s:k --grid=1 4 | FileCheck %s --check-prefix=FOUR
# RUN: %tilewise run %s:k --grid=1 --device=reference 4 | FileCheck %s --check-prefix=FOUR
# FOUR: number: 8
# FOUR: half: 2.000000
# RUN: %tilewise run %s:k --grid=1 3 | FileCheck %s --check-prefix=NOTHING
# RUN: %tilewise run %s:k --grid=1 --device=reference 10 | FileCheck %s --check-prefix=NOTHING
# NOTHING: number: 0
# NOTHING: half: 0.000000
import triton
import triton.language as tl


@triton.jit
def between(x):
    if x > 3:
        if x < 10:
            return x * 2, x / 2


@triton.jit
def k(n):
    number, half = between(n)
    tl.device_print("number", number)
    tl.device_print("half", half)
