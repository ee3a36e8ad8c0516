"""A claim and the reference that it cites: found first, then judged.

A paragraph with items is read with all of them, an item with the lead-in of its paragraph.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bottega.library.judging.alignment import Embed
from bottega.library.judging.judge import judge_claim
from bottega.library.judging.reading import Support
from bottega.library.judging.verdicts import (
    Check,
    ErrorCategory,
    Judgement,
    MatchLevel,
    Outcome,
    Verdict,
)
from bottega.library.reading import ancestors, parent_ref


@dataclass(frozen=True, slots=True)
class Cited:
    text: str
    neighbours: tuple[str, ...] = ()


def find_cited(ref: str, paragraphs: Mapping[str, str]) -> Cited | ErrorCategory:
    """What a reference stands for among the paragraphs, or why there is nothing."""
    if ref not in paragraphs:
        within = any(above in paragraphs for above in ancestors(ref)) and ref.endswith(")")
        return ErrorCategory.SUB_PARA_NOT_FOUND if within else ErrorCategory.NOT_FOUND
    items = [
        f"{other.removeprefix(ref)} {text.rstrip(';. ')}"
        for other, text in paragraphs.items()
        if other.endswith(")") and parent_ref(other) == ref
    ]
    text = f"{paragraphs[ref]} {'; '.join(items)}." if items else paragraphs[ref]
    lead = paragraphs.get(parent_ref(ref) or "") if ref.endswith(")") else None
    return Cited(text, (lead,) if lead else ())


def judge_citation(
    claim: str,
    ref: str,
    paragraphs: Mapping[str, str],
    *,
    terms: Mapping[str, str] | None = None,
    embed: Embed | None = None,
    support: Support | None = None,
) -> Judgement:
    cited = find_cited(ref, paragraphs)
    if isinstance(cited, ErrorCategory):
        reason = f"there is no paragraph {ref}"
        check = Check("reference", Outcome.FAILED, reason)
        return Judgement(Verdict.UNSUPPORTED, 0.0, (check,), MatchLevel.NONE, cited)
    return judge_claim(
        claim,
        cited.text,
        terms=terms,
        neighbours=cited.neighbours,
        embed=embed,
        support=support,
    )
