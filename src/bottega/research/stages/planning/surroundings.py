"""What the library has around a question, seen before the research is planned."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from bottega.library.service import (
    Hit,
    Kind,
    Library,
    LibraryService,
    concept,
)
from bottega.research.stages.wording import all_words, concepts, content_words, shorten

#: Paragraphs that are looked at; a word in none of them is foreign to the library.
LOOKED_AT = 20
#: Of these, those that a model is shown, each so far.
SHOWN = 8
EXCERPT = 240
MOST_DOCUMENTS = 200
MOST_TERMS = 8


class Document(BaseModel):
    model_config = ConfigDict(frozen=True)

    #: Its number, or its path if it has none: what `standards` of a sub-query name.
    name: str
    title: str
    kind: Kind


class Passage(BaseModel):
    model_config = ConfigDict(frozen=True)

    ref: str
    document: str
    heading: str
    excerpt: str


class Surroundings(BaseModel):
    model_config = ConfigDict(frozen=True)

    documents: list[Document] = []
    #: Defined terms that the question names or describes, with what they mean.
    terms: dict[str, str] = {}
    passages: list[Passage] = []
    #: Words of the question that stand in nothing near to it.
    unknown_words: list[str] = []

    @property
    def has_guides(self) -> bool:
        return any(each.kind is Kind.GUIDE for each in self.documents)


async def look_around(service: LibraryService, library: Library, question: str) -> Surroundings:
    results = await service.search.search(library, question, max_results=LOOKED_AT)
    defined = await service.terms(library)
    return Surroundings(
        documents=await list_documents(service, library, results.hits),
        terms={term: defined[term] for term in _near(results.expanded_by, question, defined)},
        passages=[_passage(hit) for hit in results.hits[:SHOWN]],
        unknown_words=_unknown(question, results.hits, defined),
    )


async def list_documents(
    service: LibraryService, library: Library, hits: Sequence[Hit] = ()
) -> list[Document]:
    """Those with hits first: a large library has more than fit."""
    near = {hit.paragraph.document_id for hit in hits}
    documents = sorted(
        await service.libraries.documents(library), key=lambda each: each.id not in near
    )
    return [
        Document(name=each.prefix or each.path, title=each.title, kind=each.kind)
        for each in documents[:MOST_DOCUMENTS]
    ]


def _near(expanded_by: Sequence[str], question: str, defined: Mapping[str, str]) -> list[str]:
    """The terms that search widened the question by, and those that it names beside."""
    spoken = f" {_spoken(question)} "
    named = [term for term in defined if f" {_spoken(term)} " in spoken]
    found = dict.fromkeys([*expanded_by, *named])
    return [term for term in found if term in defined][:MOST_TERMS]


def _spoken(text: str) -> str:
    return " ".join(map(concept, all_words(text)))


def _unknown(question: str, hits: Sequence[Hit], defined: Mapping[str, str]) -> list[str]:
    texts = [
        " ".join([hit.paragraph.document, *hit.paragraph.headings, hit.paragraph.text])
        for hit in hits
    ]
    there = concepts(" ".join([*texts, *defined]))
    return [word for word in content_words(question) if concept(word) not in there]


def _passage(hit: Hit) -> Passage:
    paragraph = hit.paragraph
    return Passage(
        ref=paragraph.ref,
        document=paragraph.document,
        heading=paragraph.headings[-1] if paragraph.headings else "",
        excerpt=shorten(paragraph.text, EXCERPT),
    )
