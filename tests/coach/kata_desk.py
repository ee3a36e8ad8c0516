"""A kata on a learner's desk, and those who review it."""

from collections.abc import Sequence
from typing import Any

from bottega.coach.enums import Severity
from bottega.coach.practice.practice import Practice
from bottega.coach.protocol.learning import Review
from bottega.coach.repository import learning
from bottega.coach.tables import KataSpec, KnowledgeGap
from bottega.core.isolation.machine import Isolation
from bottega.core.users import LOCAL_USER
from tests.coach.house import House

TESTS = (
    "# doubles a number\nassert double(2) == 4",
    "# nothing doubled is nothing\nassert double(0) == 0",
    "# doubles below zero\nassert double(-3) == -6",
)
NO_STAR = {
    "title": "No multiplication",
    "description": "Without the star.",
    "minLevel": 2,
    "check": "assert '*' not in source, 'there is a star'",
}
READABLE = {"title": "Reads like a sentence", "description": "For a reader.", "minLevel": 5}
GOOD = "def double(number):\n    return number * 2\n"
WRONG = "def double(number):\n    return number * number\n"
NOTES = "Look out for squaring: that is the classic confusion."
#: What a machine without isolation says of itself.
OPEN_MACHINE = Isolation(False, (), ("seccomp",), "this machine does not offer seccomp")


async def add_gap(
    house: House,
    topic: str = "Arithmetic",
    severity: Severity = Severity.MEDIUM,
    related: Sequence[str] = (),
) -> KnowledgeGap:
    session_id = house.desk.session_id or (await house.start_session()).id
    async with house.core.database.write() as session:
        gap, _ = await learning.meet_gap(
            session, LOCAL_USER, session_id, topic, severity, "Seen twice", related
        )
    return gap


async def add_kata(house: House, gap: KnowledgeGap | None = None, **fields: Any) -> KataSpec:
    gap = gap or await add_gap(house)
    given: dict[str, Any] = {
        "title": "Doubling",
        "description": "Write `double(number)`.",
        "scaffolding_code": "def double(number):\n    ...\n",
        "instructor_notes": NOTES,
        "test_cases": TESTS,
        "constraints": [READABLE, NO_STAR],
    }
    async with house.core.database.write() as session:
        return await learning.add_kata(session, gap.id, **given | fields)


async def stored(house: House, kata: KataSpec) -> tuple[KataSpec, KnowledgeGap]:
    async with house.core.database.read() as session:
        found = await learning.kata(session, kata.id, LOCAL_USER)
    assert found is not None
    return found


def practice(house: House, machine: Isolation | None = None) -> Practice:
    return Practice(house.core, house.voice, house.skills, machine=machine)


def solution(kata: KataSpec, code: str, *constraints: str) -> Review:
    return Review(kata_id=kata.id, user_code=code, active_constraint_titles=list(constraints))
