"""A model that is none: it plays an agent by the plugin's templates, the same way every time.

It calls tools and answers as a model would, so that hooks, gates, limits and traces are the very
path that a model takes. It keeps nothing between requests: a run that goes on after a crash asks it
only for what is not on record.

Importing this imports Pydantic AI.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from bottega.assistant.drafts.changes import Reviser, named_sections
from bottega.assistant.drafts.knowledge import gather
from bottega.assistant.drafts.lookups import Lookup, document_paths, find_handoff, find_lookups
from bottega.assistant.drafts.playbook import (
    Changes,
    Play,
    Playbook,
    SourceKind,
    find_changes,
    find_playbook,
)
from bottega.assistant.drafts.reviews import (
    MOST_NOTES,
    WEIGHTS,
    CheckedItem,
    CodeLine,
    check_document,
    excerpt,
    file_lines,
    lines_in,
    look_through,
    total_minutes,
)
from bottega.assistant.drafts.revision_requests import (
    ChangeRequest,
    RevisionRequests,
    read_requests,
)
from bottega.assistant.drafts.sections import split_sections
from bottega.assistant.drafts.situation import Situation, is_from_the_loop, look
from bottega.assistant.drafts.template import TemplateData, fill, shape
from bottega.assistant.loop.agent_loop import LAST_ANSWER
from bottega.assistant.loop.turn import Turn
from bottega.conversation.tools import OPENING as HANDED_OVER
from bottega.core.readers.embedder import Embedder

OFFLINE = (
    "> **Offline draft.** No model wrote this: it is a template, filled from your files. Read it "
    "as a start, not as advice."
)


@dataclass(frozen=True, slots=True)
class AnswerWriter:
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

    def _requests(self) -> RevisionRequests | None:
        """What is to be changed in the document that the conversation is about, if anything is."""
        situation = self.situation
        if (requests := read_requests(situation.prompt)) is not None:
            return requests
        plays = self.playbook.meta.plays if self.playbook else Play.REFINE
        if plays is not Play.DRAFT or situation.prompt.startswith(HANDED_OVER):
            return None
        said = situation.request
        is_change = Reviser(self.changes, TemplateData()).effect(said) is not None
        # "A lesson on shorter proofs" is a new one: a change is about a section that there is.
        if is_change and named_sections(split_sections(situation.document), said):
            return RevisionRequests(changes=[ChangeRequest(None, said)])
        return None

    async def _known(self) -> TemplateData:
        return await gather(self.situation, self.playbook, self.embedder)

    async def _revised(self, document: str, requests: RevisionRequests) -> str:
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
        requests = RevisionRequests(changes=[ChangeRequest(None, self.situation.request)])
        return await self._revised(document, requests)

    async def _checked(self, document: str) -> str:
        assert self.playbook is not None
        known = await self._known()
        profile = self.situation.text_of(SourceKind.CLASS)
        total = total_minutes(split_sections(document))
        whole = int(known.values["length"]) if "length" in known.values and total else None
        checked = check_document(document, self.playbook.meta.checks, profile=profile, whole=whole)
        lists = {
            **known.lists,
            "passed": [_shown(each) for each in checked if each.passed],
            "missed": [_shown(each) for each in checked if not each.passed],
        }
        flags = {*known.flags, *({"document"} if document else ())}
        count = {"passed": str(len(lists["passed"])), "checks": str(len(checked))}
        return fill(self.playbook.body, TemplateData({**known.values, **count}, flags, lists))

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
        return fill(self.playbook.body, TemplateData({**known.values, **counts}, flags, lists))

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


def _shown(checked: CheckedItem) -> dict[str, str]:
    check = checked.check
    return {"text": check.title, "note": checked.note, "advice": check.advice}


def _without_playbook(situation: Situation) -> str:
    """No template is there for this: say what is at hand."""
    read = [*situation.files, *situation.memory, *situation.of(SourceKind.SKILLS)]
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


NAME = "offline"


class OfflineModel(Model):
    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self._turn = turn
        self._agent = turn.agent

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return NAME

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        turn, embedder = self._turn, self._turn.core.embedder
        parameters = model_request_parameters
        situation = look(messages, parameters, _instructions(messages, parameters), turn.output)
        playbook = await asyncio.to_thread(find_playbook, turn.plugin, *self._names())
        if situation.prompt != LAST_ANSWER:
            if (transfer := find_handoff(situation, turn.plugin)) is not None:
                return _calls([transfer], messages)
            is_revision = is_from_the_loop(situation.prompt) and bool(turn.output)
            if playbook is not None and not is_revision:
                wanted = await find_lookups(situation, playbook, embedder)
                if wanted:
                    return _calls(wanted, messages)
        changes = await asyncio.to_thread(find_changes, turn.plugin)
        text = await AnswerWriter(situation, playbook, changes, embedder).answer()
        if (wanted_shape := parameters.output_object) is not None:
            known = await gather(situation, playbook, embedder)
            output = playbook.meta.output if playbook else {}
            text = json.dumps(shape(wanted_shape.json_schema, text, known, output))
        return _response(TextPart(text))

    def _names(self) -> list[str]:
        """What its playbook may be called: the command, the agent, or a command of the agent's, for
        a session that goes on without one."""
        turn, agent = self._turn, self._agent.name
        own = [each.name for each in turn.plugin.commands.values() if each.meta.agent == agent]
        # After a handoff the command is another agent's.
        is_own = turn.command is not None and turn.command.name in own
        return [*([turn.command.name] if turn.command and is_own else []), agent, *own]


def _calls(wanted: list[Lookup], messages: list[ModelMessage]) -> ModelResponse:
    return _response(
        *(
            ToolCallPart(each.tool, each.arguments, tool_call_id=_id(each, len(messages)))
            for each in wanted
        )
    )


def _response(*parts: TextPart | ToolCallPart) -> ModelResponse:
    return ModelResponse(
        parts=list(parts),
        model_name=NAME,
        provider_name=NAME,
        finish_reason="tool_call" if isinstance(parts[0], ToolCallPart) else "stop",
    )


def _id(errand: Lookup, at: int) -> str:
    """The same call at the same place has the same id."""
    told = f"{at} {errand.tool} {json.dumps(errand.arguments, sort_keys=True)}"
    return f"offline_{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _instructions(messages: list[ModelMessage], parameters: ModelRequestParameters) -> str:
    if parts := parameters.instruction_parts:
        return "\n\n".join(part.content for part in parts)
    told = (each.instructions for each in reversed(messages) if isinstance(each, ModelRequest))
    return next((text for text in told if text), "")
