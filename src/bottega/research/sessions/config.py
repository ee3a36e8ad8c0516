"""Files by which people configure sessions: statuses, labels, and what a new session starts with.

`{DATA_DIR}/statuses/config.json` and `{DATA_DIR}/labels/config.json` take the place of ours if they
are there. `config.json` is read first from the data directory, then from the project.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import structlog
from pydantic import AfterValidator, BaseModel, Field, model_validator

from bottega.core.definitions import DocumentError, Problem
from bottega.core.definitions.json_document import parse_json
from bottega.core.trust.permissions import PermissionMode
from bottega.core.wire import Wired
from bottega.errors import InvalidInput

Config = TypeVar("Config", bound=BaseModel)
STATUSES = "statuses/config.json"
LABELS = "labels/config.json"
MOST_LABELS = 20
LARGEST_FILE = 256 * 1024
log = structlog.get_logger()
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
#: `#7c3aed`, or the name of one of the theme's colours.
Color = Annotated[str, Field(pattern=r"^(#[0-9a-fA-F]{6}|[a-z]{3,20})$")]
FILE = "config.json"
PROJECT_FOLDER = ".bottega"


class VocabularyEntry(Wired, extra="forbid", frozen=True):
    id: Slug
    label: Name
    color: Color | None = None


class Status(VocabularyEntry, frozen=True):
    #: Whether sessions of this status still want something of somebody.
    category: Literal["open", "closed"] = "open"


class Label(VocabularyEntry, frozen=True):
    pass


def _each_once(entries: list[VocabularyEntry]) -> list[VocabularyEntry]:
    ids = [entry.id for entry in entries]
    if repeated := sorted({each for each in ids if ids.count(each) > 1}):
        raise ValueError(f"ids stand once, these do not: {', '.join(repeated)}")
    return entries


class Statuses(Wired, extra="forbid", frozen=True):
    version: Literal[1] = 1
    statuses: Annotated[
        list[Status], Field(min_length=1, max_length=50), AfterValidator(_each_once)
    ]
    #: What a new session has; without, the first.
    default_status: Slug | None = None

    @model_validator(mode="after")
    def _default_is_one_of_them(self) -> "Statuses":
        if self.default_status not in (None, *self.ids):
            raise ValueError(f"defaultStatus {self.default_status!r} is none of the statuses")
        return self

    @property
    def ids(self) -> list[str]:
        return [status.id for status in self.statuses]

    @property
    def default(self) -> str:
        return self.default_status or self.statuses[0].id


class Labels(Wired, extra="forbid", frozen=True):
    version: Literal[1] = 1
    labels: Annotated[list[Label], Field(max_length=500), AfterValidator(_each_once)]

    @property
    def ids(self) -> list[str]:
        return [label.id for label in self.labels]


class Defaults(Wired, extra="forbid", frozen=True):
    """What there is where nobody has written a file of their own."""

    statuses: Statuses
    labels: Labels


OURS = Defaults.model_validate_json(Path(__file__).with_name("vocabulary.json").read_bytes())


class SessionVocabulary:
    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    async def statuses(self) -> Statuses:
        """Raises `DocumentError` for a file that cannot be used."""
        return await asyncio.to_thread(self._read, STATUSES, Statuses, OURS.statuses)

    async def labels(self) -> Labels:
        return await asyncio.to_thread(self._read, LABELS, Labels, OURS.labels)

    async def default_status(self) -> str:
        try:
            return (await self.statuses()).default
        except InvalidInput as error:
            # A slip in a file of words must not keep anybody from starting a session.
            log.warning("research.statuses_unusable", problem=error.message)
            return OURS.statuses.default

    async def check_status(self, status: str) -> str:
        known = (await self.statuses()).ids
        if status not in known:
            raise InvalidInput(f"There is no status {status!r}.", valid_options=known)
        return status

    async def check_labels(self, labels: Sequence[str]) -> list[str]:
        """The labels, each once and in their order."""
        known = (await self.labels()).ids
        if unknown := [label for label in labels if label not in known]:
            raise InvalidInput(
                f"There is no label {unknown[0]!r}. Labels are defined in {LABELS}.",
                valid_options=known,
            )
        chosen = list(dict.fromkeys(labels))
        if len(chosen) > MOST_LABELS:
            raise InvalidInput(f"{len(chosen)} labels are too many; {MOST_LABELS} are allowed.")
        return chosen

    def _read(self, name: str, model: type[Config], ours: Config) -> Config:
        text = read_config(self._data_dir / name)
        return ours if text is None else parse_json(text, name, model)


def read_config(path: Path) -> str | None:
    """Blocking. The text of a small file that a person may have written, if it is there."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        text = data.decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _unusable(path, "is not UTF-8 text") from error
    if len(data) > LARGEST_FILE:
        raise _unusable(path, f"has over {LARGEST_FILE:,} bytes")
    return text


def _unusable(path: Path, why: str) -> DocumentError:
    return DocumentError(f"{path.parent.name}/{path.name}", Problem(1, 1, why))


class SessionPreferences(Wired, extra="forbid", frozen=True):
    version: Literal[1] = 1
    library: Name | None = None
    agent: Slug | None = None
    permission_mode: PermissionMode | None = None


def config_files(data_dir: Path, project: Path) -> list[tuple[str, Path]]:
    """The person's and the project's: how each is named to people, and where it is.

    A link in a project may lead anywhere: it is none of its files.
    """
    found = [(FILE, data_dir / FILE)]
    theirs = project.resolve() / PROJECT_FOLDER / FILE
    if theirs.resolve() == theirs:
        found.append((f"{PROJECT_FOLDER}/{FILE}", theirs))
    return found


async def read_preferences(data_dir: Path, project: Path) -> SessionPreferences:
    """Raises `DocumentError` with the place of what is wrong."""
    return await asyncio.to_thread(_read, data_dir, project)


def _read(data_dir: Path, project_dir: Path) -> SessionPreferences:
    read = [
        SessionPreferences()
        if (text := read_config(path)) is None
        else parse_json(text, name, SessionPreferences)
        for name, path in config_files(data_dir, project_dir)
    ]
    person, project = [*read, SessionPreferences()][:2]
    mode = person.permission_mode or PermissionMode.ASK
    if project.permission_mode is not None:
        # A project's files come from anybody: they can hold an agent back, not let it loose.
        mode = min(mode, project.permission_mode, key=list(PermissionMode).index)
    return SessionPreferences(
        library=project.library or person.library,
        agent=project.agent or person.agent,
        permission_mode=mode,
    )
