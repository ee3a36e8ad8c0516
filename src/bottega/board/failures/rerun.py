"""The command that runs one test again, safe to paste into a shell."""

import re
import shlex

from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.report import SEPARATOR, Runner

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
