"""One failure: what a report says of it, its fingerprint, and the command that runs it again.

The fingerprint is made of its test, and of its error without what differs from run to run. An
error's words are its cause; its numbers, ids, times, places and the values it happened to meet are
not. A short quoted value stays, since it mostly names what was looked for.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from bottega.board.failures.reports.report import SEPARATOR, Runner, TestResult, clean
from bottega.core.trust.admission import scrub_all


@dataclass(frozen=True, slots=True)
class FailureFacts:
    fingerprint: str
    test_id: str
    title: str
    runner: Runner
    message: str
    stack: str | None = None
    suite: str = ""
    file: str | None = None
    line: int | None = None
    project: str | None = None
    attachments: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: TestResult, runner: Runner) -> "FailureFacts | None":
        """Nothing for a test without an error."""
        if result.error is None:
            return None
        return cls(
            fingerprint=fingerprint(result.test_id, result.error.message),
            test_id=result.test_id,
            title=scrub_all(result.title),
            runner=runner,
            message=scrub_all(result.error.message),
            stack=scrub_all(result.error.stack),
            suite=result.suite,
            file=result.file,
            line=result.line,
            project=result.project,
            attachments=result.attachments,
        )


#: The beginning of an error says what it is.
READ_AT_MOST = 4_000
LONGEST_QUOTE = 40

#: Lines that show rather than say: frames, snippets, the received half of a diff, pytest's notes.
_SHOWN = re.compile(r"at |File \"|>? ?\d+ \||\| \^|[+?] |\^+$|E \+")
_VALUE = re.compile(
    r"^((?:Received|Expected|Actual|But was|Got|Timeout)\b[^:]{0,40}:).*", re.IGNORECASE
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”")

_DATE = r"\b\d{4}-\d\d-\d\d"
_CLOCK = r"\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
_PATH = r"[^\s'\"`:,;)]*"
_UNIT = r"(?:ms|µs|s|secs?|seconds?|m|mins?|minutes?|milliseconds?)"

#: In this order: each works on what the ones before left.
_REDUCED = [
    (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<id>"),
    # Before times: the place in `cart.ts:12:30` is none.
    (r"(\.[a-z]\w{0,4}):\d+(?::\d+)?", r"\1"),
    (rf"{_DATE}(?:[T ]{_CLOCK}{_ZONE})?", "<time>"),
    (r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AP]M)?\b", "<time>"),
    (rf"(?:/private)?/(?:tmp|var/folders|var/tmp)/{_PATH}", "<temp>"),
    (rf"[a-z]:\\{_PATH}\\Temp\\{_PATH}", "<temp>"),
    (r"(?<=://)([\w.-]+):\d{2,5}", r"\1:<port>"),
    (r"(localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0):\d{2,5}", r"\1:<port>"),
    (r"(://[^\s?#'\"`]{1,300})[?#][^\s'\"`)]*", r"\1"),
    # Where the code lies depends on the machine; which file it is does not.
    (r"(?<![\w:/\\>])(?:[a-z]:)?(?:[\\/][\w.@-]+)+[\\/]([\w.@-]+)", r"\1"),
    (r"\b(line|column|col)\s+\d+", r"\1 <n>"),
    (rf"\b\d+(?:[.,]\d+){{0,3}}\s?{_UNIT}\b", "<time>"),
    (r"\b0x[0-9a-f]+\b", "<n>"),
]
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), by) for pattern, by in _REDUCED]
#: `defaced` is a word, `3f9a1c07` is a number, as one without letters would be.
_HEX = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b", re.IGNORECASE)
#: A number says nothing, but a status names the cause: 404 is not 500. `h1` and `TS2345` are words.
_NUMBER = re.compile(
    r"(?P<status>\b(?:status(?: code)?|HTTP(?:/\d(?:\.\d)?)?)\W{1,3}[1-5]\d\d\b)"
    r"|(?<![A-Za-z\d])\d+(?:[.,]\d+)*|\d{5,}",
    re.IGNORECASE,
)


def fingerprint(test_id: str, error: str) -> str:
    """16 hexadecimal digits, the same for the same cause in the same test."""
    text = f"{test_id}\n{normalise(error)}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def normalise(error: str) -> str:
    text = clean(error[: 4 * READ_AT_MOST])[:READ_AT_MOST]
    text = "\n".join(_telling_lines(text))
    for pattern, by in _PATTERNS:
        text = pattern.sub(by, text)
    text = _QUOTED.sub(_without_long_text, text)
    text = _HEX.sub("<n>", text)
    text = _NUMBER.sub(lambda number: number["status"] or "<n>", text)
    return " ".join(text.split())


def _telling_lines(text: str) -> Iterator[str]:
    in_call_log = False
    for line in (" ".join(line.split()) for line in text.splitlines()):
        # What Playwright tried and how often, up to the next blank line.
        in_call_log = bool(line) and (in_call_log or line.startswith("Call log:"))
        if line and not in_call_log and not _SHOWN.match(line):
            yield _VALUE.sub(r"\1 <value>", line)


def _without_long_text(quoted: re.Match[str]) -> str:
    return quoted[0] if len(quoted[0]) <= LONGEST_QUOTE + 2 else "<text>"


_PATTERN_MARKS = re.compile(r"([\\^$*+?()\[\]{}|])")


def rerun_command(failure: FailureFacts, *, times: int = 1) -> str | None:
    """`times` for those who suspect a flaky test; None for a runner we do not know."""
    match failure.runner:
        case Runner.PLAYWRIGHT:
            words = _playwright(failure, times)
        case Runner.PYTEST:
            words = ["python", "-m", "pytest", _pytest_node(failure)]
        case Runner.JEST:
            words = ["npx", "jest", *_file(failure), "-t", _pattern(failure.title)]
        case Runner.VITEST:
            words = ["npx", "vitest", "run", *_file(failure), "-t", _pattern(failure.title)]
        case Runner.MAVEN:
            owner = failure.suite.rpartition(".")[2]
            words = ["mvn", "test", f"-Dtest={owner}#{failure.title}"]
        case Runner.UNKNOWN:
            return None
    return shlex.join(words)


def _playwright(failure: FailureFacts, times: int) -> list[str]:
    words = ["npx", "playwright", "test"]
    if failure.file:
        place = _pattern(failure.file.replace("\\", "/"))
        line = f":{failure.line}" if failure.line else ""
        # A pattern is found anywhere in the path; a hyphen in front would make it an option.
        words.append(f"{'./' if place.startswith('-') else ''}{place}{line}")
    if not (failure.file and failure.line):
        words += [
            "-g",
            _pattern(" ".join([*failure.suite.split(SEPARATOR), failure.title]).strip()),
        ]
    if failure.project:
        words.append(f"--project={failure.project}")
    if times > 1:
        words += [f"--repeat-each={times}", "--retries=0"]
    return words


def _pytest_node(failure: FailureFacts) -> str:
    classes = failure.suite.split(SEPARATOR) if failure.suite else []
    return "::".join([*_file(failure), *classes, failure.title])


def _file(failure: FailureFacts) -> list[str]:
    if not failure.file:
        return []
    return [f"./{failure.file}" if failure.file.startswith("-") else failure.file]


def _pattern(text: str) -> str:
    return _PATTERN_MARKS.sub(r"\\\1", text)
