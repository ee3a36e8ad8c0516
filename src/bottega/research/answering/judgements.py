"""What the verdicts on a claim's references make of the claim."""

from collections.abc import Sequence

from bottega.library.service import CitationDetail
from bottega.research.pipeline.outputs import Claim, JudgedClaim

SUPPORTED, UNSUPPORTED, UNDECIDED = "supported", "unsupported", "undecided"


def judge_cited(claim: Claim, details: Sequence[CitationDetail]) -> JudgedClaim:
    """One reference that bears it out is enough, but every one must exist.

    A supported claim keeps only what bears it out: to name a paragraph that says something else
    would be a false citation.
    """
    invented = [detail.cited for detail in details if not detail.exists]
    verdict = _verdict(details)
    kept = [detail for detail in details if detail.exists and detail.verdict == verdict]
    refs = dict.fromkeys(detail.paragraph_ref or detail.cited for detail in kept)
    reasons = [] if verdict == SUPPORTED else _reasons(details)
    if invented:
        verdict, reasons = UNSUPPORTED, _reasons([d for d in details if not d.exists])
    return JudgedClaim(
        claim=claim.model_copy(update={"citations": list(refs)}),
        verdict=verdict,
        reasons=reasons,
        invented=invented,
    )


def judge_by_prior(claim: Claim, details: Sequence[CitationDetail]) -> JudgedClaim:
    """A claim that names only prior research, by what that research cited: it gets the paragraph
    that bears it out as its own citation. What left the library since was not invented."""
    there = [detail for detail in details if detail.exists]
    if not there:
        reason = "the paragraphs that prior research cited are not in the library any more"
        return JudgedClaim(claim=claim, verdict="unsupported", reasons=[reason])
    best = max(there, key=lambda detail: (detail.verdict == SUPPORTED, detail.score))
    return judge_cited(claim, [best])


def judge_by_web(claim: Claim, is_borne: bool) -> JudgedClaim:
    """The library cannot bear out what is only on the web; it stays only if the page says it."""
    if is_borne:
        reason = "it rests on a web page alone, which the library cannot confirm"
        return JudgedClaim(claim=claim, verdict="undecided", reasons=[reason])
    reason = "the web page that it names has too little in common with it"
    return JudgedClaim(claim=claim, verdict="unsupported", reasons=[reason])


def judge_uncited(claim: Claim) -> JudgedClaim:
    return JudgedClaim(claim=claim, verdict="uncited", reasons=["nothing is cited for it"])


def _verdict(details: Sequence[CitationDetail]) -> str:
    verdicts = {str(detail.verdict) for detail in details if detail.exists}
    return next((each for each in (SUPPORTED, UNDECIDED) if each in verdicts), UNSUPPORTED)


def _reasons(details: Sequence[CitationDetail]) -> list[str]:
    return [
        f"{detail.cited}: {'; '.join(detail.reasons) or 'it does not say that'}"
        for detail in details
    ]
