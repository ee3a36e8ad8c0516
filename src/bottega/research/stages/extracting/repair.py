"""A repair without a model: what failed is left out, and nothing else is touched."""

from collections.abc import Iterable, Sequence

from bottega.research.pipeline.outputs import Claim, Synthesis


def without_failed(previous: Synthesis, failures: Sequence[str]) -> Synthesis:
    """The answer without the claims that a failure quotes."""

    def kept(claims: Iterable[Claim]) -> list[Claim]:
        return [
            each for each in claims if not any(f"“{each.text}”" in failure for failure in failures)
        ]

    sections = [
        section.model_copy(update={"claims": kept(section.claims)}) for section in previous.sections
    ]
    summary = kept(previous.summary)
    filled = [each for each in sections if each.claims]
    nothing = None if summary or filled else "No sentence of the answer held in verification."
    texts = {each.text for each in (*summary, *(one for part in filled for one in part.claims))}
    return previous.model_copy(
        update={
            "summary": summary,
            "sections": filled,
            "key_findings": [each for each in previous.key_findings if each in texts],
            "entities": [],
            "relations": [],
            "cannot_answer": previous.cannot_answer or nothing,
        }
    )
