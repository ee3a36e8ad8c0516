"""Skills: `skills/{slug}/SKILL.md`, a way of working that an agent can be given to read.

They are found shipped with the house, in the data directory and in the project; later wins. The
rules are those of Claude Code, so that a skill that is valid here can be used there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bottega.core.definitions import Document, DocumentError, Problem, parse_document
from bottega.core.definitions.folders import (
    DefinitionFolder,
    DefinitionFolders,
    FoundFolder,
    Origin,
    Trusts,
    standard_places,
    trust_nothing,
)
from bottega.core.services import Core

SHIPPED = Path(__file__).parents[1] / "shipped" / "skills"
FILE = "SKILL.md"
MOST_BYTES = 256 * 1024
#: More belongs into files beside it.
MOST_LINES = 500
RESERVED = ("anthropic", "claude")

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
#: Either form is used: `Read, Grep` and `[Read, Grep]`.
Tools = str | list[str]


class SkillMeta(BaseModel):
    """The frontmatter."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: Annotated[
        str,
        Field(description="what it is called by, the same as its folder"),
        Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$"),
    ]
    description: Annotated[
        Words, Field(max_length=1024, description="what it does and when to use it")
    ]
    when_to_use: Words | None = None
    license: Words | None = None
    compatibility: Annotated[Words, Field(max_length=500)] | None = None
    metadata: dict[str, Any] | None = None
    version: str | float | int | None = None
    allowed_tools: Tools | None = Field(None, alias="allowed-tools")
    disallowed_tools: Tools | None = Field(None, alias="disallowed-tools")
    argument_hint: str | list[str] | None = Field(None, alias="argument-hint")
    arguments: Tools | None = None
    disable_model_invocation: bool = Field(False, alias="disable-model-invocation")
    user_invocable: bool = Field(True, alias="user-invocable")
    model: str | None = None
    effort: str | None = None
    context: str | None = None
    agent: str | None = None
    paths: Tools | None = None
    hooks: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """As lists show it; one with problems cannot be used."""

    slug: str
    origin: Origin
    folder: Path
    description: str = ""
    #: What the frontmatter says beside name and description, as it is written there.
    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class SkillFolders:
    places: Sequence[tuple[Origin, Path]]
    trusts: Trusts = trust_nothing

    @property
    def _folders(self) -> DefinitionFolders:
        return DefinitionFolders("skill", self.places, FILE, _SLUG, self.trusts)

    def list(self) -> Sequence[Skill]:
        """Blocking. Every skill by its slug, the broken ones with what is wrong."""
        return [_load(found) for found in self._folders.find_all().values()]

    def get(self, slug: str) -> Skill:
        """Blocking."""
        return _load(self._folders.find(slug))


def skill_folders(core: Core) -> SkillFolders:
    places = standard_places("skills", SHIPPED, core.choices.data_dir, core.files.root)
    return SkillFolders(places, core.trust.is_trusted)


def validate_skill(text: str, slug: str) -> Sequence[Problem]:
    """Everything that is wrong with a `SKILL.md`; nothing for one that can be used."""
    return _read(text, slug)[1]


def _read(text: str, slug: str) -> tuple[Document[SkillMeta] | None, Sequence[Problem]]:
    try:
        document = parse_document(text, FILE, SkillMeta)
    except DocumentError as error:
        return None, error.problems
    return document, _misfits(document, slug)


def _misfits(document: Document[SkillMeta], slug: str) -> list[Problem]:
    meta = document.meta
    problems: list[Problem] = []

    def note(key: str, message: str) -> None:
        problems.extend(document.error((key,), message).problems)

    if meta.name != slug:
        note("name", f"the name is {meta.name!r} and the folder is {slug!r}: they must be the same")
    for word in RESERVED:
        if word in meta.name.split("-"):
            note("name", f"{word!r} is reserved and cannot stand in a skill's name")
    if tag := _TAG.search(meta.description):
        note("description", f"no tags in a description: {tag[0]!r}")
    lines = document.body.count("\n")
    if not document.body.strip():
        problems.append(Problem(document.body_line, 1, "the skill says nothing: write what to do"))
    elif lines > MOST_LINES:
        message = f"{lines} lines are too many to read at once; put parts into files beside it"
        problems.append(Problem(document.body_line, 1, message))
    return problems


def _load(found: FoundFolder) -> Skill:
    # It can be looked at, so that a person can decide.
    distrust = (Problem(1, 1, found.distrust),) if found.distrust else ()
    skill = Skill(found.name, found.origin, found.folder)
    try:
        text = DefinitionFolder(found.folder, most_bytes=MOST_BYTES).read_definition(FILE)
    except DocumentError as error:
        return replace(skill, problems=(*error.problems, *distrust))
    document, problems = _read(text, found.name)
    if problems or document is None:
        return replace(skill, body=text, problems=(*problems, *distrust))
    told = document.meta.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return replace(
        skill,
        description=document.meta.description,
        fields={key: told[key] for key in told if key not in ("name", "description")},
        body=document.body,
        problems=distrust,
    )
