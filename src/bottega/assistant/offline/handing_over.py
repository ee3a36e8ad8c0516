"""Giving the conversation to a peer, when the person asks for one."""

from bottega.assistant.loop.handoffs import tool_name
from bottega.assistant.offline.errands import Errand
from bottega.assistant.offline.phrases import has_any
from bottega.assistant.offline.situation import Situation, is_from_the_loop
from bottega.assistant.plugins.definition import Plugin

#: How people ask for somebody else.
VERBS = ("hand*", "pass*", "give*", "send*", "transfer*", "ask*", "let*", "review*", "get*")
#: Letters of a name that a word must share: `review` and `reviewer`.
LEAST_SHARED = 5


def handover(situation: Situation, plugin: Plugin) -> Errand | None:
    """To the agent that the request names, if there is something to hand over."""
    request = situation.request
    is_asked = not is_from_the_loop(situation.prompt) and bool(situation.document)
    if not is_asked or not has_any(request, VERBS):
        return None
    for name, agent in plugin.agents.items():
        tool = tool_name(name)
        was_called = any(result.tool == tool for result in situation.results)
        if tool in situation.tools and not was_called and _names(request, name):
            return Errand(tool, _context(situation, agent.meta.description or name))
    return None


def _names(request: str, agent: str) -> bool:
    words = [word for word in agent.split("-") if len(word) >= LEAST_SHARED]
    return has_any(request, [f"{word[:LEAST_SHARED]}*" for word in words])


def _context(situation: Situation, task: str) -> dict[str, list[str] | str]:
    title = next(
        (line.lstrip("# ") for line in situation.document.split("\n") if line.startswith("# ")),
        "the draft",
    )
    said = [situation.said] if situation.said else []
    return {
        "decisions": [f"The draft stands as it is in the conversation: {title}", *said],
        "constraints": [f"Made for {situation.class_id}"] if situation.class_id else [],
        "reason": f"The person asked: {' '.join(situation.request.split())[:500]} ({task[:500]})",
        "open_questions": [],
    }
