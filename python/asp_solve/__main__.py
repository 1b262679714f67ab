"""The command: `asp-solve`, or `python -m asp_solve`."""

import signal
import sys

from . import _native


def main() -> None:
    """Runs the command with the arguments of this process, and ends the process."""
    # Python's handler only takes effect between instructions of Python, of which there are no more.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _native.main(["asp-solve", *sys.argv[1:]], [sys.executable, "-m", "asp_solve"])


if __name__ == "__main__":
    main()
