"""The project and the sittings in it, as resources: its tree, its files, the session, past ones.

Read-only, like the tools (FR-081), and within the same sandbox as every other reading of files.
"""

import asyncio
import mimetypes
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from pydantic_core import to_json

from bottega.coach.editor.state import Editors
from bottega.coach.sessions.history import SessionHistory, report
from bottega.coach.sessions.state import SessionState
from bottega.core.events import Event
from bottega.core.files.project import ProjectFiles
from bottega.core.files.snapshot import ChangeAction
from bottega.core.files.tree import file_paths
from bottega.core.operations import completions
from bottega.core.rooms import Caller, Contents, Given, Listed, Resource

TREE = "bottega://project/tree"
FILES = "bottega://project/files/"
SESSION = "bottega://coach/session"
SESSIONS = "bottega://coach/sessions/"
PLAIN, MARKDOWN, JSON = "text/plain", "text/markdown", "application/json"
#: What an address may have as it is; `?` and `#` would end the path.
SAFE = "/:@!$&'()*+,;=[]~"


def resources(
    files: ProjectFiles, editors: Editors, state: SessionState, history: SessionHistory
) -> list[Resource]:
    return [*of_project(files), *of_sessions(editors, state, history)]


def of_project(files: ProjectFiles) -> list[Resource]:
    async def paths() -> list[str]:
        tree = await files.tree()
        return await asyncio.to_thread(lambda: list(file_paths(tree)))

    async def read_tree(_given: Given, _caller: Caller) -> Contents:
        return Contents("\n".join(await paths()), PLAIN)

    async def read_file(given: Given, _caller: Caller) -> Contents:
        path = given["path"]
        found = await files.read(path)
        guessed = mimetypes.guess_type(found.path)[0]
        if found.binary:
            data = await files.sandbox.read_bytes(path)
            return Contents(data, guessed or "application/octet-stream")
        return Contents(found.content, guessed or PLAIN)

    async def complete_path(typed: str, _given: Given, _caller: Caller) -> Sequence[str]:
        return completions(typed, await paths())

    return [
        Resource(
            "project-tree",
            TREE,
            "The files of the project, one path a line; what is ignored is left out.",
            PLAIN,
            read_tree,
            updates={"files.changed": _of_tree},
        ),
        Resource(
            "project-file",
            FILES + "{+path}",
            "A file of the project as it is on disk.",
            PLAIN,
            read_file,
            complete={"path": complete_path},
            updates={"files.changed": lambda event: [file_uri(event.payload["path"])]},
        ),
    ]


def of_sessions(editors: Editors, state: SessionState, history: SessionHistory) -> list[Resource]:
    async def read_session(_given: Given, caller: Caller) -> Contents:
        snapshot = await state.snapshot(editors.of(caller.user_id))
        return Contents(to_json(snapshot).decode(), JSON)

    async def read_past(given: Given, caller: Caller) -> Contents:
        return Contents(report(await history.record(caller.user_id, given["session"])), MARKDOWN)

    async def list_past(caller: Caller) -> Sequence[Listed]:
        return [
            Listed(
                SESSIONS + quote(line.id, safe=""),
                f"{line.issue_title or 'Coaching'} ({line.started_at[:10]}, {line.status})",
                MARKDOWN,
            )
            for line in await history.sessions(caller.user_id)
        ]

    async def complete_session(typed: str, _given: Given, caller: Caller) -> Sequence[str]:
        return completions(typed, [line.id for line in await history.sessions(caller.user_id, 500)])

    return [
        Resource(
            "coaching-session",
            SESSION,
            "The coaching session under way: open files, plan, phase, hints, progress, skills.",
            JSON,
            read_session,
        ),
        Resource(
            "coaching-report",
            SESSIONS + "{session}",
            "A coaching session written up; `last` is the newest.",
            MARKDOWN,
            read_past,
            listed=list_past,
            complete={"session": complete_session},
        ),
    ]


def file_uri(path: str) -> str:
    return FILES + quote(path, safe=SAFE)


def _of_tree(event: Event) -> Iterable[str]:
    return () if event.payload["action"] == ChangeAction.CHANGE else (TREE,)
