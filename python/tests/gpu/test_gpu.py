"""arrowsort.gpu on the stand-in for the CUDA driver, whose device memory is memory of this process: see test_gpu.sh.

Arrays here have the interfaces of PyTorch, CuPy and others. benchmarks/devicearrays runs the same with these libraries.
"""

import ctypes
import sys
import threading
import types
from ctypes import byref, c_size_t, c_uint64, c_void_p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowsort
from arrowsort import _cuda, _data, _device_arrays, _device_inputs, _dlpack, gpu
from arrowsort import _library as lib

cuda = ctypes.CDLL("libcuda.so.1")
context = c_void_p()


def setup_module():
    cuda.cuInit(0)
    assert cuda.cuDevicePrimaryCtxRetain(byref(context), 0) == 0
    assert cuda.cuCtxPushCurrent_v2(context) == 0


def sync(stream=0):
    assert cuda.cuStreamSynchronize(c_void_p(stream)) == 0


class Memory:
    """A copy of an array of NumPy on the device."""

    def __init__(self, values, shift=0):
        self.values = np.ascontiguousarray(values)
        self.base = c_uint64()
        assert cuda.cuMemAlloc_v2(byref(self.base), c_size_t(self.values.nbytes + shift + 1)) == 0
        self.address = self.base.value + shift
        ctypes.memmove(self.address, self.values.ctypes.data, self.values.nbytes)

    def __del__(self):
        cuda.cuCtxPushCurrent_v2(context)  # the collector may run in a thread that has none
        cuda.cuMemFree_v2(self.base)
        cuda.cuCtxPopCurrent_v2(byref(c_void_p()))


class Interface(Memory):
    """An array with __cuda_array_interface__, as CuPy's and Numba's."""

    def __init__(self, values, shift=0):
        super().__init__(values, shift)
        self.changes = {}

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.values.shape,
            "typestr": self.values.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
            **self.changes,
        }


class Tensor(Memory):
    """An array with __dlpack__, as PyTorch's and JAX's."""

    device = (2, 0)
    strides = None

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.stream = stream
        kind, size = self.values.dtype.kind, self.values.dtype.itemsize
        shape = (ctypes.c_int64 * 1)(len(self.values))
        code = {"i": 0, "u": 1, "f": 2, "b": 6}[kind]
        start = self.address - self.base.value
        tensor = _dlpack._Tensor(self.base.value, 2, 0, 1, code, 8 * size, 1, shape, None, start)
        self.made = _dlpack._Managed(tensor, None, _dlpack._deleter), shape
        if self.strides:
            self.made[0].tensor.strides = (ctypes.c_int64 * 1)(self.strides)
        return _dlpack._new(ctypes.addressof(self.made[0]), b"dltensor", None)


class Arrow(Memory):
    """An array with __arrow_c_device_array__, with nulls, as cuDF's and pyarrow's."""

    event = None

    def __init__(self, values, valid, form=b"l"):
        super().__init__(values)
        self.bits = Memory(np.packbits(valid, bitorder="little"))
        self.form = form

    def column(self):
        buffers = (c_void_p * 2)(self.bits.address, self.address)
        array = lib.ArrowArray(length=len(self.values), null_count=-1, n_buffers=2, buffers=buffers)
        array.release = _device_inputs.release_array
        return array, lib.ArrowSchema(format=self.form, name=b"a", release=_device_inputs.release_schema), buffers

    def __arrow_c_device_array__(self, requested_schema=None):
        array, schema, buffers = self.column()
        self.made = lib.ArrowDeviceArray(array, 0, 2, self.event), schema, buffers
        return (
            _dlpack._new(ctypes.addressof(schema), b"arrow_schema", None),
            _dlpack._new(ctypes.addressof(self.made[0]), b"arrow_device_array", None),
        )


class OfTorch(Interface):
    """A tensor as PyTorch has it, with what arrowsort calls of it."""

    is_cuda = True

    @property
    def dtype(self):
        return torch.dtypes.get(self.values.dtype.str[1:])

    def dim(self):
        return self.values.ndim

    def is_contiguous(self):
        return True

    def get_device(self):
        return 0

    def data_ptr(self):
        return self.address

    def numel(self):
        return self.values.size


OfTorch.__module__ = "torch"
torch = types.ModuleType("torch")
torch.dtypes = {
    "u1": "uint8", "i1": "int8", "u2": "uint16", "i2": "int16", "u4": "uint32", "i4": "int32", "u8": "uint64",
    "i8": "int64", "f2": "float16", "f4": "float32", "f8": "float64", "b1": "bool",
}  # fmt: skip
vars(torch).update({name: name for name in torch.dtypes.values()})
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0)
sys.modules.setdefault("torch", torch)


def read(rows):
    """The row numbers on the host."""
    interface = rows.__cuda_array_interface__
    sync(0 if interface["stream"] == 1 else interface["stream"])
    address, n = interface["data"][0], len(rows)
    if n == 0:
        return np.empty(0, rows.dtype)
    size = np.dtype(rows.dtype).itemsize
    raw = (ctypes.c_char * (n * size)).from_address(address)
    return np.frombuffer(raw, rows.dtype).copy()


def order_of(values, descending=False):
    """A stable order: NaN at the end in any direction."""
    keys = [(v != v, 0 if v != v else (-v if descending else v)) for v in values.tolist()]
    return sorted(range(len(keys)), key=keys.__getitem__)


NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("make", [Interface, Tensor, OfTorch])
@pytest.mark.parametrize("descending", [False, True])
def test_every_type(kind, make, descending):
    random = np.random.default_rng(7)
    for n in (0, 1, 2, 1000, 70_001):
        for shift in (0, 3, 8):
            values = random.integers(0, 100, n).astype(kind)
            if kind[0] == "f" and n > 2:
                values[::7] = np.nan
                values[1] = -0.0
            x = make(values, shift)
            dtype = ["int64", "uint64", "int32", "uint32"][n % 4]
            rows = gpu.argsort(x, descending=descending, dtype=dtype)
            assert rows.shape == (n,) and rows.dtype == dtype and rows.device == 0
            assert read(rows).tolist() == order_of(values, descending)


def test_bools():
    values = np.array([True, False, True, False])
    assert read(gpu.argsort(Interface(values))).tolist() == [1, 3, 0, 2]
    assert read(gpu.argsort(Tensor(values), descending=True)).tolist() == [0, 2, 1, 3]
    assert read(gpu.argsort(OfTorch(values), limit=3)).tolist() == [1, 3, 0]
    with pytest.raises(arrowsort.OptionError, match="key 0 has 2 dimensions"):
        gpu.argsort(OfTorch(np.zeros((2, 2))))
    x = OfTorch(values)
    x.address = 64
    with pytest.raises(arrowsort.OptionError, match="the values at 0x40: the driver knows no memory there"):
        gpu.argsort(x)


@given(st.data())
def test_several_keys_with_nulls(data):
    n = data.draw(st.integers(0, 200))
    keys, flags = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        seed = data.draw(st.integers(0, 2**32 - 1))
        random = np.random.default_rng(seed)
        keys.append((random.integers(-3, 3, n).astype("i8"), random.random(n) < 0.8))
        flags.append((data.draw(st.booleans()), data.draw(st.sampled_from(["at_end", "at_start"]))))
    limit = data.draw(st.none() | st.integers(1, 250))
    arrays = [Arrow(values, valid) for values, valid in keys]
    rows = gpu.argsort(arrays, descending=[d for d, _ in flags], nulls=[p for _, p in flags], limit=limit)

    def key(row):
        parts = []
        for (values, valid), (descending, place) in zip(keys, flags, strict=True):
            null = (not valid[row]) != (place == "at_start")
            value = int(values[row]) if valid[row] else 0
            parts.append((null, -value if descending else value))
        return parts

    assert read(rows).tolist() == sorted(range(n), key=key)[: limit or n]


def test_struct_and_event():
    event = c_void_p()
    assert cuda.cuEventCreate(byref(event), 2) == 0
    assert cuda.cuEventRecord(event, None) == 0

    class Batch(Arrow):
        def __arrow_c_device_array__(self, requested_schema=None):
            other = Interface(np.array([1.5, 0.5, 0.5]))
            a, s, self.buffers = self.column()
            column = _device_inputs._input(other, "key 0", gpu.Stream(0, None))
            column.schema.name = b"b"
            both = [_device_inputs.Input(a, s, 2, 0, 0, self, None), column._replace(event=ctypes.addressof(event))]
            whole, schema, self.keep = _device_inputs.together(both, gpu.Stream(0, None))
            self.all = whole, schema, other, column
            return (
                _dlpack._new(ctypes.addressof(schema), b"arrow_schema", None),
                _dlpack._new(ctypes.addressof(whole), b"arrow_device_array", None),
            )

    batch = Batch(np.array([5, 9, 7]), np.array([True, True, False]))
    assert read(gpu.argsort(batch, by=["b", "a"], descending=[False, True])).tolist() == [1, 2, 0]
    assert read(gpu.argsort(batch, by="a", nulls="at_start")).tolist() == [2, 0, 1]
    assert read(gpu.argsort(batch, by=[1])).tolist() == [1, 2, 0]
    with pytest.raises(arrowsort.OptionError, match="name the keys by `by`"):
        gpu.argsort(batch)
    with pytest.raises(arrowsort.ColumnError, match='key "c"'):
        gpu.argsort(batch, by="c")
    cuda.cuEventDestroy_v2(event)


def test_streams():
    stream = c_void_p()
    assert cuda.cuStreamCreate(byref(stream), 1) == 0
    x = Interface(np.array([3, 1, 2]))

    class OfLibrary:
        ptr = stream.value

    class Protocol:
        def __cuda_stream__(self):
            return (0, stream.value)

    for given_stream in (stream.value, OfLibrary(), Protocol()):
        rows = gpu.argsort(x, stream=given_stream)
        assert rows.__cuda_array_interface__["stream"] == stream.value
        assert read(rows).tolist() == [1, 2, 0]
    x.changes = {"stream": stream.value}  # of the library
    assert read(gpu.argsort(x)).tolist() == [1, 2, 0]
    assert read(gpu.argsort(x, stream=0)).tolist() == [1, 2, 0]  # waits for it
    tensor = Tensor(np.array([3, 1, 2]))
    rows = gpu.argsort(tensor, stream=stream.value)
    assert tensor.stream == stream.value
    read(rows)
    del rows
    with pytest.raises(arrowsort.OptionError, match="the stream 0x40"):
        gpu.argsort(Interface(np.array([1])), stream=64)
    with pytest.raises(arrowsort.ArgumentTypeError, match="stream is a str"):
        gpu.argsort(x, stream="0")
    cuda.cuStreamDestroy_v2(stream)


def test_arrays_whose_interface_names_no_stream():
    class Both(Tensor, Interface):  # as tensors of PyTorch
        def __init__(self, values):
            Interface.__init__(self, values)

    array = Both(np.array([3, 1, 2]))
    rows = gpu.argsort([array])
    assert read(rows).tolist() == [1, 2, 0]
    assert array.stream == 1  # told to make this stream wait for what it has queued
    assert len(rows._memory.keep) == 1  # what it exported may be a copy
    array.changes = {"stream": None}  # says that there is nothing to wait for
    assert not gpu.argsort([array])._memory.keep


def test_default_stream_of_a_device_in_a_thread_without_context():
    failures = []

    def work():
        try:
            _cuda.wait_for_stream(0, 0)
        except Exception as failure:
            failures.append(failure)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failures


def test_waits_while_another_thread_captures_a_graph(monkeypatch):
    stream = c_void_p()
    assert cuda.cuStreamCreate(byref(stream), 1) == 0
    x = Interface(np.array([3, 1, 2]))
    x.changes = {"stream": stream.value}
    with monkeypatch.context() as captured:
        captured.setenv("ARROWSORT_STANDIN_CAPTURE", "elsewhere")
        assert cuda.cuStreamSynchronize(None) == 900  # which would end the capture
        rows = gpu.argsort(x, stream=0)  # waits for the other stream
        assert cuda.cuStreamSynchronize(None) == 900  # the thread's mode is what it was
    assert read(rows).tolist() == [1, 2, 0]
    del rows
    cuda.cuStreamDestroy_v2(stream)


def test_result_by_dlpack():
    other = c_void_p()
    assert cuda.cuStreamCreate(byref(other), 1) == 0
    for n in (3, 0):
        rows = gpu.argsort(Interface(np.array([3, 1, 2][:n])), dtype="uint32")
        assert rows.__dlpack_device__() == (2, 0)
        for stream in (None, 1, -1, other.value):
            capsule = rows.__dlpack__(stream=stream, max_version=(1, 0))
            got = _dlpack.read(capsule)
            assert (got.code, got.size, got.shape, got.device_type, got.device) == ("u", 4, (n,), 2, 0)
            sync(other.value)
            if n:
                assert (ctypes.c_uint32 * 3).from_address(got.address)[:] == [1, 2, 0]
            del capsule
    assert not _dlpack._exported
    capsule = rows.__dlpack__()
    del rows
    assert len(_dlpack._exported) == 1  # which holds the row numbers
    del capsule
    assert not _dlpack._exported
    rows = gpu.argsort(Interface(np.array([3, 1, 2])))
    with pytest.raises(BufferError, match="copy=True"):
        rows.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="is on device"):
        rows.__dlpack__(dl_device=(1, 0))
    assert repr(rows) == "<arrowsort.gpu.RowNumbers of 3 rows, int64, on device 0>"
    cuda.cuStreamDestroy_v2(other)


def values_of(column, dtype=None):
    """The values of a sorted column on the host, None for nulls."""
    sync()
    array = column._array
    size = np.dtype(dtype or column.dtype).itemsize
    n = len(column)
    raw = ctypes.string_at(array.buffers[1] or 0, n * size) if n else b""
    values = np.frombuffer(raw, dtype or column.dtype).tolist()
    if not array.buffers or not array.buffers[0]:
        return values
    bits = np.frombuffer(ctypes.string_at(array.buffers[0], (n + 7) // 8), "u1")
    valid = np.unpackbits(bits, bitorder="little")[:n]
    return [value if is_valid else None for value, is_valid in zip(values, valid, strict=True)]


@pytest.mark.parametrize("make", [Interface, Tensor, OfTorch])
def test_sort_of_columns(make):
    random = np.random.default_rng(3)
    for n in (0, 1, 5000, 70_001):
        key = random.integers(0, 50, n).astype("i4")
        columns = {f"c {kind}": random.integers(0, 2, n).astype(kind) for kind in [*NUMBERS, "?"]}
        order = np.argsort(key, kind="stable")
        x = {"key": make(key, 4), **{name: make(values, 1) for name, values in columns.items()}}
        sorted_ = gpu.sort(x, by="key")
        assert list(sorted_) == list(x)
        for name, values in {"key": key, **columns}.items():
            assert sorted_[name].dtype == values.dtype.name and sorted_[name].shape == (n,)
            assert values_of(sorted_[name]) == values[order].tolist()
        first = gpu.sort([x["c f8"], x["key"]], by=[1, 0], descending=[True, False], limit=10)
        want = sorted(zip((-key).tolist(), columns["c f8"].tolist(), strict=True))[:10]
        assert values_of(first[1]) == [-k for k, _ in want] and values_of(first[0]) == [v for _, v in want]
        one = gpu.sort(x["key"], descending=True)
        assert values_of(one) == np.sort(key)[::-1].tolist()


def test_sorted_columns_by_the_interfaces():
    flags = Interface(np.array([True, False, True]))
    sorted_ = gpu.sort({"x": Tensor(np.array([0.5, -1.0, np.nan])), "flag": flags}, by="x", descending=True)
    interface = sorted_["flag"].__cuda_array_interface__
    assert interface["typestr"] == "|b1" and interface["shape"] == (3,)
    sync()
    assert ctypes.string_at(interface["data"][0], 3) == b"\1\0\1"
    got = _dlpack.read(sorted_["x"].__dlpack__())
    assert (got.code, got.size, got.shape) == ("f", 8, (3,))
    assert (ctypes.c_double * 2).from_address(got.address)[:] == [0.5, -1.0]
    assert _dlpack.read(sorted_["flag"].__dlpack__()).code == "b"
    assert repr(sorted_["x"]) == "<arrowsort.gpu.Column of 3 rows, float64, on device 0>"


class Batch(Arrow):
    """A record batch on the device: the columns a, with nulls, and b."""

    def __arrow_c_device_array__(self, requested_schema=None):
        other = Interface(np.arange(len(self.values)) / 2)
        a, s, self.buffers = self.column()
        s.metadata = ctypes.addressof(METADATA)
        column = _device_inputs._input(other, "b", gpu.Stream(0, None))
        both = [
            _device_inputs.Input(a, s, 2, 0, 0, self, None),
            column._replace(schema=_device_inputs.named(column.schema, "b")),
        ]
        whole, schema, self.keep = _device_inputs.together(both, gpu.Stream(0, None))
        self.all = whole, schema, other, column
        return (
            _dlpack._new(ctypes.addressof(schema), b"arrow_schema", None),
            _dlpack._new(ctypes.addressof(whole), b"arrow_device_array", None),
        )


METADATA = ctypes.create_string_buffer(np.array([1, 1], "i4").tobytes() + b"k" + np.array([2], "i4").tobytes() + b"vw")


def test_sort_of_an_arrow_struct():
    batch = Batch(np.array([5, 9, 7, 5]), np.array([True, True, False, True]))
    table = gpu.sort(batch, by=["a"], descending=True)
    assert repr(table) == "<arrowsort.gpu.Table of 4 rows on device 0: a, b>"
    assert values_of(table["a"]) == [9, 5, 5, None] and values_of(table[1]) == [0.5, 0, 1.5, 1]
    assert [len(column) for column in table] == [4, 4] and len(table) == 2
    with pytest.raises(arrowsort.ColumnError, match="0 columns have the name 'c': a, b"):
        table["c"]
    with pytest.raises(BufferError, match="may have nulls: take it by __arrow_c_device_array__"):
        table["a"].__dlpack__()
    assert not hasattr(table["a"], "__cuda_array_interface__") and hasattr(table["b"], "__cuda_array_interface__")
    assert values_of(gpu.sort(Arrow(np.array([3, 1]), np.array([True, True])))) == [1, 3]

    again = gpu.sort(gpu.sort(table, by="b"), by="a")  # what is made here is read here
    assert values_of(again["a"]) == [5, 5, 9, None] and values_of(again["b"]) == [0, 1.5, 0.5, 1]
    of_time = gpu.sort(Arrow(np.array([3, 1]), np.array([True, True]), b"tsu:UTC"))
    assert of_time.dtype == "tsu:UTC"
    with pytest.raises(BufferError, match="has type tsu:UTC"):
        of_time.__dlpack__()
    strings = Batch(np.array([5]), np.array([True]), b"u")
    with pytest.raises(arrowsort.KeyTypeError, match=r'column 0, "a": .*format "u"'):
        gpu.sort(strings, by="b")


def test_result_by_arrow():
    table = gpu.sort(Batch(np.array([5, 9, 7]), np.array([True, True, False])), by="a")
    kept, held = len(_device_arrays._exported), len(_data._kept)
    schema_capsule, array_capsule = table.__arrow_c_device_array__()
    schema = lib.ArrowSchema.from_address(_dlpack.pointer(schema_capsule, "arrow_schema"))
    array = lib.ArrowDeviceArray.from_address(_dlpack.pointer(array_capsule, "arrow_device_array"))
    assert (array.device_id, array.device_type, bool(array.sync_event)) == (0, 2, True)
    fields = (ctypes.POINTER(lib.ArrowSchema) * 2).from_address(schema.children)
    assert schema.format == b"+s" and [field.contents.name for field in fields] == [b"a", b"b"]
    assert ctypes.string_at(fields[0].contents.metadata, 15) == METADATA.raw[:15]
    children = (ctypes.POINTER(lib.ArrowArray) * 2).from_address(array.array.children)
    moved = lib.ArrowArray.from_buffer_copy(children[1].contents)  # as a consumer takes a child
    children[1].contents.release = lib.RELEASE_ARRAY()
    whole = lib.ArrowArray.from_buffer_copy(array.array)
    array.array.release = lib.RELEASE_ARRAY()
    address = table["b"]._array.buffers[1]
    del table, schema_capsule, array_capsule, children, fields
    assert len(_data._kept) == held
    whole.release(whole)
    assert not whole.release and len(_device_arrays._exported) == kept + 1
    sync()
    assert (ctypes.c_double * 3).from_address(moved.buffers[1])[:] == [0, 0.5, 1] and moved.buffers[1] == address
    moved.release(moved)
    assert len(_device_arrays._exported) == kept


def test_capsules_while_an_exception_is_pending():
    """A function of C that fails drops its arguments before its exception is handled."""
    rows = gpu.argsort(Interface(np.array([3, 1, 2])))
    for capsule_of in (lambda: rows.__dlpack__(), *(lambda i=i: rows.__arrow_c_device_array__()[i] for i in (0, 1))):
        before = [len(kept) for kept in (_dlpack._exported, _device_arrays._exported, _data._kept)]
        with pytest.raises(TypeError, match="PyCapsule"):
            int(capsule_of())
        assert [len(kept) for kept in (_dlpack._exported, _device_arrays._exported, _data._kept)] == before


def test_errors_of_columns():
    x = Interface(np.arange(4))
    for of, arguments, error, text in (
        (
            {"a": x, "b": Interface(np.arange(3))},
            {"by": "a"},
            arrowsort.OptionError,
            "column 'b' has 3 rows, column 'a' ",
        ),
        ([x, 3], {"by": 0}, arrowsort.ArgumentTypeError, "column 1 is a int: give an array"),
        ([x], {}, arrowsort.OptionError, "name the keys by `by`"),
        ([x], {"by": ()}, arrowsort.OptionError, "name the keys by `by`"),
        ({1: x, 0: x}, {"by": 1}, arrowsort.ArgumentTypeError, "column 1 has no name: a dict has texts as its keys"),
        ({}, {"by": "a"}, arrowsort.OptionError, "x has no columns"),
        ({"a": x}, {"by": "b"}, arrowsort.ColumnError, 'key "b"'),
        ([x], {"by": 1}, arrowsort.ColumnError, "key 0"),
        (x, {"limit": 0}, arrowsort.OptionError, "limit is 0"),
    ):
        with pytest.raises(error, match=text):
            gpu.sort(of, **arguments)


def test_result_in_memory_of_the_caller():
    for kind, name in (("i8", "int64"), ("u8", "uint64"), ("i4", "int32"), ("u4", "uint32")):
        for n, shift in ((3, 0), (3, 8), (70_001, 0), (0, 0)):
            values = np.arange(n)[::-1].astype("f8")
            out = Interface(np.zeros(n, kind), shift)
            if n == 0:
                out.address = 0  # as libraries have it
            rows = gpu.argsort(Tensor(values), out=out)
            assert (rows.dtype, rows.shape) == (name, (n,)) and rows._array.buffers[1] in (out.address, None)
            assert read(rows).tolist() == list(range(n))[::-1]
    x = Interface(np.array([3, 1, 2]))
    first = gpu.argsort([x, x], limit=2, out=Tensor(np.zeros(2, "i4")))
    assert read(first).tolist() == [1, 2]
    for out, text in (
        (x, "the row numbers would overwrite this memory"),
        (Interface(np.zeros(3, "f4")), "another type than int64"),
        (Interface(np.zeros(3, "u8")), "another type than int64"),
        (Interface(np.zeros(2, "i8")), "out has 2 rows, or nulls: give an array of 3 row numbers"),
    ):
        with pytest.raises(arrowsort.OptionError, match=text):
            gpu.argsort(x, out=out, dtype="int64")


def test_streams_of_memory_of_the_caller():
    filling, sorting, reading = (c_void_p() for _ in range(3))
    for stream in (filling, sorting, reading):
        assert cuda.cuStreamCreate(byref(stream), 1) == 0
    x, n = Interface(np.arange(1000)[::-1]), 1000  # by one kernel, for which nothing waits
    copy = Memory(np.zeros(n, "i4"))
    for take in 10 * (
        lambda rows: rows.__dlpack__(stream=reading.value),
        lambda rows: rows.__arrow_c_device_array__(),
    ):
        out = Interface(np.zeros(n, "i4"))
        assert cuda.cuMemsetD8Async(c_uint64(out.address), 7, c_size_t(4 * n), filling) == 0
        out.changes = {"stream": filling.value}
        rows = gpu.argsort(x, out=out, stream=sorting.value)
        taken = take(rows)
        assert cuda.cuMemcpyDtoDAsync_v2(c_uint64(copy.address), c_uint64(out.address), c_size_t(4 * n), reading) == 0
        sync(reading.value)
        assert np.array_equal(np.frombuffer(ctypes.string_at(copy.address, 4 * n), "i4"), np.arange(n)[::-1])
        for stream in (filling, sorting):
            sync(stream.value)
        assert read(rows).tolist() == list(range(n))[::-1]
        del taken, rows
    for stream in (filling, sorting, reading):
        cuda.cuStreamDestroy_v2(stream)


def test_sort_in_a_graph(monkeypatch):
    values = [np.random.default_rng(seed).permutation(1000).astype("i8") for seed in range(3)]
    x, outs = Interface(values[0]), [Interface(np.zeros(1000, kind)) for kind in ("i8", "u4")]
    gpu.argsort(x)
    sync()
    with monkeypatch.context() as captured:
        captured.setenv("ARROWSORT_STANDIN_CAPTURE", "default")
        for out in outs:
            gpu.argsort(x, out=out)
        with pytest.raises(arrowsort.OptionError, match="captured into a graph, and the row numbers need memory"):
            gpu.argsort(x)
        with pytest.raises(arrowsort.OptionError, match="captured into a graph, and sorts by several keys"):
            gpu.argsort([x, x], out=outs[0])
    for now in values:
        ctypes.memmove(x.address, now.ctypes.data, now.nbytes)
        assert cuda.cuGraphLaunch(None, None) == 0
        gpu.argsort(Interface(now))  # uses the engine's memory meanwhile
        sync()
        for out in outs:
            raw = ctypes.string_at(out.address, out.values.nbytes)
            assert np.array_equal(np.frombuffer(raw, out.values.dtype), np.argsort(now))


def test_memory_is_used_again():
    x = Interface(np.arange(100_000)[::-1])
    addresses = set()
    for _ in range(20):
        rows = gpu.argsort(x)
        addresses.add(rows.__cuda_array_interface__["data"][0])
        read(rows)
        del rows
    assert len(addresses) <= 3


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: np.arange(3), arrowsort.OptionError, "key 0 is not on a CUDA device"),
        (lambda: [1, "x"], arrowsort.ArgumentTypeError, "key 0 is a int: give an array on a GPU"),
        (lambda: [], arrowsort.OptionError, "x has no columns"),
        (lambda: Interface(np.zeros((2, 2))), arrowsort.OptionError, "key 0 has 2 dimensions"),
        (lambda: Interface(np.zeros(2, "c16")), arrowsort.ArgumentTypeError, "key 0 has type <c16"),
        (lambda: Interface(np.zeros(2, "M8[ns]")), arrowsort.ArgumentTypeError, r"key 0 has type <M8\[ns\]"),
        (lambda: Interface(np.zeros(2, ">i4")), arrowsort.ArgumentTypeError, "the machine's byte order"),
        (lambda: [Interface(np.zeros(2)), Interface(np.zeros(3))], arrowsort.OptionError, "key 1 has 3 rows, key 0 "),
        (lambda: Arrow(np.zeros(2), np.array([True]), b"u"), arrowsort.KeyTypeError, 'format "u"'),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error, match=text):
        gpu.argsort(make())


def test_errors_of_arrays():
    x = Interface(np.arange(4))
    for changes, error, text in (
        ({"mask": x}, arrowsort.OptionError, "key 0 has a mask"),
        ({"strides": (16,), "shape": (2,)}, arrowsort.OptionError, "not contiguous, its stride is 16 bytes"),
        ({"data": (64, False)}, arrowsort.OptionError, "the values at 0x40: the driver knows no memory there"),
        ({"data": (x.values.ctypes.data, False)}, arrowsort.OptionError, "the driver knows no memory there"),
    ):
        x.changes = changes
        with pytest.raises(error, match=text):
            gpu.argsort(x)
    x.changes = {}
    tensor = Tensor(np.arange(4))
    tensor.strides = 2
    with pytest.raises(arrowsort.OptionError, match="its stride is 16 bytes"):
        gpu.argsort(tensor)
    for arguments, text in (
        ({"dtype": "int8"}, "dtype is 'int8'"),
        ({"nulls": "first"}, "nulls is 'first': give 'at_end' or 'at_start'"),
        ({"nulls": ["at_end", "at_end"]}, "nulls has 2 values for 1 keys"),
        ({"descending": "yes"}, "descending is 'yes'"),
        ({"limit": 0}, "limit is 0"),
        ({"by": "a"}, "x is no Arrow struct"),
    ):
        with pytest.raises(arrowsort.OptionError, match=text):
            gpu.argsort(x, **arguments)
    assert read(gpu.argsort(x, limit=2, descending=True)).tolist() == [3, 2]
