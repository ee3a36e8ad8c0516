"""Sentences that claim alignment with a curriculum, and what stands beside them as their evidence.

A claim is a sentence that names an outcome's code, says that something meets, covers or is aligned
with the curriculum, or is an item under a heading of that name. Its evidence stands in the same
paragraph, list item or table row, in the items below it, or begins what follows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bottega.assistant.curriculum.codes import PHRASES, OutcomeCode, codes_in
from bottega.assistant.curriculum.pointers import Malformed, Pointer

_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
#: In the place of a pointer, whose own words claim nothing.
HIDDEN = "\ufffc"

_CURRICULUM = f"(?:{'|'.join(PHRASES['curriculum'])})"
_MEETS = f"(?:{'|'.join(PHRASES['meets'])})"
_CLAIM = re.compile(rf"\b(?P<verb>{_MEETS})\b[^.!?\n]{{0,80}}?\b{_CURRICULUM}\b", re.IGNORECASE)
_LABEL = re.compile(
    rf"\b{_CURRICULUM}\s+(?:\w+\s+)?(?:outcomes?|links?|alignment|benchmarks?|codes?)"
    r"\W{0,3}:\W{0,3}\w",
    re.IGNORECASE,
)
_HEADING_OF_CLAIMS = re.compile(
    r"#{1,6}\s.*\b(?:curriculum|CfE|benchmarks|experiences?\s+(?:and|&)\s+outcomes?)\b(?!.*\?)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|nothing|none|never|cannot|can['’]t|\w+n['’]t|no|without|unable\s+to|whether|if|may|might|could)"
    r"\s+(?:\w+\s+){0,4}$",
    re.IGNORECASE,
)
_DISOWNED = re.compile("|".join(PHRASES["disowned"]), re.IGNORECASE)
_SENTENCE = re.compile(r".+?(?:[.!?](?=[\s*_)\]\ufffc]|$)|$)", re.DOTALL)


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    kind: BlockKind
    start: int
    text: str
    indent: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def blocks_in(text: str) -> list[MarkdownBlock]:
    """Without code: what stands between fences is nobody's sentence."""
    found: list[MarkdownBlock] = []
    is_open = False
    for start, line, kind in _lines(text):
        if is_open and kind is BlockKind.PARAGRAPH:
            last = found[-1]
            found[-1] = MarkdownBlock(last.kind, last.start, last.text + line, last.indent)
        elif kind is not None:
            found.append(MarkdownBlock(kind, start, line, _indent(line)))
        is_open = kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)
    return found


def _lines(text: str) -> Iterator[tuple[int, str, BlockKind | None]]:
    start, is_fenced = 0, False
    for line in text.splitlines(keepends=True):
        is_fence = _FENCE.match(line) is not None
        yield start, line, None if is_fenced or is_fence else _kind(line)
        is_fenced ^= is_fence
        start += len(line)


def _kind(line: str) -> BlockKind | None:
    if not line.strip() or _RULE.match(line):
        return None
    if _HEADING.match(line):
        return BlockKind.HEADING
    if _ROW.match(line):
        return BlockKind.ROW
    return BlockKind.ITEM if _ITEM.match(line) else BlockKind.PARAGRAPH


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(frozen=True, slots=True)
class CurriculumClaim:
    text: str
    start: int
    codes: Sequence[OutcomeCode]
    #: What may bear it out; empty is a claim on nothing but its word.
    pointers: Sequence[Pointer | Malformed]
    #: Says that it is not so: no claim after all.
    is_disowned: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    block: MarkdownBlock
    pointers: Sequence[Pointer | Malformed]
    #: Stands in a list or table under a heading that says that this is about the curriculum.
    is_listed: bool


def claims_in(text: str, pointers: Sequence[Pointer | Malformed]) -> list[CurriculumClaim]:
    parts = list(_parts(_hide(text, pointers), pointers))
    return [claim for place in range(len(parts)) for claim in _claims(parts, place)]


def _hide(text: str, pointers: Sequence[Pointer | Malformed]) -> str:
    """Every place stays where it is."""
    letters = list(text)
    for each in pointers:
        letters[each.start : each.end] = HIDDEN * (each.end - each.start)
    return "".join(letters)


def _parts(text: str, pointers: Sequence[Pointer | Malformed]) -> Iterator[_Part]:
    is_about_it = False
    before = None
    for block in blocks_in(text):
        if block.kind is BlockKind.HEADING:
            is_about_it = _HEADING_OF_CLAIMS.match(block.text) is not None
        # The first row of a table names its columns.
        is_row = block.kind is BlockKind.ROW and before is BlockKind.ROW
        is_listed = is_about_it and (is_row or block.kind is BlockKind.ITEM)
        within = [each for each in pointers if block.start <= each.start < block.end]
        yield _Part(block, within, is_listed)
        before = block.kind


def _claims(parts: Sequence[_Part], place: int) -> Iterator[CurriculumClaim]:
    part, block = parts[place], parts[place].block
    evidence = [*part.pointers, *_pointers_below(parts, place)]
    has_claimed = False
    for sentence in _SENTENCE.finditer(block.text):
        start = block.start + sentence.start()
        codes = [
            OutcomeCode(each.name, start + each.start, start + each.end)
            for each in codes_in(sentence[0])
        ]
        said = sentence[0].strip()
        if codes or (block.kind is not BlockKind.HEADING and _claims_alignment(said)):
            has_claimed = True
            indent = len(sentence[0]) - len(sentence[0].lstrip())
            is_disowned = _DISOWNED.search(said) is not None
            yield CurriculumClaim(said, start + indent, codes, evidence, is_disowned)
    if part.is_listed and not has_claimed and _says_something(block.text):
        yield CurriculumClaim(block.text.strip(), block.start + block.indent, [], evidence)


def _claims_alignment(said: str) -> bool:
    if said.rstrip("*_ ").endswith("?") or _DISOWNED.search(said):
        return False
    if _LABEL.search(said):
        return True
    claimed = _CLAIM.finditer(said)
    return any(_DENIED.search(said, 0, found.start("verb")) is None for found in claimed)


def _says_something(text: str) -> bool:
    words = text.replace(HIDDEN, " ")
    return len(re.findall(r"\w+", words)) >= 3 and "?" not in words and not _DISOWNED.search(words)


def _pointers_below(parts: Sequence[_Part], place: int) -> Iterator[Pointer | Malformed]:
    """Of what belongs to a block: a heading's section, an item's own items, what a colon announces,
    and a paragraph that begins with a pointer."""
    block = parts[place].block
    announces = block.text.rstrip(" \n*_").endswith(":")
    for part in parts[place + 1 :]:
        below = part.block
        if below.kind is BlockKind.HEADING:
            return
        belongs = (
            block.kind is BlockKind.HEADING
            or (announces and below.kind is not BlockKind.PARAGRAPH)
            or (block.kind is BlockKind.ITEM and below.indent > block.indent)
        )
        if belongs or below.text.lstrip(" >*-+").startswith(HIDDEN):
            yield from part.pointers
        if not belongs:
            return
