"""A file's bytes into a document. Blocking, up to seconds for a large file: call it in a thread.

What a document says about itself: title, number, kind, and what its words mean.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from bottega.core.definitions import frontmatter
from bottega.core.definitions.problems import DocumentError
from bottega.library.parsers.blocks import BlockRole, ParsedContent
from bottega.library.parsers.detection import decode, format_of
from bottega.library.parsers.document import (
    DefinedTerm,
    Document,
    DocumentProblem,
    Format,
    Kind,
    Paragraph,
    Reason,
    Unreadable,
)
from bottega.library.parsers.html import is_navigation, read_html
from bottega.library.parsers.outline import outline

_IN_TITLE = re.compile(
    r"\b(?:[A-Z]{2,6}|Standard|Policy|Regulation|Directive|Rule)[ \u00a0-](\d{1,5})\b(?!\.\d)"
)
_IN_FILE_NAME = re.compile(r"(?:[A-Za-z]{2,6}[-_ ]?)?(\d{3})(?=[-_. (]|$)")
#: `ISA 315` is cited as 315; the letter of `G1` is part of the number.
_STATED = re.compile(r"[A-Za-z]{2,6}[ -]?(\d+(?:\.\d+)*)")
_LONGEST_TITLE = 200


def title_of(content: ParsedContent, metadata: Mapping[str, str], name: str) -> str:
    """As stated, else the first heading if nothing stands before it, else the file's name."""
    stated = metadata.get("title") or content.title
    first = content.blocks[0] if content.blocks else None
    if not stated and first is not None and first.role is BlockRole.HEADING:
        stated = first.text
    return " ".join(stated.split())[:_LONGEST_TITLE] or PurePath(name).stem or name


def prefix_of(metadata: Mapping[str, str], title: str, name: str) -> str | None:
    """The document's own number: `315` of "ISA 315", of `number: 315`, of `isa-315.md`."""
    if "number" in metadata:
        stated = metadata["number"].strip()
        coded = _STATED.fullmatch(stated)
        return coded.group(1) if coded else stated or None
    found = _IN_TITLE.search(title) or _IN_FILE_NAME.match(PurePath(name).stem)
    return found.group(1) if found else None


def kind_of(metadata: Mapping[str, str], problems: list[DocumentProblem]) -> Kind:
    stated = metadata.get("kind", Kind.STANDARD).strip().lower()
    try:
        return Kind(stated)
    except ValueError:
        message = f"the kind {stated[:40]!r} is unknown, taken as a standard: say standard or guide"
        problems.append(DocumentProblem(message, 1))
        return Kind.STANDARD


def plain_metadata(values: Mapping[str, Any]) -> dict[str, str]:
    """Frontmatter is any YAML; what a library keeps of it is text."""
    return {str(key).lower(): _as_text(value) for key, value in values.items() if value is not None}


def _as_text(value: Any) -> str:  # any YAML
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)


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


LARGEST_FILE = 50_000_000


def read_document(
    data: bytes, name: str, *, kind: Kind | None = None, largest: int = LARGEST_FILE
) -> Document:
    """Raises `Unreadable`, and nothing else, for what cannot be read."""
    if len(data) > largest:
        message = f"has {len(data):,} bytes; up to {largest:,} are read. Split it."
        raise Unreadable(name, Reason.TOO_LARGE, message)
    if not data.strip():
        raise Unreadable(name, Reason.EMPTY, "is empty.")
    file_format = format_of(data, name)
    content = _read_safely(data, name, file_format)
    if file_format is Format.HTML and is_navigation(content.blocks):
        raise Unreadable(name, Reason.NAVIGATION, "only leads to other pages.")
    metadata = content.metadata
    title = title_of(content, metadata, name)
    prefix = prefix_of(metadata, title, name)
    outlined = outline(content.blocks, title, prefix)
    if not outlined.paragraphs:
        raise Unreadable(name, Reason.EMPTY, "holds no text.")
    problems = list(content.problems)
    stated_kind = kind_of(metadata, problems)
    return Document(
        name=name,
        title=title,
        kind=kind or stated_kind,
        format=file_format,
        prefix=prefix,
        language=metadata.get("language") or metadata.get("lang") or content.language,
        metadata=metadata,
        unit=content.unit,
        paragraphs=tuple(outlined.paragraphs),
        terms=find_terms(title, outlined.paragraphs, outlined.marked_terms),
        anchors=outlined.anchors,
        problems=(*problems, *outlined.problems),
    )


def _read_safely(data: bytes, name: str, format: Format) -> ParsedContent:
    try:
        return _read(data, name, format)
    except Unreadable:
        raise
    # The outer edge for hostile files: parsers of others raise whatever a broken one leads them to.
    except Exception as error:
        said = f"{type(error).__name__}: {str(error)[:200]}"
        raise Unreadable(name, Reason.MALFORMED, f"is damaged ({said}).") from error


def _read(data: bytes, name: str, format: Format) -> ParsedContent:
    if format is Format.PDF:
        from bottega.library.parsers.pdf import read_pdf

        return read_pdf(data, name)
    if format is Format.DOCX:
        from bottega.library.parsers.docx import read_docx

        return read_docx(data, name)
    text, problems = decode(data, name)
    content = _read_text(text, format, problems)
    content.problems[:0] = problems
    return content


def _read_text(text: str, format: Format, problems: list[DocumentProblem]) -> ParsedContent:
    if format is Format.HTML:
        return read_html(text)
    metadata, body, first_line = _without_frontmatter(text, problems)
    if format is Format.MARKDOWN:
        from bottega.library.parsers.markdown import read_markdown

        content = read_markdown(body, first_line)
    elif format is Format.RESTRUCTURED_TEXT:
        from bottega.library.parsers.restructured_text import read_restructured_text

        content = read_restructured_text(body, first_line)
    else:
        from bottega.library.parsers.plain_text import read_plain_text

        content = read_plain_text(body, first_line)
    content.metadata = metadata
    return content


def _without_frontmatter(
    text: str, problems: list[DocumentProblem]
) -> tuple[dict[str, str], str, int]:
    """What the file says about itself, the rest, and the line on which that begins."""
    try:
        raw, body = frontmatter.split(text, "", required=False)
        values, _ = frontmatter.read(raw, "")
    except DocumentError as error:
        first = error.problems[0]
        problems.append(
            DocumentProblem(f"the frontmatter was taken as text: {first.message}", first.line)
        )
        return {}, text, 1
    if values is None:  # two rules with words between them
        return {}, text, 1
    skipped = text[: len(text) - len(body)].count("\n")
    return plain_metadata(values), body, skipped + 1
