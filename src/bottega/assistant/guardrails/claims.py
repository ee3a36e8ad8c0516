"""Sentences that claim alignment with a curriculum, and what stands beside them as their evidence.

A claim is a sentence that names an outcome's code, says that something meets, covers or is aligned
with the curriculum, or is an item under a heading of that name. Its evidence stands in the same
paragraph, list item or table row, in the items below it, or begins what follows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bottega.assistant.guardrails.blocks import Block, BlockKind, blocks_in
from bottega.assistant.guardrails.outcome_codes import Code, codes_in
from bottega.assistant.guardrails.pointers import Malformed, Pointer

#: In the place of a pointer, whose own words claim nothing.
HIDDEN = "\ufffc"

_CURRICULUM = (
    r"(?:curricul\w+|CfE|experiences?\s+(?:and|&)\s+outcomes?|Es?\s?(?:&|and)\s?Os?|benchmarks?|"
    r"(?:Early|First|Second|Third|Fourth)\s+Level|National\s+[3-5]|SQA|programmes?\s+of\s+study|"
    r"(?:course|exam|subject)\s+specification|national\s+standards?|key\s+stage\s+\d|common\s+core)"
)
_MEETS = (
    r"(?:align\w*\s+(?:\w+\s+)?(?:with|to)|in\s+line\s+with|map(?:s|ped)?\s+(?:\w+\s+)?(?:on)?to|"
    r"link(?:s|ed)?\s+(?:\w+\s+)?(?:with|to)|correspond(?:s|ing)?\s+to|meet(?:s|ing)?|"
    r"address(?:es|ing)?|cover(?:s|ed|ing)?|fulfil\w*|satisf\w+|deliver(?:s|ing)?|"
    r"contribut\w+\s+to(?:wards)?|match(?:es|ing)?|(?:required|expected|set)\s+(?:by|in|at)|"
    r"(?:drawn|taken)\s+from|(?:comes?|is|are)\s+(?:straight\s+)?from)"
)
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
#: Says that the files do not have it, which is the opposite of claiming it.
_DISOWNED = re.compile(
    r"\bnot\s+(?:\w+\s+)?(?:in|part\s+of|by)\s+(?:\w+\s+){0,3}(?:files?|workspace|curriculum)\b|"
    r"\b(?:cannot|can['’]t|could\s+not|couldn['’]t|did\s+not|didn['’]t)\s+(?:be\s+)?"
    r"(?:find|found|confirm\w*|verif\w+)|"
    r"\bno\s+(?:such\s+|curriculum\s+)?(?:code|outcome|file)\b|"
    r"\bdoes\s+not\s+(?:exist|stand|appear)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r".+?(?:[.!?](?=[\s*_)\]\ufffc]|$)|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Claim:
    text: str
    start: int
    codes: Sequence[Code]
    #: What may bear it out; empty is a claim on nothing but its word.
    pointers: Sequence[Pointer | Malformed]
    #: Says that it is not so: no claim after all.
    is_disowned: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    block: Block
    pointers: Sequence[Pointer | Malformed]
    #: Stands in a list or table under a heading that says that this is about the curriculum.
    is_listed: bool


def claims_in(text: str, pointers: Sequence[Pointer | Malformed]) -> list[Claim]:
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


def _claims(parts: Sequence[_Part], place: int) -> Iterator[Claim]:
    part, block = parts[place], parts[place].block
    evidence = [*part.pointers, *_pointers_below(parts, place)]
    has_claimed = False
    for sentence in _SENTENCE.finditer(block.text):
        start = block.start + sentence.start()
        codes = [
            Code(each.name, start + each.start, start + each.end) for each in codes_in(sentence[0])
        ]
        said = sentence[0].strip()
        if codes or (block.kind is not BlockKind.HEADING and _claims_alignment(said)):
            has_claimed = True
            indent = len(sentence[0]) - len(sentence[0].lstrip())
            is_disowned = _DISOWNED.search(said) is not None
            yield Claim(said, start + indent, codes, evidence, is_disowned)
    if part.is_listed and not has_claimed and _says_something(block.text):
        yield Claim(block.text.strip(), block.start + block.indent, [], evidence)


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
