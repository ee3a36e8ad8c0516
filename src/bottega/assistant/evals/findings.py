"""What a criterion came to for one case."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bottega.assistant.offline.phrases import has_phrase


class Kind(StrEnum):
    #: By rules, from the document.
    STRUCTURAL = "structural"
    #: By a model, against a rubric.
    JUDGED = "judged"
    #: From the trace: what the agent and its hooks did.
    BEHAVIOURAL = "behavioural"


class Finding(BaseModel):
    model_config = ConfigDict(frozen=True)

    criterion: str
    kind: Kind
    #: From 0 to 1; nothing, if it could not be asked.
    score: float | None
    #: What is missing, or why it was not asked.
    note: str = ""


def share(criterion: str, kind: Kind, wanted: Iterable[str], text: str) -> Finding:
    """How many of the phrases are there: each within one line."""
    wanted = list(wanted)
    lines = text.split("\n")
    missing = [each for each in wanted if not any(has_phrase(line, each) for line in lines)]
    score = 1 - len(missing) / max(1, len(wanted))
    note = f"missing: {', '.join(missing)}" if missing else ""
    return Finding(criterion=criterion, kind=kind, score=round(score, 4), note=note)
