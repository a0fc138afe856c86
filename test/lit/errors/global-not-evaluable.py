# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import os
COUNT = tl.constexpr(os.cpu_count())
@triton.jit
def k(p):
    tl.store(p, COUNT)
# CHECK: global-not-evaluable.py:[[#@LINE-1]]:17: error: the module-level name 'COUNT' ({{.*}}global-not-evaluable.py:6:1) cannot be evaluated: {{.*}}; give it with --define COUNT=value
