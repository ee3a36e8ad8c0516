"""What a paused run asks, as a form for clients that put questions to their person."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bottega.core.rooms import Asking, Caller, Question
from bottega.core.runs import RunStatus
from bottega.errors import Conflict, InvalidInput
from bottega.research.desk import Desk
from bottega.research.views import ResearchRunView, Waiting

NOT_PAUSED = frozenset(RunStatus) - {RunStatus.PAUSED}
LONGEST_MESSAGE = 4_000

#: A run as the tool shows it while nobody answers.
Show = Callable[[str, Caller], Awaitable[Any]]


class RunForms(Asking):
    """For tools whose result is a run, or has one as `run`; answered, it is that of a reply."""

    names = ("run_id", "pause")

    def __init__(self, desk: Desk, show: Show) -> None:
        self._desk = desk
        self._show = show

    def question(self, _asked: Any, result: Any) -> Question | None:
        run = result["run"] if isinstance(result, dict) else result
        if not isinstance(run, ResearchRunView) or run.waiting_for is None:
            return None
        waiting = run.waiting_for
        about = {"run_id": run.id, "pause": waiting.key}
        return Question(waiting.text[:LONGEST_MESSAGE], form_of(waiting), about)

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> dict[str, Any]:
        text = form.get("text") or form.get("choice")
        if not isinstance(text, str):
            raise InvalidInput("The form has neither a choice nor a text. Give one of them.")
        run_id = about["run_id"]
        session_id = await self._desk.paused_session(run_id, caller.user_id)
        run = await self._desk.runs.get(run_id, caller.user_id)
        if run.waiting_for is None or run.waiting_for["key"] != about["pause"]:
            raise Conflict(f"The run {run_id!r} has gone on since.")
        return await reply(self._desk, session_id, text, caller)

    async def current(self, about: Mapping[str, str], caller: Caller) -> Any:
        return await self._show(about["run_id"], caller)

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        await self._desk.runs.get(about["run_id"], caller.user_id)
        await self._desk.core.runs.wait(about["run_id"], NOT_PAUSED)


async def reply(desk: Desk, session_id: str, text: str, caller: Caller) -> dict[str, Any]:
    turn = await desk.conversation.say(session_id, text, user_id=caller.user_id)
    return {
        "run": ResearchRunView.of(turn.run) if turn.run else None,
        "said": [message.text for message in turn.messages if message.role == "assistant"],
    }


def form_of(waiting: Waiting) -> dict[str, Any]:
    text = {
        "type": "string",
        "title": "Your words",
        "description": waiting.otherwise or "Your reply.",
    }
    if not waiting.options:
        return {"type": "object", "properties": {"text": text}, "required": ["text"]}
    explained = "; ".join(f"{option.key}: {option.label}" for option in waiting.options)
    choice = {
        "type": "string",
        "title": "Choice",
        "description": explained,
        "enum": [option.key for option in waiting.options],
    }
    # Words count for more than a choice, so neither is required.
    return {"type": "object", "properties": {"choice": choice, "text": text}}
