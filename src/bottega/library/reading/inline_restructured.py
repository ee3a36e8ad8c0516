"""reStructuredText's marks within a line, taken off: words stay, links are kept apart."""

import re
from collections.abc import Iterator

from bottega.library.reading.blocks import Block, Role
from bottega.library.reading.document import Link

_MARKED = re.compile(r"[*`_|\\]|::$")
_LITERAL = re.compile(r"``([^`]+)``")
_ROLE = re.compile(r"(?::[\w.+-]+)?:([\w.+-]+):`~?!?([^`<>]{0,500}?)(?:\s?<([^`<>]{1,500})>)?`")
_EMBEDDED = re.compile(r"`([^`<>]{0,500}?)\s?<([^`<>]{1,500})>`__?")
_PHRASE = re.compile(r"`([^`<>]+)`__?(?!\w)")
_INTERPRETED = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"(?<![\w`])([A-Za-z][\w.-]*[A-Za-z0-9])_(?![\w`])")
_FOOTNOTE_MARK = re.compile(r"\[(#?[\w-]*|\*)\]_(?!\w)")
_STRONG = re.compile(r"\*\*(?=\S)([^*]+)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+)(?<=\S)\*(?![\w*])")
_ESCAPED = re.compile(r"\\(\S)")
#: Roles that lead somewhere, and the sign that their targets begin with.
_LEADING = {"ref": "#", "numref": "#", "doc": "", "download": ""}


def clean_block(block: Block, targets: dict[str, str], footnotes: Iterator[int]) -> None:
    if block.role is Role.CODE or not _MARKED.search(block.text):
        return
    literals: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        literals.append(f"`{found.group(1)}`")
        return f"\0{len(literals) - 1}\0"

    def leading(text: str, target: str) -> str:
        block.links.append(Link(text, target))
        return text

    def role(found: re.Match[str]) -> str:
        name, text, target = found.groups()
        sign = _LEADING.get(name)
        return text if sign is None else leading(text or target, sign + (target or text))

    def named(found: re.Match[str]) -> str:
        text = found.group(1)
        return leading(text, targets.get(text.lower()) or f"#{text}")

    def footnote(found: re.Match[str]) -> str:
        return f"[{found.group(1).lstrip('#') or next(footnotes)}]"

    # Literals keep their signs; NUL cannot stand in a decoded text.
    text = _LITERAL.sub(put_aside, block.text)
    text = _ROLE.sub(role, text)
    text = _EMBEDDED.sub(
        lambda found: leading(found.group(1) or found.group(2), found.group(2)), text
    )
    text = _PHRASE.sub(named, text)
    text = _FOOTNOTE_MARK.sub(footnote, text)
    text = _NAME.sub(named, text)
    text = _INTERPRETED.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    text = _ESCAPED.sub(r"\1", text)
    text = re.sub(r"\0(\d+)\0", lambda found: literals[int(found.group(1))], text)
    block.text = f"{text[:-2].rstrip()}:" if text.endswith("::") else text
    if block.term:
        block.term = block.text.split("\n", 1)[0]
