"""Research as a prompt: a question that is answered from a library, or not at all."""

from collections.abc import Sequence

from bottega.core.operations import completions
from bottega.core.rooms import Caller, Given, Prompt, PromptArgument, Script, Step
from bottega.research.service import Research


def research_prompt(service: Research) -> Prompt:
    async def complete(typed: str, _given: Given, caller: Caller) -> Sequence[str]:
        found = await service.libraries.libraries.list(caller.user_id)
        return completions(typed, [each.name for each in found])

    return Prompt(
        "research",
        "Answer a question from a library, with every claim cited, or not at all",
        _write,
        [
            PromptArgument("question", "question", required=True),
            PromptArgument("library", "the library to ask", complete=complete),
        ],
    )


def _write(given: Given) -> Script:
    library = given.get("library")
    choosing = (
        Step(f"Ask the library `{library}`.")
        if library
        else Step(
            "Choose a library with `library_kb_status`; ask me if several would do.",
            ["library_kb_status"],
        )
    )
    return Script(
        f"Answer this with Bottega's research: {given['question']}",
        [
            choosing,
            Step(
                "Start with `research_start`, follow with `research_status`, and hand its "
                "questions on to me (`research_reply`).",
                ["research_start", "research_status", "research_reply"],
            ),
            Step(
                "Show the answer of `research_answer` with its citations as they are. If it "
                "refuses, say so and say why; do not fill the gap from what you know.",
                ["research_answer"],
            ),
        ],
    )
