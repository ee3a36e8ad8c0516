"""Where a command's output goes in the workspace: its `writes`, filled in."""

import re
import unicodedata

from bottega.assistant.loop.turn import Turn
from bottega.core import clock

#: Words of the request in a file's name.
SLUG_WORDS = 6


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain)[:SLUG_WORDS]) or "untitled"


def path_for(template: str, turn: Turn) -> str:
    """`lessons/{class}/{date}-{slug}.md` as `lessons/3B/2026-03-02-iteration-for-3b.md`."""
    filled = {
        "slug": slug(turn.order.input),
        "class": re.sub(r"[^\w-]", "-", turn.class_id or "general"),
        "date": clock.now().date().isoformat(),
    }
    for name, value in filled.items():
        template = template.replace(f"{{{name}}}", value)
    return template
