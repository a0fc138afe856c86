# RUN: %tilewise emit --stage=ptx %s:k --signature "*fp32, 64" --max-registers=40 --line-tables | FileCheck %s
# RUN: not %tilewise emit --stage=ptx %s:k --signature "*fp32, 64" --max-registers=300 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: %tilewise emit --stage=nvidia %s:k --signature "*fp32, 64" --checked | FileCheck %s --check-prefix=CHECKED
import triton
import triton.language as tl


# What a launch asks for reaches the code: registers of a thread, lines of the kernel, checks of accesses.
# CHECK: .maxnreg 40
# CHECK: .loc [[#FILE:]] [[#@LINE+3]]
@triton.jit
def k(p, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    tl.store(p + tl.arange(0, N), x + 1)


# CHECK: .file [[#FILE]] "{{.*}}launch-options.py"
# WRONG: a thread of a GPU has 16 to 255 registers, max_registers is 300
# CHECKED: gpu.check "load" {{.*}} in ["p"]
# CHECKED: gpu.check "store" {{.*}} in ["p"]
