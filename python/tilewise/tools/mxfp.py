"""`triton.tools.mxfp`: torch tensors in the microscaling formats, for making inputs of dot_scaled: e2m1 elements and e8m0 scales."""

import torch

# The magnitudes of e2m1 by their three bits, and the middles between neighbours.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_MIDDLES = tuple((low + high) / 2 for low, high in zip(_MAGNITUDES, _MAGNITUDES[1:]))
_NAN = 255


class _Coded:
    """Bytes that stand for numbers: converted from floats, or of a size and then random."""

    def __init__(self, data=None, size=None, device=None):
        self.device = device
        if data is not None:
            assert isinstance(data, torch.Tensor), "Parameter data must be a torch tensor"
            self.device = data.device
            self.data = self._from_float(data)
        elif size is not None:
            self.size = size if isinstance(size, tuple) else (size,)
        else:
            raise ValueError("Either parameter data or size must be provided")


class MXFP4Tensor(_Coded):
    """4-bit floats e2m1, one per byte until they are packed."""

    def random(self):
        self.data = torch.randint(0, 16, size=self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, "Currently only float32 is supported for fp4e2m1 to float conversion"
        magnitude = torch.tensor(_MAGNITUDES, dtype=dtype, device=self.data.device)[(self.data & 7).long()]
        return torch.where((self.data & 8) != 0, -magnitude, magnitude)

    def _from_float(self, values):
        """To the nearest, ties to an even mantissa; what is too large, infinite or NaN becomes the largest magnitude."""
        middles = torch.tensor(_MIDDLES, dtype=torch.float32, device=values.device)
        magnitude = torch.nan_to_num(values.abs(), nan=_MAGNITUDES[-1], posinf=_MAGNITUDES[-1])
        code = torch.bucketize(magnitude, middles)
        is_tie = magnitude == middles[code.clamp(max=len(_MIDDLES) - 1)]
        code = torch.where(is_tie & (code % 2 == 1), code + 1, code)
        return (code | torch.signbit(values).long() << 3).to(torch.uint8)

    def to_packed_tensor(self, dim):
        """Two elements per byte along `dim`, the first in the low half; an odd end is filled with zero."""
        data = self.data
        assert 0 <= dim < data.ndim, "The dimension to pack along is not within the range of tensor dimensions"
        if data.size(dim) % 2:
            data = torch.cat([data, torch.zeros_like(data.narrow(dim, 0, 1))], dim)
        pairs = data.unflatten(dim, (-1, 2))
        return pairs.select(dim + 1, 0) | pairs.select(dim + 1, 1) << 4

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The inverse of to_packed_tensor."""
        data = torch.stack((packed_tensor & 0xF, packed_tensor >> 4 & 0xF), dim + 1).flatten(dim, dim + 1)
        return data.narrow(dim, 0, original_shape[dim]).to(torch.uint8)


class MXScaleTensor(_Coded):
    """Powers of two as their biased exponent, e8m0."""

    def random(self, low=None, high=None):
        """Any scale between the powers of two at or below `low` and `high`; never NaN."""

        def exponent(value):
            return int(torch.log2(torch.tensor(value))) + 127

        least = 0 if low is None else max(0, exponent(low))
        most = _NAN - 1 if high is None else min(_NAN - 1, max(0, exponent(high)))
        assert least <= most, "Low must be less than or equal to high"
        self.data = torch.randint(least, most + 1, size=self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, "Currently only float32 is supported for f8e8m0 to float conversion"
        value = torch.ldexp(torch.ones((), dtype=dtype, device=self.data.device), self.data.int() - 127)
        return torch.where(self.data == _NAN, torch.nan, value)

    def _from_float(self, values):
        """The power of two at or below the value; NaN for what is not positive and finite."""
        bad = ~torch.isfinite(values) | (values <= 0)
        exponent = torch.floor(torch.log2(torch.where(bad, torch.ones_like(values), values))).int() + 127
        return torch.where(bad, _NAN, exponent.clamp(0, _NAN - 1)).to(torch.uint8)
