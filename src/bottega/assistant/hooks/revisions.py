"""What the person put right in this turn, and what they answered, from their decisions."""

from bottega.assistant.gates.gate import GateKind
from bottega.assistant.hooks.sections import cut
from bottega.assistant.loop.turn import Turn
from bottega.assistant.prompts.memory_capture import Change


def changes_in(turn: Turn) -> list[Change]:
    """Corrections of what was assumed, and requests to revise with what became of the section."""
    output = cut(turn.output)
    after = {section.title: section.text for section in output.sections}
    changes: list[Change] = []
    for decision in turn.decisions:
        kind, word, text = decision["kind"], decision["decision"], decision["text"]
        if kind == GateKind.FEEDFORWARD and word == "modify":
            changes.append(Change(text))
        elif kind == GateKind.ADJUDICATION and word == "revise":
            section = decision["item"]
            before = decision["data"].get("before", "")
            now = after.get(section, "") if section else turn.output
            changes.append(Change(text, section, before, now))
    return changes


def answers_in(turn: Turn) -> list[str]:
    """What they thought of the draft, each with its question."""
    return [
        f"{decision['item']} {decision['text']}" if decision["item"] else decision["text"]
        for decision in turn.decisions
        if decision["kind"] == GateKind.REFLECTION and decision["text"]
    ]
