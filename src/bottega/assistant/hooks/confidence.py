"""How sure the person is that the draft will serve them, before they have judged it.

Asked once a turn, and only where the order wants it: it is research data, and a click too many for
everybody else.
"""

from bottega.assistant.gates.decisions import Decision, record
from bottega.assistant.gates.gate import Gate, GateKind
from bottega.assistant.loop.turn import Turn

GATE = Gate(
    kind=GateKind.CONFIDENCE,
    text=(
        "Before you look closely: how sure are you that this draft will work for you?\n"
        "1 = not at all, 5 = completely."
    ),
    options=["rate", "skip"],
    default="skip",
    data={"lowest": 1, "highest": 5},
)


async def ask_confidence(turn: Turn) -> None:
    if not turn.order.ask_confidence or any(
        decision["kind"] == GateKind.CONFIDENCE for decision in turn.decisions
    ):
        return
    reply = await turn.person.ask(GATE)
    data = {"rating": reply.rating}
    await record(turn, Decision(GateKind.CONFIDENCE, reply.decision, text=reply.text, data=data))
