"""Relation preservation: whether a relation that an answer states holds, in that direction.

`belongs_to` is in the reference itself (315.12(a) belongs to 315.12 and to 315) or an edge;
`cites` and `maps_to` are in the source's text or edges; `contradicts` is found by comparing the two
texts and has no direction; every other relation has to be an edge.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bottega.library.judging.alignment import Embed
from bottega.library.judging.contradictions import find_contradictions
from bottega.library.judging.verdicts import AxisResult
from bottega.library.reading import ancestors, cited_references

#: The share of relations that must hold.
ENOUGH = 0.7


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class Relation:
    source: str
    target: str
    kind: str


def verify_relations(
    relations: Sequence[Relation],
    edges: Collection[Edge],
    *,
    texts: Mapping[str, str] | None = None,
    embed: Embed | None = None,
) -> AxisResult:
    details: list[dict[str, Any]] = []
    for relation in relations:
        found = verify_relation(
            relation.source, relation.target, relation.kind, edges, texts=texts, embed=embed
        )
        details += found.details
    held = sum(bool(detail["holds"]) for detail in details)
    score = held / len(details) if details else 1.0
    return AxisResult(round(score, 3), score >= ENOUGH, tuple(details))


def verify_relation(
    source: str,
    target: str,
    relation_type: str,
    edges: Collection[Edge],
    *,
    texts: Mapping[str, str] | None = None,
    embed: Embed | None = None,
) -> AxisResult:
    texts = texts or {}
    evidence = _evidence(source, target, relation_type, edges, texts, embed)
    turned = None
    if evidence is None and relation_type != "contradicts":
        turned = _evidence(target, source, relation_type, edges, texts, embed)
    reason = f"it is the other way round: {target} {relation_type} {source}" if turned else ""
    detail = {
        "source": source,
        "target": target,
        "relation_type": relation_type,
        "holds": evidence is not None,
        "evidence": evidence,
        "reason": reason or ("" if evidence else "neither the texts nor the graph have it"),
    }
    score = 1.0 if evidence else 0.0
    return AxisResult(score, evidence is not None, (detail,))


def _evidence(
    source: str,
    target: str,
    kind: str,
    edges: Collection[Edge],
    texts: Mapping[str, str],
    embed: Embed | None,
) -> str | None:
    if Edge(source, target, kind) in edges:
        return "edge"
    if kind == "belongs_to" and target in _containers(source):
        return "reference"
    if kind in ("cites", "maps_to") and target in cited_in(texts.get(source, ""), source):
        return "text"
    if kind == "contradicts":
        if Edge(target, source, kind) in edges:
            return "edge"
        pair = {ref: texts[ref] for ref in (source, target) if ref in texts}
        if len(pair) == 2 and find_contradictions(pair, embed=embed).details:
            return "text"
    return None


def _containers(ref: str) -> set[str]:
    """What a reference is part of: its paragraphs and its document."""
    return {*ancestors(ref), ref.split(".")[0]} - {ref}


def cited_in(text: str, source: str) -> set[str]:
    """The references that a text points to; one without a document is to its own."""
    return {each.target for each in cited_references(text, source.split(".")[0])}
