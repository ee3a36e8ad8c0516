"""Looking back as a prompt: across the journal, the memory and the coach, where they are served."""

from bottega.core.rooms import Given, Prompt, PromptArgument, Script, Step


def _write(given: Given) -> Script:
    said = given.get("thoughts")
    about = f" What I want to say about it: {said}" if said else ""
    return Script(
        f"Look back on our session with Bottega.{about}",
        [
            Step(
                "Resolve what is open in the journal: `get_active_ghap`, then `resolve_ghap` with "
                "what really happened.",
                ["get_active_ghap", "resolve_ghap"],
            ),
            Step(
                "Tell me in at most five lines what we set out to do, what happened, what "
                "surprised us and what to do differently."
            ),
            Step(
                "Keep what is worth it with `remember`, each with its evidence. Ask me before you "
                "keep anything about me.",
                ["remember"],
            ),
            Step(
                "If a coaching session is open and I agree, end it with `paige_end_session`.",
                ["paige_end_session"],
            ),
        ],
    )


RETRO = Prompt(
    "retro",
    "Look back on this session, keep its lessons, and end it",
    _write,
    [PromptArgument("thoughts", "what went well or badly")],
)
