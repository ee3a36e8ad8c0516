"""A likely personal name in what is to be remembered is stopped, and asked about.

The person may reword the note, keep it (it is no pupil's name after all), or drop it. Enter drops
it, and a note that still has a name in it after being reworded is asked about again.
"""

from collections.abc import Sequence

from bottega.assistant.gates.decisions import Decision, record
from bottega.assistant.gates.gate import Gate, GateItem, GateKind, ItemReply
from bottega.assistant.gates.replies import settle_items
from bottega.assistant.hooks.captures import Capture, CaptureEvent
from bottega.assistant.hooks.parts import FindNames
from bottega.assistant.loop.turn import Turn

EDIT, KEEP, DISMISS = "edit", "keep", "dismiss"


async def check_names(
    turn: Turn, find_names: FindNames, captures: Sequence[Capture]
) -> list[Capture]:
    """The captures, without names that the person has not vouched for."""
    settled = {capture.proposal.id: capture for capture in captures}
    to_check = [capture for capture in captures if capture.text is not None]
    while named := await turn.steps.step("name check", _look, turn, find_names, to_check):
        stopped = [capture for capture in to_check if capture.proposal.id in named]
        gate = _gate(stopped, named)
        replies = settle_items(gate, await turn.person.ask(gate))
        await record(
            turn,
            *(
                Decision(
                    GateKind.NAME_CHECK,
                    reply.decision,
                    capture.text,
                    reply.text,
                    {"names": named[reply.id]},
                )
                for reply, capture in zip(replies, stopped, strict=True)
            ),
        )
        settled |= {reply.id: _settle(settled[reply.id], reply) for reply in replies}
        to_check = [settled[reply.id] for reply in replies if reply.decision == EDIT]
    return list(settled.values())


async def _look(
    turn: Turn, find_names: FindNames, captures: Sequence[Capture]
) -> dict[str, list[str]]:
    """The names in each that has any."""
    found = [(each.proposal.id, await find_names(turn, each.text or "")) for each in captures]
    return {proposal_id: list(names) for proposal_id, names in found if names}


def _settle(capture: Capture, reply: ItemReply) -> Capture:
    if reply.decision == EDIT:
        return capture.model_copy(update={"text": reply.text, "event": CaptureEvent.EDITED})
    if reply.decision == DISMISS:
        return capture.model_copy(update={"text": None, "event": CaptureEvent.DISMISSED})
    return capture


def _gate(stopped: Sequence[Capture], named: dict[str, list[str]]) -> Gate:
    return Gate(
        kind=GateKind.NAME_CHECK,
        text=(
            "This may name a person. Notes are kept without names: say “the EAL pair” or “the "
            "advanced group”. How should it read?"
        ),
        items=[
            GateItem(
                id=each.proposal.id,
                title=each.text or "",
                text=f"Likely a name: {', '.join(named[each.proposal.id])}",
                scope=each.proposal.scope_shown,
                options=[EDIT, KEEP, DISMISS],
                default=DISMISS,
            )
            for each in stopped
        ],
        options=[KEEP, DISMISS],
        default=DISMISS,
        data={"names": named},
    )
