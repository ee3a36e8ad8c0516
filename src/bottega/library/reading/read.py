"""A file's bytes into a document. Blocking, up to seconds for a large file: call it in a thread."""

from bottega.core.documents import frontmatter
from bottega.core.documents.problems import DocumentError
from bottega.library.reading.blocks import Content
from bottega.library.reading.decoding import decode
from bottega.library.reading.document import Document, Format, Kind, Problem
from bottega.library.reading.formats import format_of
from bottega.library.reading.identity import kind_of, plain_metadata, prefix_of, title_of
from bottega.library.reading.outline import outline
from bottega.library.reading.terms import find_terms
from bottega.library.reading.unreadable import Reason, Unreadable

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


def _read_safely(data: bytes, name: str, format: Format) -> Content:
    try:
        return _read(data, name, format)
    except Unreadable:
        raise
    # The outer edge for hostile files: parsers of others raise whatever a broken one leads them to.
    except Exception as error:
        said = f"{type(error).__name__}: {str(error)[:200]}"
        raise Unreadable(name, Reason.MALFORMED, f"is damaged ({said}).") from error


def _read(data: bytes, name: str, format: Format) -> Content:
    if format is Format.PDF:
        from bottega.library.reading.pdf import read_pdf

        return read_pdf(data, name)
    if format is Format.DOCX:
        from bottega.library.reading.docx import read_docx

        return read_docx(data, name)
    text, problems = decode(data, name)
    content = _read_text(text, format, problems)
    content.problems[:0] = problems
    return content


def _read_text(text: str, format: Format, problems: list[Problem]) -> Content:
    if format is Format.HTML:
        from bottega.library.reading.html import read_html

        return read_html(text)
    metadata, body, first_line = _without_frontmatter(text, problems)
    if format is Format.MARKDOWN:
        from bottega.library.reading.markdown import read_markdown

        content = read_markdown(body, first_line)
    elif format is Format.RESTRUCTURED_TEXT:
        from bottega.library.reading.restructured_text import read_restructured_text

        content = read_restructured_text(body, first_line)
    else:
        from bottega.library.reading.plain_text import read_plain_text

        content = read_plain_text(body, first_line)
    content.metadata = metadata
    return content


def _without_frontmatter(text: str, problems: list[Problem]) -> tuple[dict[str, str], str, int]:
    """What the file says about itself, the rest, and the line on which that begins."""
    try:
        raw, body = frontmatter.split(text, "", required=False)
        values, _ = frontmatter.read(raw, "")
    except DocumentError as error:
        first = error.problems[0]
        problems.append(Problem(f"the frontmatter was taken as text: {first.message}", first.line))
        return {}, text, 1
    if values is None:  # two rules with words between them
        return {}, text, 1
    skipped = text[: len(text) - len(body)].count("\n")
    return plain_metadata(values), body, skipped + 1
