"""The counter counts: kernels written by hand, with loops, gathers, calls and spills that a person can see."""

import unittest

import counts

X86 = """
kernel:
\t.cfi_startproc
\tpushq\t%rbx
\txorl\t%eax, %eax
.LBB0_1:                                # the outer loop: not counted, it holds another
\txorl\t%ecx, %ecx
.LBB0_2:
\tvmovups\t(%rsi,%rcx,4), %ymm0
\tvmovups\t%ymm0, 32(%rsp)              # 32-byte Spill
\tvgatherdps\t%ymm2, (%rdi,%ymm1,4), %ymm3
\tcallq\ttilewise_exp@PLT
\taddq\t$8, %rcx
\tjne\t.LBB0_2
\ttestl\t%eax, %eax
\tje\t.LBB0_4
.LBB0_3:
\taddq\t$1, %rax
\tjne\t.LBB0_1
\tpopq\t%rbx
\tretq
.LBB0_4:                                # out of line, and back: no loop of its own
\tincl\t%edx
\tjmp\t.LBB0_3
"""

ARM = """
kernel:
\tmov\tx8, xzr
.LBB0_1:
\tldr\tq0, [x0, x8]
\tstr\tq0, [sp, #16]                    // 16-byte Spill
\tbl\ttilewise_exp
\tcbnz\tx8, .LBB0_1
\tret
"""


class Counting(unittest.TestCase):
    def test_x86(self):
        self.assertEqual(counts.count(X86), [17, 1, 6, 1, 1, 1])

    def test_arm(self):
        self.assertEqual(counts.count(ARM), [6, 1, 4, 0, 1, 1])

    def test_no_loop(self):
        self.assertEqual(counts.count("kernel:\n\tretq\n"), [1, 0, 0, 0, 0, 0])


if __name__ == "__main__":
    unittest.main()
