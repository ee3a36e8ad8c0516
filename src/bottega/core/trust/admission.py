"""What free text may be written down: the one place that every writer asks.

`BOTTEGA_SECRETS` says what becomes of a secret in a text: it is hidden (`redact`), the text is
refused (`refuse`), or it stays (`keep`). Logs, which nobody could correct and send again, hide in
both of the first two. A process has one policy, which the composition root sets.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from bottega.core.trust.scanner import find, hide
from bottega.errors import InvalidInput

Policy = Literal["redact", "refuse", "keep"]
T = TypeVar("T")

#: More text than this takes over a millisecond to look through, and goes to a thread.
INLINE_CHARACTERS = 5_000

_policy: Policy = "redact"
_mask_known: Callable[[str], str] = str


def configure(policy: Policy, mask_known: Callable[[str], str]) -> None:
    """`mask_known` hides the values of stored credentials, whatever the policy."""
    global _policy, _mask_known
    _policy, _mask_known = policy, mask_known


def scrub(text: str) -> str:
    """The text as a log may have it."""
    masked = _mask_known(text)
    return masked if _policy == "keep" else hide(masked)


async def scrub_texts(texts: Sequence[str]) -> list[str]:
    """Each of many texts as a log may have it, without holding up the others."""
    if sum(map(len, texts)) <= INLINE_CHARACTERS:
        return [scrub(text) for text in texts]
    return await asyncio.to_thread(lambda: [scrub(text) for text in texts])


def scrub_all(value: T) -> T:
    """The same for every text in a JSON value; what has none is returned as it is."""
    scrubbed: T = _each(value, scrub)
    return scrubbed


def admit(value: T, where: str) -> T:
    """What may be written of what somebody sent: a text, a JSON value or a model.

    `InvalidInput` says what was found and where, if such texts are refused. Nothing is written
    then, and whoever sent it still has it.
    """
    admitted: T = _each(value, lambda text: _admit(text, where))
    return admitted


def _admit(text: str, where: str) -> str:
    if _policy == "refuse" and len(text) >= 8 and (found := find(text)):
        kinds = ", ".join(dict.fromkeys(each.kind for each in found))
        raise InvalidInput(
            f"The {where} holds {kinds}, at character {found[0].start + 1}. Nothing was written. "
            "Take it out and send the rest again; BOTTEGA_SECRETS=redact would hide it instead.",
            kinds=sorted({each.kind for each in found}),
        )
    return scrub(text)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            change(name) if isinstance(name, str) else name: _each(each, change)
            for name, each in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)([_each(each, change) for each in value])
    if isinstance(value, BaseModel):
        fields = {name: _each(getattr(value, name), change) for name in value.model_fields_set}
        changed = {name: new for name, new in fields.items() if new != getattr(value, name)}
        return value.model_copy(update=changed) if changed else value
    return value
