"""Runs a command and prints its wall-clock and processor seconds and its peak resident bytes as JSON.

A separate process, because a new process starts with the peak memory of the one that it was forked from: this one is
small.
"""

import json
import os
import sys
import time

start = time.perf_counter()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
seconds = time.perf_counter() - start
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * unit}))
sys.exit(os.waitstatus_to_exitcode(status) and 1)
