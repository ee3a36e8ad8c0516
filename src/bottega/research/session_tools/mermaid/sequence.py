"""Sequence diagrams: who speaks to whom, and the blocks around it."""

import re
from collections import Counter
from collections.abc import Sequence

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.source import Line, shown, split_statements

#: Who: any words up to an arrow, a comma or a colon.
_ACTOR = r"[^\s:,;+\-][^:,;+]*?"
_ARROW = r"(?:<<-->>|<<->>|-->>|->>|-->|->|--x|-x|--\)|-\))"
MESSAGE = re.compile(rf"({_ACTOR})\s*{_ARROW}\s*([+\-]?)\s*({_ACTOR})\s*:.*")
ACTIVATION = re.compile(rf"((?:de)?activate)\s+({_ACTOR})")
#: What may follow each other within a block: `alt … else … end`.
DIVIDERS = {"else": ("alt",), "and": ("par", "par_over"), "option": ("critical",)}
BLOCKS = ("alt", "opt", "loop", "par", "par_over", "critical", "break", "rect", "box")
STATEMENTS = (
    re.compile(r"(?:create\s+)?(?:participant|actor)\s+\S.*"),
    re.compile(rf"destroy\s+{_ACTOR}"),
    ACTIVATION,
    re.compile(rf"[Nn]ote\s+(?:left of|right of)\s+{_ACTOR}\s*:.*"),
    re.compile(rf"[Nn]ote\s+over\s+{_ACTOR}(?:\s*,\s*{_ACTOR})?\s*:.*"),
    re.compile(r"autonumber(?:\s+(?:off|\d+(?:\s+\d+)?))?"),
    re.compile(r"title\s*:?\s*\S.*"),
    re.compile(r"(?:links?|properties|details)\s+\S.*:.*"),
    MESSAGE,
)


def check_sequence(lines: Sequence[Line]) -> list[Problem]:
    problems: list[Problem] = []
    blocks: list[tuple[str, Line]] = []
    active: Counter[str] = Counter()
    for line in lines:
        for part in split_statements(line):
            problems += _count_active(part, active)
            word = re.split(r"[\s:]", part.text, maxsplit=1)[0]
            if word in BLOCKS:
                blocks.append((word, part))
            elif word == "end" and part.text == "end":
                if not blocks:
                    problems.append(part.problem("'end' without a block"))
                else:
                    blocks.pop()
            elif word in DIVIDERS and not MESSAGE.fullmatch(part.text):
                if not blocks or blocks[-1][0] not in DIVIDERS[word]:
                    within = " or ".join(map(repr, DIVIDERS[word]))
                    problems.append(part.problem(f"{word!r} stands only within {within}"))
            elif not any(pattern.fullmatch(part.text) for pattern in STATEMENTS):
                problems.append(part.problem(_advice(part.text)))
    problems += [line.problem(f"this {word!r} has no 'end'") for word, line in blocks]
    return problems


def _count_active(part: Line, active: Counter[str]) -> list[Problem]:
    """Nobody is put to rest who does not work: a `-` is for the one who speaks."""
    begins = ends = None
    if message := MESSAGE.fullmatch(part.text):
        sender, sign, receiver = message.groups()
        begins, ends = (receiver if sign == "+" else None), (sender if sign == "-" else None)
    elif change := ACTIVATION.fullmatch(part.text):
        begins, ends = (change[2], None) if change[1] == "activate" else (None, change[2])
    if begins:
        active[begins] += 1
    if ends and not active[ends]:
        return [part.problem(f"{ends!r} is not active here, so it cannot be deactivated")]
    if ends:
        active[ends] -= 1
    return []


def _advice(text: str) -> str:
    if re.search(_ARROW, text) and ":" not in text:
        return f"a message needs its text after a colon: {shown(text)}"
    return f"this is no statement of a sequence diagram: {shown(text)}"
