"""What a launch takes for a tensor: numpy's arrays, DLPack, __array_interface__, data_ptr() and dtype; bf16 and fp8 among their types."""

import numpy as np
import pytest
import tilewise
import tilewise.language as tl
from tilewise.tools.tensor_descriptor import TensorDescriptor


@tilewise.jit
def double(x_ptr, n, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at * stride, mask=at < n)
    tl.store(x_ptr + at * stride, (x.to(tl.float32) * 2).to(x.dtype), mask=at < n)


double_by_line = tilewise.jit(interpret=True)(double.fn)


class Interface:
    """Only __array_interface__, and a dtype for the types that numpy has no letter for."""

    def __init__(self, array, dtype=None, typestr=None):
        self.kept = array
        self.__array_interface__ = {**array.__array_interface__, **({"typestr": typestr} if typestr else {})}
        if dtype:
            self.dtype = dtype


class Dlpack:
    """Only __dlpack__."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Pointer:
    """Only data_ptr() and dtype."""

    def __init__(self, array, dtype):
        self.array = array
        self.dtype = dtype

    def data_ptr(self):
        return self.array.ctypes.data


DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wrap", [lambda x: x, Interface, Dlpack, lambda x: Pointer(x, x.dtype)], ids=["numpy", "interface", "dlpack", "pointer"])
def test_every_protocol_and_type(host_engine, wrap, dtype):
    x = np.arange(10).astype(dtype)
    double[(1,)](wrap(x), 9, 1, BLOCK=16)
    assert x.tolist() == [0, 2, 4, 6, 8, 10, 12, 14, 16, 9]


@pytest.mark.parametrize("wrap", [lambda x: x, Interface, Dlpack, lambda x: Pointer(x, x.dtype)], ids=["numpy", "interface", "dlpack", "pointer"])
def test_every_protocol_line_by_line(wrap):
    for dtype in ("float32", "int16", "uint64"):
        x = np.arange(10).astype(dtype)
        double_by_line[(1,)](wrap(x), 9, 1, BLOCK=16)
        assert x.tolist() == [0, 2, 4, 6, 8, 10, 12, 14, 16, 9]


@pytest.mark.parametrize("wrap", [lambda x: x, Interface, Dlpack], ids=["numpy", "interface", "dlpack"])
def test_views_begin_at_their_first_element(host_engine, wrap):
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    column = whole[1:, 2]
    double[(1,)](wrap(column), 3, 6, BLOCK=4)
    assert whole[:, 2].tolist() == [2, 16, 28, 40] and whole[0].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("wrap", [Interface, Dlpack], ids=["interface", "dlpack"])
def test_an_access_outside_is_told(wrap):
    with tilewise.engine("reference"), pytest.raises(tilewise.LaunchError, match="load outside of .x_ptr.: element 8"):
        double[(1,)](wrap(np.zeros(8, np.float32)), 9, 1, BLOCK=16)


# One and a half in each format, and three.
SMALL = {"bfloat16": (np.uint16, 0x3FC0, 0x4040), "float8_e4m3fn": (np.uint8, 0x3C, 0x44), "float8_e5m2": (np.uint8, 0x3E, 0x42)}


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("way", ["interface", "pointer", "reinterpret"])
def test_bf16_and_fp8_without_torch(host_engine, dtype, way):
    kind, before, after = SMALL[dtype]
    x = np.full(4, before, kind)
    named = {"bfloat16": "bf16", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}[dtype]
    argument = {"interface": lambda: Interface(x, dtype, f"<V{x.itemsize}"), "pointer": lambda: Pointer(x, dtype),
                "reinterpret": lambda: tilewise.reinterpret(Tensor(x), tl.str_to_ty(named))}[way]()
    double[(1,)](argument, 4, 1, BLOCK=4)
    assert x.tolist() == [after] * 4


class Tensor(Pointer):
    """What reinterpret takes."""

    def __init__(self, array):
        super().__init__(array, array.dtype)
        self.data, self.device, self.shape = array, "cpu", array.shape


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_bf16_and_fp8_of_torch(host_engine, dtype):
    torch = pytest.importorskip("torch")
    x = torch.full((4,), 1.5).to(getattr(torch, dtype))
    double[(1,)](x, 4, 1, BLOCK=4)
    assert x.float().tolist() == [3] * 4


def test_dlpack_of_torch_is_its_memory(host_engine):
    torch = pytest.importorskip("torch")
    x = torch.full((4,), 1.5, dtype=torch.bfloat16)
    double[(1,)](Dlpack(x), 4, 1, BLOCK=4)
    assert x.float().tolist() == [3] * 4


@pytest.mark.parametrize(("argument", "message"), [
    (lambda: np.zeros(4, np.complex64), r"an array of complex64 cannot be a kernel argument; kernels take bools, .*: convert it, as by .astype\('float32'\)"),
    (lambda: np.zeros(4, ">f4"), "an array of foreign byte order cannot be a kernel argument; .* in this machine's byte order"),
    (lambda: Interface(np.zeros(4, np.complex64)), "an array of <c8 cannot be a kernel argument"),
    (lambda: Interface(np.zeros(4, ">f4")), "an array of >f4 cannot be a kernel argument"),
    (lambda: Dlpack(np.zeros(4, np.complex64)), "a DLPack tensor of type code 5 with 64 bits and 1 lanes cannot be a kernel argument"),
])
def test_other_types_are_refused(argument, message):
    with pytest.raises(tilewise.LaunchError, match=message):
        double[(1,)](argument(), 4, 1, BLOCK=4)


def test_a_reinterpreted_tensor_says_where_its_memory_is():
    class OnGpu:
        """What a launch asks a tensor for."""
        dtype, data, device, shape, is_cuda = "int8", None, "cuda:0", (4,), True
        data_ptr, get_device, stride = (lambda self: 4096), (lambda self: 3), (lambda self: (1,))

    seen = tilewise.reinterpret(OnGpu(), tl.uint8)
    assert seen.is_cuda and seen.get_device() == 3


@tilewise.jit
def copy(x_ptr, y_ptr):
    tl.store(y_ptr + tl.arange(0, 4), tl.load(x_ptr + tl.arange(0, 4)))


def test_read_only_arrays_are_inputs(host_engine, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.float32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for x in (mapped, Interface(mapped)):
        out = np.zeros(4, np.float32)
        copy[(1,)](x, out)
        np.testing.assert_array_equal(out, mapped)
        with pytest.raises(tilewise.LaunchError, match="'y_ptr' is a pointer to const fp32 .read-only memory, which no kernel may write"):
            copy[(1,)](out, x)
    with pytest.raises(tilewise.LaunchError, match="a descriptor of a read-only array"):
        copy[(1,)](TensorDescriptor.from_tensor(mapped, [4]), out)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.arange(4, dtype=np.float32))


def test_read_only_arrays_line_by_line():
    x = np.broadcast_to(np.float32(3), 4)
    with pytest.raises(tilewise.TritonError, match="constant pointer"):
        tilewise.jit(interpret=True)(copy.fn)[(1,)](np.zeros(4, np.float32), x)
