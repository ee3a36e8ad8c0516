"""What a file's bytes are: its format by first bytes or name, its text by mark or declaration."""

import codecs
import re
from pathlib import PurePath

from bottega.library.parsers.document import DocumentProblem, Format, Reason, Unreadable

SUFFIXES = {
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".rst": Format.RESTRUCTURED_TEXT,
    ".rest": Format.RESTRUCTURED_TEXT,
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
}
_READABLE = "markdown, plain text, HTML, reStructuredText, PDF and DOCX"
_ZIP = b"PK\x03\x04"
#: Microsoft's older container: `.doc`, and what a `.docx` with a password is wrapped in.
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0"


def format_of(data: bytes, name: str) -> Format:
    named = _by_name(name)
    # A PDF may have a few bytes of rubbish before its mark.
    if data.startswith(b"%PDF-") or (named is Format.PDF and b"%PDF-" in data[:1_024]):
        return Format.PDF
    if data.startswith(_COMPOUND_FILE):
        raise Unreadable(
            name,
            Reason.ENCRYPTED if named is Format.DOCX else Reason.UNKNOWN_TYPE,
            "is protected by a password or in Word's old format. Save it as DOCX without one.",
        )
    if named is Format.DOCX and not data.startswith(_ZIP):
        raise Unreadable(name, Reason.MALFORMED, "is named .docx but is no Word document.")
    if named is Format.PDF:
        raise Unreadable(name, Reason.MALFORMED, "is named .pdf but is no PDF.")
    if named is Format.DOCX:
        return named
    if not data.startswith(_ZIP):
        if named is not None:
            return named
        if not PurePath(name).suffix:
            is_html = data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html"))
            return Format.HTML if is_html else Format.TEXT
    raise Unreadable(
        name, Reason.UNKNOWN_TYPE, f"is of a type that cannot be read; {_READABLE} can."
    )


def _by_name(name: str) -> Format | None:
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    # Sphinx publishes its sources as `chapter.rst.txt`.
    if suffixes[-2:] == [".rst", ".txt"]:
        return Format.RESTRUCTURED_TEXT
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


# UTF-32 first: its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)=["']?([\w.:-]{1,40})""")
_DECLARED_WITHIN = 2_048
#: A text with more NULs than this is no text.
_MOST_NULS = 0.01
#: Control characters and stray marks, which no text needs.
UNFIT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufeff]")


def decode(data: bytes, name: str) -> tuple[str, list[DocumentProblem]]:
    """By byte order mark, by declaration, as UTF-8, at last as Windows-1252."""
    text, problems = _decoded(data, name)
    nuls = text.count("\0")
    if nuls > _MOST_NULS * len(text):
        raise Unreadable(
            name, Reason.NOT_TEXT, f"{nuls:,} of its {len(text):,} characters are NUL: not a text."
        )
    if nuls:
        problems.append(DocumentProblem(f"{nuls:,} NUL characters were left out"))
    unix = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return UNFIT.sub("", unix), problems


def _decoded(data: bytes, name: str) -> tuple[str, list[DocumentProblem]]:
    encoding = _stated_encoding(data)
    if encoding is not None:
        try:
            return data.decode(encoding), []
        except (UnicodeDecodeError, LookupError):
            told = [DocumentProblem(f"the file says that it is {encoding}, which does not fit")]
    else:
        told = []
    try:
        return data.decode("utf-8"), told
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise Unreadable(name, Reason.NOT_TEXT, "holds bytes that are no text.") from None
        message = f"not valid UTF-8 at byte {error.start:,}: read as Windows-1252"
        return data.decode("cp1252", "replace"), [*told, DocumentProblem(message)]


def _stated_encoding(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    declared = _DECLARED.search(data[:_DECLARED_WITHIN].lower())
    if declared:
        return _known_text_encoding(declared.group(1).decode("ascii"))
    pairs = data[:_DECLARED_WITHIN]
    # Latin text in UTF-16 without a mark: every other byte is NUL.
    if len(pairs) >= 4 and len(data) % 2 == 0:
        if not any(pairs[1::2]) and all(pairs[0::2]):
            return "utf-16-le"
        if not any(pairs[0::2]) and all(pairs[1::2]):
            return "utf-16-be"
    return None


def _known_text_encoding(label: str) -> str:
    """Python also knows "encodings" that unpack (`zlib`); a file may not choose those."""
    try:
        codec = codecs.lookup(label)
    except LookupError:
        return label
    return codec.name if codec._is_text_encoding else "unknown"
