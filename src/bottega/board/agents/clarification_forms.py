"""An agent's question as a form, for clients that put it to the person at once."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bottega.board.agents.arguments import AgentQuestion
from bottega.board.agents.schemas import LONGEST_WAIT
from bottega.core.rooms import Asking, Caller, Question
from bottega.errors import InvalidInput

if TYPE_CHECKING:
    from bottega.board.agents.clarifications import Clarifications
    from bottega.board.agents.tables import Clarification

Result = dict[str, Any]


class ClarificationForms(Asking):
    names = ("clarification_id",)

    def __init__(self, clarifications: "Clarifications") -> None:
        self._clarifications = clarifications

    def question(self, asked: AgentQuestion, result: Result) -> Question | None:
        if result["answer"] is not None or asked.question is None or not asks_now(asked):
            return None
        about = {"clarification_id": result["clarification_id"]}
        return Question(asked.question, form_of(asked.options), about)

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> Result:
        words = form.get("answer") or form.get("choice")
        if not isinstance(words, str):
            raise InvalidInput("The form has neither a choice nor an answer. Give one of them.")
        clarification, user = about["clarification_id"], caller.user_id
        await self._clarifications.answer(clarification, words, user)
        # Waited for, so that it counts as told and does not come with a heartbeat again.
        return answered(await self._clarifications.wait(clarification, user, 0))

    async def current(self, about: Mapping[str, str], caller: Caller) -> Result:
        clarification = about["clarification_id"]
        return answered(await self._clarifications.wait(clarification, caller.user_id, 0))

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        clarification, user = about["clarification_id"], caller.user_id
        while (
            await self._clarifications.wait(clarification, user, LONGEST_WAIT)
        ).answered_at is None:
            pass


def asks_now(asked: AgentQuestion) -> bool:
    """Whether the agent asks and waits: not when it goes on, or waits for an earlier question."""
    return asked.question is not None and asked.patience > 0


def answered(asked: "Clarification") -> Result:
    result: Result = {"clarification_id": asked.id, "answer": asked.answer}
    if asked.answered_at is None:
        result["next"] = "Not answered yet: call again with this clarification_id."
    return result


def form_of(options: list[str]) -> dict[str, Any]:
    answer = {"type": "string", "title": "Answer"}
    if not options:
        return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
    choice = {"type": "string", "title": "Choice", "enum": options}
    answer["title"] = "Or in your own words"
    return {"type": "object", "properties": {"choice": choice, "answer": answer}}
