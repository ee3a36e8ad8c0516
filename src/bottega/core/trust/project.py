"""What a project brings to be used here, and whether a person has trusted it as it is.

A project brings folders below `.bottega`: agents, skills, sources, plugins. None of them counts,
and none stands in for one that is shipped, until the owner of the house has trusted its bytes. What
was trusted is kept in a file each, below `{DATA_DIR}/trust`, with its texts:
when a byte, a name or an executable bit changes, trust ends, and the difference can be shown.

All of it blocks: call it from a thread.
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path

from pydantic import BaseModel, ValidationError

from bottega.core.files.diffs import unified_diff
from bottega.core.text.words import make_visible
from bottega.errors import Conflict, InvalidInput, NotFound

#: Where a project keeps what it brings.
FOLDER = ".bottega"
#: In one folder: all of it is read whenever it is looked at, and a person has to have seen it.
MOST_FILES = 1_000
MOST_BYTES = 16 * 1024 * 1024
#: Longer texts are compared, and not shown.
LONGEST_SHOWN = 256 * 1024

#: Files elsewhere in the project that something names, and would run.
Involved = Callable[[Path], Iterable[Path]]


class Untrustworthy(InvalidInput):
    """Nobody can know what they would trust."""


class TrustState(StrEnum):
    TRUSTED = "trusted"
    #: Nobody has trusted it yet.
    NEW = "new"
    #: It was trusted as something else.
    CHANGED = "changed"
    #: A link leads out of it, or it is too large to look at.
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class ProjectKind:
    #: `plugins`: its folder below `.bottega`, in the data directory, and in the package.
    name: str
    shipped: Path
    involved: Involved = lambda _folder: ()


class TrustedFile(BaseModel):
    """A file as it was trusted."""

    digest: str
    #: Its executable bits; for a link, where it leads.
    mode: int = 0
    link: str | None = None
    #: None for one that is no text, or too long to show.
    text: str | None = None


class TrustRecord(BaseModel):
    fingerprint: str
    trusted_at: datetime
    #: The user's id.
    trusted_by: str
    files: dict[str, TrustedFile]


@dataclass(frozen=True, slots=True)
class Brought:
    """One thing that the project brings."""

    kind: str
    name: str
    folder: Path
    state: TrustState
    #: What it would stand in for: `shipped`, `own` or nothing.
    replaces: str | None
    #: Of all its files, as they are; none for what is broken.
    fingerprint: str | None
    files: Sequence[str] = ()
    problem: str | None = None

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.name}"

    @property
    def is_trusted(self) -> bool:
        return self.state is TrustState.TRUSTED


@dataclass(frozen=True, slots=True)
class Difference:
    #: A unified diff; empty for what is as it was trusted.
    text: str
    #: Of all files, as they were looked at.
    fingerprint: str


class ProjectTrust:
    def __init__(
        self, data_dir: Path, project: Path | None = None, kinds: Sequence[ProjectKind] = ()
    ) -> None:
        self._data_dir = data_dir
        self._project = project.resolve() if project is not None else None
        self._kinds = {kind.name: kind for kind in kinds}
        named = hashlib.sha256(str(self._project).encode()).hexdigest()[:16]
        self._records = data_dir / "trust" / named

    def list(self) -> list[Brought]:
        """All that the project brings, in order."""
        return [
            self._look(kind, name) for kind in self._kinds.values() for name in self._names(kind)
        ]

    def is_trusted(self, folder: Path) -> bool:
        """Whether a folder of the project is trusted as it is now."""
        kind = self._kinds.get(folder.parent.name)
        if kind is None or folder != self._place(kind) / folder.name:
            return False
        return self._look(kind, folder.name).is_trusted

    def find(self, name: str) -> Brought:
        """By `plugins/NAME`, or by the name alone if one kind has it."""
        brought = self.list()
        found = [each for each in brought if name in (each.key, each.name)]
        if not found:
            there_are = ", ".join(each.key for each in brought) or "nothing"
            raise NotFound(
                f"The project brings no {name[:100]!r}. It brings: {there_are}.",
                valid_options=[each.key for each in brought],
            )
        if len(found) > 1:
            keys = [each.key for each in found]
            raise Conflict(f"Say which: {' or '.join(keys)}.", valid_options=keys)
        return found[0]

    def add(self, name: str, user_id: str, fingerprint: str | None = None) -> Brought:
        """Trust it as it is. With a `fingerprint`, only if that is what it still is."""
        brought = self.find(name)
        files = self._files(brought)
        found = fingerprint_of(files)
        if fingerprint not in (None, found):
            raise Conflict(f"{brought.key} has changed since you looked at it. Look again.")
        record = TrustRecord(
            fingerprint=found,
            trusted_at=datetime.now(UTC),
            trusted_by=user_id,
            files=files,
        )
        self._records.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._records / _record_name(brought.kind, brought.name)
        temporary = path.with_suffix(f".{secrets.token_hex(8)}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(record.model_dump_json())
        temporary.replace(path)
        return self.find(brought.key)

    def remove(self, name: str) -> Brought:
        """Trust it no longer."""
        brought = self.find(name)
        (self._records / _record_name(brought.kind, brought.name)).unlink(missing_ok=True)
        return self.find(brought.key)

    def diff(self, name: str) -> Difference:
        """What is other than it was trusted; all of it, if it never was. Characters that hide
        others are shown as escapes."""
        brought = self.find(name)
        record = self._record(brought.kind, brought.name)
        before = record.files if record is not None else {}
        after = self._files(brought)
        names = sorted(before.keys() | after.keys())
        diff = "".join(_diff(each, before.get(each), after.get(each)) for each in names)
        return Difference(make_visible(diff), fingerprint_of(after))

    def _look(self, kind: ProjectKind, name: str) -> Brought:
        folder = self._place(kind) / name
        replaces = self._replaces(kind, name)
        if (visible := make_visible(name)) != name or "\n" in name:
            problem = "cannot be trusted as it is: its name holds characters that nobody sees"
            shown = visible.replace("\n", "\\n")
            return Brought(kind.name, shown, folder, TrustState.BROKEN, replaces, None, (), problem)
        try:
            files = self._read(kind, folder)
        except Untrustworthy as error:
            return Brought(
                kind.name, name, folder, TrustState.BROKEN, replaces, None, problem=error.message
            )
        fingerprint = fingerprint_of(files)
        record = self._record(kind.name, name)
        state = TrustState.NEW
        if record is not None:
            is_same = record.fingerprint == fingerprint
            state = TrustState.TRUSTED if is_same else TrustState.CHANGED
        return Brought(kind.name, name, folder, state, replaces, fingerprint, sorted(files))

    def _files(self, brought: Brought) -> dict[str, TrustedFile]:
        if brought.problem is not None:
            raise Untrustworthy(brought.problem)
        return self._read(self._kinds[brought.kind], brought.folder)

    def _read(self, kind: ProjectKind, folder: Path) -> dict[str, TrustedFile]:
        try:
            return self._read_files(kind, folder)
        except OSError as error:
            # Somebody replaces or removes a file of it at this moment, or it is closed to us.
            raise Untrustworthy(
                f"cannot be trusted as it is: {folder.name} cannot be read ({error.strerror})"
            ) from None

    def _read_files(self, kind: ProjectKind, folder: Path) -> dict[str, TrustedFile]:
        if folder.resolve() != folder:
            raise Untrustworthy(f"cannot be trusted as it is: {folder.name} is a link")
        assert self._project is not None
        involved = list(islice(kind.involved(folder), MOST_FILES + 1))
        size = sum(path.stat().st_size for path in involved)
        if len(involved) > MOST_FILES or size > MOST_BYTES:
            raise Untrustworthy(
                "cannot be trusted as it is: what it would run lies among more than "
                f"{MOST_FILES} files or {MOST_BYTES >> 20} MB of the project. Give it a folder."
            )
        named = {
            f"{{project}}/{path.relative_to(self._project).as_posix()}": _file(path)
            for path in involved
        }
        return read_folder(folder) | named

    def _record(self, kind: str, name: str) -> TrustRecord | None:
        with suppress(OSError, ValidationError):
            text = (self._records / _record_name(kind, name)).read_text()
            return TrustRecord.model_validate_json(text)
        return None

    def _replaces(self, kind: ProjectKind, name: str) -> str | None:
        if (self._data_dir / kind.name / name).is_dir():
            return "own"
        return "shipped" if (kind.shipped / name).is_dir() else None

    def _place(self, kind: ProjectKind) -> Path:
        return (self._project or Path()) / FOLDER / kind.name

    def _names(self, kind: ProjectKind) -> Sequence[str]:
        if self._project is None:
            return []
        with suppress(OSError):
            entries = sorted(self._place(kind).iterdir())
            named = [each for each in entries if not each.name.startswith((".", "_"))]
            return [each.name for each in named if each.is_dir()][:MOST_FILES]
        return []


def read_folder(folder: Path) -> dict[str, TrustedFile]:
    """Every file by its name. Raises `Untrustworthy` if a link leads out of the folder, where
    anything could change unseen, or if there is more than a person could have looked at."""
    found: dict[str, TrustedFile] = {}
    size = 0
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            if not path.resolve().is_relative_to(folder.resolve()):
                raise Untrustworthy(
                    f"cannot be trusted as it is: {name} is a link that leads out of the folder"
                )
            target = str(path.readlink())
            found[name] = TrustedFile(digest=_hash(os.fsencode(target)), link=target)
        else:
            found[name] = _file(path)
            size += path.stat().st_size
        if len(found) > MOST_FILES or size > MOST_BYTES:
            most = f"{MOST_FILES} files or {MOST_BYTES >> 20} MB"
            raise Untrustworthy(f"cannot be trusted as it is: it holds more than {most}")
    return found


def fingerprint_of(files: Mapping[str, TrustedFile]) -> str:
    lines = (
        f"{name}\0{file.mode}\0{file.link or ''}\0{file.digest}\0"
        for name, file in sorted(files.items())
    )
    return _hash("".join(lines).encode("utf-8", "surrogateescape"))


def _walk(folder: Path) -> Iterator[Path]:
    """Files and links below it; no link is followed."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)
        elif path.is_symlink() or path.is_file():
            yield path
        else:
            raise Untrustworthy(f"cannot be trusted as it is: {path.name} is no plain file")


def _file(path: Path) -> TrustedFile:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o111
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Untrustworthy(f"cannot be trusted as it is: {path.name} is too large to look at")
    return TrustedFile(digest=_hash(data), mode=mode, text=_text(data))


def _text(data: bytes) -> str | None:
    if len(data) > LONGEST_SHOWN or b"\0" in data:
        return None
    with suppress(UnicodeDecodeError):
        return data.decode()
    return None


def _diff(name: str, before: TrustedFile | None, after: TrustedFile | None) -> str:
    if before == after:
        return ""
    notes = [_note(name, before, after)]
    if None not in (_shown(before), _shown(after)):
        gone = after is None
        saved = _shown(before) if before is not None else None
        notes.append(unified_diff(name, saved, _shown(after) or ""))
        notes += [f"{name} is gone\n"] if gone else []
    else:
        notes.append(f"{name} differs, and is no text that can be shown\n")
    return "".join(notes)


def _shown(file: TrustedFile | None) -> str | None:
    if file is None:
        return ""
    return f"link to {file.link}\n" if file.link is not None else file.text


def _note(name: str, before: TrustedFile | None, after: TrustedFile | None) -> str:
    is_new = after is not None and (before is None or before.mode != after.mode)
    return f"{name} is executable\n" if is_new and after is not None and after.mode else ""


def _record_name(kind: str, name: str) -> str:
    return f"{kind}.{_hash(name.encode('utf-8', 'surrogateescape'))[:32]}.json"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
