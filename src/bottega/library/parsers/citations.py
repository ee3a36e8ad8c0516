"""Cross-references in a text: what it cites, in the words it uses and in normal form."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bottega.library.parsers.document import Document, Link, Paragraph
from bottega.library.parsers.references import (
    CODE,
    KEPT_LABEL,
    LABEL,
    normalise_ref,
    with_prefix,
)


class Reach(StrEnum):
    #: Within the document.
    HERE = "here"
    #: Another document, which the library may hold.
    ELSEWHERE = "elsewhere"
    #: An address.
    WEB = "web"


@dataclass(frozen=True, slots=True)
class CrossReference:
    #: As written; the references of a range share it: `paragraphs 5–7`.
    written: str
    #: In normal form: `315.6`. Of a link that leads out of the document, where it leads.
    target: str
    #: Where it is written in the text.
    span: tuple[int, int]
    reach: Reach = Reach.HERE


_BRACKETS = r"(?:\s?\((?:[a-z]{1,5}|[A-Z]{1,4}|\d{1,3})\)){0,6}"
_REF = (
    r"(?:[A-Z]?\d{1,4}[A-Z]?(?:\.A?\d{1,3}[A-Z]?){0,6}|[A-Z](?:\.\d{1,3}){1,5})"
    rf"(?![\w%]){_BRACKETS}"
)
_AND = r"[ \n]?(?:,[ \n]?(?:and|or)?|and|or|to|through|&|[–—-])[ \n]?"
_LIST = rf"{_REF}(?:{_AND}(?:{_REF}|\([a-z]{{1,5}}\))){{0,30}}"
_KEPT_LIST = rf"(?:[A-Z]|[IVXL]{{1,6}}|{_REF})\b(?:{_AND}(?:[A-Z]\b|{_REF})){{0,30}}"
_OF = rf"(?:,?\s(?:of|in|to)\s(?:the\s)?{CODE}(?P<of>\d{{1,5}}))?"
_PATTERNS = (
    re.compile(r"(?P<web>https?://[^\s<>\"')\]]{1,2000})"),
    re.compile(r"(?P<link>\[[^\[\]]{1,500}\]\((?P<to>[^\s()]{1,500})\))"),
    re.compile(
        rf"\b{CODE}(?P<of>\d{{1,5}})\b(?:\.(?P<direct>A?\d{{1,3}}\b{_BRACKETS})"
        rf"|(?:,\s?|\s)(?P<kept>(?i:{KEPT_LABEL}))\s(?P<kept_list>{_KEPT_LIST})"
        rf"|(?:,\s?|\s)(?i:{LABEL})\s?(?P<list>{_LIST}))?"
    ),
    re.compile(rf"\b(?P<kept>(?i:{KEPT_LABEL}))\s(?P<kept_list>{_KEPT_LIST}){_OF}"),
    re.compile(rf"(?<!\w)(?i:{LABEL})\s?(?P<list>{_LIST}){_OF}"),
    re.compile(
        r"\b(?i:see|see also|cf\.|refer to|under|per)\s"
        rf"(?P<list>(?=[A-Z]?\d{{1,4}}[.(]A?\w|A\d){_LIST})"
    ),
    # In brackets, or spelled out so far that it can be nothing else.
    re.compile(rf"(?<=[(\[])(?P<list>(?=\d{{1,4}}\.A?\d|A\d){_LIST})(?=[)\],;])"),
    re.compile(
        rf"(?<![\w.,])(?P<list>\d{{2,4}}\.(?:A\d{{1,3}}\b{_BRACKETS}|\d{{1,3}}\([a-z]\){_BRACKETS}))"
    ),
)
#: `210.12` within standard 315 is of another standard; `4.9` is a part of this one.
_FULL = re.compile(r"(\d{3,5})\.A?\d")


def cited_references(text: str, document_prefix: str | None = None) -> list[CrossReference]:
    """In the order of the text; of citations that overlap, the longest."""
    matches = [match for pattern in _patterns(document_prefix) for match in pattern.finditer(text)]
    matches.sort(key=lambda match: (match.start() - match.end(), match.start()))
    taken: list[re.Match[str]] = []
    for match in matches:
        if not any(match.start() < other.end() and other.start() < match.end() for other in taken):
            taken.append(match)
    taken.sort(key=lambda match: match.start())
    return [citation for match in taken for citation in _citations(match, document_prefix)]


def paragraph_citations(paragraph: Paragraph, document: Document) -> list[CrossReference]:
    """What its text cites and what its links lead to."""
    found = cited_references(paragraph.text, document.prefix)
    position = 0
    for link in paragraph.links:
        begin = paragraph.text.find(link.text, position) if link.text else -1
        span = (begin, begin + len(link.text)) if begin >= 0 else (0, 0)
        position = max(position, span[1])
        target = _link_target(link, document)
        if target is not None:
            found.append(CrossReference(link.text, target[0], span, target[1]))
    return sorted(found, key=lambda citation: citation.span)


def _patterns(prefix: str | None) -> Iterator[re.Pattern[str]]:
    yield from _PATTERNS
    if prefix:
        own = rf"(?<![\w.,])(?P<list>{re.escape(prefix)}\.A?\d{{1,3}}\b{_BRACKETS})"
        yield re.compile(own)


def _citations(match: re.Match[str], prefix: str | None) -> Iterator[CrossReference]:
    groups = match.groupdict()
    written, span = match.group(), match.span()
    if groups.get("web"):
        address = written.rstrip(".,;:!?")
        yield CrossReference(address, address, (span[0], span[0] + len(address)), Reach.WEB)
        return
    if groups.get("link"):
        reach = Reach.WEB if "://" in groups["to"] else Reach.ELSEWHERE
        yield CrossReference(
            written, groups["to"], span, Reach.HERE if groups["to"].startswith("#") else reach
        )
        return
    document = groups.get("of")
    for ref in _listed(groups):
        whole = _FULL.match(ref)
        owner = document or (whole.group(1) if whole and prefix else prefix)
        reach = Reach.HERE if owner == prefix else Reach.ELSEWHERE
        yield CrossReference(written, with_prefix(ref, owner) if ref else str(owner), span, reach)


def _listed(groups: dict[str, str | None]) -> Iterator[str]:
    if kept := groups.get("kept"):
        label = normalise_ref(f"{kept} 1").removesuffix("1")
        yield from (label + ref for ref in expand(groups["kept_list"] or ""))
    elif direct := groups.get("direct"):
        yield "".join(direct.split())
    elif listed := groups.get("list"):
        yield from expand(listed)
    else:  # a standard as a whole
        yield ""


def _link_target(link: Link, document: Document) -> tuple[str, Reach] | None:
    if "://" in link.target or link.target.startswith("mailto:"):
        return link.target, Reach.WEB
    file, _, anchor = link.target.partition("#")
    if file and file != document.name.rsplit("/", 1)[-1]:
        return link.target, Reach.ELSEWHERE
    ref = document.anchors.get(anchor)
    return None if ref is None else (ref, Reach.HERE)


MOST_IN_RANGE = 100

_SPLIT = re.compile(
    r"\s*(?:(?P<to>\bto\b|\bthrough\b|[–—-])|,\s*(?:and\b|or\b)?|\band\b|\bor\b|&)\s*"
)
_LAST = re.compile(r"(.*?)(\d+|(?<=\()[a-z](?=\)))(\)?)$")


def expand(listed: str) -> Iterator[str]:
    """Every reference of a list, ranges filled in; an impossible range is its two ends."""
    previous = ""
    is_range = False
    position = 0
    for separator in [*_SPLIT.finditer(listed), None]:
        end = separator.start() if separator else len(listed)
        ref = "".join(listed[position:end].split())
        if ref.startswith("(") and previous:  # "12(a) and (b)"
            ref = previous[: previous.rfind("(")] + ref if "(" in previous else previous + ref
        if is_range and ref.isdigit() and (stem := _LAST.match(previous)):
            ref = stem.group(1) + ref  # "A12–15" ends at A15
        if ref:
            yield from _between(previous, ref) if is_range else ()
            yield ref
            previous = ref
        is_range = bool(separator and separator.group("to"))
        position = separator.end() if separator else end


def _between(first: str, last: str) -> Iterator[str]:
    begin, end = _LAST.match(first), _LAST.match(last)
    if not begin or not end or begin.group(3) != end.group(3):
        return
    stem = begin.group(1)
    if end.group(1) != stem:
        return
    low, high = begin.group(2), end.group(2)
    if low.isdigit() and high.isdigit():
        if 0 < int(high) - int(low) <= MOST_IN_RANGE:
            yield from (f"{stem}{n}{begin.group(3)}" for n in range(int(low) + 1, int(high)))
    elif low.isalpha() and high.isalpha():
        between = range(ord(low) + 1, ord(high))
        yield from (f"{stem}{chr(code)}{begin.group(3)}" for code in between)


_BARE = re.compile(r"(?<![\w.])[A-Z]?\d{1,4}(?:\.A?\d{1,3})+(?:\(\w{1,4}\))*(?![\w.]*\w)")


def may_be_here(citation: CrossReference, numbers: Collection[str]) -> bool:
    """Whether it cites its own document, or one whose number the library has."""
    if citation.reach is Reach.ELSEWHERE:
        return citation.target.partition(".")[0] in numbers
    return citation.reach is Reach.HERE


def references_in(query: str, numbers: Collection[str]) -> set[str]:
    """References in a query: `paragraph 12(a) of standard 315`, or just `4.9.1`.

    `numbers` are those of the library's documents.
    """
    cited = cited_references(query, None)
    if any(not may_be_here(each, numbers) for each in cited):
        # "UTF-8" is no paragraph 8.
        return {each.target for each in cited if may_be_here(each, numbers)}
    refs = {normalise_ref(query), *(each.target for each in cited)}
    bare = [each for each in _BARE.findall(query) if _is_no_decimal(each, numbers)]
    # Of `315.12 (a)` it is but the beginning.
    return refs | {each for each in bare if not any(ref.startswith(each) for ref in refs)}


def _is_no_decimal(number: str, numbers: Collection[str]) -> bool:
    """`4.9.1` is none, and `210.7` hardly where a document has the number 210."""
    return number.count(".") > 1 or number.partition(".")[0] in numbers
