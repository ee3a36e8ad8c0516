"""Paragraphs as a model reads them: XML in three roles, within a number of tokens.

A paragraph is in it whole or not at all, the primary ones first; what had to stay out is named, so
that nobody takes the context for all there is. The same input gives the same text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from xml.sax.saxutils import escape, quoteattr

from bottega.core.text.words import BYTES_PER_TOKEN, estimate_tokens
from bottega.errors import InvalidInput
from bottega.library.search.schemas import Role

#: References of what stayed out that are told one by one.
NAMED = 20
#: What XML 1.0 cannot hold, not even escaped: form feeds of a PDF, say.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


class Citable(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def ref(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def document(self) -> str:
        """Its title."""
        ...


@dataclass(frozen=True, slots=True)
class _Placed:
    paragraph: Citable
    role: Role
    #: Among the paragraphs as they were given.
    place: int


def format_context(
    paragraphs: Sequence[Citable],
    query: str,
    max_tokens: int = 8000,
    roles: Mapping[str, Role | str] | None = None,
    group_by_role: bool = True,
) -> str:
    """`roles` is by id or reference; who has none is primary. Ungrouped, they stay in order."""
    placed = _placed(paragraphs, roles or {})
    text = _render(placed, placed, query, group_by_role)
    chosen = _fitting(placed, query, max_tokens)
    while estimate_tokens(text) > max_tokens:
        text = _render(placed, chosen, query, group_by_role)
        if not chosen:
            break
        chosen = chosen[:-1]
    if estimate_tokens(text) > max_tokens:
        raise InvalidInput(
            f"max_tokens={max_tokens} is too little for the query alone. Give at least "
            f"{estimate_tokens(text)}."
        )
    return text


def _placed(paragraphs: Iterable[Citable], roles: Mapping[str, Role | str]) -> list[_Placed]:
    """Each paragraph once, the most important role first."""
    order = list(Role)
    once = {paragraph.id: paragraph for paragraph in paragraphs}
    placed = [
        _Placed(paragraph, _role(paragraph, roles), place)
        for place, paragraph in enumerate(once.values())
    ]
    return sorted(placed, key=lambda each: (order.index(each.role), each.place))


def _role(paragraph: Citable, roles: Mapping[str, Role | str]) -> Role:
    name = roles.get(paragraph.id) or roles.get(paragraph.ref) or Role.PRIMARY
    try:
        return Role(name)
    except ValueError:
        raise InvalidInput(
            f"{name!r} is no role (given to {paragraph.ref!r}). Use one of {', '.join(Role)}.",
            valid_options=list(Role),
        ) from None


def _fitting(placed: Sequence[_Placed], query: str, max_tokens: int) -> list[_Placed]:
    """What fits by its size; one that is too long makes room for shorter ones after it."""
    left = max_tokens * BYTES_PER_TOKEN - len(_render(placed, [], query, False).encode())
    chosen = []
    for each in placed:
        size = len(_paragraph(each, with_role=True).encode())
        if size <= left:
            chosen.append(each)
            left -= size
    return chosen


def _render(
    placed: Sequence[_Placed], chosen: Sequence[_Placed], query: str, group_by_role: bool
) -> str:
    lines = ["<context>", f"<query>{_clean(query)}</query>"]
    if group_by_role:
        for role in Role:
            mine = [each for each in chosen if each.role is role]
            if mine:
                lines += [f'<group role="{role}">', *map(_paragraph, mine), "</group>"]
    else:
        in_order = sorted(chosen, key=lambda each: each.place)
        lines += [_paragraph(each, with_role=True) for each in in_order]
    lines += _left_out(placed, chosen)
    return "\n".join([*lines, "</context>"])


def _paragraph(each: _Placed, with_role: bool = False) -> str:
    paragraph = each.paragraph
    role = f' role="{each.role}"' if with_role else ""
    return (
        f"<paragraph id={_quoted(paragraph.id)} ref={_quoted(paragraph.ref)} "
        f"document={_quoted(paragraph.document)}{role}>{_clean(paragraph.text)}</paragraph>"
    )


def _left_out(placed: Sequence[_Placed], chosen: Sequence[_Placed]) -> list[str]:
    kept = {each.paragraph.id for each in chosen}
    refs = [each.paragraph.ref for each in placed if each.paragraph.id not in kept]
    if not refs:
        return []
    more = f" and {len(refs) - NAMED} more" if len(refs) > NAMED else ""
    return [f'<left_out count="{len(refs)}">{_clean("; ".join(refs[:NAMED]))}{more}</left_out>']


def _clean(text: str) -> str:
    return escape(_FORBIDDEN.sub(" ", text))


def _quoted(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub(" ", text))
