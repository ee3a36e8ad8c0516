"""Markdown's marks within a line, taken off: words stay, links and anchors are kept apart."""

import re
import unicodedata

from bottega.library.reading.blocks import Block, Role
from bottega.library.reading.document import Link

LinkTargets = dict[str, str]

_MARKED = re.compile(r"[*_`\[\\<{]")
_CODE = re.compile(r"`[^`]+`")
_LINK = re.compile(
    r"!?\[([^\[\]]{0,1000})\]\(\s*<?([^\s()<>]{0,2000}(?:\([^\s()]{0,200}\))?)>?"
    r"(?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s*\)"
)
_BY_NAME = re.compile(r"!?\[([^\[\]]{1,500})\](?:\[([^\[\]]{0,200})\])?")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^\s<>]{1,2000})>")
_ANCHOR = re.compile(
    r"<(?:a|span)\s+(?:id|name)=[\"']([^\"'<>]{1,200})[\"']\s*/?>(?:</(?:a|span)>)?"
)
_HEADING_ID = re.compile(r"\s*\{#([\w:.-]{1,200})\}$")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_]+|(?:(?!\1).){1,2000})(?<=\S)\1", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+)(?<=\S)\*(?![\w*])")
_UNDERSCORED = re.compile(r"(?<!\w)_(?=[^\s_])([^_]+)(?<=\S)_(?!\w)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def clean_block(block: Block, targets: LinkTargets) -> None:
    if block.role is Role.CODE or not _MARKED.search(block.text):
        return
    if block.role is Role.HEADING and (named := _HEADING_ID.search(block.text)):
        block.anchors.append(named.group(1))
        block.text = block.text[: named.start()]
    if "[" in block.text or "<" in block.text:
        _take_links(block, targets)
    block.text = _without_marks(block.text)
    block.term = _without_marks(block.term)


def _take_links(block: Block, targets: LinkTargets) -> None:
    def inline(found: re.Match[str]) -> str:
        return _kept(found.group(1), found.group(2))

    def by_name(found: re.Match[str]) -> str:
        target = targets.get((found.group(2) or found.group(1)).lower())
        return found.group() if target is None else _kept(found.group(1), target)

    def address(found: re.Match[str]) -> str:
        return _kept(found.group(1), found.group(1))

    def _kept(text: str, target: str) -> str:
        if target:
            block.links.append(Link(text, target))
        return text

    def anchor(found: re.Match[str]) -> str:
        block.anchors.append(found.group(1))
        return ""

    text = _ANCHOR.sub(anchor, block.text)
    text = _LINK.sub(inline, text)
    if targets:
        text = _BY_NAME.sub(by_name, text)
    block.text = _AUTOLINK.sub(address, text).strip()


def _without_marks(text: str) -> str:
    if not _MARKED.search(text):
        return text
    codes: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\0{len(codes) - 1}\0"

    # Code keeps its stars and underscores; NUL cannot stand in a decoded text.
    text = _CODE.sub(put_aside, text)
    text = _STRONG.sub(r"\2", text)
    text = _EMPHASIS.sub(r"\1", text)
    text = _UNDERSCORED.sub(r"\1", text)
    text = _ESCAPED.sub(r"\1", text)
    return re.sub(r"\0(\d+)\0", lambda found: codes[int(found.group(1))], text)


def heading_anchor(title: str, seen: dict[str, int]) -> str:
    """The anchor that GitHub and most renderers give a heading; repeated ones are counted."""
    words = unicodedata.normalize("NFC", title).lower()
    slug = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
    count = seen.get(slug, 0)
    seen[slug] = count + 1
    return f"{slug}-{count}" if count else slug
