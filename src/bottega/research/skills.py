"""Skills: `skills/{slug}/SKILL.md`, a way of working that an agent can be given to read.

They are found shipped with the house, in the data directory and in the project; later wins. The
rules are those of Claude Code, so that a skill that is valid here can be used there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bottega.core.documents import Document, DocumentError, Problem, parse_document
from bottega.core.services import Core
from bottega.errors import NotFound

SHIPPED = Path(__file__).parent / "shipped" / "skills"
FILE = "SKILL.md"
MOST_BYTES = 256 * 1024
MOST_SKILLS = 500
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
    #: shipped, own or project
    origin: str
    folder: Path
    description: str = ""
    #: What the frontmatter says beside name and description, as it is written there.
    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class SkillFolders:
    places: Sequence[tuple[str, Path]]

    def list(self) -> Sequence[Skill]:
        """Blocking. Every skill by its slug, the broken ones with what is wrong."""
        found = {
            folder.name: _load(folder, origin)
            for origin, place in self.places
            for folder in _folders(place)
        }
        return [found[slug] for slug in sorted(found)]

    def get(self, slug: str) -> Skill:
        """Blocking."""
        skills = {skill.slug: skill for skill in self.list()}
        if slug not in skills:
            raise NotFound(
                f"There is no skill {slug[:64]!r}. There are: {', '.join(skills) or 'none'}.",
                valid_options=list(skills),
            )
        return skills[slug]


def skill_folders(core: Core) -> SkillFolders:
    return SkillFolders(
        (
            ("shipped", SHIPPED),
            ("own", core.choices.data_dir / "skills"),
            ("project", core.files.root / ".bottega" / "skills"),
        )
    )


def validate_skill(text: str, slug: str) -> Sequence[Problem]:
    """Everything that is wrong with a `SKILL.md`; nothing for one that can be used."""
    try:
        document = parse_document(text, FILE, SkillMeta)
    except DocumentError as error:
        return error.problems
    return _misfits(document, slug)


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


def _load(folder: Path, origin: str) -> Skill:
    try:
        with (folder / FILE).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode()
    except OSError as error:
        problem = Problem(1, 1, f"{FILE} cannot be read: {error.strerror or error}")
        return Skill(folder.name, origin, folder, problems=[problem])
    except UnicodeDecodeError:
        problem = Problem(1, 1, f"{FILE} is not UTF-8 text")
        return Skill(folder.name, origin, folder, problems=[problem])
    if len(data) > MOST_BYTES:
        problem = Problem(1, 1, f"{FILE} is too large")
        return Skill(folder.name, origin, folder, problems=[problem])
    problems = validate_skill(text, folder.name)
    if problems:
        return Skill(folder.name, origin, folder, body=text, problems=problems)
    document = parse_document(text, FILE, SkillMeta)
    told = document.meta.model_dump(mode="json", by_alias=True, exclude_unset=True)
    fields = {key: told[key] for key in told if key not in ("name", "description")}
    return Skill(folder.name, origin, folder, document.meta.description, fields, document.body)


def _folders(place: Path) -> list[Path]:
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return []
    named = [entry for entry in entries if _SLUG.fullmatch(entry.name)]
    return [entry for entry in named if (entry / FILE).is_file()][:MOST_SKILLS]
