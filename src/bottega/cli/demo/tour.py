"""The tour: every room in turn. What fails is named, and the other rooms are shown all the same."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bottega.cli.demo import assistant, board, coach, journal, memory, research
from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide


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
    Stop("Memory", "What one learned, all recall.", memory.visit),
)


async def walk(doors: Doors, guide: Guide, stops: Sequence[Stop] = STOPS) -> list[str]:
    """Visit every stop; which of them failed."""
    failed = []
    for number, stop in enumerate(stops, 1):
        guide.enters(number, len(stops), stop.title, stop.why)
        try:
            await stop.visit(doors, guide)
        # Whatever a stop met: a visitor hears of it, and the next room is open.
        except Exception as error:
            failed.append(stop.title)
            guide.fails(stop.title, error, doors.home.log)
    return failed
