"""A whole text held against a library, sentence by sentence.

A sentence that cites is held against what it cites. One that does not is held against the
paragraphs that are nearest to it: whether anything here bears it out.
"""

import re
from collections.abc import Sequence

from pydantic import BaseModel

from bottega.core.services import Core
from bottega.library import repository
from bottega.library.judging.statements import written_sentences
from bottega.library.reading.references import LABEL, normalise_ref
from bottega.library.searching.referenced import references_in
from bottega.library.searching.search import LibrarySearch
from bottega.library.tables import Library
from bottega.library.tool_arguments import Citation
from bottega.library.verifying.verification import Verification
from bottega.library.verifying.verified import CitationDetail

MAX_TEXT = 20_000
#: Beyond, a text is told to have been cut.
MAX_CLAIMS = 100
#: Paragraphs that a sentence without a reference is held against.
NEAREST = 3

_REF = r"[A-Z]?\d{1,4}(?:\.A?\d{1,3})*(?:\(\w{1,4}\))*"
#: A reference in brackets is no part of what is said: "(see paragraph 210.1)", "[210.2(a), 210.3]".
_BRACKETED = re.compile(
    rf"\s*[\[(](?:see\s+)?(?:{LABEL}\s*)?{_REF}(?:\s*(?:,|;|and)\s*{_REF})*[\])]", re.IGNORECASE
)


class CheckedClaim(BaseModel):
    #: The sentence as it was written.
    sentence: str
    #: What it cites; nothing, and it was held against what is nearest.
    cites: list[str]
    #: How it does against the paragraph that bears it out best.
    best: CitationDetail | None


class TextReport(BaseModel):
    claims: list[CheckedClaim]
    #: How many of them hold.
    supported: int
    #: Only the beginning was checked.
    cut: bool


class TextVerification:
    def __init__(self, core: Core, search: LibrarySearch, axes: Verification) -> None:
        self._database = core.database
        self._search = search
        self._axes = axes

    async def verify(self, library: Library, text: str) -> TextReport:
        async with self._database.read() as session:
            numbers = await repository.numbers(session, library.id)
        found = [each for each in written_sentences(text) if re.search(r"\w", each)]
        claims = [await self._check(library, each, numbers) for each in found[:MAX_CLAIMS]]
        supported = sum(bool(claim.best and claim.best.supports_claim) for claim in claims)
        return TextReport(claims=claims, supported=supported, cut=len(found) > MAX_CLAIMS)

    async def _check(self, library: Library, sentence: str, numbers: set[str]) -> CheckedClaim:
        cites = sorted(references_in(sentence, numbers) - {normalise_ref(sentence)})
        claim = _BRACKETED.sub("", sentence)
        held_against = cites or await self._nearest(library, claim)
        best = await self._best(library, claim, held_against) if held_against else None
        return CheckedClaim(sentence=sentence, cites=cites, best=best)

    async def _nearest(self, library: Library, claim: str) -> list[str]:
        found = await self._search.search(library, claim[:2_000], max_results=NEAREST)
        return [hit.paragraph.ref for hit in found.hits]

    async def _best(self, library: Library, claim: str, refs: Sequence[str]) -> CitationDetail:
        citations = [Citation(paragraph_ref=ref, claim=claim[:5_000]) for ref in refs]
        report = await self._axes.citations(library, citations)
        return max(report.details, key=lambda detail: (detail.supports_claim, detail.score))
