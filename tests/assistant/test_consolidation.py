"""From a session's notes to what is kept for good: scored, proposed, confirmed."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bottega.assistant.hooks.memory_capture import MemoryCapture
from bottega.assistant.loop.turn import trace_id_of
from bottega.assistant.memory_files.notebook import (
    THRESHOLD,
    MemoryNotebook,
    PromotionCandidate,
)
from bottega.assistant.memory_files.repository import MemoryEvent
from bottega.assistant.memory_files.service import access_of
from bottega.conversation.gates import GateReply
from bottega.core import clock
from bottega.core.users import LOCAL_USER
from tests.assistant.hook_turns import TurnApp, about, open_turn
from tests.assistant.tool_app import use

LESSONS = "memory/classes/3B/lessons.md"
NEEDS = "The EAL pair reads flowcharts before code."
PACE = "Paper first keeps the noise down."


def candidate(**fields: float) -> PromotionCandidate:
    whole = {"relevance": 0.6, "importance": 0.5, "recency": 1.0, "repeats": 0, **fields}
    return PromotionCandidate("x", "3B", "lessons.md", "s", "t", **whole)  # type: ignore[arg-type]


async def promotions(app: TurnApp) -> Sequence[PromotionCandidate]:
    return await MemoryNotebook(app.files).promotions(app.turn)


async def note(app: TurnApp, text: str, path: str = LESSONS) -> None:
    await use(app, "update_memory", path=path, content=f"- {text}")


@pytest.mark.requirement("AS-563")
@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({}, 0.575),
        ({"relevance": 1.0}, 0.775),
        ({"importance": 1.0}, 0.7),
        ({"recency": 0.0}, 0.425),
        ({"repeats": 1}, 0.625),
        ({"repeats": 3}, 0.65),
    ],
)
def test_a_note_is_worth_its_relevance_importance_recency_and_reinforcement(
    fields: dict[str, float], score: float
) -> None:
    """Weighted 0.5, 0.25, 0.15 and 0.1; from 0.6 on it is proposed."""
    found = candidate(**fields)
    assert found.score == pytest.approx(score)
    assert found.is_worth_keeping is (score >= THRESHOLD)
    assert THRESHOLD == 0.6


@pytest.mark.requirement("AS-564")
async def test_what_is_important_is_proposed_at_once_and_the_rest_when_it_is_said_again(
    tmp_path: Path,
) -> None:
    """Of what the agent noted in this session in topic files."""
    async with open_turn(tmp_path) as app:
        app.turn.class_id = "3B"
        assert await promotions(app) == []
        await note(app, NEEDS)
        await note(app, PACE)
        assert [each.text for each in await promotions(app)] == [NEEDS]
        await note(app, PACE)
        found = await promotions(app)
        assert [(each.text, each.class_id) for each in found] == [(NEEDS, "3B"), (PACE, "3B")]
        assert "2 times" in found[1].reason


@pytest.mark.requirement("AS-565")
async def test_a_note_of_another_session_counts_only_as_reinforcement(tmp_path: Path) -> None:
    """What this session did not say is not proposed in it; old notes fade."""
    async with open_turn(tmp_path) as app:
        app.turn.class_id = "3B"
        await note(app, PACE)
        async with app.core.database.write() as session:
            await session.execute(update(MemoryEvent).values(session_id=None))
        assert await promotions(app) == []
        await note(app, PACE)
        assert [each.text for each in await promotions(app)] == [PACE]
        async with app.core.database.write() as session:
            year_ago = clock.now() - timedelta(days=365)
            await session.execute(update(MemoryEvent).values(created_at=year_ago))
        assert await promotions(app) == []


@pytest.mark.requirement("AS-566")
async def test_what_is_known_or_was_turned_down_is_not_proposed_again(tmp_path: Path) -> None:
    """Known for the class or for the person; in another class it is news."""
    async with open_turn(tmp_path) as app:
        app.turn.class_id = "3B"
        await note(app, NEEDS)
        await app.learn(f"- {NEEDS}", "2A")
        assert [each.text for each in await promotions(app)] == [NEEDS]
        async with app.core.database.write() as session:
            session.add(
                MemoryEvent(
                    session_id=app.turn.session_id,
                    user_id=LOCAL_USER,
                    event_type="capture_dismissed",
                    proposed_text=NEEDS,
                    scope="class",
                    class_id="3B",
                    path="MEMORY.md",
                )
            )
        assert await promotions(app) == []
        other = "Wheelchair user in the front row needs room."
        await note(app, other)
        assert [each.text for each in await promotions(app)] == [other]
        await app.learn(f"- {other}")
        assert await promotions(app) == []


@pytest.mark.requirement("AS-567")
async def test_what_was_weighed_stands_in_the_trace(tmp_path: Path) -> None:
    """Chosen and left, each with its score and where it comes from."""
    async with open_turn(tmp_path) as app:
        app.turn.class_id = "3B"
        await note(app, NEEDS)
        await note(app, "Rooms were swapped.", "memory/diary.md")
        await promotions(app)
        [span] = await app.spans("memory consolidation")
        [chosen] = span.attributes["bottega.memory.promoted"]
        [left] = span.attributes["bottega.memory.left"]
        assert chosen.startswith("3B/lessons.md 0.")
        assert chosen.endswith(NEEDS)
        assert left.startswith("teacher/diary.md 0.")


@pytest.mark.requirement("AS-568")
async def test_a_promotion_is_a_proposal_that_keeps_its_provenance(tmp_path: Path) -> None:
    """Nothing is promoted without the person; session and trace stay with the write."""
    reply = GateReply(decision="dismiss", items=[about("m1", "confirm")])
    async with open_turn(tmp_path, reply) as app:
        turn = app.turn
        turn.class_id = "3B"
        await note(app, NEEDS)
        await app.files.write(LESSONS, f"- {PACE}", access_of(turn, "planner"))
        await app.files.write(LESSONS, f"- {PACE}", access_of(turn, "planner"))
        assert await app.learned("3B") == ""
        await app.after(MemoryCapture(app.parts))
        assert app.gate.data["promotions"] == ["m1", "m2"]
        assert await app.learned("3B") == f"- {NEEDS}\n"

        events = await app.files.events(LOCAL_USER, session_id=turn.session_id)
        told = [
            (event.event_type, event.proposed_text or event.final_text)
            for event in events
            if event.actor == "memory-capture"
        ]
        assert told == [
            ("promotion_proposed", NEEDS),
            ("promotion_proposed", PACE),
            ("write", f"- {NEEDS}"),
            ("capture_confirmed", NEEDS),
            ("capture_dismissed", PACE),
        ]
        write = next(
            event
            for event in events
            if event.final_text == f"- {NEEDS}" and event.path == "MEMORY.md"
        )
        assert (write.session_id, write.trace_id) == (turn.session_id, trace_id_of("run_1"))
        # Turned down in this session, it is not proposed again.
        assert await promotions(app) == []
