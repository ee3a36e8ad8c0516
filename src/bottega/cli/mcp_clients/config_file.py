"""A configuration file of another program: read, and written so that nothing is ever lost.

A file is replaced whole or not at all, a copy of what it was stays beside it, and a link leads to
the file that is changed. Taking the entry out gives back the copy, byte for byte, if nothing else
was changed since; otherwise only the entry is cut out.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bottega.cli.mcp_clients.formats import Entry, Format
from bottega.cli.mcp_clients.json_text import NotUnderstood
from bottega.errors import Conflict, InvalidInput, Unavailable

COPY = ".before-bottega"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    path: Path
    format: Format

    def entry(self, wanted: Entry | None = None) -> Entry | None:
        """`InvalidInput` if the file cannot be understood, with the wanted one to be pasted."""
        text = self._text(wanted)
        with self._understanding(wanted):
            return self.format.find(text or "")

    def put(self, entry: Entry) -> Path | None:
        """Returns the copy that was made, if there was a file."""
        text = self._text()
        with self._understanding(entry):
            original = self._original(text or "")
            is_ours = text is None or self._is_only_ours(text)
            base = (
                "" if is_ours else _read(original) if original else self.format.remove(text or "")
            )
            new = self.format.add(base, entry)
        if is_ours or original:
            self._write(text, new, entry)
            return None
        return self._replace(text or "", new, entry)

    def take_out(self) -> Path | None:
        """Returns the copy that was made, if one was needed."""
        text = self._text()
        if text is None:
            return None
        entry = self.entry()
        if entry is None:
            return None
        original = self._original(text)
        if original is not None:
            with self._writing(entry):
                original.replace(self._target)
            return None
        if self._is_only_ours(text):
            with self._writing(entry):
                self._target.unlink()
            return None
        with self._understanding(entry):
            new = self.format.remove(text)
        return self._replace(text, new, entry)

    def copy(self, entry: Entry) -> Path:
        """The file as it is before an entry is changed, under a name that is not taken."""
        with self._writing(entry):
            content = self._target.read_bytes()
            mode = self._target.stat().st_mode & 0o777
            number = 1
            while True:
                name = f"{self._target.name}{COPY}" + (f"-{number}" if number > 1 else "")
                copy = self._target.with_name(name)
                try:
                    _create(copy, content, mode)
                except FileExistsError:
                    number += 1
                else:
                    return copy

    @property
    def _target(self) -> Path:
        return self.path.resolve()

    def _text(self, wanted: Entry | None = None) -> str | None:
        """`None` if there is no file."""
        try:
            return self._target.read_bytes().decode()
        except FileNotFoundError:
            return None
        except UnicodeDecodeError:
            raise InvalidInput(
                f"{self.path} is left as it is: it is not UTF-8.{self._by_hand(wanted)}"
            ) from None
        except OSError as error:
            raise Unavailable(
                f"{self.path} cannot be read: {error.strerror}. Nothing was changed."
                f"{self._by_hand(wanted)}"
            ) from None

    def _original(self, text: str) -> Path | None:
        """The earlier copy that equals the text except for our entry, if there is one."""
        with contextlib.suppress(NotUnderstood, OSError):
            entry = self.format.find(text)
            pattern = re.compile(re.escape(self._target.name + COPY) + r"(-\d+)?")
            for copy in sorted(self._target.parent.iterdir()) if entry else ():
                if pattern.fullmatch(copy.name) and self._leads_to(copy, entry or {}, text):
                    return copy
        return None

    def _is_only_ours(self, text: str) -> bool:
        """Whether the file holds nothing but our entry."""
        with contextlib.suppress(NotUnderstood):
            entry = self.format.find(text)
            return entry is not None and self.format.add("", entry) == text
        return False

    def _leads_to(self, copy: Path, entry: Entry, text: str) -> bool:
        try:
            return self.format.add(_read(copy), entry) == text
        except (NotUnderstood, OSError):
            return False

    def _replace(self, known: str, text: str, entry: Entry) -> Path:
        """Returns the copy, which is there only if the file was replaced."""
        copy = self.copy(entry)
        try:
            self._write(known, text, entry)
        except BaseException:
            copy.unlink(missing_ok=True)
            raise
        return copy

    def _write(self, known: str | None, text: str, entry: Entry) -> None:
        target = self._target
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with self._writing(entry):
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = target.stat().st_mode & 0o777 if known is not None else None
            try:
                _create(temporary, text.encode(), mode)
                if self._text() != known:
                    raise Conflict(
                        f"{self.path} was changed by another program just now; nothing was "
                        "written. Try again."
                    )
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _understanding(self, entry: Entry | None = None) -> Iterator[None]:
        try:
            yield
        except NotUnderstood as error:
            raise InvalidInput(
                f"{self.path} is left as it is: {error}.{self._by_hand(entry)}"
            ) from None

    @contextlib.contextmanager
    def _writing(self, entry: Entry) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unavailable(
                f"{self.path} cannot be written: {error.strerror or error}. Nothing was changed."
                f"{self._by_hand(entry)}"
            ) from None

    def _by_hand(self, entry: Entry | None) -> str:
        if entry is None:
            return ""
        return f" This is what belongs into it:\n{self.format.snippet(entry).rstrip()}"


def _read(path: Path) -> str:
    return path.read_bytes().decode()


def _create(path: Path, content: bytes, mode: int | None) -> None:
    """A new file with these rights, or with those that new files have."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode or 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if mode is not None:
            path.chmod(mode)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
