# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

def print_if(text, pid):
    print(text)

@triton.jit
def k(x_ptr):
    pid = tl.program_id(0)
    print_if(f"pid={pid}", pid)
# CHECK: plain-python-helper.py:[[#@LINE-1]]:5: error: 'print_if' is a plain Python function, which runs only in interpreter mode; use tl.device_print to print, or decorate it with @triton.jit
    tl.store(x_ptr + pid, 1.0)
