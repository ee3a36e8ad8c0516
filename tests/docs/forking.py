"""A process that has loaded Bottega once and forks a copy for every command.

To start Python with all of Bottega's libraries takes a second; a fork takes none. What runs is
still a process of its own: its arguments, environment, folder, input, output and exit code are
those of whoever called. They come over a socket, from the little program in `CALLER`, which is
`bottega` on the PATH of the tests.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
import traceback

from bottega.app import ROOMS

#: Started by a shell in place of `bottega`; loads next to nothing.
CALLER = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    order = dict(words=sys.argv[1:], cwd=os.getcwd(), environment=dict(os.environ))
    socket.send_fds(server, [b"."], [0, 1, 2])
    with server.makefile("rw") as stream:
        stream.write(json.dumps(order) + "\\n")
        stream.flush()
        sys.exit(int(stream.readline() or 1))
"""
#: So that no copy has to: the commands, the server, and the app that a command builds itself.
LOADED = (
    *("bottega.cli.main", "bottega.cli.connection", "bottega.server.compose"),
    *("bottega.server.serving", "bottega.server.logging"),
    *(f"bottega.{room}.commands" for room in ROOMS),
)


def listen(address: str) -> None:
    for module in LOADED:
        importlib.import_module(module)
    # What is loaded stays: no copy has to look through it for garbage.
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            caller, _ = server.accept()
            if os.fork() == 0:
                server.close()
                serve(caller)
            caller.close()


def serve(caller: socket.socket) -> None:
    """Be the command that was asked for, tell its exit code, and end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, descriptors, _, _ = socket.recv_fds(caller, 1, 3)
    code = 1
    with caller.makefile("rw") as stream:
        order = json.loads(stream.readline())
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["environment"])
        sys.argv = ["bottega", *order["words"]]
        try:
            code = run()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            stream.write(f"{code}\n")
            stream.flush()
            os._exit(code)


def run() -> int:
    from bottega.cli.main import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    listen(sys.argv[1])
