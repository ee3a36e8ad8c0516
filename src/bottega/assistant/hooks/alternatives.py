"""Several versions of one section, as a model wrote them, and the person's choice."""

import re
from collections.abc import Sequence

from bottega.assistant.gates.gate import Gate, GateKind
from bottega.assistant.hooks.sections import OutputSection

KEEP, REVISE = "keep", "revise"

_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s*|\*\*\s*)?(?:alternative|option|version)\s+(?:\d+|[a-e])\b[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)


def alternatives_in(section: OutputSection) -> list[str]:
    """The versions that stand in the section; none unless there are at least two."""
    _, *found = _HEADING.split(section.body)
    versions = [text.strip() for text in found if text.strip()]
    return versions if len(versions) > 1 else []


def option_for(number: int) -> str:
    return f"alternative {number}"


def choice_gate(section: OutputSection, standing: str, versions: Sequence[str]) -> Gate:
    shown = [
        f"**{option_for(number).capitalize()}**\n\n{text}"
        for number, text in enumerate(versions, 1)
    ]
    options = [option_for(number) for number in range(1, len(versions) + 1)]
    return Gate(
        kind=GateKind.ADJUDICATION,
        text="\n\n".join((f"Which “{section.title}” do you want?", *shown)),
        options=[*options, KEEP, REVISE],
        # Nothing changes by itself.
        default=KEEP,
        data={"section": section.title, "standing": standing, "alternatives": list(versions)},
    )
