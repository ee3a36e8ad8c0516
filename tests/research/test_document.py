"""Stage 5: the document, its links and its files."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from bottega.library.service import Role
from bottega.research.agents.definition import Agent, OutputConfig, StageName
from bottega.research.answers.composition import link_to
from bottega.research.answers.document import render_document
from bottega.research.pipeline.context import StageOutputs
from bottega.research.pipeline.schemas import (
    AnswerSection,
    AnswerStatus,
    Calibration,
    Claim,
    Delivered,
    PriorResearch,
    PriorSection,
    QueryPlan,
    Retrieval,
    SubQuery,
    Synthesis,
    WebSource,
)
from bottega.research.pipeline.views import CitedParagraph, Confidence, ResearchAnswer
from bottega.research.stages.output import document_name, make_slug, output
from bottega.research.stages.verify import verify
from tests.library.builders import STANDARDS
from tests.research.builders import ResearchApp, open_research
from tests.research.direct_calls import AGENT, CONFIG, DirectCalls, stage_context

QUESTION = "What may the crane lift, and who works it?"
CRANE = Claim(text="The crane may lift up to 8 tonnes.", citations=["315.5"])
DRIVER = Claim(text="Only a crane driver may work the crane.", citations=["315.6"])
SEA = Claim(
    text="The agent shall declare dangerous goods to the harbour master at least 72 hours before "
    "they arrive by sea.",
    citations=["315.12(a)"],
)
WRONG = Claim(text="The crane may lift up to 12 tonnes.", citations=["315.5"])
INVENTED = Claim(text="The crane is painted yellow.", citations=["999.1"])
DRIVERS = WebSource(
    label="W1",
    url="https://example.org/cranes(1)?a=b c",
    title="Crane drivers",
    excerpt="Only a crane driver may work a crane.",
)
ZEBRAS = WebSource(label="W2", url="javascript:alert(1)", title="Zebras", excerpt="Stripes.")
BEFORE = PriorSection(
    label="P1",
    heading="Goods",
    excerpt="They are declared.",
    run_id="run-0",
    citations=["315.12(a)"],
)
ANSWER = Synthesis(
    title="The crane",
    summary=[CRANE],
    sections=[
        AnswerSection(heading="Who works it", claims=[DRIVER]),
        AnswerSection(heading="Goods", claims=[SEA]),
    ],
)
PLAN = QueryPlan(
    original_query=QUESTION,
    clarity_score=1,
    recommended_action="proceed",
    sub_queries=[
        SubQuery(query="crane load", standards=["315"]),
        SubQuery(query="crane driver", role=Role.SUPPORTING),
    ],
)


async def deliver(
    app: ResearchApp,
    synthesis: Synthesis = ANSWER,
    *,
    with_sources: bool = False,
    agent: Agent = AGENT,
    verified: bool = True,
    calls: DirectCalls | None = None,
) -> Delivered:
    retrieval = Retrieval(
        total_paragraphs_found=2, unique_after_dedup=2, skipped_sub_queries=["crane <b>age</b>"]
    )
    known = StageOutputs(plan=PLAN, retrieval=retrieval, synthesis=synthesis)
    prior = PriorResearch()
    if with_sources:
        known = replace(
            known, calibration=Calibration(skipped=False, web_sources=[DRIVERS, ZEBRAS])
        )
        prior = PriorResearch(question="Before?", sections=[BEFORE], cited=["315.12(a)"])
    context = stage_context(
        app, QUESTION, stage=StageName.OUTPUT, known=known, prior=prior, agent=agent, calls=calls
    )
    if verified:
        known = replace(known, verified=await verify(context))
    return await output(replace(context, known=known))


def with_output(**fields: object) -> Agent:
    style = OutputConfig.model_validate(fields)
    return replace(AGENT, config=CONFIG.model_copy(update={"output": style}))


@pytest.mark.requirement("RS-341")
async def test_the_short_answer_stands_first_and_the_rest_can_be_unfolded(
    app: ResearchApp,
) -> None:
    """Title, status, short answer, sections, verification, then what is folded away."""
    markdown = (await deliver(app, with_sources=True)).markdown
    order = [
        "# The crane",
        "> **Verified.**",
        "- The crane may lift up to 8 tonnes.",
        "## Who works it",
        "## Goods",
        "## Verification",
        "<summary>Citations used (3)</summary>",
        "## Consulted, not cited",
        "<summary>How the question was taken apart</summary>",
        "<summary>Web sources (2)</summary>",
        "<summary>Prior research (1)</summary>",
    ]
    places = [markdown.index(part) for part in order]
    assert places == sorted(places)
    assert markdown.count("<details>") == markdown.count("</details>") == 7
    flat = await deliver(app, agent=with_output(progressiveDisclosure=False))
    assert "<details>" not in flat.markdown
    assert "**Sources**" in flat.markdown


@pytest.mark.requirement("RS-342")
async def test_sources_are_quoted_word_for_word_once(app: ResearchApp) -> None:
    """Each paragraph as a block quote under the first section that cites it."""
    again = AnswerSection(heading="Again", claims=[DRIVER])
    delivered = await deliver(
        app, ANSWER.model_copy(update={"sections": [*ANSWER.sections, again]})
    )
    lines = delivered.markdown.splitlines()
    assert lines.count("> Only a crane driver may work the crane.") == 1
    assert "> The agent shall declare dangerous goods to the harbour master:" in lines
    assert "> at least 72 hours before they arrive by sea;" in lines
    quoted = lines.index("> Only a crane driver may work the crane.")
    assert lines.index("## Who works it") < quoted < lines.index("## Goods")


@pytest.mark.requirement("RS-343")
async def test_verification_is_shown_against_what_was_needed(app: ResearchApp) -> None:
    """Scores, thresholds, and words for them: high from 0.85, medium from 0.70."""
    markdown = (await deliver(app)).markdown
    assert "| Citation accuracy | 1.00 | ≥ 0.75 | high |" in markdown
    assert "| Entity grounding | 1.00 | ≥ 0.80 | high |" in markdown
    assert "| Relation preservation | 1.00 | ≥ 0.70 | high |" in markdown
    assert "| Contradictions | 0 | ≤ 0 | |" in markdown
    assert "Confidence: **high**." in markdown
    assert [Confidence.of(score) for score in (0.85, 0.84, 0.7, 0.69)] == [
        "high",
        "medium",
        "medium",
        "low",
    ]


@pytest.mark.requirement("RS-344")
@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("{document} {ref}", "Cargo and dangerous goods 315.5"),
        ("{library}/{ref}", "harbour/315.5"),
        ("ISA {ref}", "ISA 315.5"),
        ("{document.__class__}{ref}", "{document.\\_\\_class\\_\\_}315.5"),
        ("", "315.5"),
    ],
)
async def test_citations_are_written_as_the_agent_says(
    tmp_path: Path, pattern: str, shown: str
) -> None:
    """By replacement only, so that a format cannot look into our objects."""
    async with open_research(tmp_path) as app:
        delivered = await deliver(
            app, Synthesis(title="T", summary=[CRANE]), agent=with_output(citationFormat=pattern)
        )
    assert f"([{shown}](/libraries/harbour/paragraphs/315.5))" in delivered.markdown


@pytest.mark.requirement("RS-345")
def test_links_lead_to_any_reference() -> None:
    """To the paragraph's page or into the file, with spaces, slashes and brackets."""
    odd = CitedParagraph(
        ref="A guide (2nd)/¶ 1", document="A", path="my docs/a (1).md", start="line 12", text=""
    )
    page = link_to(odd, "paragraph", library="harbour")
    assert page == "/libraries/harbour/paragraphs/A%20guide%20%282nd%29%2F%C2%B6%201"
    assert unquote(page.rsplit("/", 1)[1]) == odd.ref
    assert link_to(odd, "file", library="harbour") == "my%20docs/a%20%281%29.md#L12"
    by_page = odd.model_copy(update={"start": "page 3"})
    assert link_to(by_page, "file", library="harbour") == "my%20docs/a%20%281%29.md#page=3"
    nowhere = odd.model_copy(update={"start": None})
    whole = link_to(nowhere, "file", library="harbour", root=str(Path("/books").absolute()))
    assert whole == (Path("/books").absolute().as_uri() + "/my%20docs/a%20%281%29.md")
    assert link_to(odd, "none", library="harbour") is None


@pytest.mark.requirement("RS-345")
async def test_every_link_opens_the_paragraph_that_is_quoted(app: ResearchApp) -> None:
    """The reference in the link finds the paragraph, whose words are in the answer."""
    delivered = await deliver(app)
    tokens = MarkdownIt("commonmark").parse(delivered.markdown)
    links = {
        str(child.attrs["href"])
        for token in tokens
        for child in token.children or []
        if child.type == "link_open"
    }
    assert len(links) == 3
    for link in links:
        ref = unquote(link.removeprefix("/libraries/harbour/paragraphs/"))
        paragraph = await app.libraries.libraries.paragraph(app.harbour, ref)
        assert paragraph.text.splitlines()[0] in delivered.markdown


OUR_TAGS = {
    *("h1", "h2", "p", "ul", "ol", "li", "a", "blockquote", "details", "summary", "strong", "em"),
    *("hr", "table", "thead", "tbody", "tr", "th", "td"),
}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.seen.update(name for name, _ in attrs if name.startswith("on"))


@pytest.mark.requirement("RS-346")
def test_text_of_others_stays_text() -> None:
    """No markup, script, link or marker comes from a library, a page or a question."""
    evil = (
        "<script>alert(1)</script> [x](javascript:alert(2)) ![y](z) <!-- WEB_REF:W9 --> `a` |\n# H"
    )
    answer = ResearchAnswer.model_validate(
        {
            "run_id": "r",
            "question": evil,
            "title": evil,
            "status": "unverified",
            "library": evil,
            "depth": "quick",
            "summary_claims": [{"text": evil, "citations": [evil], "labels": ["W1"]}],
            "summary_sources": ["W1", "P1"],
            "sections": [{"heading": evil, "text": evil, "claims": [{"text": evil}]}],
            "citations": [
                {"ref": evil, "document": evil, "path": evil, "start": evil, "text": evil}
            ],
            "web_sources": [
                {"label": "W1", "url": "data:text/html,x", "title": evil, "excerpt": evil}
            ],
            "prior": [{"label": "P1", "heading": evil, "excerpt": evil, "run_id": "r"}],
            "consulted": ["W1"],
            "removed": [{"text": evil, "why": evil}],
            "sub_queries": [{"query": evil, "role": "primary", "standards": [evil]}],
            "skipped_sub_queries": [evil],
        }
    )
    pages = [render_document(answer, OutputConfig())]
    refusal = {"missing": [evil], "nearest": answer.citations, "advice": [evil]}
    refused = ResearchAnswer.model_validate(
        answer.model_dump() | {"status": "refused", "refusal": refusal}
    )
    pages.append(render_document(refused, OutputConfig()))
    for page in pages:
        html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
        tags = Tags()
        tags.feed(html)
        assert tags.seen <= OUR_TAGS
        assert 'href="javascript' not in html
        assert 'href="data' not in html
        assert "WEB_REF:W9 -->" not in page


@pytest.mark.requirement("RS-347")
async def test_what_was_removed_or_only_consulted_is_told(app: ResearchApp) -> None:
    """With the reason, under a banner that says that it is not verified."""
    synthesis = ANSWER.model_copy(update={"summary": [CRANE, WRONG, INVENTED]})
    delivered = await deliver(app, synthesis, with_sources=True)
    assert delivered.status is AnswerStatus.UNVERIFIED
    assert "> **Not verified.** Statements that the library does not bear out" in delivered.markdown
    assert "Removed in verification (2)" in delivered.markdown
    assert f"- “{WRONG.text}”: 315.5: the claim says “12 tonnes”" in delivered.markdown
    assert f"- “{INVENTED.text}”: it cited something" in delivered.markdown
    assert "999.1" not in delivered.markdown
    assert "## Consulted, not cited\n\n- W2 Zebras" in delivered.markdown


@pytest.mark.requirement("RS-347")
async def test_an_undecided_claim_is_marked_where_it_stands(app: ResearchApp) -> None:
    """A sentence that rests on a web page alone goes out, but visibly open."""
    told = Claim(text="Only a crane driver may work a crane.", labels=["W1"])
    delivered = await deliver(
        app, Synthesis(title="T", summary=[CRANE, DRIVER, SEA, told]), with_sources=True
    )
    assert f"- {told.text} [W1] ⚠ *not confirmed*" in delivered.markdown
    assert delivered.markdown.count("⚠") == 1


@pytest.mark.requirement("RS-348")
async def test_the_way_to_the_answer_is_an_appendix(app: ResearchApp) -> None:
    """Sub-queries with role, scope and what they found, and those that were skipped."""
    markdown = (await deliver(app)).markdown
    assert "1. crane load (primary, in 315): 0 paragraphs" in markdown
    assert "2. crane driver (supporting): 0 paragraphs" in markdown
    assert "- Skipped: crane &lt;b&gt;age&lt;/b&gt;" in markdown


@pytest.mark.requirement("RS-349")
async def test_an_answer_without_a_model_says_so(app: ResearchApp) -> None:
    """In the document and in the data."""
    delivered = await deliver(app)
    assert "*Made without a model:" in delivered.markdown
    assert delivered.answer["is_offline"] is True


@pytest.mark.requirement("RS-350")
async def test_web_and_prior_sources_are_marked_for_programs(app: ResearchApp) -> None:
    """`WEB_REF` and `PRIOR_REF` in the list of sources, labels at the sentences."""
    markdown = (await deliver(app, with_sources=True)).markdown
    assert f"- {DRIVER.text} (" in markdown
    assert ") [W1]" in markdown
    assert (
        "> <!-- WEB_REF:W1 --> **W1** [Crane drivers](https://example.org/cranes%281%29?a=b%20c):"
        in markdown
    )
    assert "> <!-- PRIOR_REF:P1 --> **P1** Earlier answer, Goods: They are declared." in markdown
    assert "- W2 Zebras" in markdown
    assert "javascript" not in markdown


@pytest.mark.requirement("RS-351")
async def test_the_answer_is_also_data_for_follow_ups(app: ResearchApp) -> None:
    """`answer.json` holds all of it, reads back the same, and equals the outcome."""
    delivered = await deliver(app, with_sources=True)
    file = app.root / "data/research/sessions/session-1/data/answer.json"
    written = json.loads(file.read_text("utf-8"))
    assert written == delivered.answer
    answer = ResearchAnswer.model_validate(written)
    assert (answer.version, answer.run_id, answer.question) == (1, "run-1", QUESTION)
    assert answer.status is AnswerStatus.VERIFIED
    assert answer.summary == f"{CRANE.text} [Cargo and dangerous goods 315.5]"
    assert [section.heading for section in answer.sections] == ["Who works it", "Goods"]
    assert answer.sections[1].citations == ["315.12(a)"]
    assert answer.sections[1].text.endswith("[Cargo and dangerous goods 315.12(a)] [P1]")
    crane = answer.citations[0]
    assert (crane.ref, crane.path) == ("315.5", "315-cargo-and-dangerous-goods.md")
    line = int((crane.start or "").removeprefix("line "))
    source = (STANDARDS / crane.path).read_text("utf-8").splitlines()
    assert crane.text in source[line - 1]
    assert [each.label for each in answer.web_sources] == ["W1", "W2"]
    assert answer.created_at.endswith("Z")
    assert delivered.total_citations == 3
    assert delivered.answer_delivered


@pytest.mark.requirement("RS-352")
async def test_every_run_has_its_own_file(app: ResearchApp) -> None:
    """Named after the question in any language, inside the session's folder always."""
    delivered = await deliver(app)
    path = Path(delivered.output_file_path or "")
    assert path.parent == app.root / "data/research/sessions/session-1/output"
    assert path.name == "what-may-the-crane-lift-and-who-works-it-run-1.md"
    assert path.read_text("utf-8") == delivered.markdown
    assert not [each for each in path.parent.iterdir() if each.name.startswith(".")]
    for question, slug in {
        "Как высоко поднимает кран?": "как-высоко-поднимает-кран",
        "クレーンは何トン?": "クレーンは何トン",
        "नमस्ते?": "नमस्ते",
        "../../etc/passwd": "etc-passwd",
        "???": "answer",
        "x" * 500: "x" * 80,
    }.items():
        assert make_slug(question) == slug
    assert len(make_slug("é日" * 200).encode()) <= 80
    names = {document_name("{slug}.md", "Same?", run) for run in ("run_1", "run_2")}
    assert len(names) == 2
    assert document_name("../../{slug}.html", "Up?", "run_1") == "up-run-1.md"
    assert document_name("fixed.md", "Up?", "run_1") == "fixed-run-1.md"


@pytest.mark.requirement("RS-353")
async def test_a_full_disk_loses_no_answer(app: ResearchApp) -> None:
    """The outcome is the truth; what could not be written is said as a substep."""
    sessions = app.root / "data" / "research"
    sessions.mkdir(parents=True)
    (sessions / "sessions").write_text("a file where a folder should be")
    calls = DirectCalls(app.core)
    delivered = await deliver(app, calls=calls)
    assert delivered.answer_delivered
    assert delivered.output_file_path is None
    assert CRANE.text in delivered.markdown
    assert calls.made("orch_write_output")[0].shown.startswith("Not written:")


@pytest.mark.requirement("RS-327")
async def test_nothing_goes_out_unverified_because_an_agent_has_no_such_stage(
    app: ResearchApp,
) -> None:
    """Without stage 4 the output verifies by itself."""
    synthesis = ANSWER.model_copy(update={"summary": [WRONG, INVENTED]})
    delivered = await deliver(app, synthesis, verified=False)
    assert delivered.status is AnswerStatus.UNVERIFIED
    assert [each["text"] for each in delivered.answer["summary_claims"]] == [DRIVER.text]
    assert {each["ref"] for each in delivered.answer["citations"]} == {"315.6", "315.12(a)"}
