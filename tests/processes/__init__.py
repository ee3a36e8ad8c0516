"""`bottega` processes for tests.

Most of a start is Python reading modules, two seconds of it, the same every time. So one process
reads them once, and each `bottega` that a test starts is a fork of it: the real program, with an
environment, a folder, files and an end of its own. What a start itself has to do is tested on
`COLD`, as people start it.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
#: Settings of the machine that runs the tests must not reach the program under test.
CLEARED = ("ANTHROPIC_", "OPENAI_", "BOTTEGA_", "CHROMADB_", "DATABASE_", "PORT", "HOST", "OTEL_")
COLD = (sys.executable, "-m", "bottega")


def clean_environment(**settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
    return {**kept, **settings}


@cache
def warm(preload: str = "") -> tuple[str, ...]:
    """The beginning of a command line that does what `COLD` does, from a fork.

    `preload` is a library that the linker puts before all others.
    """
    folder = tempfile.mkdtemp(prefix="bottega-warm-")
    address = str(Path(folder, "socket"))
    environment = clean_environment()
    # A console that knows its width when its module is read keeps it.
    environment.pop("COLUMNS", None)
    if preload:
        environment["LD_PRELOAD"] = preload
    source = subprocess.Popen(
        [sys.executable, HERE / "source.py", address],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A Ctrl-C is for pytest, which ends the source as it ends.
        start_new_session=True,
    )
    assert source.stdin is not None
    assert source.stdout is not None
    assert source.stdout.readline() == b"ready\n"

    @atexit.register
    def end() -> None:
        source.communicate()
        shutil.rmtree(folder)

    return sys.executable, "-I", "-S", str(HERE / "fork.py"), address
