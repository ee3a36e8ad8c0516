"""The katas that we ship, so that practice has something without a model.

Each is a markdown file in `kata_files`. Reading them all takes a while, once: off the loop.
"""

import ast
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bottega.coach.word_index import IndexEntry, WordIndex, stems
from bottega.core.definitions import (
    Document,
    DocumentError,
    Problem,
    Section,
    parse_document,
    sections,
)
from bottega.errors import NotFound

KATA_FILES = Path(__file__).with_name("kata_files")
#: A related concept says less about a gap than its topic.
RELATED = 0.4
#: Of a kata that does not say its level, and for a learner of whom nothing is known: early, but
#: not the first steps.
USUAL_LEVEL = 3

SECTIONS = ("Task", "Start", "Tests", "Notes")
CODE_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class KataConstraint(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    description: str
    #: The learner's level from which on it is offered.
    min_level: int = Field(alias="minLevel", ge=1, le=10)
    #: Asserts over `source` and `tree`, the solution's text and syntax tree; `None` where only
    #: a reader can tell.
    check: str | None = None

    def spec_fields(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True, exclude_none=True)


@dataclass(frozen=True, slots=True)
class CatalogueKata:
    slug: str
    title: str
    #: As a knowledge gap would be named.
    topic: str
    concepts: tuple[str, ...]
    #: What a plain solution that passes shows, from 1 to 10.
    level: int
    description: str
    scaffolding_code: str
    #: Snippets of asserts, each for a fresh namespace in which the solution has been executed.
    test_cases: tuple[str, ...]
    constraints: tuple[KataConstraint, ...]
    #: For the reviewer; the learner never sees them.
    instructor_notes: str

    def spec_fields(self) -> dict[str, Any]:
        """As a learner's own kata has them (`repository.learning.add_kata`)."""
        return {
            "title": self.title,
            "description": self.description,
            "scaffolding_code": self.scaffolding_code,
            "instructor_notes": self.instructor_notes,
            "test_cases": self.test_cases,
            "constraints": [constraint.spec_fields() for constraint in self.constraints],
            "slug": self.slug,
        }


class KataFields(BaseModel):
    model_config = ConfigDict(extra="forbid")
    slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="the file's name")
    title: str
    topic: str = Field(description="as a knowledge gap would be named")
    concepts: list[str] = Field(min_length=1, description="words that gaps use for it")
    level: int = Field(ge=1, le=10, description="what a plain solution shows, 1 to 10")
    constraints: list[KataConstraint] = Field(min_length=1)


def read_kata(text: str, path: str | Path) -> CatalogueKata:
    """The kata in `text`; `DocumentError` names the file and line of what is wrong."""
    document = parse_document(text, path, KataFields)
    task, start, tests, notes = _sections(document)
    scaffolding = _code_blocks(document, start)
    if len(scaffolding) != 1:
        raise _error(document, start.start_line, "`## Start` needs one python code block")
    cases = _code_blocks(document, tests)
    if not cases:
        raise _error(document, tests.start_line, "`## Tests` needs a python code block a case")
    for line, case in cases:
        if not case.startswith("# "):
            raise _error(document, line, "a test case starts with a comment that names it")
    fields = document.meta
    return CatalogueKata(
        slug=fields.slug,
        title=fields.title,
        topic=fields.topic,
        concepts=tuple(fields.concepts),
        level=fields.level,
        description=_prose(task),
        scaffolding_code=scaffolding[0][1],
        test_cases=tuple(case for _, case in cases),
        constraints=_constraints(document),
        instructor_notes=_prose(notes),
    )


def _sections(document: Document[KataFields]) -> list[Section]:
    found = sections(document)
    names = tuple(section.path[-1] if section.path else "" for section in found)
    if names != SECTIONS:
        line = found[0].start_line if found else document.body_line
        message = f"the headings must be {', '.join(SECTIONS)}, in this order, not {names!r}"
        raise _error(document, line, message)
    return found


def _prose(section: Section) -> str:
    return section.text.split("\n", 1)[-1].strip()


def _code_blocks(document: Document[KataFields], section: Section) -> list[tuple[int, str]]:
    """The section's python blocks, each with the file's line on which its code starts."""
    blocks = []
    for block in CODE_BLOCK.finditer(section.text):
        line = section.start_line + section.text.count("\n", 0, block.start(1))
        _parse(document, block[1], line)
        blocks.append((line, block[1]))
    return blocks


def _constraints(document: Document[KataFields]) -> tuple[KataConstraint, ...]:
    for index, constraint in enumerate(document.meta.constraints):
        if constraint.check:
            line, _ = document.positions["constraints", index, "check"]
            # The snippet starts below its key: `check: |`.
            _parse(document, constraint.check, line + 1)
    return tuple(document.meta.constraints)


def _parse(document: Document[KataFields], code: str, line: int) -> None:
    try:
        ast.parse(code)
    except SyntaxError as error:
        at = line + (error.lineno or 1) - 1
        raise _error(document, at, f"not valid Python: {error.msg}") from None


def _error(document: Document[KataFields], line: int, message: str) -> DocumentError:
    return DocumentError(document.path, Problem(line, 1, message))


@cache
def catalogue() -> tuple[CatalogueKata, ...]:
    """All katas, by slug."""
    files = sorted(KATA_FILES.glob("*.md"))
    return tuple(read_kata(file.read_text(encoding="utf-8"), file.name) for file in files)


def by_slug(slug: str) -> CatalogueKata:
    for kata in catalogue():
        if kata.slug == slug:
            return kata
    raise NotFound(f"no kata {slug!r} in the catalogue")


def best_for(
    topic: str,
    related: Sequence[str] = (),
    *,
    avoid: Collection[str] = (),
    limit: int = 1,
    level: int = USUAL_LEVEL,
) -> list[CatalogueKata]:
    """The katas that fit a gap, the best first.

    There is always one: where none fits, those nearest to `level`; where `avoid` (slugs) leaves
    none at all, one met before, which can be solved again in another way.
    """
    katas = [kata for kata in catalogue() if kata.slug not in avoid] or catalogue()
    words = dict.fromkeys(stems(*related), RELATED) | dict.fromkeys(stems(topic), 1.0)
    scores = _index().scores(words)
    fitting = [kata for kata in katas if scores[kata.slug] > 0]
    ranked = sorted(
        fitting or katas,
        key=lambda kata: (-scores[kata.slug], abs(kata.level - level), kata.slug),
    )
    return ranked[:limit]


@cache
def _index() -> WordIndex:
    return WordIndex({kata.slug: IndexEntry(kata.topic, kata.concepts) for kata in catalogue()})
