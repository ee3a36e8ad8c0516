"""A system prompt: sections in XML tags, each with what it costs.

What stands in a section is escaped where it could be read as a tag, so that no file can close its
section and speak as another. `a < b` and `R & D` stay as they are.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from bottega.memory.recall import BYTES_PER_TOKEN

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|&(?=[A-Za-z#])")
_ESCAPED = {"<": "&lt;", "&": "&amp;"}
#: What no message can carry, or what a terminal would obey: control characters, half surrogates.
_FORBIDDEN = re.compile(
    "[^\\t\\n\\u0020-\\u007e\\u00a0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
)


@dataclass(frozen=True, slots=True)
class PromptSection:
    name: str
    #: With its tags.
    text: str

    @property
    def tokens(self) -> int:
        return tokens_in(self.text)


@dataclass(frozen=True, slots=True)
class Prompt:
    sections: Sequence[PromptSection]

    @property
    def text(self) -> str:
        return "\n\n".join(section.text for section in self.sections)

    @property
    def tokens(self) -> int:
        return sum(section.tokens for section in self.sections)

    @property
    def tokens_by_section(self) -> Mapping[str, int]:
        return {section.name: section.tokens for section in self.sections}


def tag(name: str, content: str, /, **attributes: str) -> str:
    """`content` is escaped already."""
    written = "".join(f" {key}={quoteattr(clean(value))}" for key, value in attributes.items())
    return f"<{name}{written}>\n{content}\n</{name}>"


def escape(text: str) -> str:
    return _MARKUP.sub(lambda found: _ESCAPED[found[0]], clean(text))


def clean(text: str) -> str:
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def tokens_in(text: str) -> int:
    """An estimate, as memory's recall counts: every model cuts differently."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)
