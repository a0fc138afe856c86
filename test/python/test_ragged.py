"""triton.tools.ragged_tma: blocks of a part of a tensor's rows through one descriptor of the host."""

import numpy as np
import pytest
import tilewise as triton
import tilewise.language as tl
from tilewise.tools.ragged_tma import create_ragged_descriptor, load_ragged, store_ragged

torch = pytest.importorskip("torch")


@triton.jit
def double_rows(x, y, off, size, ROWS: tl.constexpr):
    for row in range(0, size, ROWS):
        store_ragged(y, off, size, [row, 0], load_ragged(x, off, size, [row, 0]) * 2)


def test_nothing_outside_the_part_is_touched(host_engine):
    x, y = torch.arange(80, dtype=torch.float32).reshape(10, 8), torch.full((10, 8), -1.0)
    double_rows[(1, )](create_ragged_descriptor(x, [4, 8]), create_ragged_descriptor(y, [4, 8]), 2, 7, ROWS=4)
    expected = np.full((10, 8), -1.0, np.float32)
    expected[2:9] = 2 * np.arange(80, dtype=np.float32).reshape(10, 8)[2:9]
    np.testing.assert_array_equal(y.numpy(), expected)


def test_the_last_dimension_cannot_be_ragged():
    with pytest.raises(AssertionError, match="last dimension cannot be ragged"):
        create_ragged_descriptor(torch.zeros(4, 8), [4, 8], ragged_dim=1)
