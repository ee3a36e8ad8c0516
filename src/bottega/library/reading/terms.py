"""Defined terms: what a document itself says that its words mean."""

import re
from collections.abc import Iterator, Sequence

from bottega.library.reading.document import DefinedTerm, Paragraph

_DEFINITIONS = re.compile(
    r"\b(?:definitions?|glossary|defined terms|terminology|vocabulary)\b", re.IGNORECASE
)
#: Words that say it only as the whole of a heading.
_AS_A_WHOLE = re.compile(
    r"(?:[\w.]+[.)]? )?(?:definitions?|glossary|terms|interpretation|vocabulary)", re.IGNORECASE
)
_QUOTED = r"[\"“„'‘«]\s?([^\"“”„'’»\n]{1,80}?)\s?[\"”“'’»]"
_VERBS = r"(?:means|mean|refers to|is defined as|are defined as|shall mean|has the meaning)"
#: `“Vessel” means …` is a definition wherever it stands.
_QUOTED_MEANS = re.compile(
    rf"(?:In this \w+,? |The terms? |For the purposes? of [^,\n]{{1,80}}, )?{_QUOTED},?\s+"
    rf"{_VERBS}\b\s*:?\s*(?=\S)"
)
#: Elsewhere only within definitions: "This means that …" defines nothing.
_MEANS = re.compile(rf"([^\W\d_][^.:;\n“”\"]{{0,79}}?)\s+{_VERBS}\b\s*:?\s*(?=\S)")
_DASHED = re.compile(
    r"(?:[\"“„'‘]?)([^\W\d_][^.:;\n–—“”\"]{0,79}?)(?:[\"”’']?)(?:\s+[–—-]{1,2}\s+|:\s+)(?=\S)"
)
_POINTING = frozenset(["this", "that", "it", "these", "those", "which", "what", "there", "such"])
_MOST_WORDS = 8


def find_terms(
    title: str, paragraphs: Sequence[Paragraph], marked: Sequence[tuple[str, str]]
) -> tuple[DefinedTerm, ...]:
    """In the order of the document, each term with its first definition."""
    marked_by_ref = {ref: term for term, ref in marked}
    is_glossary = bool(_AS_A_WHOLE.fullmatch(title))
    found: dict[str, DefinedTerm] = {}
    for paragraph in paragraphs:
        inside = is_glossary or any(map(_is_about_terms, paragraph.headings))
        for term in _terms_of(paragraph, inside, marked_by_ref.get(paragraph.ref)):
            found.setdefault(term.term.casefold(), term)
    return tuple(found.values())


def _terms_of(paragraph: Paragraph, inside: bool, marked: str | None) -> Iterator[DefinedTerm]:
    if marked and (inside or not paragraph.text.startswith(f"{marked}\n")):
        definition = paragraph.text.removeprefix(marked).strip()
        yield DefinedTerm(_bare(marked), definition, paragraph.ref)
        return
    patterns = (_QUOTED_MEANS, _MEANS, _DASHED) if inside else (_QUOTED_MEANS,)
    for line in paragraph.text.split("\n"):
        said = line.removeprefix("- ")
        matches = (pattern.match(said) for pattern in patterns)
        match = next((match for match in matches if match and _is_term(match.group(1))), None)
        if match is not None:
            definition = said[match.end() :].strip()
            yield DefinedTerm(_bare(match.group(1)), definition, paragraph.ref)


def _is_about_terms(heading: str) -> bool:
    return bool(_DEFINITIONS.search(heading) or _AS_A_WHOLE.fullmatch(heading))


def _is_term(words: str) -> bool:
    parts = words.split()
    return 0 < len(parts) <= _MOST_WORDS and parts[0].casefold() not in _POINTING


def _bare(term: str) -> str:
    return term.strip(" \t\"'“”‘’„«»`*")
