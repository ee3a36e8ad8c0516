"""The program that a probe runs in isolation: it tries the walls and says which one gave way.

Standard input is the path of a file that it must not be able to read.
"""

import os
import socket
import sys
from collections.abc import Callable


def is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (PermissionError, MemoryError):
        return True
    return False


def main() -> None:
    secret = sys.stdin.read()
    attempts: dict[str, Callable[[], object]] = {
        "a file outside could be read": lambda: os.open(secret, os.O_RDONLY),
        "a file outside could be changed": lambda: os.open(secret, os.O_WRONLY),
        "a directory outside could be listed": lambda: os.scandir("/"),
        "a socket could be opened": lambda: socket.socket(socket.AF_UNIX),
        "memory had no limit": lambda: bytearray(1 << 40),
    }
    gaps = [gap for gap, attempt in attempts.items() if not is_refused(attempt)]
    sys.stderr.write("; ".join(gaps))
    sys.stdout.write(sys.argv[1])


if __name__ == "__main__":
    main()
