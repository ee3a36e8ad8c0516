"""PDF by way of pypdf: pure Python under a BSD licence, no native code that a file could attack.

A PDF knows pages and places of letters, not paragraphs. Its lines are read as plain text is, after
what repeats on every page (running heads, page numbers) is taken out.
"""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from bottega.library.parsers.blocks import BlockRole, Line, ParsedContent, gather, plain_line
from bottega.library.parsers.detection import UNFIT
from bottega.library.parsers.document import DocumentProblem, Reason, Unit, Unreadable
from bottega.library.parsers.plain_text import look_of_heading

MOST_PAGES = 10_000
#: Text unpacked from one file, in characters.
MOST_TEXT = 100_000_000

#: Of an em in thousandths: wider than any kerning, and wide enough for pypdf in any font.
_GAP, _WIDE_GAP = 180, 600
#: Lines at the edge of a page that may repeat, and on how many pages they must.
_EDGE = 2
_REPEATED = 0.5
_FEWEST_PAGES = 4
#: A line this much shorter than the usual one ends its paragraph.
_SHORT = 0.8
_CONTENTS_ENTRY = re.compile(r"(?:\. ?){4,}\s*\w*$")
_DIGITS = re.compile(r"\d+")
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})-\s(?=[^\W\d_A-Z]{2})(?!(?:and|or|und|oder)\b)")
_NO_TITLE = re.compile(
    r"untitled|anonymous|microsoft word|\.(?:docx?|tex|indd|pdf)\b", re.IGNORECASE
)


def read_pdf(data: bytes, name: str) -> ParsedContent:
    title, pages = _extract(data, name)
    if not any(page.strip() for page in pages):
        raise Unreadable(
            name,
            Reason.NO_TEXT,
            f"its {len(pages):,} pages hold images and no text. Run text recognition on it first.",
        )
    blocks = gather(_lines([page.split("\n") for page in pages]))
    for block in blocks:
        # `imple- mentation`, as a wrapped line leaves it, is one word again.
        block.text = _HYPHEN.sub("", block.text)
    return ParsedContent(blocks, Unit.PAGE, title, problems=_empty_pages(pages))


def _extract(data: bytes, name: str) -> tuple[str, list[str]]:
    from pypdf import PasswordType, PdfReader

    # It warns of every font that it has to guess at.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    reader = PdfReader(io.BytesIO(data))
    # Many files are locked with an empty password, only to forbid printing.
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise Unreadable(name, Reason.ENCRYPTED, "is protected by a password. Save it without one.")
    if len(reader.pages) > MOST_PAGES:
        message = f"has {len(reader.pages):,} pages; {MOST_PAGES:,} can be read. Split it."
        raise Unreadable(name, Reason.TOO_LARGE, message)
    pages: list[str] = []
    size = 0
    for page in reader.pages:
        text = page.extract_text(visitor_operand_before=_widen_gaps)
        pages.append(UNFIT.sub("", text))
        size += len(pages[-1])
        if size > MOST_TEXT:
            raise Unreadable(name, Reason.BOMB, f"unpacks to over {MOST_TEXT:,} characters.")
    stated = str((reader.metadata and reader.metadata.title) or "").strip()
    return "" if _NO_TITLE.search(stated) else stated, pages


def _widen_gaps(operator: bytes, operands: Any, *_: object) -> None:  # pypdf's own objects
    """Between words TeX writes no space but a gap, which pypdf expects to be wider than it is."""
    if operator != b"TJ" or not operands or not isinstance(operands[0], list):
        return
    from pypdf.generic import FloatObject

    for index, item in enumerate(operands[0]):
        if isinstance(item, int | float | Decimal) and -_WIDE_GAP < item <= -_GAP:
            operands[0][index] = FloatObject(-_WIDE_GAP)


def _lines(pages: Sequence[Sequence[str]]) -> Iterator[Line]:
    repeated = _repeated_lines(pages)
    width = _usual_width(pages)
    # After a short line or the end of a sentence comes a heading; after both, a new paragraph.
    may_head = may_begin = True
    for number, page in enumerate(pages, start=1):
        for index, source in enumerate(page):
            at_edge = index < _EDGE or index >= len(page) - _EDGE
            if at_edge and _shape(source) in repeated:
                continue
            line = plain_line(number, source)
            entry = _CONTENTS_ENTRY.search(line.text[-100:])
            level = look_of_heading(source) if may_head and not entry else 0
            if level and line.role is not BlockRole.BULLET:
                line = Line(number, line.text, role=BlockRole.HEADING, level=level)
            elif may_begin and line.role is BlockRole.TEXT:
                yield Line(number, "", role=None)
            yield line
            ends = line.text.endswith((".", "!", "?", ":", ";", "”", ")"))
            is_short = len(line.text) < _SHORT * width
            is_over = line.role in (None, BlockRole.HEADING) or bool(entry)
            may_head, may_begin = is_over or ends or is_short, is_over or (ends and is_short)


def _repeated_lines(pages: Sequence[Sequence[str]]) -> set[str]:
    """Running heads and feet, whatever the page number in them."""
    if len(pages) < _FEWEST_PAGES:
        return set()
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_shape(line) for line in [*page[:_EDGE], *page[-_EDGE:]]})
    return {
        shape
        for shape, count in counts.items()
        if count >= _REPEATED * len(pages) or ("#" in shape and count >= _FEWEST_PAGES)
    }


def _shape(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()))


def _usual_width(pages: Sequence[Sequence[str]]) -> int:
    lengths = sorted(len(line.strip()) for page in pages for line in page if line.strip())
    return lengths[len(lengths) * 3 // 4]


def _empty_pages(pages: Sequence[str]) -> list[DocumentProblem]:
    empty = [number for number, page in enumerate(pages, start=1) if not page.strip()]
    if not empty:
        return []
    shown = ", ".join(map(str, empty[:10])) + (" …" if len(empty) > 10 else "")
    return [
        DocumentProblem(f"no text on {len(empty):,} of {len(pages):,} pages: {shown}", empty[0])
    ]
