"""What of an index stands in a prompt when there is no room for all of it.

Constraints come first (safeguarding, then needs), then whatever ranks highest; the budget is filled
from the top, and a note that does not fit is passed over for smaller ones. Chosen notes keep the
order of their file. The same notes at the same time are always chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bottega.assistant.memory_files.notes import Note
from bottega.assistant.memory_files.remembered import Remembered
from bottega.assistant.prompt.sections import tokens_in
from bottega.memory.recall import score

#: Of each index.
PROMPT_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class Choice:
    remembered: Remembered
    score: float
    is_chosen: bool


def choose(notes: Iterable[Remembered], budget: int, now: datetime) -> list[Choice]:
    """Every note with its score, best first."""
    left, choices = budget, []
    for each, points in ranked(notes, now):
        cost = tokens_in(f"## {each.note.heading}\n- {each.note.text}\n")
        choices.append(Choice(each, points, cost <= left))
        left -= cost if cost <= left else 0
    return choices


def ranked(notes: Iterable[Remembered], now: datetime) -> list[tuple[Remembered, float]]:
    scored = [(each, score(each.item, now)) for each in notes]
    return sorted(scored, key=lambda pair: (pair[0].note.priority, -pair[1], pair[0].note.line))


def render(choices: Sequence[Choice]) -> str:
    """The chosen notes under their headings, in the order of the file."""
    kept = sorted(
        (each.remembered.note for each in choices if each.is_chosen), key=lambda note: note.line
    )
    lines = list(_lines(kept))
    left_out = len(choices) - len(kept)
    if left_out:
        lines.append(f"(No room for {left_out} of {len(choices)} notes; read_memory has them.)")
    return "\n".join(lines)


def _lines(notes: Iterable[Note]) -> Iterator[str]:
    heading = ""
    for note in notes:
        if note.heading != heading:
            heading = note.heading
            yield f"## {heading}"
        yield f"- {note.text}"
