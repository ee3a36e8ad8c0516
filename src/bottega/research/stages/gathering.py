"""Paragraphs from many searches in one list: each once, in its best role, with its best score."""

from collections.abc import Sequence

from bottega.library.service import Hit, Hops, ParagraphView, Role, parent_ref
from bottega.research.pipeline.outputs import Retrieved, SubQuery

#: What a role counts: the answer stands in what was looked for first.
WEIGHTS = {Role.PRIMARY: 1.0, Role.SUPPORTING: 0.75, Role.CONTEXT: 0.5}
#: What follows from a paragraph is not quite as good as what was looked for.
HOPPED = 0.8

_ORDER = list(Role)


class Gathered:
    def __init__(self, known_before: frozenset[str] = frozenset()) -> None:
        """`known_before` are references that earlier research has cited: they stay out."""
        self._known_before = known_before
        self._found: dict[str, Retrieved] = {}
        self._left_out: dict[str, None] = {}
        #: With those that were found more than once.
        self.total = 0

    @property
    def left_out(self) -> list[str]:
        return list(self._left_out)

    def add_hits(self, sub_query: SubQuery, hits: Sequence[Hit]) -> None:
        # Scores of two searches do not compare: the best of each counts as 1.
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            score = WEIGHTS[sub_query.role] * max(hit.score, 0.0) / best
            paths = ["guide", *hit.paths] if sub_query.role is Role.CONTEXT else hit.paths
            self._add(hit.paragraph, sub_query.role, score, sub_query.query, paths)

    def add_hops(self, hops: Hops) -> None:
        start = self._found[hops.start.id]
        for hop in hops.hops:
            score = HOPPED * start.score * hop.score
            path = f"hop:{hops.start.ref}"
            self._add(hop.paragraph, Role.SUPPORTING, score, start.sub_query, [path])

    def add_family(self, paragraphs: Sequence[ParagraphView]) -> None:
        """Each in the role and with the score of the best that it belongs to."""
        for paragraph in paragraphs:
            near = [each for each in self._found.values() if _belong(each.paragraph, paragraph)]
            if near:
                one = min(near, key=_place)
                path = f"belongs:{one.paragraph.ref}"
                self._add(paragraph, one.role, one.score * 0.99, one.sub_query, [path])

    def ranked(self) -> list[Retrieved]:
        return sorted(self._found.values(), key=_place)

    def _add(
        self, paragraph: ParagraphView, role: Role, score: float, sub_query: str, paths: list[str]
    ) -> None:
        self.total += 1
        if paragraph.ref in self._known_before:
            self._left_out[paragraph.ref] = None
            return
        new = Retrieved(
            paragraph=paragraph,
            role=role,
            score=round(score, 4),
            sub_query=sub_query,
            paths=list(paths),
        )
        known = self._found.get(paragraph.id)
        self._found[paragraph.id] = _merged(known, new) if known else new


def _merged(one: Retrieved, other: Retrieved) -> Retrieved:
    better = min(one, other, key=_place)
    return better.model_copy(
        update={
            "role": min(one.role, other.role, key=_ORDER.index),
            "score": max(one.score, other.score),
            "paths": list(dict.fromkeys([*one.paths, *other.paths])),
        }
    )


def _place(each: Retrieved) -> tuple[float, int, str]:
    """Best first; equal ones in an order that is always the same."""
    return -each.score, _ORDER.index(each.role), each.paragraph.ref


def _belong(one: ParagraphView, other: ParagraphView) -> bool:
    return one.ref.startswith(f"{other.ref}(") or parent_ref(other.ref) == one.ref
