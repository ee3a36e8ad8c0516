"""A gate as plain lines for a terminal."""

import re
import textwrap

from bottega.assistant.gates.gate import Gate, GateItem, GateKind
from bottega.assistant.gates.words import EXPLAINED, NEEDS_TEXT

WIDTH = 88
#: Lines of an item's text; the document itself is elsewhere.
LONGEST_ITEM = 6
#: What moves a cursor or hides a line: a model's text may not play with a person's terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def print_gate(gate: Gate) -> str:
    """What is asked, the items by number, and how to answer."""
    blocks = [_clean(gate.text).strip()]
    if gate.items:
        blocks.append("\n".join(_item(n, item) for n, item in enumerate(gate.items, 1)))
    blocks.append("\n".join(_ways(gate)))
    return "\n\n".join(blocks) + "\n"


def _item(number: int, item: GateItem) -> str:
    scope = f" ({item.scope})" if item.scope else ""
    head = f"{number:>3}. {_clean(item.title)}{scope}"
    lines = [
        line
        for paragraph in _clean(item.text).strip().splitlines()
        for line in textwrap.wrap(paragraph, WIDTH - 5) or [""]
    ]
    if len(lines) > LONGEST_ITEM:
        lines = [*lines[: LONGEST_ITEM - 1], "…"]
    return "\n".join([head, *(f"     {line}".rstrip() for line in lines)])


def _ways(gate: Gate) -> list[str]:
    """How to answer: Enter first, then the rest."""
    if gate.items:
        others = [_told(option) for option in gate.options if option != gate.default]
    else:
        others = [
            f"{number} = {_told(option)}"
            for number, option in enumerate(gate.options, 1)
            if option != gate.default
        ]
    if gate.kind is GateKind.CONFIDENCE:
        others = ["1 to 5 = your rating"]
    ways = [f"Enter = {gate.default}" + "".join(f" · {other}" for other in others)]
    if gate.items:
        ways.append(f"One at a time: {', '.join(_examples(gate))}")
    if any(option in NEEDS_TEXT for option in gate.options):
        ways.append("Or just write it.")
    return ways


def _examples(gate: Gate) -> list[str]:
    last = len(gate.items)
    return [
        f"`{option} {last}: …`" if option in NEEDS_TEXT else f"`{option} {last}`"
        for option in gate.items[-1].options
    ]


def _told(option: str) -> str:
    return f"{option} ({EXPLAINED[option]})" if option in EXPLAINED else option


def _clean(text: str) -> str:
    return _CONTROLS.sub("", text)
