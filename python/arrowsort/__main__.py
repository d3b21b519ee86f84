"""The command arrowsort: python -m arrowsort, and the script of that name."""

import ctypes
import signal
import sys

from . import _library as lib


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it: `arrowsort ... | head` would be an error
    arguments = [b"arrowsort", *(argument.encode(errors="surrogateescape") for argument in sys.argv[1:])]
    return lib.main(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))


if __name__ == "__main__":
    sys.exit(main())
