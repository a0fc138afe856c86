"""numpy and torch under one set of names, so that a comparison is written once for both."""


class Numpy:
    name, device = "numpy", "cpu"

    def __init__(self):
        import numpy
        self.library = numpy
        self.random = numpy.random.default_rng(0)
        for each in ("sqrt", "exp", "tanh", "add", "subtract", "multiply", "divide", "maximum", "matmul", "square", "negative", "log"):
            setattr(self, each, getattr(numpy, each))

    def normal(self, *shape):
        return self.random.standard_normal(shape).astype("float32")

    def uniform(self, *shape):
        return self.random.random(shape).astype("float32")

    def top(self, x):
        return x.max(axis=-1, keepdims=True)

    def total(self, x):
        return x.sum(axis=-1, keepdims=True)

    def mean(self, x):
        return x.mean(axis=-1, keepdims=True)

    def turned(self, x):
        return x.swapaxes(-1, -2)

    def whole(self, below, count):
        return self.random.integers(0, below, count)

    def pick(self, x, index):
        return self.library.take_along_axis(x, index[:, None], axis=1)[:, 0]

    def joined(self, a, b):
        return self.library.concatenate((a, b), axis=-1)

    def padded(self, x):
        return self.library.pad(x, ((0, 0), (1, 1), (1, 1)))

    def wide(self, x):
        return x.astype("float64") if x.dtype.kind == "f" else x

    def largest_difference(self, a, b):
        return float(abs(a - b).max())

    def finish(self):
        pass


class Torch:
    name = "torch"

    def __init__(self, device):
        import torch
        self.library, self.device = torch, device
        torch.set_grad_enabled(False)
        self.random = torch.Generator().manual_seed(0)
        for each in ("sqrt", "exp", "tanh", "add", "subtract", "multiply", "divide", "matmul", "square", "negative", "log", "erf"):
            setattr(self, each, getattr(torch, each))

    def normal(self, *shape):
        return self.library.randn(shape, generator=self.random).to(self.device)

    def uniform(self, *shape):
        return self.library.rand(shape, generator=self.random).to(self.device)

    def maximum(self, x, least):
        return x.clamp_min(least)

    def top(self, x):
        return x.amax(-1, keepdim=True)

    def total(self, x):
        return x.sum(-1, keepdim=True)

    def mean(self, x):
        return x.mean(-1, keepdim=True)

    def turned(self, x):
        return x.transpose(-1, -2)

    def whole(self, below, count):
        return self.library.randint(0, below, (count,), generator=self.random).to(self.device)

    def pick(self, x, index):
        return x.gather(1, index[:, None])[:, 0]

    def joined(self, a, b):
        return self.library.cat((a, b), -1)

    def padded(self, x):
        return self.library.nn.functional.pad(x, (1, 1, 1, 1))

    def wide(self, x):
        return x.double() if x.is_floating_point() else x

    def largest_difference(self, a, b):
        return float((a - b).abs().max())

    def finish(self):
        if self.device != "cpu":
            self.library.cuda.synchronize()
