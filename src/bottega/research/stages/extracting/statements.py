"""Retrieved paragraphs as sentences that stand on their own, each with where it stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bottega.library.service import Kind, Role, join_lead, parent_ref, sentences
from bottega.research.pipeline.outputs import Retrieved
from bottega.research.stages.families import is_lead
from bottega.research.stages.wording import concepts
from bottega.research.talking.prior import PriorResearch

#: A sentence that means nothing without the one before it.
_LEANS = re.compile(
    r"(?:it|its|they|their|them|he|she|this|that|these|those|such|in that case|in this case"
    r"|after that|before that|then|otherwise|both|neither|none of them|the same|also|however|but"
    r"|only then|except)\b",
    re.IGNORECASE,
)
#: Longer than this, nobody reads it as one statement.
_LONGEST = 600
#: What search would have given a sentence that answered a question before.
PRIOR = 0.5


@dataclass(frozen=True)
class Statement:
    text: str
    ref: str
    document: str
    heading: str
    kind: Kind
    role: Role
    #: Of its paragraph, as retrieved.
    score: float
    #: The whole paragraph, with its title and headings.
    surroundings: str
    #: Its place among the sentences of the paragraph.
    place: int = 0
    #: Of earlier research that said it, which has no reference here.
    label: str = ""

    @property
    def family(self) -> str | None:
        """The list that it is an item of."""
        return parent_ref(self.ref) if self.ref.endswith(")") else None

    @cached_property
    def concepts(self) -> frozenset[str]:
        return concepts(self.text)

    @cached_property
    def surrounding_concepts(self) -> frozenset[str]:
        return concepts(self.surroundings)


def read_statements(paragraphs: Sequence[Retrieved]) -> list[Statement]:
    texts = {each.paragraph.ref: each.paragraph.text for each in paragraphs}
    return [
        statement
        for each in paragraphs
        if not is_lead(each.paragraph)
        for statement in _statements(each, texts)
    ]


def prior_statements(prior: PriorResearch) -> list[Statement]:
    """Whole sentences of what earlier research said."""
    return [
        Statement(
            text=text,
            ref="",
            document=section.heading,
            heading=section.heading,
            kind=Kind.STANDARD,
            role=Role.SUPPORTING,
            score=PRIOR,
            surroundings=f"{section.heading} {section.excerpt}",
            place=place,
            label=section.label,
        )
        for section in prior.sections
        for place, text in enumerate(_joined(sentences(section.excerpt)))
        if text.rstrip().endswith((".", "!"))
    ]


def _statements(retrieved: Retrieved, texts: Mapping[str, str]) -> Iterator[Statement]:
    paragraph = retrieved.paragraph
    whole = _with_leads(paragraph.ref, paragraph.text, texts)
    around = " ".join([paragraph.document, *paragraph.headings, whole])
    for place, text in enumerate(_joined(sentences(whole))):
        yield Statement(
            text=text,
            ref=paragraph.ref,
            document=paragraph.document,
            heading=paragraph.headings[-1] if paragraph.headings else paragraph.document,
            kind=paragraph.kind,
            role=retrieved.role,
            score=retrieved.score,
            surroundings=around,
            place=place,
        )


def _with_leads(ref: str, text: str, texts: Mapping[str, str]) -> str:
    above = parent_ref(ref)
    while above is not None and above in texts:
        if texts[above].rstrip().endswith(":"):
            text = join_lead(texts[above], text)
        above = parent_ref(above)
    return text


def _joined(parts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if found and _LEANS.match(part) and len(found[-1]) + len(part) <= _LONGEST:
            found[-1] += f" {part}"
        elif part.strip():
            found.append(part)
    return found
