#!/usr/bin/env python3
"""Times arrowsort.gpu.argsort against torch.sort(stable=True), cupy.argsort and cupy.lexsort, on columns on the GPU.

    PYTHONPATH=FOLDER benchmarks/devicearrays/devicearrays.py --bits 16,20,24,28 --json results.json

FOLDER has the Python package and the library with the GPU engine, such as build/python-gpu, which python/test_gpu.sh
makes. All run in one process, in turns, and every result of arrowsort is proved on the device before it is timed: it is
a permutation, the keys are in order, rows that tie are in their order, and it is that of torch.sort and cupy.argsort.
Times are medians, from the call to the end of the work on the device. One that asks for 32 bits is measured as well,
since the others return 64.
"""
import argparse
import gc
import json
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import cupy
import torch

import arrowsort.gpu

GPU = "cuda"


def uniform(dtype):
    def make(n, generator):
        if dtype.is_floating_point:
            return torch.rand(n, generator=generator, device=GPU, dtype=dtype)
        limits = torch.iinfo(dtype)
        return torch.randint(limits.min, limits.max, (n,), generator=generator, device=GPU, dtype=dtype)

    return make


def zipf(n, generator):
    """Ranks of 2^24 values with frequencies like 1/rank, in random order of the values."""
    rank = torch.rand(n, generator=generator, device=GPU, dtype=torch.float64).mul_(24).exp2_().long()
    return rank.mul_(-7046029254386353131)  # an odd number: distinct ranks stay distinct


def clusters(n, generator):
    """A thousand narrow clusters anywhere."""
    centers = torch.randint(-(2**62), 2**62, (1000,), generator=generator, device=GPU)
    near = torch.randint(0, 1_000_000, (n,), generator=generator, device=GPU)
    return near.add_(centers[torch.randint(0, 1000, (n,), generator=generator, device=GPU)])


def timestamps(n, generator):
    """Microseconds of events that arrive up to a few milliseconds late."""
    late = torch.randint(0, 5000, (n,), generator=generator, device=GPU)
    return late.add_(torch.arange(n, device=GPU).mul_(37).add_(1_700_000_000_000_000))


# The keys, and how many times as fast as the faster of torch and cupy is asked: for 2^24 and 2^28, for 2^16 and 2^20.
KEYS = {
    "int64 uniform": (uniform(torch.int64), 4, 1.5),
    "float64 uniform": (uniform(torch.float64), 4, 1.5),
    "int32 uniform": (uniform(torch.int32), 2, 1.5),
    "float32 uniform": (uniform(torch.float32), 2, 1.5),
    "int64 Zipf": (zipf, 2.2, 1.5),
    "int64 clusters": (clusters, 2.2, 1.5),
    "int64 timestamps": (timestamps, 2.2, 1.5),
}


def of_torch():
    """CuPy's calls go to the current stream of PyTorch."""
    return cupy.cuda.Stream.from_external(torch.cuda.current_stream())


def median(work, runs):
    """The median time of some runs in microseconds, after two that are not counted."""
    times = []
    for i in range(runs + 2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        made = work()
        torch.cuda.synchronize()
        took = time.perf_counter() - start
        del made
        if i >= 2:
            times.append(took * 1e6)
    return statistics.median(times)


def prove(keys, rows, what, descending=False):
    """Stops the program unless rows, a tensor, sort the keys stably. It does not use a sort."""
    n = keys[0].numel()
    rows = rows.long()
    seen = torch.zeros(n, dtype=torch.bool, device=GPU)
    if rows.numel() != n or int(rows.min()) < 0 or int(rows.max()) >= n:
        sys.exit(f"WRONG: {what}: row numbers out of range")
    seen[rows] = True
    if not bool(seen.all()):
        sys.exit(f"WRONG: {what}: a row is missing")
    tied = torch.ones(n - 1, dtype=torch.bool, device=GPU)
    for key in keys:
        ordered = key[rows]
        before, after = ordered[:-1], ordered[1:]
        rises = before > after if descending else before < after
        falls = before < after if descending else before > after
        if bool((tied & falls).any()):
            sys.exit(f"WRONG: {what}: rows out of order")
        tied &= ~rises
        del ordered, before, after, rises, falls
    if bool((tied & (rows[:-1] > rows[1:])).any()):
        sys.exit(f"WRONG: {what}: rows that tie are not in their order")


def free():
    gc.collect()
    torch.cuda.empty_cache()
    cupy.get_default_memory_pool().free_all_blocks()


def same(got, want, what):
    if not torch.equal(got, want):
        sys.exit(f"WRONG: {what}: {int((got != want).sum())} row numbers differ")


def measure_one(name, bits, runs):
    make, large, small = KEYS[name]
    n = 1 << bits
    x = make(n, torch.Generator(device=GPU).manual_seed(bits))
    y = cupy.from_dlpack(x)
    what = f"{name}, 2^{bits}"
    with of_torch():
        for descending in (False, True):
            prove([x], torch.from_dlpack(arrowsort.gpu.argsort(x, descending=descending)), what, descending)
            free()
        mine = torch.from_dlpack(arrowsort.gpu.argsort(y, dtype="int32"))
        same(mine.long(), torch.sort(x, stable=True).indices, what + " and torch")
        free()
        same(mine.long(), torch.from_dlpack(cupy.argsort(y)), what + " and cupy")
        del mine
        free()
        times = {
            "arrowsort": median(lambda: arrowsort.gpu.argsort(x), runs),
            "arrowsort, 32 bits": median(lambda: arrowsort.gpu.argsort(x, dtype="uint32"), runs),
        }
        times["torch"] = median(lambda: torch.sort(x, stable=True), runs)
        free()
        times["cupy"] = median(lambda: cupy.argsort(y), runs)
        free()
    return times, large if bits >= 22 else small


def measure_two(bits, runs):
    """Two keys: few values, then random ones."""
    n, what = 1 << bits, f"two int64 keys, 2^{bits}"
    generator = torch.Generator(device=GPU).manual_seed(bits)
    first = torch.randint(0, 1000, (n,), generator=generator, device=GPU)
    second = torch.randint(-(2**63), 2**63 - 1, (n,), generator=generator, device=GPU)
    last_first = cupy.from_dlpack(torch.stack([second, first]))  # cupy.lexsort has the most significant key last
    with of_torch():
        mine = torch.from_dlpack(arrowsort.gpu.argsort([first, second]))
        prove([first, second], mine, what)
        same(mine, torch.from_dlpack(cupy.lexsort(last_first)), what + " and cupy")
        del mine
        free()
        times = {
            "arrowsort": median(lambda: arrowsort.gpu.argsort([first, second]), runs),
            "arrowsort, 32 bits": median(lambda: arrowsort.gpu.argsort([first, second], dtype="uint32"), runs),
            "cupy": median(lambda: cupy.lexsort(last_first), min(runs, 3)),
        }

        def by_torch():
            order = torch.sort(second, stable=True).indices
            return order[torch.sort(first[order], stable=True).indices]

        times["torch"] = median(by_torch, runs)
        free()
    return times, 5


def measure_table(bits, runs):
    """A table of an int64 key and two columns of 8 bytes in sorted order, all on the device."""
    n, generator = 1 << bits, torch.Generator(device=GPU).manual_seed(bits)
    names = ("key", "number", "value")
    table = {name: torch.randint(-(2**63), 2**63 - 1, (n,), generator=generator, device=GPU) for name in names}

    def mine():
        return arrowsort.gpu.sort(table, by="key")

    def by_torch():
        key, rows = torch.sort(table["key"], stable=True)
        return {"key": key, "number": table["number"][rows], "value": table["value"][rows]}

    def by_cupy():
        rows = cupy.argsort(of_cupy["key"])
        return {name: column[rows] for name, column in of_cupy.items()}

    of_cupy = {name: cupy.from_dlpack(column) for name, column in table.items()}
    with of_torch():
        want = by_torch()
        for name, column in mine().items():
            same(torch.from_dlpack(column), want[name], f"column {name} of 2^{bits} rows")
        del want, column
        free()
        times = {}
        for name, work in {"arrowsort": mine, "torch": by_torch, "cupy": by_cupy}.items():
            times[name] = median(work, runs)
            free()
    ratio = min(times["torch"], times["cupy"]) / times["arrowsort"]
    text = ", ".join(f"{name} {took:.0f} us" for name, took in times.items())
    print(f"three columns of 8 bytes by the first, 2^{bits} rows: {text}, {ratio:.2f} times", flush=True)


def measure_segments(segments, rows):
    """Segments of equal length, each sorted by itself: a sort by the number of the segment, then by the key."""
    n, what = segments * rows, f"{segments} segments of {rows} rows"
    x = torch.randint(-(2**63), 2**63 - 1, (n,), generator=torch.Generator(device=GPU).manual_seed(1), device=GPU)

    def numbers():
        return torch.arange(segments, device=GPU, dtype=torch.int32).repeat_interleave(rows)

    segment = numbers()
    mine = torch.from_dlpack(arrowsort.gpu.argsort([segment, x]))
    prove([segment, x], mine, what)
    both = median(lambda: arrowsort.gpu.argsort([segment, x]), 9)
    with_numbers = median(lambda: arrowsort.gpu.argsort([numbers(), x]), 9)
    one = median(lambda: arrowsort.gpu.argsort(x), 9)
    times = f"{both:.0f} us, with their numbers {with_numbers:.0f}, all rows as one {one:.0f}"
    print(f"{what}: {times}, {both / one:.2f} times")
    free()


def check_others():
    """NaN and zeros, a slice at any alignment, a limit, nulls of Arrow's sort, other libraries, errors."""
    x = torch.rand(100_003, device=GPU, dtype=torch.float64)
    x[::7], x[3], x[4] = float("nan"), -0.0, 0.0
    same(torch.from_dlpack(arrowsort.gpu.argsort(x)), torch.sort(x, stable=True).indices, "NaN, as torch")
    same(torch.from_dlpack(arrowsort.gpu.argsort(x)), torch.from_dlpack(cupy.argsort(cupy.from_dlpack(x))), "NaN, cupy")
    falling = torch.from_dlpack(arrowsort.gpu.argsort(x, descending=True))
    numbers = int((~x.isnan()).sum())
    theirs = torch.sort(x, descending=True, stable=True).indices  # NaN first; here it is last in any direction
    same(falling[:numbers], theirs[len(x) - numbers :], "descending numbers")
    same(falling[numbers:], theirs[: len(x) - numbers], "descending NaN")
    for start in range(1, 9):
        for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8, torch.float32, torch.float16):
            part = (torch.rand(300_000, device=GPU) * 200).to(dtype)[start:]
            want = torch.sort(part, stable=True).indices
            same(torch.from_dlpack(arrowsort.gpu.argsort(part)), want, f"a slice from {start} on, {dtype}")
    large = torch.randint(-(2**63), 2**63 - 1, (1 << 22,), device=GPU)
    few = torch.from_dlpack(arrowsort.gpu.argsort(large, limit=100))
    same(few, torch.sort(large, stable=True).indices[:100], "a limit")
    stream = torch.cuda.Stream()
    for _ in range(50):  # columns that the stream makes, and overwrites after the sort
        with torch.cuda.stream(stream):
            column = torch.randint(0, 1000, (200_000,), device=GPU)
            want = torch.sort(column, stable=True).indices
            got = torch.from_dlpack(arrowsort.gpu.argsort(column))
            column.zero_()
            equal = torch.equal(got, want)
        if not equal:
            sys.exit("WRONG: the order of a stream")
    taken = cupy.asarray(arrowsort.gpu.argsort(cupy.from_dlpack(large)))
    same(torch.from_dlpack(taken), torch.sort(large, stable=True).indices, "cupy in and out")
    for wrong in (large.cpu(), torch.zeros(2, 2, device=GPU), large[::2]):
        try:
            arrowsort.gpu.argsort(wrong)
            sys.exit("WRONG: no error")
        except arrowsort.Error as error:
            print(f"{type(error).__name__}: {error}")
    try:
        import jax

        column = jax.random.uniform(jax.random.key(1), (300_000,))
        got = jax.dlpack.from_dlpack(arrowsort.gpu.argsort(column, dtype="int32"))
        if not bool((got == jax.numpy.argsort(column, stable=True)).all()):
            sys.exit("WRONG: jax")
        print("jax: in and out are the same")
    except ImportError as missing:
        print("jax:", missing)


def check_graph():
    """A sort of one kernel is captured into a graph; any other is an error, and the capture goes on."""
    large = torch.randint(-(2**63), 2**63 - 1, (1 << 20,), device=GPU)
    total, text = torch.zeros(1, dtype=torch.int64, device=GPU), ""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        try:
            arrowsort.gpu.argsort(large)
        except arrowsort.OptionError as error:
            text = str(error)
        total += large.sum()
    graph.replay()
    torch.cuda.synchronize()
    if "captured into a graph" not in text or int(total) != int(large.sum()):
        sys.exit(f"WRONG: in a graph: {text}")
    same(torch.from_dlpack(arrowsort.gpu.argsort(large)), torch.sort(large, stable=True).indices, "after a graph")
    print("in a graph:", text)
    for bits in (10, 16):
        times = {}
        for dtype in (torch.int64, torch.int32):
            times |= measure_graph(bits, dtype)
        print(f"2^{bits} int64 in a graph:", ", ".join(f"{name} {took:.1f} us" for name, took in times.items()))


def measure_graph(bits, dtype):
    """A graph of twenty sorts by new values each, which are proved."""
    x = torch.zeros(1 << bits, dtype=torch.int64, device=GPU)
    sorts, columns = 20, []
    outs = [torch.zeros(1 << bits, dtype=dtype, device=GPU) for _ in range(sorts)]
    graph, others = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    rows = torch.from_dlpack(arrowsort.gpu.argsort(x))  # before the capture; it is released in it
    with torch.cuda.graph(graph):
        for out in outs:
            rows = arrowsort.gpu.argsort(x, out=out)
    del rows
    with torch.cuda.graph(others):
        for _ in range(sorts):
            columns.append(torch.sort(x, stable=True).indices)
    for seed in range(20):
        x.copy_(torch.randint(-(2**63), 2**63 - 1, x.shape, device=GPU))
        graph.replay()
        arrowsort.gpu.argsort(torch.flip(x, (0,)))  # uses the engine's memory meanwhile
        for out in outs:
            same(out.long(), torch.sort(x, stable=True).indices, f"replay {seed}")
    name = str(dtype).removeprefix("torch.")
    return {
        f"{name} {median(graph.replay, 50) / sorts:.1f} a sort, alone": median(
            lambda: arrowsort.gpu.argsort(x, out=outs[0]), 200
        ),
        "torch a sort": median(others.replay, 50) / sorts,
    }


def show_overhead():
    """The parts of a call of few rows, in microseconds: medians of 500."""
    library, spent = arrowsort.gpu.lib, []
    native = library.device_argsort

    def timed(*arguments):
        start = time.perf_counter()
        code = native(*arguments)
        spent.append((time.perf_counter() - start) * 1e6)
        return code

    library.device_argsort = timed
    for rows, dtype in ((1, "int32"), (1, "int64"), (1 << 16, "int32"), (1 << 16, "int64"), (1 << 20, "int32")):
        x = torch.rand(rows, device=GPU)
        calls, syncs, device = [], [], []
        spent.clear()
        for _ in range(500):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            torch.cuda.synchronize()
            start = time.perf_counter()
            made = arrowsort.gpu.argsort(x, dtype=dtype)
            returned = time.perf_counter()
            torch.cuda.synchronize()
            calls.append((returned - start) * 1e6)
            syncs.append((time.perf_counter() - returned) * 1e6)
            del made
            begin.record()
            made = arrowsort.gpu.argsort(x, dtype=dtype)
            end.record()
            torch.cuda.synchronize()
            device.append(begin.elapsed_time(end) * 1e3)
            del made
        parts = {"call": calls, "of it the library": spent, "then the device": syncs, "by events": device}
        text = ", ".join(f"{name} {statistics.median(times):.1f}" for name, times in parts.items())
        print(f"{rows} rows, {dtype}: {text}")
    library.device_argsort = native
    for name, work in {
        "torch.cuda.synchronize": torch.cuda.synchronize,
        "current stream": lambda: arrowsort._cuda.current_stream(x),
        "__cuda_array_interface__": lambda: x.__cuda_array_interface__,
        "device of an address": lambda: arrowsort._cuda.device_of(x.data_ptr()),
    }.items():
        start = time.perf_counter()
        for _ in range(1000):
            work()
        print(f"{name}: {(time.perf_counter() - start) * 1e3:.1f} us")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bits", default="16,20,24,28", help="logarithms of the numbers of rows")
    parser.add_argument("--overhead", action="store_true", help="the parts of a call of few rows, and nothing else")
    parser.add_argument("--json", help="a file for the results")
    parser.add_argument("--seconds", type=float, default=420, help="no further measurement begins after these")
    args = parser.parse_args()
    begun = time.perf_counter()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, cupy {cupy.__version__}")
    if args.overhead:
        return show_overhead()
    check_others()
    one_row = torch.zeros(1, device=GPU)
    print(f"a call of one row: {median(lambda: arrowsort.gpu.argsort(one_row), 200):.0f} us")
    names = ["arrowsort", "arrowsort, 32 bits", "torch", "cupy"]
    print(f"{'us, medians':24} {'rows':>5}" + "".join(f"{name:>20}" for name in names) + f"{'times':>8}{'asked':>7}")
    results = []
    for bits in map(int, args.bits.split(",")):
        runs = 101 if bits <= 20 else 9 if bits <= 24 else 3
        for name in [*KEYS, "two keys"]:
            if time.perf_counter() - begun > args.seconds:
                print(f"{name:24} 2^{bits:<3} left out: {args.seconds:.0f} s are over")
                continue
            times, asked = measure_two(bits, runs) if name == "two keys" else measure_one(name, bits, runs)
            ratio = min(times["torch"], times["cupy"]) / times["arrowsort"]
            columns = "".join(f"{times[n]:20.0f}" for n in names)
            print(f"{name:24} 2^{bits:<3}{columns}{ratio:8.2f}{asked:7}", flush=True)
            results.append({"keys": name, "bits": bits, "us": times, "times": ratio, "asked": asked})
            free()
    for bits in map(int, args.bits.split(",")):
        measure_table(bits, 101 if bits <= 20 else 9 if bits <= 24 else 3)
    measure_segments(1000, 10_000)
    measure_segments(1_000_000, 10)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"device": torch.cuda.get_device_name(), "results": results}, file, indent=1)
    print("all results proved")
    check_graph()


main()
