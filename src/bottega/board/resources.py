"""The files of changes as resources: `bottega://board/changes/{change}/{file}`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from bottega.board.changes.schemas import ChangeSummary
from bottega.board.changes.service import Changes
from bottega.board.changes.states import OPEN_STATUSES
from bottega.board.changes.texts import METADATA, PROPOSAL, TASKS, spec_name, stored_texts
from bottega.core.events import Event
from bottega.core.operations import completions
from bottega.core.rooms import Caller, Contents, Given, Listed, Resource
from bottega.errors import NotFound

CHANGES = "bottega://board/changes/"
MARKDOWN = "text/markdown"
#: Changes in the list; the others are found by their ids.
MOST_LISTED = 100


def resources(changes: Changes) -> list[Resource]:
    async def read(given: Given, _caller: Caller) -> Contents:
        texts = stored_texts(await changes.find(given["change"], given.get("project")))
        name = given["file"]
        if name not in texts:
            raise NotFound(
                f"The change {given['change']!r} has no {name[:80]!r}. It has: "
                f"{', '.join(texts) or 'no files'}.",
                valid_options=list(texts),
            )
        return Contents(texts[name], "application/yaml" if name == METADATA else MARKDOWN)

    async def listed(_caller: Caller) -> Sequence[Listed]:
        found = await changes.list(status=OPEN_STATUSES)
        same_id = Counter(each.id for each in found)
        return [
            Listed(
                uri_of(each.id, name, each.project_id if same_id[each.id] > 1 else None),
                f"{each.title}: {name}",
                MARKDOWN,
            )
            for each in found[:MOST_LISTED]
            for name in _known_files(each)
        ]

    async def complete_change(typed: str, _given: Given, _caller: Caller) -> Sequence[str]:
        return completions(typed, [each.id for each in await changes.list()])

    async def complete_file(typed: str, given: Given, _caller: Caller) -> Sequence[str]:
        if "change" not in given:
            return completions(typed, [PROPOSAL, TASKS])
        row = await changes.find(given["change"], given.get("project"))
        return completions(typed, stored_texts(row))

    async def complete_project(typed: str, given: Given, _caller: Caller) -> Sequence[str]:
        change = given.get("change")
        found = await changes.list()
        return completions(typed, [e.project_id for e in found if change in (None, e.id)])

    return [
        Resource(
            "change-file",
            CHANGES + "{change}/{+file}{?project}",
            "A text of a change: proposal.md, tasks.md, design.md, specs/{capability}/spec.md. "
            "The project's id is needed only where two have a change of that id.",
            MARKDOWN,
            read,
            listed=listed,
            complete={
                "change": complete_change,
                "file": complete_file,
                "project": complete_project,
            },
            updates={"specs.changed": _changed},
            relisted_by=("specs.found", "specs.removed", "specs.moved"),
        )
    ]


def uri_of(change: str, file: str, project: str | None = None) -> str:
    which = f"?project={quote(project, safe='')}" if project else ""
    return f"{CHANGES}{quote(change, safe='')}/{quote(file)}{which}"


def _known_files(change: ChangeSummary) -> Iterable[str]:
    """Those that can be told without its texts."""
    yield PROPOSAL
    if change.tasks_total:
        yield TASKS
    for capability in dict.fromkeys(each.partition("/")[0] for each in change.touches):
        yield spec_name(capability)


def _changed(event: Event) -> Iterable[str]:
    change, project = event.payload["change_id"], event.payload["project_id"]
    for file in event.payload["files"]:
        yield uri_of(change, file)
        yield uri_of(change, file, project)
