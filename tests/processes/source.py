"""Reads all modules of `bottega` and forks for whoever connects: `source.py SOCKET`.

A fork is `bottega` with the arguments that it is given; with `-m MODULE …` it is that module.

It ends with its standard input, and every fork with the connection that asked for it.
"""

import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys

import bottega
from bottega.cli.main import main

#: What Alembic runs, and what would start the program.
SCRIPTS = ("bottega.core.db.migrations.env", "bottega.__main__")


def read_modules() -> None:
    for module in pkgutil.walk_packages(bottega.__path__, "bottega."):
        if module.name not in SCRIPTS:
            importlib.import_module(module.name)
    # A thread would not be in the forks, and what it holds would be held there for ever.
    assert not os.path.isdir("/proc/self/task") or len(os.listdir("/proc/self/task")) == 1
    gc.collect()
    gc.freeze()


class Source:
    def __init__(self, address: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen(64)
        self._owners: dict[int, socket.socket] = {}
        self._woken, waker = socket.socketpair()
        for end in (self._woken, waker):
            end.setblocking(False)
        self._waker = waker
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker.fileno())

    def fork(self) -> list[str]:
        """Returns in the forks only: what their command line says."""
        while True:
            ready, _, _ = select.select(
                [sys.stdin, self._listener, self._woken, *self._owners.values()], [], []
            )
            if sys.stdin in ready:
                self._end()
            if self._woken in ready:
                self._woken.recv(4096)
                self._report()
            for child, owner in list(self._owners.items()):
                if owner in ready:
                    # It has nothing more to say: it is gone.
                    os.kill(child, signal.SIGKILL)
            if self._listener in ready:
                arguments = self._answer(self._listener.accept()[0])
                if arguments is not None:
                    return arguments

    def _answer(self, owner: socket.socket) -> list[str] | None:
        _, files, _, _ = socket.recv_fds(owner, 1, 3)
        try:
            with owner.makefile("rb") as told:
                arguments, environment, folder = marshal.load(told)
        except EOFError:
            # Who asked was killed before it had said all.
            for file in files:
                os.close(file)
            owner.close()
            return None
        child = os.fork()
        if child:
            for file in files:
                os.close(file)
            self._owners[child] = owner
            # One that was killed meanwhile is seen to be gone, and its fork ended.
            with contextlib.suppress(BrokenPipeError):
                owner.sendall(marshal.dumps(child))
            return None
        self._forget()
        owner.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.path[0] = folder
        return list(arguments)

    def _forget(self) -> None:
        """A fork has nothing of what the source holds."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for held in (self._listener, self._woken, self._waker, *self._owners.values()):
            held.close()

    def _report(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                owner = self._owners.pop(ended[0])
                with contextlib.suppress(BrokenPipeError):
                    owner.sendall(marshal.dumps(os.waitstatus_to_exitcode(ended[1])))
                owner.close()

    def _end(self) -> None:
        for child in self._owners:
            os.kill(child, signal.SIGKILL)
        sys.exit()


if __name__ == "__main__":
    read_modules()
    source = Source(sys.argv[1])
    print("ready", flush=True)
    match source.fork():
        case ["-m", module, *arguments]:
            sys.argv = [module, *arguments]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case arguments:
            sys.argv = ["bottega", *arguments]
            main()
