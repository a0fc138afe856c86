"""`triton._C.libtriton`: what programs take from upstream's native module beside its compiler, which is not here."""

import types


class CublasLt:
    """Upstream's `nvidia.cublas.CublasLt`: products by the tensors' own framework, in the place of NVIDIA's library."""

    def __init__(self, workspace):
        self.workspace = workspace

    def matmul(self, a, b, c):
        """c = a @ b.T"""
        c.copy_(a @ b.t())


nvidia = types.SimpleNamespace(cublas=types.SimpleNamespace(CublasLt=CublasLt))

# Programs make a context before they ask `ASTSource.make_ir` for a kernel's IR.
ir = types.SimpleNamespace(context=types.SimpleNamespace, load_dialects=lambda context: None)
