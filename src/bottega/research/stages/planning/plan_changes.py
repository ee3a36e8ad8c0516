"""What became of a plan: found by comparing the two, never told by a model."""

from collections.abc import Sequence

from bottega.library.service import Role
from bottega.research.pipeline.outputs import IntentChanges, QueryPlan, SubQuery
from bottega.research.stages.wording import likeness

#: From here on a new sub-query is an old one in other words.
ALIKE = 0.4

_ORDER = list(Role)


def compare_plans(old: QueryPlan, new: QueryPlan) -> IntentChanges:
    pairs = _pairs(old.sub_queries, new.sub_queries)
    kept_old = [before for before, _ in pairs]
    kept_new = [after for _, after in pairs]
    return IntentChanges(
        sub_queries_added=[each.query for each in new.sub_queries if each not in kept_new],
        sub_queries_modified=[
            f"{before.query} → {after.query}" if before.query != after.query else after.query
            for before, after in pairs
            if before != after and not _is_demoted(before, after)
        ],
        sub_queries_removed=[each.query for each in old.sub_queries if each not in kept_old],
        sub_queries_demoted=[after.query for before, after in pairs if _is_demoted(before, after)],
        scope_changed=_plain(old.scope) != _plain(new.scope),
        standards_added=[each for each in _standards(new) if each not in _standards(old)],
    )


def _pairs(old: Sequence[SubQuery], new: Sequence[SubQuery]) -> list[tuple[SubQuery, SubQuery]]:
    """Which became which: the same words first, then the most alike."""
    scored = sorted(
        (
            (-_likeness(before, after), place, other)
            for place, before in enumerate(old)
            for other, after in enumerate(new)
            if _likeness(before, after) >= ALIKE
        ),
    )
    pairs: dict[int, int] = {}
    for _, place, other in scored:
        if place not in pairs and other not in pairs.values():
            pairs[place] = other
    return [(old[place], new[other]) for place, other in sorted(pairs.items())]


def _likeness(before: SubQuery, after: SubQuery) -> float:
    if before == after:
        return 3.0
    if _plain(before.query) == _plain(after.query):
        return 2.0
    return likeness(before.query, after.query)


def _is_demoted(before: SubQuery, after: SubQuery) -> bool:
    return _ORDER.index(after.role) > _ORDER.index(before.role)


def _standards(plan: QueryPlan) -> list[str]:
    named = [name for each in plan.sub_queries for name in each.standards]
    return list(dict.fromkeys([*plan.primary_standards, *named]))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?. ")
