"""Relation preservation: whether a relation that an answer states holds, in that direction.

`belongs_to` is in the reference itself (315.12(a) belongs to 315.12 and to 315) or an edge;
`cites` and `maps_to` are in the source's text or edges; `contradicts` is found by comparing the two
texts and has no direction; every other relation has to be an edge.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bottega.library.parsers.citations import cited_references
from bottega.library.parsers.references import ancestors
from bottega.library.verify.contradictions import find_contradictions
from bottega.library.verify.verdicts import AxisResult

#: The share of relations that must hold.
ENOUGH = 0.7


@dataclass(frozen=True, slots=True)
class StoredEdge:
    source: str
    target: str
    kind: str


def verify_relation(
    source: str,
    target: str,
    relation_type: str,
    edges: Collection[StoredEdge],
    *,
    texts: Mapping[str, str] | None = None,
) -> AxisResult:
    texts = texts or {}
    evidence = _evidence(source, target, relation_type, edges, texts)
    turned = None
    if evidence is None and relation_type != "contradicts":
        turned = _evidence(target, source, relation_type, edges, texts)
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
    edges: Collection[StoredEdge],
    texts: Mapping[str, str],
) -> str | None:
    if StoredEdge(source, target, kind) in edges:
        return "edge"
    if kind == "belongs_to" and target in _containers(source):
        return "reference"
    if kind in ("cites", "maps_to") and target in cited_in(texts.get(source, ""), source):
        return "text"
    if kind == "contradicts":
        if StoredEdge(target, source, kind) in edges:
            return "edge"
        pair = {ref: texts[ref] for ref in (source, target) if ref in texts}
        if len(pair) == 2 and find_contradictions(pair).details:
            return "text"
    return None


def _containers(ref: str) -> set[str]:
    """What a reference is part of: its paragraphs and its document."""
    return {*ancestors(ref), ref.split(".")[0]} - {ref}


def cited_in(text: str, source: str) -> set[str]:
    """The references that a text points to; one without a document is to its own."""
    return {each.target for each in cited_references(text, source.split(".")[0])}
