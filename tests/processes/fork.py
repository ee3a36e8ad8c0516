"""Stands for a fork of the source: `fork.py SOCKET …`, with its files, signals and end.

Python reads no site packages for it, so it is there in a blink.
"""

import marshal
import os
import signal
import socket
import sys
from types import FrameType

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    _, address, *arguments = sys.argv
    with socket.socket(socket.AF_UNIX) as source:
        source.connect(address)
        socket.send_fds(source, [b"!"], [0, 1, 2])
        source.sendall(marshal.dumps((arguments, dict(os.environ), os.getcwd())))
        with source.makefile("rb") as told:
            child = marshal.load(told)

            def pass_on(number: int, _: FrameType | None) -> None:
                os.kill(child, number)

            for number in PASSED_ON:
                signal.signal(number, pass_on)
            code = marshal.load(told)
    if code >= 0:
        sys.exit(code)
    for number in PASSED_ON:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), -code)


main()
