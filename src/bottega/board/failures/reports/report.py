"""A test run as it was reported, in one shape for every format; its texts are made fit to keep, and
quoted in Markdown so that they stay data.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from bottega.core.text import words

#: Colours, cursor movements, and links as terminals write them; pytest's XML spells colours out.
_ESCAPES = re.compile(
    r"#x1B\[[0-9;]*m|"
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)"
    r"|\x1b[@-Z\\^_]"
)
#: PostgreSQL takes no NUL, UTF-8 no lone surrogate; the rest could turn a line around on screen.
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def clean(text: str) -> str:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNFIT.sub("", _ESCAPES.sub("", unix))


def one_line(text: str) -> str:
    return words.one_line(clean(text))


def cut(text: str, length: int, *, of: int | None = None) -> str:
    """At most `length` characters; if there were more, the last ones say so."""
    total = of or len(text)
    if total <= length:
        return text
    note = f"… [cut; {total:,} characters in all]"
    return text[: max(0, length - len(note))] + note


def kept(text: str, length: int) -> str:
    """Cleaned and cut, without cleaning megabytes that are cut away anyway."""
    # Colours may take up much of the beginning, so more is read than is kept.
    if len(text) > 4 * length:
        return cut(clean(text[: 4 * length]).strip(), length, of=len(text))
    return cut(clean(text).strip(), length)


#: What would mean something inside a line. No more, since names stand in lists as they are here:
#: `test_adds[1]` needs no backslash.
_MARKS = re.compile(
    r"[\\`*<]|~(?=~)|(?<!\S)#|\](?=[(\[:])|&(?=#?\w{1,31};)"
    r"|(?<![^\W_])_|_(?![^\W_])"
)


def inline(text: str, length: int = 200) -> str:
    """As words in a line that begins with ours."""
    return _MARKS.sub(r"\\\g<0>", cut(one_line(text), length))


def code(text: str, length: int = 300) -> str:
    """As a code span on one line."""
    line = cut(one_line(text), length)
    if "`" not in line:
        return f"`{line}`" if line else "` `"
    ticks = "`" * (_longest_run("`", line) + 1)
    return f"{ticks} {line} {ticks}"


def block(text: str) -> str:
    """As a fenced block, with the fence that is shorter and that nothing inside can close."""
    lines = text.strip("\n")
    fences = (mark * max(3, _longest_run(mark, lines) + 1) for mark in "`~")
    fence = min(fences, key=len)
    return f"{fence}text\n{lines}\n{fence}"


def _longest_run(mark: str, text: str) -> int:
    return max((len(run) for run in re.findall(f"{mark}+", text)), default=0)


LONGEST_MESSAGE = 10_000
LONGEST_STACK = 50_000
LONGEST_NAME = 500
MOST_RESULTS = 200_000
#: Errors of the run itself, such as a test file that does not load.
MOST_RUN_ERRORS = 100
MOST_ATTACHMENTS = 20
LAST_LINE = 10_000_000

SEPARATOR = " › "


class ReportSource(StrEnum):
    PLAYWRIGHT = "playwright"
    JUNIT = "junit"


class Runner(StrEnum):
    """Who ran the tests: decides how one of them is run again."""

    PLAYWRIGHT = "playwright"
    PYTEST = "pytest"
    JEST = "jest"
    VITEST = "vitest"
    MAVEN = "maven"
    UNKNOWN = "unknown"


class BoardOutcome(StrEnum):
    """How one test ended in one run."""

    PASSED = "passed"
    FAILED = "failed"
    #: Failed, then passed when it was tried again.
    FLAKED = "flaked"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"

    @property
    def is_failure(self) -> bool:
        return self in (BoardOutcome.FAILED, BoardOutcome.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class ReportedError:
    message: str
    stack: str | None = None

    @classmethod
    def of(cls, message: str, stack: str | None = None) -> "ReportedError":
        """Cleaned and cut to what is kept."""
        return cls(kept(message, LONGEST_MESSAGE), kept(stack or "", LONGEST_STACK) or None)


@dataclass(frozen=True, slots=True)
class TestResult:
    __test__ = False  # no test itself, whatever pytest makes of the name

    #: Stable across runs: file › describe › title, and the project (browser) if there is one.
    test_id: str
    title: str
    status: BoardOutcome
    #: The describes or the class around it.
    suite: str = ""
    file: str | None = None
    line: int | None = None
    project: str | None = None
    duration_ms: int = 0
    #: How often it was tried again.
    retries: int = 0
    #: The first that went wrong; a flaked test has one too.
    error: ReportedError | None = None
    #: Paths of traces, screenshots and videos, as the runner wrote them.
    attachments: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        titles: Sequence[str],
        status: BoardOutcome,
        *,
        file: str | None = None,
        line: int | None = None,
        project: str | None = None,
        duration_ms: float = 0,
        retries: int = 0,
        error: ReportedError | None = None,
        attachments: Iterable[str | None] = (),
    ) -> "TestResult":
        """As a report tells it, cleaned and bounded."""
        path, *names = (_name(part) for part in (file or "", *titles))
        where = _name(project or "")
        return cls(
            test_id=_identify((path, *names), where),
            title=names[-1],
            status=status,
            suite=SEPARATOR.join(name for name in names[:-1] if name),
            file=path or None,
            line=line if line and 0 < line <= LAST_LINE else None,
            project=where or None,
            duration_ms=round(duration_ms),
            retries=retries,
            # A test that is expected to fail has an error that is none.
            error=None if status in (BoardOutcome.PASSED, BoardOutcome.SKIPPED) else error,
            attachments=tuple(_name(path) for path in attachments if path)[:MOST_ATTACHMENTS],
        )


@dataclass(frozen=True, slots=True)
class Shard:
    current: int
    total: int


@dataclass(frozen=True, slots=True)
class ParsedReport:
    source: ReportSource
    runner: Runner
    results: tuple[TestResult, ...]
    started_at: datetime | None = None
    duration_ms: int = 0
    #: Errors that belong to no test.
    errors: tuple[ReportedError, ...] = ()
    shard: Shard | None = None
    #: A run that was stopped says nothing about the tests that it does not name.
    was_interrupted: bool = False


def _identify(parts: Sequence[str], project: str) -> str:
    name = SEPARATOR.join(part for part in parts if part)
    return f"{name} [{project}]" if project else name


def _name(text: str) -> str:
    return cut(one_line(text[: 4 * LONGEST_NAME]), LONGEST_NAME)


def in_utc(moment: datetime | None) -> datetime | None:
    """Runners that name no time zone mostly mean UTC; a moment out of range is none."""
    if moment is None or not 1970 < moment.year < 9999:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def merged(results: list[TestResult]) -> tuple[TestResult, ...]:
    """One result a test: a test that is reported twice (`repeatEach`, reruns) was tried twice."""
    by_id: dict[str, TestResult] = {}
    for result in results:
        first = by_id.get(result.test_id)
        by_id[result.test_id] = _together(first, result) if first else result
    return tuple(by_id.values())


def _together(first: TestResult, second: TestResult) -> TestResult:
    ran = [one for one in (first, second) if one.status is not BoardOutcome.SKIPPED]
    if len(ran) < 2:
        return ran[0] if ran else first
    failed = next((one for one in ran if one.status.is_failure), None)
    if all(one.status.is_failure for one in ran) or len({one.status for one in ran}) == 1:
        status = first.status
    else:
        status = BoardOutcome.FLAKED
    return replace(
        failed or first,
        status=status,
        duration_ms=first.duration_ms + second.duration_ms,
        retries=first.retries + second.retries + 1,
        error=first.error or second.error,
        attachments=(first.attachments + second.attachments)[:MOST_ATTACHMENTS],
    )
