# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

from triton_workshop.utils_debug import print_if

@triton.jit
def k(x_ptr):
    pid = tl.program_id(0)
    print_if(f"DEBUG: pid={pid}", pid_0=[pid])
# CHECK: imported-python-helper.py:[[#@LINE-1]]:5: error: 'print_if' {{.*}} runs only in interpreter mode; use tl.device_print
    tl.store(x_ptr + pid, 1.0)
