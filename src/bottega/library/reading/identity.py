"""What a document says about itself: title, number, kind, language."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from bottega.library.reading.blocks import Content, Role
from bottega.library.reading.document import Kind, Problem

_IN_TITLE = re.compile(
    r"\b(?:[A-Z]{2,6}|Standard|Policy|Regulation|Directive|Rule)[ \u00a0-](\d{1,5})\b(?!\.\d)"
)
_IN_FILE_NAME = re.compile(r"(?:[A-Za-z]{2,6}[-_ ]?)?(\d{3})(?=[-_. (]|$)")
#: `ISA 315` is cited as 315; the letter of `G1` is part of the number.
_STATED = re.compile(r"[A-Za-z]{2,6}[ -]?(\d+(?:\.\d+)*)")
_LONGEST_TITLE = 200


def title_of(content: Content, metadata: Mapping[str, str], name: str) -> str:
    """As stated, else the first heading if nothing stands before it, else the file's name."""
    stated = metadata.get("title") or content.title
    first = content.blocks[0] if content.blocks else None
    if not stated and first is not None and first.role is Role.HEADING:
        stated = first.text
    return " ".join(stated.split())[:_LONGEST_TITLE] or PurePath(name).stem or name


def prefix_of(metadata: Mapping[str, str], title: str, name: str) -> str | None:
    """The document's own number: `315` of "ISA 315", of `number: 315`, of `isa-315.md`."""
    if "number" in metadata:
        stated = metadata["number"].strip()
        coded = _STATED.fullmatch(stated)
        return coded.group(1) if coded else stated or None
    found = _IN_TITLE.search(title) or _IN_FILE_NAME.match(PurePath(name).stem)
    return found.group(1) if found else None


def kind_of(metadata: Mapping[str, str], problems: list[Problem]) -> Kind:
    stated = metadata.get("kind", Kind.STANDARD).strip().lower()
    try:
        return Kind(stated)
    except ValueError:
        message = f"the kind {stated[:40]!r} is unknown, taken as a standard: say standard or guide"
        problems.append(Problem(message, 1))
        return Kind.STANDARD


def plain_metadata(values: Mapping[str, Any]) -> dict[str, str]:
    """Frontmatter is any YAML; what a library keeps of it is text."""
    return {str(key).lower(): _as_text(value) for key, value in values.items() if value is not None}


def _as_text(value: Any) -> str:  # any YAML
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)
