"""The tour: every room in turn. What fails is named, and the other rooms are shown all the same.

Memory: what one session learned, another recalls in other words.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bottega.cli.demo import assistant, board, coach, journal, research
from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide

FACTS = [
    ("Split sums in whole cents and hand the remainder out one by one", ["money", "rounding"]),
    ("The login callback races with the token refresh; lock around both", ["auth", "race"]),
    ("Grid areas keep the dashboard from jumping when data arrives", ["css", "layout"]),
]
QUESTIONS = ["why is a cent missing after splitting a bill?", "users are logged out at random"]
EARLIER = "cents get lost when a sum is divided"
SHOWN = 3


async def visit(doors: Doors, guide: Guide) -> None:
    with guide.step("An agent keeps what it learned", "MCP"):
        for content, tags in FACTS:
            await doors.agent.call("remember", content=content, tags=tags)
    for question in QUESTIONS:
        with guide.step(f"Another asks: {question}", "MCP"):
            found = await doors.agent.call("recall", query=question)
        first = found["items"][0]
        guide.show(f"→ {first['content']} ({first['score']:.2f})")
    with guide.step(f"A person asks all rooms: {EARLIER}", "REST"):
        recalled = await doors.rest.post("/api/memories/recall", json={"query": EARLIER})
    best = recalled["items"][:SHOWN]
    guide.show_rows([(item["store"], item["content"].partition("\n")[0]) for item in best])
    guide.add_result(f"{len(FACTS)} memories and those that the rooms kept", "/memory")


@dataclass(frozen=True)
class Stop:
    title: str
    why: str
    visit: Callable[[Doors, Guide], Awaitable[None]]


STOPS = (
    Stop("Coach", "Helps a developer through an issue, and never writes their code.", coach.visit),
    Stop("Board", "Turns failing tests into work that agents do and people decide.", board.visit),
    Stop("Research", "Answers from your own documents, word for word, or not.", research.visit),
    Stop("Assistant", "Drafts with you in the loop: you decide what is kept.", assistant.visit),
    Stop("Journal", "Predictions meet what happened, and become lessons.", journal.visit),
    Stop("Memory", "What one learned, all recall.", visit),
)


async def walk(doors: Doors, guide: Guide, stops: Sequence[Stop] = STOPS) -> list[str]:
    """Visit every stop; which of them failed."""
    failed = []
    for number, stop in enumerate(stops, 1):
        guide.enter(number, len(stops), stop.title, stop.why)
        try:
            await stop.visit(doors, guide)
        # Whatever a stop met: a visitor hears of it, and the next room is open.
        except Exception as error:
            failed.append(stop.title)
            guide.show_failure(stop.title, error, doors.home.log)
    return failed
