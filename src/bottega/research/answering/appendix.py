"""What stands behind the answer in its document: how it was checked and how it was found."""

from collections.abc import Callable

from bottega.research.agents.definition import OutputConfig
from bottega.research.answering.answer import Answer, Confidence
from bottega.research.answering.escaping import escape_line, safe_url

OFFLINE = "*Made without a model: rules chose sentences of the library, and checked them.*"


def disclosed(title: str, body: str, style: OutputConfig) -> str:
    """Folded away, or under a bold line of its own."""
    if style.progressive_disclosure:
        return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"
    return f"**{title}**\n\n{body}"


def verification(answer: Answer) -> str:
    checked = answer.verification
    if checked is None:
        return ""
    scores, needed = checked.scores, checked.needed
    rows = [
        ("Citation accuracy", scores.citation_accuracy, needed.citation_accuracy),
        ("Entity grounding", scores.entity_grounding, needed.entity_grounding),
        ("Relation preservation", scores.relation_preservation, needed.relation_preservation),
    ]
    lines = [
        f"| {axis} | {score:.2f} | ≥ {least:.2f} | {Confidence.of(score)} |"
        for axis, score, least in rows
    ]
    clashes = f"| Contradictions | {scores.contradictions} | ≤ {needed.max_contradictions} | |"
    table = ["| Axis | Score | Needed | Confidence |", "|---|---|---|---|", *lines, clashes]
    return "\n".join(["## Verification", "", f"Confidence: **{checked.confidence}**.", "", *table])


def removed(answer: Answer, style: OutputConfig) -> list[str]:
    if not answer.removed or answer.refusal is not None:
        return []
    lines = [f"- “{escape_line(each.text)}”: {escape_line(each.why)}" for each in answer.removed]
    return [disclosed(f"Removed in verification ({len(lines)})", "\n".join(lines), style)]


def citations_used(answer: Answer, style: OutputConfig, cite: Callable[[str], str]) -> list[str]:
    if not answer.citations:
        return []
    lines = []
    for each in answer.citations:
        place = f", {escape_line(each.start)}" if each.start else ""
        lines.append(f"- {cite(each.ref)}: {escape_line(each.path)}{place}")
    return [disclosed(f"Citations used ({len(lines)})", "\n".join(lines), style)]


def consulted(answer: Answer) -> list[str]:
    names = {each.label: each.title for each in answer.web_sources}
    names |= {each.label: each.heading for each in answer.prior}
    lines = [f"- {label} {escape_line(names.get(label, ''))}" for label in answer.consulted]
    return ["\n".join(["## Consulted, not cited", "", *lines])] if lines else []


def decomposition(answer: Answer, style: OutputConfig) -> list[str]:
    lines = []
    for number, asked in enumerate(answer.sub_queries, 1):
        within = f", in {', '.join(map(escape_line, asked.standards))}" if asked.standards else ""
        found = f"{asked.found} paragraph{'' if asked.found == 1 else 's'}"
        lines.append(f"{number}. {escape_line(asked.query)} ({asked.role}{within}): {found}")
    lines += [f"- Skipped: {escape_line(each)}" for each in answer.skipped_sub_queries]
    return [disclosed("How the question was taken apart", "\n".join(lines), style)] if lines else []


def web_sources(answer: Answer, style: OutputConfig) -> list[str]:
    lines = []
    for page in answer.web_sources:
        url, title = safe_url(page.url), escape_line(page.title) or "Web page"
        lines.append(f"- {page.label} " + (f"[{title}]({url})" if url else title))
    return [disclosed(f"Web sources ({len(lines)})", "\n".join(lines), style)] if lines else []


def prior_research(answer: Answer, style: OutputConfig) -> list[str]:
    lines = [
        f"- {each.label} {escape_line(each.heading)}: {escape_line(each.excerpt)}"
        for each in answer.prior
    ]
    return [disclosed(f"Prior research ({len(lines)})", "\n".join(lines), style)] if lines else []


def footer(answer: Answer) -> list[str]:
    return [f"---\n\n{OFFLINE}"] if answer.is_offline else []
