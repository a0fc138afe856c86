"""What step 9 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task


def case(m, n, k, block=16, dtype=np.float32):
    random = np.random.default_rng(9)
    a, b = random.standard_normal((m, k)).astype(dtype), random.standard_normal((k, n)).astype(dtype)
    return Case(f"{m} x {k} times {k} x {n}{' in fp16' if dtype == np.float16 else ''}", (-(-m // block), -(-n // block)),
                dict(a_ptr=a, b_ptr=b, c_ptr=np.zeros((m, n), np.float32), M=m, N=n, K=k, stride_am=k, stride_ak=1, stride_bk=n, stride_bn=1, stride_cm=n,
                     stride_cn=1, BLOCK_M=block, BLOCK_N=block, BLOCK_K=block), dict(c_ptr=np.maximum(a.astype(float) @ b.astype(float), 0)), 1e-4)


TASK = Task("matmul_relu", lambda: [case(32, 48, 32), case(17, 20, 33), case(16, 16, 100, dtype=np.float16)],
            ["m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M), and n alike", "acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)",
             "a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, with the mask (m[:, None] < M) & (k[None, :] < K) and other=0.0",
             'acc = tl.dot(a, b, acc, input_precision="ieee")', "tl.maximum(acc, 0.0), stored with the mask (m[:, None] < M) & (n[None, :] < N)"],
            bench=lambda: case(512, 512, 512, 128), rival=lambda v: np.maximum(v["a_ptr"] @ v["b_ptr"], 0), rival_name="numpy (BLAS)", picture="c_ptr")
