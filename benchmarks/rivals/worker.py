"""A rival's side of the comparison: the same protocol on standard input and output as benchmarks/cmd/rivalbench.

worker.py ENGINE MODE FILE KEYS THREADS
"""

import gc
import json
import sys
import time
from pathlib import Path

import data
import engines


def main() -> None:
    name, mode, file, keys, threads = sys.argv[1:]
    table = data.read(Path(file))
    engine = engines.ENGINES[name](table, keys.split(","), mode, int(threads))
    answer({"ready": True, "rows": len(table), "variants": list(engine.ways)})
    for line in sys.stdin:
        command, way, *rest = line.split()
        answer(do(engine, command, way, rest))


def do(engine: engines.Engine, command: str, way: str, rest: list[str]) -> dict:
    gc.disable()
    start = time.perf_counter()
    result = engine.ways[way]()
    seconds = time.perf_counter() - start
    gc.enable()
    if command == "run":
        del result
        gc.collect()
        return {"seconds": seconds}
    data.write(Path(rest[0]), engine.to_arrow(result))
    return {"saved": True}


def answer(reply: dict) -> None:
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # the driver reports it beside the engine's name
        answer({"error": f"{type(error).__name__}: {error}"})
        sys.exit(1)
