"""Which format a file is: by its first bytes where those tell, else by its name."""

from pathlib import PurePath

from bottega.library.reading.document import Format
from bottega.library.reading.unreadable import Reason, Unreadable

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
            return Format.HTML if _looks_like_html(data) else Format.TEXT
    raise Unreadable(
        name, Reason.UNKNOWN_TYPE, f"is of a type that cannot be read; {_READABLE} can."
    )


def _by_name(name: str) -> Format | None:
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes]
    # Sphinx publishes its sources as `chapter.rst.txt`.
    if suffixes[-2:] == [".rst", ".txt"]:
        return Format.RESTRUCTURED_TEXT
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def _looks_like_html(data: bytes) -> bool:
    return data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html"))
