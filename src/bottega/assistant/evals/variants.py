"""The same cases once more with something taken away or changed, to see what it is worth."""

from collections.abc import Sequence
from dataclasses import dataclass

from bottega.errors import InvalidInput

BASELINE = "all of it"
#: What can be switched off, and what it is called then.
ABLATIONS = {
    "skills": "no skills",
    "workspace": "no workspace",
    "memory": "no memory",
    "subagents": "one agent",
}


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    without: Sequence[str] = ()
    #: In full, `provider:model`; the agents' own without.
    model: str | None = None


def variants(without: Sequence[str] = (), models: Sequence[str] = ()) -> list[Variant]:
    """The baseline first; each ablation takes away one thing."""
    for each in without:
        if each not in ABLATIONS:
            raise InvalidInput(f"{each!r} cannot be switched off.", valid_options=sorted(ABLATIONS))
    return [
        Variant(BASELINE),
        *(Variant(ABLATIONS[each], [each]) for each in dict.fromkeys(without)),
        *(Variant(model, model=model) for model in dict.fromkeys(models)),
    ]
