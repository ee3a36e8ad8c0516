"""The answer to a request, by its playbook."""

from collections.abc import Sequence
from dataclasses import dataclass

from bottega.assistant.hooks.requests import Change, Requests, read_requests
from bottega.assistant.hooks.sections import cut
from bottega.assistant.offline.changes import Reviser, named_sections
from bottega.assistant.offline.checklist import Checked, check_document, total_minutes
from bottega.assistant.offline.code_notes import (
    MOST_NOTES,
    WEIGHTS,
    CodeLine,
    excerpt,
    file_lines,
    lines_in,
    look_through,
)
from bottega.assistant.offline.errands import document_paths
from bottega.assistant.offline.knowledge import gather
from bottega.assistant.offline.playbook import Changes, Origin, Play, Playbook
from bottega.assistant.offline.situation import HANDED_OVER, Situation
from bottega.assistant.offline.template import Known, fill
from bottega.core.embeddings import Embedder

OFFLINE = (
    "> **Offline draft.** No model wrote this: it is a template, filled from your files. Read it "
    "as a start, not as advice."
)


@dataclass(frozen=True, slots=True)
class Answering:
    situation: Situation
    playbook: Playbook | None
    changes: Changes | None
    embedder: Embedder

    async def answer(self) -> str:
        text = await self._answer()
        return f"{OFFLINE}\n\n{without_note(text).strip()}\n"

    async def _answer(self) -> str:
        situation = self.situation
        if situation.document and (asked := self._requests()) is not None:
            return await self._revised(situation.document, asked)
        if self.playbook is None:
            return _without_playbook(situation)
        match self.playbook.meta.plays:
            case Play.REFINE:
                return await self._refined()
            case Play.CHECKLIST:
                return await self._checked(self._document())
            case Play.RULES:
                return await self._noted()
            case Play.DRAFT:
                return await self._drafted()

    def _requests(self) -> Requests | None:
        """What is to be changed in the document that the conversation is about, if anything is."""
        situation = self.situation
        if (requests := read_requests(situation.prompt)) is not None:
            return requests
        plays = self.playbook.meta.plays if self.playbook else Play.REFINE
        if plays is not Play.DRAFT or situation.prompt.startswith(HANDED_OVER):
            return None
        said = situation.request
        is_change = Reviser(self.changes, Known()).effect(said) is not None
        # "A lesson on shorter proofs" is a new one: a change is about a section that there is.
        if is_change and named_sections(cut(situation.document), said):
            return Requests(changes=[Change(None, said)])
        return None

    async def _known(self) -> Known:
        return await gather(self.situation, self.playbook, self.embedder)

    async def _revised(self, document: str, requests: Requests) -> str:
        return Reviser(self.changes, await self._known()).revise(without_note(document), requests)

    async def _drafted(self) -> str:
        assert self.playbook is not None
        return fill(self.playbook.body, await self._known())

    async def _refined(self) -> str:
        """The document that is meant, changed as the request says."""
        assert self.playbook is not None
        document = self._document()
        if not document:
            return fill(self.playbook.body, await self._known())
        requests = Requests(changes=[Change(None, self.situation.request)])
        return await self._revised(document, requests)

    async def _checked(self, document: str) -> str:
        assert self.playbook is not None
        known = await self._known()
        profile = self.situation.text_of(Origin.CLASS)
        total = total_minutes(cut(document))
        whole = int(known.values["length"]) if "length" in known.values and total else None
        checked = check_document(document, self.playbook.meta.checks, profile=profile, whole=whole)
        lists = {
            **known.lists,
            "passed": [_shown(each) for each in checked if each.passed],
            "missed": [_shown(each) for each in checked if not each.passed],
        }
        flags = {*known.flags, *({"document"} if document else ())}
        count = {"passed": str(len(lists["passed"])), "checks": str(len(checked))}
        return fill(self.playbook.body, Known({**known.values, **count}, flags, lists))

    async def _noted(self) -> str:
        assert self.playbook is not None
        known = await self._known()
        lines, unread = self._code()
        notes = look_through(lines, self.playbook.meta.rules)
        lists = {
            **known.lists,
            **{
                weight: [
                    {
                        "place": f"{note.line.path}:{note.line.number}",
                        "code": excerpt(note.line),
                        "text": note.rule.note,
                    }
                    for note in notes[:MOST_NOTES]
                    if note.rule.weight == weight
                ]
                for weight in WEIGHTS
            },
            "files": [{"text": path} for path in dict.fromkeys(line.path for line in lines)],
            "unread": [{"text": path} for path in unread],
        }
        counts = {"notes": str(len(notes)), "lines": str(len(lines))}
        flags = {*known.flags, *({"code"} if lines else ()), *({"notes"} if notes else ())}
        return fill(self.playbook.body, Known({**known.values, **counts}, flags, lists))

    def _document(self) -> str:
        """The file that the request is about, or what was drafted before."""
        read = [text for path in document_paths(self.situation) if (text := self._file(path))]
        return read[0] if read else self.situation.document

    def _file(self, path: str) -> str:
        return self.situation.files.get(path, "")

    def _code(self) -> tuple[list[CodeLine], Sequence[str]]:
        """All lines that were given, and the paths that could not be read."""
        given = lines_in(self.situation.request)
        paths = [] if given else document_paths(self.situation)
        read = {path: self._file(path) for path in paths}
        lines = [line for path, text in read.items() if text for line in _code_of(path, text)]
        return [*given, *lines], [path for path, text in read.items() if not text]


def without_note(text: str) -> str:
    """A document of ours without the line that says what it is."""
    return text.replace(f"{OFFLINE}\n", "", 1).lstrip("\n")


def _code_of(path: str, text: str) -> list[CodeLine]:
    return lines_in(text) if path.endswith((".diff", ".patch")) else file_lines(path, text)


def _shown(checked: Checked) -> dict[str, str]:
    check = checked.check
    return {"text": check.title, "note": checked.note, "advice": check.advice}


def _without_playbook(situation: Situation) -> str:
    """No template is there for this: say what is at hand."""
    read = [*situation.files, *situation.memory, *situation.of(Origin.SKILLS)]
    lines = [f"- {each}" for each in read] or ["- nothing"]
    return "\n".join(
        (
            "# Not without a model",
            "",
            "The plugin has no template for this, so nothing could be written for:",
            "",
            *(f"> {line}" for line in situation.request.split("\n")[:20]),
            "",
            "Looked at so far:",
            "",
            *lines,
        )
    )
