"""What somebody who types could mean."""

from collections.abc import Iterable


def beginning(typed: str, values: Iterable[str]) -> list[str]:
    """Those that begin so, whatever their capitals; then those that have it somewhere."""
    wanted = typed.casefold()
    first: list[str] = []
    later: list[str] = []
    for value in dict.fromkeys(values):
        folded = value.casefold()
        if folded.startswith(wanted):
            first.append(value)
        elif wanted in folded:
            later.append(value)
    return first + later
