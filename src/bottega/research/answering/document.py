"""The answer as a markdown document: the short answer first, then what it rests on, then how it
was found. Everything that comes from elsewhere is escaped."""

from collections.abc import Sequence
from dataclasses import dataclass

from bottega.research.agents.definition import OutputConfig
from bottega.research.answering import appendix
from bottega.research.answering.answer import Answer, DeliveredClaim
from bottega.research.answering.escaping import escape, escape_line, quote_block, safe_url
from bottega.research.answering.links import link_to
from bottega.research.answering.refusal import render_refusal
from bottega.research.answering.sections import citation_name
from bottega.research.pipeline.outputs import AnswerStatus

#: Longer questions are shortened in the heading; the file has all of it.
LONGEST_TITLE = 200

BANNERS = {
    AnswerStatus.VERIFIED: "**Verified.** Every sentence was checked against the paragraph that it "
    "cites.",
    AnswerStatus.UNVERIFIED: "**Not verified.** {why} Read the sources before you rely on it.",
}
UNCONFIRMED = "⚠ *not confirmed*"


def render_document(answer: Answer, style: OutputConfig, *, root: str | None = None) -> str:
    """`root` is the folder of the library's files, for links into them."""
    page = _Page(answer, style, root)
    if answer.refusal is not None:
        parts = [render_refusal(answer, page.cite)]
    else:
        parts = [page.head(), page.short_answer(), *page.sections(), appendix.verification(answer)]
    parts += [
        *appendix.removed(answer, style),
        *appendix.citations_used(answer, style, page.cite),
        *appendix.consulted(answer),
        *appendix.decomposition(answer, style),
        *appendix.web_sources(answer, style),
        *appendix.prior_research(answer, style),
        *appendix.footer(answer),
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
        refs = _refs(self.answer.summary_claims)
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
        return [appendix.disclosed("Sources", block, self.style)]

    def _labelled(self, label: str) -> str:
        """With a marker that programs find it by."""
        for page in self.answer.web_sources:
            if page.label == label:
                url, title = safe_url(page.url), escape_line(page.title) or "Web page"
                name = f"[{title}]({url})" if url else title
                return f"<!-- WEB_REF:{label} --> **{label}** {name}: {escape_line(page.excerpt)}"
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
        if self.answer.removed:
            doubts.append("Statements that the library does not bear out were taken out.")
        return " ".join(doubts) or "It did not pass every check as it was written."


def _refs(claims: Sequence[DeliveredClaim]) -> list[str]:
    return list(dict.fromkeys(ref for claim in claims for ref in claim.citations))
