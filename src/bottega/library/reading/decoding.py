"""Bytes into text: by byte order mark, by declaration, as UTF-8, at last as Windows-1252."""

import codecs
import re

from bottega.library.reading.document import Problem
from bottega.library.reading.unreadable import Reason, Unreadable

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
_UNFIT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ufeff]")


def decode(data: bytes, name: str) -> tuple[str, list[Problem]]:
    text, problems = _decoded(data, name)
    nuls = text.count("\0")
    if nuls > _MOST_NULS * len(text):
        raise Unreadable(
            name, Reason.NOT_TEXT, f"{nuls:,} of its {len(text):,} characters are NUL: not a text."
        )
    if nuls:
        problems.append(Problem(f"{nuls:,} NUL characters were left out"))
    unix = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return _UNFIT.sub("", unix), problems


def _decoded(data: bytes, name: str) -> tuple[str, list[Problem]]:
    encoding = _stated_encoding(data)
    if encoding is not None:
        try:
            return data.decode(encoding), []
        except (UnicodeDecodeError, LookupError):
            told = [Problem(f"the file says that it is {encoding}, which does not fit")]
    else:
        told = []
    try:
        return data.decode("utf-8"), told
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise Unreadable(name, Reason.NOT_TEXT, "holds bytes that are no text.") from None
        message = f"not valid UTF-8 at byte {error.start:,}: read as Windows-1252"
        return data.decode("cp1252", "replace"), [*told, Problem(message)]


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
