"""A main spec, and requirements with their scenarios, which delta specs have too."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bottega.board.openspec.markdown import (
    fence_mask,
    headings,
    lines_of,
    outside_code,
    section,
    without_closing_hashes,
)
from bottega.board.openspec.texts import TextFile

REQUIREMENT = re.compile(r"###\s*Requirement:(.+)", re.IGNORECASE)

_HEADING = re.compile(r"#{1,6}\s")
_SCENARIO = re.compile(r"####\s+(.*)")
_SCENARIO_END = re.compile(r"#{1,4}\s")
_SCENARIO_WORD = re.compile(r"Scenario:\s*", re.IGNORECASE)
_METADATA = re.compile(r"\*\*[^*]+\*\*:")
_NORMATIVE = re.compile(r"\b(?:SHALL|MUST)\b", re.ASCII)


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Requirement:
    name: str
    #: What it demands: the prose between its heading and its first scenario.
    text: str
    scenarios: tuple[Scenario, ...]
    #: First and last line, counting from 1.
    line: int
    end_line: int
    #: The whole block as written.
    raw: str

    @property
    def has_scenario(self) -> bool:
        """A heading alone is no scenario."""
        return any(scenario.text for scenario in self.scenarios)


def is_normative(text: str) -> bool:
    """Strict validation wants the demand itself to say SHALL or MUST; its heading is not enough."""
    return _NORMATIVE.search(text) is not None


def requirement_name(line: str) -> str | None:
    """The name in a requirement's heading; None if the line is none."""
    found = REQUIREMENT.match(line)
    return without_closing_hashes(found.group(1)) if found else None


def fold(name: str) -> str:
    """Two spellings that differ in case or spacing only are one name, mistyped."""
    return " ".join(without_closing_hashes(name).lower().split())


def requirements_in(
    lines: Sequence[str], mask: Sequence[bool], begin: int, end: int
) -> Iterator[Requirement]:
    """The blocks between two indexes, each down to the next requirement's heading."""
    starts = [
        index
        for index in range(begin, end)
        if not mask[index] and REQUIREMENT.match(lines[index]) is not None
    ]
    for start, stop in pairwise([*starts, end]):
        yield _requirement(lines, start, stop)


def _requirement(lines: Sequence[str], start: int, stop: int) -> Requirement:
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    body = lines[start + 1 : stop]
    return Requirement(
        requirement_name(lines[start]) or "",
        _demand(body),
        tuple(_scenarios(body, start + 2)),
        start + 1,
        stop,
        "\n".join(lines[start:stop]),
    )


def _demand(body: Sequence[str]) -> str:
    """`**Priority**: high` and the like count as text only where there is no other."""
    prose: list[str] = []
    metadata: list[str] = []
    for _, line in outside_code(body):
        if _HEADING.match(line):
            break
        words = line.strip()
        if words:
            (metadata if _METADATA.match(words) else prose).append(words)
    return "\n".join(prose or metadata)


def _scenarios(body: Sequence[str], first_line: int) -> Iterator[Scenario]:
    # Any heading of level four is a scenario to the CLI, whatever it is called.
    mask = fence_mask(body)
    ends = [i for i, line in enumerate(body) if not mask[i] and _SCENARIO_END.match(line)]
    for start, stop in pairwise([*ends, len(body)]):
        if found := _SCENARIO.match(body[start]):
            name = _SCENARIO_WORD.sub("", without_closing_hashes(found.group(1)), count=1)
            text = "\n".join(body[start + 1 : stop]).strip()
            yield Scenario(name.strip(), text, first_line + start)


@dataclass(frozen=True, slots=True)
class Spec:
    #: The capability's path below `openspec/specs`, `area/name` where areas are used.
    id: str
    title: str
    purpose: str
    requirements: tuple[Requirement, ...]
    file: TextFile

    @property
    def requirement_count(self) -> int:
        return len(self.requirements)

    @property
    def content(self) -> str:
        return self.file.text


def parse_spec(capability: str, file: TextFile) -> Spec:
    lines = lines_of(file.text)
    title = next((found.title for found in headings(lines) if found.level == 1), "")
    return Spec(
        capability,
        title.removesuffix("Specification").strip() or capability,
        section(lines, "Purpose"),
        tuple(_requirements(lines)),
        file,
    )


def _requirements(lines: list[str]) -> list[Requirement]:
    """Those of the first `## Requirements`, up to the next heading of that level."""
    tops = [found for found in headings(lines) if found.level == 2]
    for index, top in enumerate(tops):
        if top.title.lower() == "requirements":
            end = tops[index + 1].start if index + 1 < len(tops) else len(lines)
            return list(requirements_in(lines, fence_mask(lines), top.start + 1, end))
    return []
