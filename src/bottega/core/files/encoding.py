"""Bytes to text and back without losing one.

A file that is not UTF-8 still opens: as UTF-16 if its byte order mark says so, else as Latin-1,
which maps every byte to one character. Saving encodes the same way, so untouched parts keep their
bytes; line endings and byte order marks are characters like any other.
"""

import codecs
from enum import StrEnum

from bottega.core.files.paths import shown
from bottega.errors import InvalidInput


class Encoding(StrEnum):
    UTF_8 = "utf-8"
    UTF_16_LE = "utf-16-le"
    UTF_16_BE = "utf-16-be"
    #: The fallback: shown characters may be wrong, bytes are not.
    LATIN_1 = "latin-1"


def encoding_of(data: bytes) -> Encoding | None:
    """How to read these bytes as text; None if they are no text."""
    if data.startswith(codecs.BOM_UTF16_LE) and _decodes(data, Encoding.UTF_16_LE):
        return Encoding.UTF_16_LE
    if data.startswith(codecs.BOM_UTF16_BE) and _decodes(data, Encoding.UTF_16_BE):
        return Encoding.UTF_16_BE
    if b"\0" in data:
        return None
    return Encoding.UTF_8 if _decodes(data, Encoding.UTF_8) else Encoding.LATIN_1


def encode(path: str, content: str, encoding: Encoding) -> bytes:
    try:
        return content.encode(encoding)
    except UnicodeEncodeError as error:
        character = content[error.start]
        raise InvalidInput(
            f"Cannot save {shown(path)}: it is kept as {encoding}, which has no {character!r} "
            f"(at character {error.start}). Remove that character, or convert the file to UTF-8."
            if encoding is Encoding.LATIN_1
            else f"Cannot save {shown(path)}: {character!r} at character {error.start} is not "
            "valid Unicode."
        ) from error


def count_lines(content: str) -> int:
    """A line break ends a line; it does not begin another."""
    return content.count("\n") + (not content.endswith("\n") and content != "")


def _decodes(data: bytes, encoding: Encoding) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
