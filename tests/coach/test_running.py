"""Katas run for real: honest ones, wrong ones, and ones that try to get away with something."""

import asyncio
import sys
import textwrap
from pathlib import Path

import pytest

from bottega.coach.practice.runner import RunReport, run_solution
from bottega.core.isolation.launcher import Measure
from bottega.core.isolation.machine import probe
from bottega.core.isolation.process import Limits, StopReason
from tests.core.test_isolation import children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="katas are run on Linux")

#: A busy machine may take long over a second of work.
SHORT = Limits(cpu_seconds=1, wall_seconds=30)


async def run(code: str, *cases: str, checks: tuple[str, ...] = ()) -> RunReport:
    report = await run_solution(textwrap.dedent(code), cases, checks, SHORT)
    assert report.ran, report.message
    assert not children()
    return report


async def test_each_test_has_its_name_and_its_verdict() -> None:
    report = await run(
        """
        def share(slices, guests):
            print("sharing", slices)
            return slices // guests
        """,
        "# shares evenly\nassert share(8, 4) == 2",
        "assert share(9, 4) == 3",
        "# nobody came\nassert share(3, 0) == 0",
        "# says so\nassert share(2, 1) > 5",
        "# keeps the remark\nassert share(2, 1) == 1, 'one guest gets all'",
        "assert 4 == share(4, 2)",
    )
    assert [(result.name, result.passed, result.problem) for result in report.results] == [
        ("shares evenly", True, None),
        ("test 2", False, "expected 3, got 2"),
        ("nobody came", False, "ZeroDivisionError: integer division or modulo by zero, line 4"),
        ("says so", False, "not true: share(2, 1) > 5"),
        ("keeps the remark", False, "one guest gets all (expected 1, got 2)"),
        ("test 6", False, "expected 4, got 2"),
    ]
    assert (report.stopped, report.message, report.passed) == (None, None, False)
    assert report.output.splitlines() == [f"sharing {n}" for n in (8, 9, 3, 2, 2, 4)]
    assert report.seconds < 2


async def test_one_test_does_not_disturb_the_next() -> None:
    code = "basket = []\ndef put(x):\n    basket.append(x)\n    return len(basket)"
    report = await run(code, "assert put('rye') == 1", "assert put('rye') == 1")
    assert report.passed


async def test_checks_look_at_the_text_and_the_tree() -> None:
    no_loop = (
        "# no loops\nimport ast\n"
        "assert not any(isinstance(n, ast.For) for n in ast.walk(tree)), 'there is still a loop'"
    )
    code = "def total(xs):\n    t = 0\n    for x in xs: t += x\n    return t"
    report = await run(
        code, "assert total([1]) == 1", checks=(no_loop, "assert 'eval' not in source")
    )
    assert [(check.name, check.passed, check.problem) for check in report.checks] == [
        ("no loops", False, "there is still a loop"),
        ("check 2", True, None),
    ]
    assert report.results[0].passed


async def test_a_syntax_error_is_one_clear_message() -> None:
    report = await run(
        "def f(:\n    pass", "assert f() is None", "assert True", checks=("assert 1",)
    )
    assert report.message == "Python cannot read the code: invalid syntax, line 1"
    assert not any(result.passed for result in (*report.results, *report.checks))
    assert (await run("x = 1\0", "assert x")).message is not None
    deep = await run("x = " + "(" * 5000 + ")" * 5000, "assert x")
    assert not deep.passed


async def test_a_test_that_cannot_be_read_fails_alone() -> None:
    report = await run("x = 1", "assert x ==", "assert x == 1")
    assert [result.passed for result in report.results] == [False, True]


async def test_ordinary_python_works() -> None:
    report = await run(
        """
        from __future__ import annotations
        import asyncio, collections, contextlib, copy, csv, datetime, decimal, enum, functools
        import heapq, io, itertools, json, logging, math, operator, pathlib, pickle, random, re
        import string, statistics, tempfile, threading, time, typing, unicodedata, uuid, zoneinfo
        from concurrent.futures import ThreadPoolExecutor
        from dataclasses import dataclass, field

        @dataclass(order=True)
        class Loaf:
            weight: int
            kind: str = "rye"
            seeds: list[str] = field(default_factory=list)

        class Oven(typing.NamedTuple):
            heat: int

        @functools.cache
        def fib(n: int) -> int:
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        async def bake(n):
            await asyncio.sleep(0.01)
            return n * 2

        async def bake_all():
            async with asyncio.timeout(1):
                return await asyncio.gather(*map(bake, range(3)))
        """,
        "assert sorted([Loaf(2), Loaf(1)])[0] == Loaf(1)",
        "assert asyncio.run(bake_all()) == [0, 2, 4]",
        "assert fib(80) == 23416728348467685",
        "assert list(ThreadPoolExecutor(4).map(abs, [-1, 2])) == [1, 2]",
        "assert json.loads(json.dumps({'a': [1]})) == {'a': [1]}",
        "assert pickle.loads(pickle.dumps(Loaf(3))) == Loaf(3)",
        "assert re.findall(r'\\d+', 'a1b22') == ['1', '22']",
        "assert random.Random(1).random() < 1 and uuid.uuid4()",
        "assert datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Rome')).utcoffset()"
        " == datetime.timedelta(hours=2)",
        "assert pathlib.Path('~/x').expanduser().name == 'x' and decimal.Decimal('0.1') * 3 < 1",
        "with tempfile.TemporaryDirectory() as d:\n"
        "    p = pathlib.Path(d, 'a'); p.write_text('è')\n"
        "    assert p.read_text() == 'è'",
        "log = io.StringIO(); logging.getLogger().addHandler(logging.StreamHandler(log))\n"
        "logging.warning('hot'); assert log.getvalue() == 'hot\\n'",
        "import argparse, unittest.mock, typing\nassert Oven(3).heat == 3",
        "async def main():\n    assert await bake(2) == 4\nasyncio.run(main())",
        "try:\n    input()\nexcept EOFError:\n    pass",
    )
    assert [result for result in report.results if not result.passed] == []


@pytest.mark.requirement("CO-01")
async def test_a_kata_that_waits_for_ever_is_stopped_and_said() -> None:
    limits = Limits(wall_seconds=2)
    report = await run_solution("import time; time.sleep(60)", ["assert 1"], limits=limits)
    assert report.stopped == StopReason.TIMEOUT
    assert report.message is not None
    assert report.message.startswith("stopped after 2 s: ")
    assert "does it wait for something?" in report.message
    assert not children()


@pytest.mark.requirement("CO-01")
@pytest.mark.parametrize(
    ("body", "reason", "words"),
    [
        ("while True: pass", StopReason.CPU, "stopped after 1 s: is there an endless loop?"),
        ("while True: os.fork()", StopReason.FORBIDDEN, "line 5 tries to start a process"),
        ("subprocess.run(['ls'])", StopReason.FORBIDDEN, "line 5 tries to start a program"),
        ("os.kill(os.getppid(), 9)", StopReason.FORBIDDEN, "line 5 tries to send a signal"),
        ("bytearray(10**10)", StopReason.MEMORY, "it wanted more than 256 MiB of memory"),
        ("open(os.path.join(home, 'x'), 'w')", StopReason.FORBIDDEN, "Permission denied"),
        ("os.listdir(home)", StopReason.FORBIDDEN, "Permission denied"),
        ("open('/etc/passwd').read()", StopReason.FORBIDDEN, "/etc/passwd', line 5"),
        ("open('/tmp/kata-was-here', 'w')", StopReason.FORBIDDEN, "Permission denied"),
        (
            "socket.create_connection(('127.0.0.1', 1))",
            StopReason.FORBIDDEN,
            "line 5 tries to open",
        ),
        ("socket.socket()", StopReason.FORBIDDEN, "line 5 tries to open a connection"),
        ("socket.socket(socket.AF_UNIX)", StopReason.FORBIDDEN, "Operation not permitted"),
        ("ctypes.CDLL(None).fork()", StopReason.FORBIDDEN, "it calls the system, which a kata may"),
        ("ctypes.string_at(0)", StopReason.CRASH, "Python itself fell over (signal 11)"),
        ("while True: print('x' * 10**5)", StopReason.OUTPUT, "it printed more than 1024 KiB"),
        ("try: os.fork()\n    except BaseException: pass", StopReason.FORBIDDEN, "start a process"),
    ],
)
async def test_what_a_kata_may_not_do_is_stopped_and_said(
    body: str, reason: StopReason, words: str
) -> None:
    """Loop, wait, fork, allocate, write, read home, connect, crash, flood: each by name."""
    code = f"""\
import ctypes, os, socket, subprocess, time
home = {str(Path.home())!r}
def fine(): return 1
def bad():
    {body}
"""
    report = await run(code, "assert fine() == 1", "# the bad one\nbad()", "assert fine() == 2")
    assert report.stopped == reason
    assert report.message is not None
    assert words in report.message
    assert [result.passed for result in report.results] == [True, False, False]
    assert report.results[1].problem
    assert not Path("/tmp/kata-was-here").exists()
    assert not Path.home().joinpath("x").exists()


@pytest.mark.requirement("CO-01")
async def test_a_loop_at_the_top_of_the_code_is_stopped_too() -> None:
    """The first test was under way, the others never began."""
    report = await run("while True: pass", "assert True", "assert True")
    assert [result.problem for result in report.results] == [
        "stopped after 1 s: is there an endless loop?",
        "not run: the program had ended before",
    ]


async def test_recursion_without_end_is_an_ordinary_failure() -> None:
    report = await run("def f(n):\n    return f(n + 1)", "assert f(0) == 1")
    assert report.stopped is None
    assert report.results[0].problem == "RecursionError: maximum recursion depth exceeded, line 2"


FORGERIES = {
    "ends early": "import os; os._exit(0)",
    "exits": "import sys; sys.exit(0)",
    "ends at a call": "import os\ndef answer(): os._exit(0)",
    "prints a report": "print('case passed'); print('secret case 706173736564')",
    "writes to every descriptor": (
        "import os\nfor n in range(1, 20):\n"
        "    try: os.write(n, b'\\nsecret case 706173736564\\n')\n    except OSError: pass"
    ),
    "writes rubbish to every descriptor": (
        "import os\nfor n in range(1, 20):\n"
        "    try: os.write(n, 'è case 70\\nà\\0 \\udcff'.encode(errors='replace'))\n"
        "    except OSError: pass"
    ),
    "finds the secret and writes rubbish": (
        "import os, sys\nframe = sys._getframe()\n"
        "while 'order' not in frame.f_locals: frame = frame.f_back\n"
        "secret = frame.f_locals['order']['secret']\n"
        "for n in range(3, 20):\n"
        "    try: os.write(n, f'\\n{secret} case xyz\\n{secret} case 7\\n'.encode())\n"
        "    except OSError: pass"
    ),
    "replaces the streams": "import sys, io; sys.stdout = sys.stderr = io.StringIO()",
    "replaces AssertionError": (
        "import builtins\nclass Mild(Exception): pass\n"
        "AssertionError = builtins.AssertionError = Mild"
    ),
    "replaces exec": "import builtins; builtins.exec = lambda *a: None",
    "replaces all builtins": (
        "import builtins\n"
        "for name in ('exec', 'isinstance', 'repr', 'BaseException', 'str', 'type'):\n"
        "    setattr(builtins, name, lambda *a: None)"
    ),
    "empties the builtins": "__builtins__ = {}\nimport builtins\nvars(builtins).clear()",
    "replaces os.write": "import os\nos.write = lambda *a: 0\nos._exit = lambda *a: None",
    "replaces json": "import json; json.dumps = lambda *a: 'passed'",
    "acts at exit": "import atexit, os; atexit.register(os._exit, 0)",
    "replaces the describer": "globals().update({'describe@': lambda *a: None})",
    "swaps values under way": (
        "def answer():\n    globals().update({'expected@': 41})\n    return 41"
    ),
    "traces": "import sys\nsys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)",
    "raises oddly": (
        "class Odd(BaseException):\n    def __str__(self): raise SystemExit\n"
        "def answer(): raise Odd"
    ),
    "blinds the harness": "import sys; sys.modules.clear(); sys.exit = None",
    "closes everything": "import os; os.closerange(0, 60)",
}


@pytest.mark.requirement("CO-01")
@pytest.mark.parametrize("trick", FORGERIES)
async def test_no_trick_passes_a_test(trick: str) -> None:
    """A solution cannot report for itself; a test without a verdict has failed."""
    code = f"def answer(): return 41\n{FORGERIES[trick]}\n"
    report = await run(code, "# the answer\nassert answer() == 42", "assert answer() == 42")
    assert [result.passed for result in report.results] == [False, False]
    assert report.results[0].problem


async def test_ending_the_program_early_is_said() -> None:
    report = await run("import os; os._exit(0)", "assert True")
    assert report.message == "the code ended the program (exit code 0) before the test did"
    report = await run("import sys; sys.exit(0)", "assert True")
    assert report.results[0].problem == "the code calls exit(), line 1: return a value instead"


async def test_long_values_and_messages_are_cut() -> None:
    code = "def f(): return 'x' * 5000\ndef g(): raise ValueError('y' * 10**6)"
    report = await run(code, "assert f() == 1", "assert g() == 1", "assert f()")
    value, message, _ = (result.problem or "" for result in report.results)
    assert len(value) < 300
    assert len(message) < 2100
    assert report.results[2].passed


@pytest.mark.requirement("CO-01")
async def test_a_flooded_channel_is_a_flood() -> None:
    """The verdicts' own pipe is bounded like any other."""
    report = await run("import os\nwhile True: os.write(3, b'z' * 10**5)", "assert True")
    assert report.stopped == StopReason.OUTPUT
    assert not report.results[0].passed


@pytest.mark.requirement("CO-02")
async def test_where_nothing_can_be_isolated_nothing_is_run() -> None:
    """The report says that the code was not run, and why."""
    poor = await probe(without=[Measure.SECCOMP])
    report = await run_solution("print('ran')", ["assert True"], machine=poor)
    assert (report.ran, report.passed, report.output, report.results) == (False, False, "", ())
    assert report.message == "The code was not run: this machine does not offer seccomp (left out)."


@pytest.mark.requirement("CO-01")
async def test_the_server_goes_on_while_a_kata_loops() -> None:
    """The event loop is never held up."""
    looping = asyncio.create_task(run_solution("while True: pass", ["assert 1"], limits=SHORT))
    loop, longest = asyncio.get_running_loop(), 0.0
    while not looping.done():
        before = loop.time()
        await asyncio.sleep(0.01)
        longest = max(longest, loop.time() - before)
    assert (await looping).stopped == StopReason.CPU
    assert longest < 0.5
