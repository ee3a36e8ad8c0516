"""The `openspec` program, where a person has installed it: its verdict, and its archive.

It gets an environment of its own: the way to itself and to Node, the person's home, and everything
by which it can be kept from the network. No key of ours is in it.
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from bottega.board.openspec.layout import checked_id, split_archive_name
from bottega.board.openspec.metadata import FILE_NAME
from bottega.board.openspec.reader import ChangeOnDisk, OpenSpecReader
from bottega.board.openspec.texts import Issue, Level, Validation
from bottega.board.openspec.writer import WriteLock
from bottega.core.programs import Finished, find_program, run
from bottega.errors import Conflict, NotFound, Unavailable

#: Node alone takes most of a second to start; a busy machine takes many.
PATIENCE = 60.0
MAX_OUTPUT = 4 * 1024 * 1024
HOW_TO_INSTALL = (
    "Install it with `npm install -g @fission-ai/openspec`; it needs Node.js 20.19 or newer."
)

_QUIET = {
    "OPENSPEC_TELEMETRY": "0",
    "DO_NOT_TRACK": "1",
    "OPENSPEC_NO_UPDATE_CHECK": "1",
    "OPENSPEC_NO_COMPLETIONS": "1",
    "OPEN_SPEC_INTERACTIVE": "0",
    "NO_COLOR": "1",
    "CI": "1",
}
_FILES = (FILE_NAME, "tasks.md", "proposal.md", "design.md")


class _CliIssue(BaseModel):
    level: Level
    path: str = ""
    line: int | None = None
    message: str


class _CliItem(BaseModel):
    valid: bool
    issues: list[_CliIssue] = []


class _CliRefusal(BaseModel):
    code: str = ""
    message: str


class _CliReport(BaseModel):
    """What `validate --json` prints: a verdict, or why there is none."""

    items: list[_CliItem] = []
    status: list[_CliRefusal] = []


class OpenSpecCli:
    def __init__(
        self,
        root: Path,
        program: str = "openspec",
        *,
        environment: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`environment` is what the program gets besides what it needs to start."""
        self._files = OpenSpecReader(root)
        self._root = self._files.root
        self._program = program
        self._environment = dict(environment or {})
        self._patience = patience
        self._lock = WriteLock(self._files)

    @property
    def available(self) -> bool:
        return find_program(self._program) is not None

    def close(self) -> None:
        self._lock.close()

    async def version(self) -> str | None:
        """None if it is not installed, or does not run."""
        try:
            done = await self._run("--version")
        except Unavailable:
            return None
        return _text(done) or None if done.code == 0 else None

    async def validate(self, change: str, *, strict: bool = True) -> Validation:
        # It would call a change that is not there one without deltas.
        if checked_id(change) not in await asyncio.to_thread(self._files.change_ids):
            raise NotFound(f"There is no active change {change!r} to validate.")
        return await self._validate("change", change, strict)

    async def validate_spec(self, capability: str, *, strict: bool = True) -> Validation:
        if capability not in await asyncio.to_thread(self._files.spec_ids):
            raise NotFound(f"There is no spec {capability!r} to validate.")
        return await self._validate("spec", capability, strict)

    async def archive(self, change: str, *, skip_specs: bool = False) -> ChangeOnDisk:
        """Let it apply the change's deltas to the main specs, or not, and put the change away."""
        checked_id(change)
        async with self._lock:
            before = set(await asyncio.to_thread(self._files.archive_names))
            # A rejected change may well be invalid, and none of it reaches the specs.
            options = ["--skip-specs", "--no-validate"] if skip_specs else []
            done = await self._run("archive", change, "--yes", *options)
            after = await asyncio.to_thread(self._files.archive_names)
        new = [name for name in after if name not in before and _is_of(name, change)]
        if done.code != 0 or not new:
            raise Conflict(f"openspec did not archive {change!r}. It says: {_words(done)}")
        return await asyncio.to_thread(self._files.archived_change, new[0])

    async def _validate(
        self, kind: Literal["change", "spec"], name: str, strict: bool
    ) -> Validation:
        options = ["--type", kind, "--json", "--no-interactive", *(["--strict"] if strict else [])]
        done = await self._run("validate", name, *options)
        try:
            report = _CliReport.model_validate_json(done.output)
        except ValidationError:
            raise Unavailable(f"openspec gave no verdict on {name!r}: {_words(done)}") from None
        if not report.items:
            said = "; ".join(refusal.message for refusal in report.status) or _words(done)
            raise NotFound(f"openspec has no verdict on {name!r}: {said}")
        item = report.items[0]
        return Validation(item.valid, tuple(map(_issue, item.issues)))

    async def _run(self, *arguments: str) -> Finished:
        program = find_program(self._program)
        if program is None:
            raise Unavailable(f"The openspec program is not installed here. {HOW_TO_INSTALL}")
        try:
            done = await run(
                [program, *arguments],
                self._root,
                self._patience,
                max_output=MAX_OUTPUT,
                environment=self._own_environment(program),
            )
        except TimeoutError:  # which is an OSError, too
            why = f"did not finish within {self._patience:g} seconds"
        except OSError as error:
            why = f"could not be started: {error.strerror or error}"
        else:
            if not done.flooded:
                return done
            why = f"printed more than {MAX_OUTPUT:,} bytes"
        raise Unavailable(f"openspec {arguments[0]} {why}. {HOW_TO_INSTALL}")

    def _own_environment(self, program: str) -> dict[str, str]:
        node = find_program("node")
        places = [str(Path(found).parent) for found in (program, node) if found]
        path = os.pathsep.join([*places, os.defpath])
        return {"PATH": path, "HOME": str(Path.home()), **self._environment, **_QUIET}


def _issue(said: _CliIssue) -> Issue:
    path = said.path
    if path == "file":
        path = ""
    elif path and path not in _FILES and path.endswith(".md"):
        path = f"specs/{path}"
    return Issue(said.level, path, said.line, said.message)


def _is_of(name: str, change: str) -> bool:
    return name == change or split_archive_name(name)[0] == change


def _words(done: Finished) -> str:
    """What it told a person, in one line."""
    said = " ".join((done.errors or _text(done)).split())
    return (said[:500] or f"nothing (exit code {done.code})").removeprefix("✖ ")


def _text(done: Finished) -> str:
    return done.output.decode(errors="replace").strip()
