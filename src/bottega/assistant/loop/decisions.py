"""What people decided at gates: kept as rows the moment they have decided, and in the trace."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.turn import Turn
from bottega.assistant.sessions.tables import AssistantDecision
from bottega.conversation.gates import GateDecision, GateKind
from bottega.core.clock import new_id
from bottega.core.db.database import storable


async def record(turn: Turn, *decisions: GateDecision) -> None:
    """Keep them, show them in the trace, and let later hooks of the turn know."""
    if not decisions:
        return

    async def number() -> str:
        return new_id()

    async def keep() -> None:
        trace_id = _trace(turn, decisions)
        async with turn.core.database.write() as session:
            for place, decision in enumerate(decisions):
                await put_decision(session, _row(turn, f"{batch}-{place:03}", decision, trace_id))

    # On record before the rows: a step that is done again after a crash decides nothing twice.
    batch = await turn.steps.step("decision", number)
    await turn.steps.step(f"decided {decisions[0].kind}", keep)
    turn.decisions.extend(asdict(decision) for decision in decisions)


async def put_decision(session: AsyncSession, decision: AssistantDecision) -> None:
    """Once, however often it is asked to."""
    if await session.get(AssistantDecision, decision.id) is None:
        session.add(decision)


async def decisions_of(
    session: AsyncSession, session_id: str, kind: GateKind | None = None
) -> Sequence[AssistantDecision]:
    """In the order in which they were made."""
    query = select(AssistantDecision).where(AssistantDecision.session_id == session_id)
    if kind is not None:
        query = query.where(AssistantDecision.kind == kind)
    return (await session.scalars(query.order_by(AssistantDecision.id))).all()


def _row(turn: Turn, id: str, decision: GateDecision, trace_id: str) -> AssistantDecision:
    return AssistantDecision(
        id=id,
        session_id=turn.session_id,
        run_id=turn.run_id,
        trace_id=trace_id,
        kind=decision.kind,
        item=decision.item and storable(decision.item),
        decision=decision.decision,
        text=decision.text and storable(decision.text),
        data=dict(decision.data),
    )


def _trace(turn: Turn, decisions: Sequence[GateDecision]) -> str:
    trace_id = 0
    for decision in decisions:
        attributes = {
            "bottega.decision.kind": decision.kind.value,
            "bottega.decision": decision.decision,
            "bottega.decision.item": decision.item or "",
            "bottega.decision.text": decision.text or "",
            "bottega.decision.data": dict(decision.data),
        }
        with turn.span(
            f"decision {decision.kind.value}",
            attributes,
        ) as span:
            trace_id = span.get_span_context().trace_id
    return f"{trace_id:032x}"
