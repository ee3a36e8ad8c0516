"""The answer as a markdown document: the short answer first, then what it rests on, how it was
checked and how it was found. Everything that comes from elsewhere is escaped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bottega.research.agents.definition import OutputConfig
from bottega.research.answers.composition import (
    citation_name,
    escape,
    escape_line,
    link_to,
    quote_block,
    refs_of,
    safe_url,
)
from bottega.research.pipeline.schemas import AnswerStatus, WebSource
from bottega.research.pipeline.views import Confidence, DeliveredClaim
from bottega.research.pipeline.views import ResearchAnswer as Answer

#: Longer questions are shortened in the heading; the file has all of it.
LONGEST_TITLE = 200

BANNERS = {
    AnswerStatus.VERIFIED: "**Verified.** Every sentence was checked against the paragraph that it "
    "cites, and it is what was asked.",
    AnswerStatus.UNVERIFIED: "**Not verified.** {why} Read the sources before you rely on it.",
}

UNCONFIRMED = "⚠ *not confirmed*"
OFFLINE = "*Made without a model: sentences of the library were chosen and checked, not written.*"
LONGEST_REFUSED_TITLE = 160


def render_document(answer: Answer, style: OutputConfig, *, root: str | None = None) -> str:
    """`root` is the folder of the library's files, for links into them."""
    page = _Page(answer, style, root)
    if answer.refusal is not None:
        parts = [render_refusal(answer, page.cite)]
    else:
        parts = [page.head(), page.short_answer(), *page.sections()]
        parts += [*_where_to_look(answer, page.cite), _verification(answer)]
    parts += [
        *_removed(answer, style),
        *_citations_used(answer, style, page.cite),
        *_consulted(answer),
        *_decomposition(answer, style),
        *_web_sources(answer, style),
        *_prior_research(answer, style),
        *([f"---\n\n{OFFLINE}"] if answer.is_offline else []),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True, slots=True)
class _Page:
    answer: Answer
    style: OutputConfig
    root: str | None

    def head(self) -> str:
        title = escape_line(self.answer.title[:LONGEST_TITLE])
        banner = BANNERS[self.answer.status].format(why=self._doubts())
        return f"# {title}\n\n> {banner}"

    def short_answer(self) -> str:
        claims = self._claims(self.answer.summary_claims)
        in_sections = {ref for section in self.answer.sections for ref in section.citations}
        refs = refs_of(self.answer.summary_claims)
        alone = [ref for ref in refs if ref not in in_sections]
        return "\n\n".join([claims, *self._sources(alone, self.answer.summary_sources)])

    def sections(self) -> list[str]:
        """A paragraph is quoted under the first section that cites it."""
        quoted: set[str] = set()
        pages = []
        for section in self.answer.sections:
            new = [ref for ref in section.citations if ref not in quoted]
            quoted.update(new)
            heading = f"## {escape_line(section.heading) or 'More'}"
            sources = self._sources(new, section.sources)
            pages.append("\n\n".join([heading, self._claims(section.claims), *sources]))
        return pages

    def cite(self, ref: str) -> str:
        """Its name, as a link if we know where it leads."""
        nearest = self.answer.refusal.nearest if self.answer.refusal else []
        known = {each.ref: each for each in (*nearest, *self.answer.citations)}
        cited, library = known.get(ref), self.answer.library
        document = cited.document if cited else ""
        form = self.style.citation_format
        name = escape_line(citation_name(ref, form, document=document, library=library))
        if cited is None:
            return name
        link = link_to(cited, self.style.source_linker, library=library, root=self.root)
        return f"[{name}]({link})" if link else name

    def _claims(self, claims: Sequence[DeliveredClaim]) -> str:
        return "\n".join(f"- {self._claim(claim)}" for claim in claims)

    def _claim(self, claim: DeliveredClaim) -> str:
        cited = ", ".join(self.cite(ref) for ref in claim.citations)
        labels = "".join(f"[{label}]" for label in claim.labels)
        marks = [f"({cited})" if cited else "", labels, UNCONFIRMED * claim.is_unconfirmed]
        return " ".join([escape_line(claim.text), *filter(None, marks)])

    def _sources(self, refs: Sequence[str], labels: Sequence[str]) -> list[str]:
        texts = {each.ref: each.text for each in self.answer.citations}
        quotes = [f"{self.cite(ref)}\n{escape(texts[ref])}" for ref in refs if ref in texts]
        quotes += [self._labelled(label) for label in labels]
        if not quotes:
            return []
        block = "\n>\n".join(map(quote_block, quotes))
        return [_disclosed("Sources", block, self.style)]

    def _labelled(self, label: str) -> str:
        """With a marker that programs find it by."""
        for page in self.answer.web_sources:
            if page.label == label:
                said = f"{_page_name(page)}: {escape_line(page.excerpt)}"
                return f"<!-- WEB_REF:{label} --> **{label}** {said}"
        for section in self.answer.prior:
            if section.label == label:
                heading = escape_line(section.heading)
                excerpt = escape_line(section.excerpt)
                return (
                    f"<!-- PRIOR_REF:{label} --> **{label}** Earlier answer, {heading}: {excerpt}"
                )
        return ""

    def _doubts(self) -> str:
        doubts = []
        if self.answer.verification and self.answer.verification.missed:
            missed = "; ".join(self.answer.verification.missed)
            doubts.append(f"It missed what verification demands: {missed}.")
        claims = self.answer.summary_claims
        if claims and not any(each.answers is None or each.answers.holds for each in claims):
            doubts.append("It is quoted word by word, but may not be what was asked.")
        if self.answer.removed:
            doubts.append("Statements that the library does not bear out were taken out.")
        return " ".join(doubts) or "It did not pass every check as it was written."


def _disclosed(title: str, body: str, style: OutputConfig) -> str:
    """Folded away, or under a bold line of its own."""
    if style.progressive_disclosure:
        return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"
    return f"**{title}**\n\n{body}"


def _where_to_look(answer: Answer, cite: Callable[[str], str]) -> list[str]:
    """Without a model the best passages in their order, each with the sentence that may answer."""
    if not answer.is_offline or not answer.passages:
        return []
    lines = [
        f"{number}. {cite(each.ref)}, {escape_line(each.document)}: *{each.fit}* "
        f"({each.probability:.2f})\n   **{escape_line(each.sentence)}**"
        for number, each in enumerate(answer.passages, 1)
    ]
    return ["\n".join(["## Where to look", "", *lines])]


def _verification(answer: Answer) -> str:
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


def _removed(answer: Answer, style: OutputConfig) -> list[str]:
    if not answer.removed or answer.refusal is not None:
        return []
    lines = [f"- “{escape_line(each.text)}”: {escape_line(each.why)}" for each in answer.removed]
    return [_disclosed(f"Removed in verification ({len(lines)})", "\n".join(lines), style)]


def _citations_used(answer: Answer, style: OutputConfig, cite: Callable[[str], str]) -> list[str]:
    if not answer.citations:
        return []
    lines = []
    for each in answer.citations:
        place = f", {escape_line(each.start)}" if each.start else ""
        lines.append(f"- {cite(each.ref)}: {escape_line(each.path)}{place}")
    return [_disclosed(f"Citations used ({len(lines)})", "\n".join(lines), style)]


def _consulted(answer: Answer) -> list[str]:
    names = {each.label: each.title for each in answer.web_sources}
    names |= {each.label: each.heading for each in answer.prior}
    lines = [f"- {label} {escape_line(names.get(label, ''))}" for label in answer.consulted]
    return ["\n".join(["## Consulted, not cited", "", *lines])] if lines else []


def _decomposition(answer: Answer, style: OutputConfig) -> list[str]:
    lines = []
    for number, asked in enumerate(answer.sub_queries, 1):
        within = f", in {', '.join(map(escape_line, asked.standards))}" if asked.standards else ""
        found = f"{asked.found} paragraph{'' if asked.found == 1 else 's'}"
        lines.append(f"{number}. {escape_line(asked.query)} ({asked.role}{within}): {found}")
    lines += [f"- Skipped: {escape_line(each)}" for each in answer.skipped_sub_queries]
    return (
        [_disclosed("How the question was taken apart", "\n".join(lines), style)] if lines else []
    )


def _page_name(page: WebSource) -> str:
    """Its title, as a link if its address can be one."""
    url, title = safe_url(page.url), escape_line(page.title) or "Web page"
    return f"[{title}]({url})" if url else title


def _web_sources(answer: Answer, style: OutputConfig) -> list[str]:
    lines = [f"- {page.label} {_page_name(page)}" for page in answer.web_sources]
    return [_disclosed(f"Web sources ({len(lines)})", "\n".join(lines), style)] if lines else []


def _prior_research(answer: Answer, style: OutputConfig) -> list[str]:
    lines = [
        f"- {each.label} {escape_line(each.heading)}: {escape_line(each.excerpt)}"
        for each in answer.prior
    ]
    return [_disclosed(f"Prior research ({len(lines)})", "\n".join(lines), style)] if lines else []


def render_refusal(answer: Answer, cite: Callable[[str], str]) -> str:
    refusal = answer.refusal
    assert refusal is not None
    parts = [
        f"# {escape_line(answer.title[:LONGEST_REFUSED_TITLE])}",
        f"> **No answer.** The library “{escape_line(answer.library)}” does not hold one, as far "
        "as could be seen, so none is made up.",
        "## What is missing",
        "\n".join(f"- {escape_line(each)}" for each in refusal.missing),
    ]
    if refusal.nearest:
        lines = [f"- {cite(each.ref)}: {escape_line(each.text)}" for each in refusal.nearest]
        parts += ["## What is nearest", "\n".join(lines)]
    parts += ["## What you can do", "\n".join(f"- {escape_line(each)}" for each in refusal.advice)]
    return "\n\n".join(parts)
