"""A failure's proposal as texts, signed, so that a person's hand in them can be told.

The last line of design.md says that these texts are kept up to date, with a sum over them. Once
somebody has edited them the sum is wrong, and they are that person's.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.patterns import History, Pattern
from bottega.board.failures.proposal import proposal_for
from bottega.board.failures.quoting import code
from bottega.board.intake.judging import Promises
from bottega.board.openspec import NewChange, NewDelta
from bottega.board.openspec.rendering import render_change
from bottega.board.openspec.requirements import fold

#: The day is in a file that is not asked for here.
ANY_DAY = date(2000, 1, 1)
PROPOSAL, DESIGN = "proposal.md", "design.md"

_SIGNATURE = "Bottega keeps this text up to date until somebody edits it. ({})"
_SIGNED = re.compile(re.escape(_SIGNATURE).replace(r"\{\}", "([0-9a-f]{16})") + r"\s*\Z")


def draft_for(
    facts: FailureFacts,
    history: History,
    pattern: Pattern,
    promises: Promises,
    predecessor: str | None = None,
) -> NewChange:
    """`predecessor` is an archived change that was to mend the same failure."""
    change = proposal_for(facts, history, pattern).change
    if predecessor is not None:
        came_back = f"- It came back: {code(predecessor)} was to mend it, and is archived."
        change = replace(change, impact=f"{change.impact}\n{came_back}")
    return _signed(
        replace(change, deltas=[_as_promised(delta, promises) for delta in change.deltas])
    )


def texts_of(change: NewChange) -> dict[str, str]:
    """Those that change with every run."""
    files = render_change(change, ANY_DAY)
    return {name: files[name] for name in (PROPOSAL, DESIGN)}


def is_ours(proposal: str, design: str | None) -> bool:
    """Whether both texts are as we wrote them."""
    signature = _SIGNED.search(design or "")
    if signature is None or design is None:
        return False
    return signature[1] == _sum((proposal, design[: signature.start()]))


def _signed(change: NewChange) -> NewChange:
    signature = _SIGNATURE.format(_sum(texts_of(change).values()))
    return replace(change, design=f"{change.design}\n\n{signature}")


def _sum(texts: Iterable[str]) -> str:
    joined = "\0".join(text.strip() for text in texts)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]


def _as_promised(delta: NewDelta, promises: Promises) -> NewDelta:
    """A requirement that an earlier change brought into the main specs is not added again."""
    known = [
        one for one in delta.added if (delta.capability, fold(one.name)) in promises.requirements
    ]
    added = [one for one in delta.added if one not in known]
    return replace(delta, added=added, modified=[*delta.modified, *known])
