"""One kata of the shelf, read from its markdown file.

---
slug, title, topic, concepts, level, constraints
---
## Task     what the learner reads
## Start    the code to begin with
## Tests    one code block a test case; its first line is a comment that names it
## Notes    what only the reviewer sees
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bottega.core.documents import (
    Document,
    DocumentError,
    Problem,
    Section,
    parse_document,
    sections,
)

SECTIONS = ("Task", "Start", "Tests", "Notes")
CODE_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CatalogueConstraint:
    title: str
    description: str
    #: The learner's level from which on it is offered.
    min_level: int
    #: Asserts over `source` and `tree`, the solution's text and syntax tree; `None` where only
    #: a reader can tell.
    check: str | None = None

    def spec_fields(self) -> dict[str, Any]:
        fields = {
            "title": self.title,
            "description": self.description,
            "minLevel": self.min_level,
        }
        return {**fields, "check": self.check} if self.check else fields


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
    constraints: tuple[CatalogueConstraint, ...]
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


class ConstraintFields(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    description: str
    min_level: int = Field(alias="minLevel", ge=1, le=10)
    check: str | None = None


class KataFields(BaseModel):
    model_config = ConfigDict(extra="forbid")
    slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="the file's name")
    title: str
    topic: str = Field(description="as a knowledge gap would be named")
    concepts: list[str] = Field(min_length=1, description="words that gaps use for it")
    level: int = Field(ge=1, le=10, description="what a plain solution shows, 1 to 10")
    constraints: list[ConstraintFields] = Field(min_length=1)


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


def _constraints(document: Document[KataFields]) -> tuple[CatalogueConstraint, ...]:
    for index, fields in enumerate(document.meta.constraints):
        if fields.check:
            line, _ = document.positions["constraints", index, "check"]
            # The snippet starts below its key: `check: |`.
            _parse(document, fields.check, line + 1)
    return tuple(
        CatalogueConstraint(fields.title, fields.description, fields.min_level, fields.check)
        for fields in document.meta.constraints
    )


def _parse(document: Document[KataFields], code: str, line: int) -> None:
    try:
        ast.parse(code)
    except SyntaxError as error:
        at = line + (error.lineno or 1) - 1
        raise _error(document, at, f"not valid Python: {error.msg}") from None


def _error(document: Document[KataFields], line: int, message: str) -> DocumentError:
    return DocumentError(document.path, Problem(line, 1, message))
