"""Footnotes begin with their label in square brackets, whichever format they come from."""

import re

_LABEL = re.compile(r"\[\^?([^\]\s]{1,40})\]")


def footnote_label(text: str) -> str | None:
    """`None` for a further paragraph of the footnote before."""
    found = _LABEL.match(text)
    return found.group(1) if found else None
