"""Running a kata's solution: really, against its tests, and where it can do no harm."""

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bottega.core.isolation.machine import Isolation, isolation, run_isolated
from bottega.core.isolation.process import MEBIBYTE, Finished, Limits, StopReason

KATA_LIMITS = Limits()

_HARNESS = Path(__file__).with_name("harness.py")
_LONGEST_OUTPUT = 10_000


@dataclass(frozen=True, slots=True)
class CaseResult:
    name: str
    passed: bool
    #: What went wrong, for the learner: "expected 3, got 4".
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class RunReport:
    #: False where nothing can be isolated: then nothing is known but `message`, which says why.
    ran: bool
    stopped: StopReason | None
    #: For a person. None if the solution ran to its end, whatever the tests say.
    message: str | None
    results: tuple[CaseResult, ...]
    checks: tuple[CaseResult, ...]
    #: What the solution printed, cut where it is long.
    output: str
    seconds: float

    @property
    def passed(self) -> bool:
        return self.ran and all(result.passed for result in (*self.results, *self.checks))


async def run_solution(
    code: str,
    test_cases: Sequence[str],
    checks: Sequence[str] = (),
    limits: Limits = KATA_LIMITS,
    *,
    machine: Isolation | None = None,
) -> RunReport:
    """Executes the solution anew for each test case; checks look at its text and syntax tree.

    A test case is a snippet of asserts in the solution's namespace. A check is a snippet of
    asserts over `source` and `tree`. A comment in the first line is the name of either.
    """
    machine = machine or await isolation()
    if not machine.available:
        return RunReport(False, None, f"The code was not run: {machine.why}.", (), (), "", 0)
    secret = secrets.token_hex()
    order = {"secret": secret, "code": code, "cases": [*test_cases], "checks": [*checks]}
    stdin = json.dumps(order).encode()
    finished = await run_isolated(_HARNESS, stdin, limits, machine=machine)
    told = _HarnessReport.read(finished.stderr, secret)
    unreadable = told.unreadable
    stopped = finished.stopped or told.stopped
    is_complete = len(told.cases) == len(test_cases)
    message = (
        f"Python cannot read the code: {unreadable}"
        if unreadable
        else _message(stopped, finished, told, limits, is_complete)
    )
    return RunReport(
        ran=True,
        stopped=stopped,
        message=message,
        results=_results(test_cases, told.cases, "test", message),
        checks=_results(checks, told.checks, "check", message),
        output=finished.stdout.decode(errors="replace")[:_LONGEST_OUTPUT],
        seconds=finished.duration,
    )


@dataclass(frozen=True, slots=True)
class _HarnessReport:
    """What the harness said over its own channel."""

    #: Verdict and problem, in order.
    cases: list[tuple[str, str]]
    checks: list[tuple[str, str]]
    unreadable: str | None
    #: What was tried last that only a forbidden call can do.
    tried: str | None

    @classmethod
    def read(cls, channel: bytes, secret: str) -> "_HarnessReport":
        lines = list(_lines(channel, secret))
        texts = dict(lines)
        return cls(
            cases=[_verdict(text) for what, text in lines if what == "case"],
            checks=[_verdict(text) for what, text in lines if what == "check"],
            unreadable=texts.get("unreadable"),
            tried=texts.get("tried"),
        )

    @property
    def refused(self) -> str | None:
        return next((problem for verdict, problem in self.cases if verdict == "refused"), None)

    @property
    def stopped(self) -> StopReason | None:
        """The limits that a solution met without being ended by them."""
        if self.refused is not None:
            return StopReason.FORBIDDEN
        ran_out = any(verdict == "memory" for verdict, _ in self.cases)
        return StopReason.MEMORY if ran_out else None


def _lines(channel: bytes, secret: str) -> Iterator[tuple[str, str]]:
    """Every line with the secret word. The solution may have written to the channel as well."""
    for line in channel.decode(errors="replace").splitlines():
        match line.split(" "):
            case [word, what, hexadecimal] if word == secret:
                with suppress(ValueError):  # cut off by the limit, or tampered with
                    yield what, bytes.fromhex(hexadecimal).decode(errors="replace")


def _verdict(text: str) -> tuple[str, str]:
    verdict, _, problem = text.partition(" ")
    return verdict, problem


def _results(
    snippets: Sequence[str], verdicts: Sequence[tuple[str, str]], kind: str, message: str | None
) -> tuple[CaseResult, ...]:
    """A snippet without a verdict has failed: the first was under way, the others never began."""
    results = []
    for index, snippet in enumerate(snippets):
        name = _name(snippet, f"{kind} {index + 1}")
        if index < len(verdicts):
            verdict, problem = verdicts[index]
            results.append(CaseResult(name, verdict == "passed", problem or None))
        elif index == len(verdicts):
            results.append(CaseResult(name, False, message))
        else:
            results.append(CaseResult(name, False, "not run: the program had ended before"))
    return tuple(results)


def _name(snippet: str, otherwise: str) -> str:
    first = snippet.strip().partition("\n")[0]
    return first.lstrip("# ").strip() or otherwise if first.startswith("#") else otherwise


def _message(
    stopped: StopReason | None,
    finished: Finished,
    told: _HarnessReport,
    limits: Limits,
    is_complete: bool,
) -> str | None:
    match stopped:
        case None if is_complete:
            return None
        case None:
            return (
                f"the code ended the program (exit code {finished.exit_code}) before the test did"
            )
        case StopReason.CPU:
            return f"stopped after {limits.cpu_seconds} s: is there an endless loop?"
        case StopReason.TIMEOUT:
            waits = "is there an endless loop? Or does it wait for something?"
            return f"stopped after {limits.wall_seconds:g} s: {waits}"
        case StopReason.MEMORY:
            return f"stopped: it wanted more than {limits.memory_bytes // MEBIBYTE} MiB of memory"
        case StopReason.OUTPUT:
            return f"stopped: it printed more than {limits.output_bytes // 1024} KiB"
        case StopReason.FORBIDDEN if finished.signal:
            return f"stopped: {told.tried or 'it calls the system'}, which a kata may not do"
        case StopReason.FORBIDDEN:
            return f"stopped: a kata may not do that ({told.refused})"
        case StopReason.CRASH:
            return f"Python itself fell over (signal {finished.signal}): too deep a recursion?"
