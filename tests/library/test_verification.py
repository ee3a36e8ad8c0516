"""Citations, entities, relations and contradictions, checked against the example standards."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels
from bottega.errors import ModelError, NotFound
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import Library, LibraryEdge
from bottega.library.ingest.service import Ingest
from bottega.library.verify.claims import ClaimVerdict
from bottega.library.verify.schemas import Citation, CitationDetail, Relation
from bottega.library.verify.service import Verification
from tests.app import App, open_app
from tests.library.builders import STANDARDS, put_library

CLAIMS = Path(__file__).parent / "data" / "claims_tuning.jsonl"


class Verifier:
    def __init__(self, app: App, library: Library) -> None:
        self.core = app.core
        self.library = library
        self.verification = Verification(app.core)

    async def cite(self, cited: str, claim: str) -> CitationDetail:
        citation = Citation(paragraph_ref=cited, claim=claim)
        report = await self.verification.citations(self.library, [citation])
        return report.details[0]


@asynccontextmanager
async def open_verification(root: Path, database_url: str | None = None) -> AsyncIterator[Verifier]:
    async with open_app(root, database_url=database_url) as app:
        libraries = Libraries(app.core)
        library = await libraries.create("harbour")
        ingest = Ingest(app.core, libraries)
        await ingest.wait(await ingest.folder(library, STANDARDS))
        yield Verifier(app, library)


@pytest.fixture
async def verifier(tmp_path: Path) -> AsyncIterator[Verifier]:
    async with open_verification(tmp_path) as verifier:
        yield verifier


@pytest.mark.requirement("LB-501")
async def test_a_claim_that_its_paragraph_makes_is_supported(verifier: Verifier) -> None:
    """Exists, supports_claim, source_text, match_level and no error."""
    detail = await verifier.cite("315.7", "Nobody shall stand under a load.")
    assert detail.exists
    assert detail.supports_claim
    assert detail.source_text == "Nobody shall stand under a load."
    assert detail.match_level == "exact"
    assert detail.error_category is None


@pytest.mark.requirement("LB-502")
async def test_a_claim_that_its_paragraph_does_not_make_is_a_mismatch(verifier: Verifier) -> None:
    """A wrong number and a wrong modality are told with their reasons."""
    number = await verifier.cite("315.5", "The crane may lift up to 12 tonnes.")
    modality = await verifier.cite("315.7", "People may stand under a load.")
    for detail in (number, modality):
        assert detail.exists
        assert not detail.supports_claim
        assert detail.error_category == "CONTENT_MISMATCH"
        assert detail.reasons


@pytest.mark.requirement("LB-205", "LB-503")
async def test_a_missing_paragraph_is_told_from_a_missing_part_of_one(verifier: Verifier) -> None:
    """A missing part comes with the paragraph that would contain it."""
    nowhere = await verifier.cite("999.1", "Anything.")
    assert (nowhere.exists, nowhere.error_category) == (False, "NOT_FOUND")
    part = await verifier.cite("315.12(z)", "The agent shall declare dangerous goods.")
    assert (part.exists, part.supports_claim) == (False, False)
    assert part.error_category == "SUB_PARA_NOT_FOUND"
    assert part.paragraph_ref == "315.12"


@pytest.mark.requirement("LB-504")
async def test_a_reference_stands_for_its_parts_and_for_what_leads_to_it(
    tmp_path: Path, database_url: str
) -> None:
    """315.12 is read with its (a) to (c), and 315.12(a) with the words before it."""
    claim = "The agent has to declare dangerous goods 72 hours before they arrive by sea."
    async with open_verification(tmp_path, database_url) as verifier:
        for cited in ("315.12", "315.12(a)", "Standard 315, paragraph 12 (a)"):
            detail = await verifier.cite(cited, claim)
            assert detail.supports_claim, (cited, detail.reasons)
        assert not (await verifier.cite("315.12(b)", claim)).supports_claim


@pytest.mark.requirement("LB-505")
async def test_a_paragraph_is_cited_by_its_id_as_well(verifier: Verifier) -> None:
    """`paragraph_id` is enough."""
    known = await verifier.cite("315.7", "Nobody shall stand under a load.")
    citation = Citation(paragraph_id=known.paragraph_id, claim=known.claim)
    report = await verifier.verification.citations(verifier.library, [citation])
    assert report.details[0].paragraph_ref == "315.7"
    assert report.passed


@pytest.mark.requirement("LB-506")
async def test_the_score_is_the_share_of_claims_that_hold(verifier: Verifier) -> None:
    """Three of four pass, two of four do not."""
    right = Citation(paragraph_ref="315.7", claim="Nobody shall stand under a load.")
    wrong = Citation(paragraph_ref="315.7", claim="Cargo may stand on the quay for 36 hours.")
    three = await verifier.verification.citations(verifier.library, [right, right, right, wrong])
    assert (three.score, three.passed) == (0.75, True)
    two = await verifier.verification.citations(verifier.library, [right, right, wrong, wrong])
    assert (two.score, two.passed) == (0.5, False)


@pytest.mark.requirement("LB-228")
async def test_a_whole_answer_is_verified_within_four_seconds(verifier: Verifier) -> None:
    """50 claims of the labelled set, each with a paragraph of its own."""
    labelled = [json.loads(line) for line in CLAIMS.read_text().splitlines()][:50]
    citations = [Citation(paragraph_ref=each["ref"], claim=each["claim"]) for each in labelled]
    await verifier.verification.citations(verifier.library, citations[:1])
    start = time.process_time()
    report = await verifier.verification.citations(verifier.library, citations)
    assert time.process_time() - start < 4
    assert [detail.claim for detail in report.details] == [each["claim"] for each in labelled]


@pytest.mark.requirement("LB-507")
async def test_entities_are_looked_for_in_their_sources(verifier: Verifier) -> None:
    """As words and as numbers, with the words that lead to a sub-paragraph."""
    named = ["dangerous goods", "3 days", "submarine"]
    report = await verifier.verification.entities(verifier.library, named, ["315.12(a)"])
    assert [detail["grounded"] for detail in report.details] == [True, True, False]
    assert report.score == 0.667
    assert not report.passed
    two = await verifier.verification.entities(verifier.library, named[:2], ["315.12(a)"])
    assert (two.score, two.passed) == (1.0, True)
    with pytest.raises(NotFound) as missing:
        await verifier.verification.entities(verifier.library, named, ["315.12(a)", "999.1"])
    assert missing.value.details["missing"] == ["999.1"]


@pytest.mark.requirement("LB-508")
async def test_relations_hold_in_the_text_or_in_the_graph_and_in_their_direction(
    verifier: Verifier,
) -> None:
    """Belongs_to and cites; the other way round and what is not there do not hold."""
    cites = await an_edge(verifier, "cites")
    maps = await an_edge(verifier, "maps_to")
    inside = Relation(
        source_paragraph="315.12(a)", target_paragraph="315.12", relation_type="belongs_to"
    )
    held = await verifier.verification.relations(verifier.library, [cites, maps, inside])
    assert (held.score, held.passed) == (1.0, True)
    turned = Relation(
        source_paragraph="315.12", target_paragraph="315.12(a)", relation_type="belongs_to"
    )
    nowhere = Relation(source_paragraph="315.12", target_paragraph="999.1", relation_type="cites")
    report = await verifier.verification.relations(verifier.library, [turned, nowhere])
    assert (report.score, report.passed) == (0.0, False)
    assert "other way round" in report.details[0]["reason"]
    assert report.details[1]["error_category"] == "NOT_FOUND"


@pytest.mark.requirement("LB-234")
async def test_the_axis_of_relations_passes_with_seven_of_ten(verifier: Verifier) -> None:
    held, turned = (
        Relation(source_paragraph=source, target_paragraph=target, relation_type="belongs_to")
        for source, target in (("315.12(a)", "315.12"), ("315.12", "315.12(a)"))
    )
    seven = await verifier.verification.relations(verifier.library, [held] * 7 + [turned] * 3)
    assert (seven.score, seven.passed, len(seven.details)) == (0.7, True, 10)
    six = await verifier.verification.relations(verifier.library, [held] * 6 + [turned] * 3)
    assert not six.passed


async def an_edge(verifier: Verifier, kind: str) -> Relation:
    """Some edge of the library, with its ends by id."""
    async with verifier.core.database.read() as session:
        edge = await session.scalar(select(LibraryEdge).where(LibraryEdge.kind == kind).limit(1))
    assert edge is not None
    return Relation(
        source_paragraph=edge.source_id, target_paragraph=edge.target_id, relation_type=kind
    )


@pytest.mark.requirement("LB-509")
async def test_claims_that_contradict_their_sources_are_found(verifier: Verifier) -> None:
    """The example agrees with itself; a claim against it does not pass."""
    sources = ["315.5", "315.7", "315.12"]
    agreed = await verifier.verification.contradictions(verifier.library, sources)
    assert agreed.passed, agreed.details
    claims = ["Everybody may stand under a load.", "The crane may lift up to 12 tonnes."]
    opposed = await verifier.verification.contradictions(verifier.library, sources, claims)
    assert not opposed.passed
    assert opposed.score < 1
    assert ["315.5", "claim 2"] in [detail["between"] for detail in opposed.details]


@pytest.mark.requirement("LB-510")
async def test_a_model_judges_only_what_the_rules_leave_open(verifier: Verifier) -> None:
    """It is asked once, told of the doubts, and its failure leaves the rules' leaning."""
    decided = Citation(paragraph_ref="315.7", claim="Nobody shall stand under a load.")
    open_one, leaning = await an_undecided_one(verifier)
    said = ClaimVerdict(supported=not leaning, confidence=0.9, reason="The hose, it says.")
    model = ScriptedModel(said, ModelError("The model is away."))
    gateway = Gateway(ScriptedModels(model), verifier.core.ledger)
    verification = Verification(replace(verifier.core, gateway=gateway))
    report = await verification.citations(verifier.library, [decided, open_one])
    assert [detail.judged_by for detail in report.details] == ["reader", "model"]
    assert report.details[1].supports_claim is not leaning
    assert report.details[1].reasons == ["The hose, it says."]
    assert len(model.conversations) == 1
    asked = "".join(str(part) for message in model.conversations[0] for part in message.parts)
    assert json.dumps(open_one.claim, ensure_ascii=False)[1:30] in asked
    again = await verification.citations(verifier.library, [open_one])
    assert again.details[0].judged_by == "reader"
    assert again.details[0].supports_claim is leaning


@pytest.mark.requirement("LB-510")
async def test_a_model_is_asked_about_a_claim_in_quite_other_words(verifier: Verifier) -> None:
    """Too little in common decides nothing where a model can have a look."""
    other_words = Citation(paragraph_ref="315.7", claim="Nobody shall walk beneath hoisted goods.")
    [read] = (await verifier.verification.citations(verifier.library, [other_words])).details
    assert (read.verdict, read.judged_by) == ("undecided", "reader")
    model = ScriptedModel(ClaimVerdict(supported=True, confidence=0.9, reason="Hoisted."))
    gateway = Gateway(ScriptedModels(model), verifier.core.ledger)
    verification = Verification(replace(verifier.core, gateway=gateway))
    [detail] = (await verification.citations(verifier.library, [other_words])).details
    assert (detail.verdict, detail.judged_by) == ("supported", "model")


@pytest.mark.requirement("LB-250")
async def test_the_reader_recognises_other_words_and_guards_veto(verifier: Verifier) -> None:
    claims = [
        "It is forbidden to stand below a load.",
        "Anybody may stand under a load.",
        "Nobody shall stand under 3 loads.",
    ]
    citations = [Citation(paragraph_ref="315.7", claim=claim) for claim in claims]
    checked = await verifier.verification.citations(verifier.library, citations)
    right, wrong, vetoed = checked.details
    assert (right.supports_claim, right.judged_by, right.reasons) == (True, "reader", [])
    assert (wrong.supports_claim, wrong.judged_by) == (False, "reader")
    assert (vetoed.verdict, "3 loads" in vetoed.reasons[0]) == ("unsupported", True)


@pytest.mark.requirement("LB-250")
async def test_a_model_is_not_asked_where_a_guard_objects(verifier: Verifier) -> None:
    model = ScriptedModel(ClaimVerdict(supported=True, confidence=0.9, reason="Nearly."))
    gateway = Gateway(ScriptedModels(model), verifier.core.ledger)
    verification = Verification(replace(verifier.core, gateway=gateway))
    wrong = Citation(paragraph_ref="315.5", claim="The crane may lift up to 12 tonnes.")
    [detail] = (await verification.citations(verifier.library, [wrong])).details
    assert (detail.verdict, detail.judged_by) == ("unsupported", "reader")
    assert not model.conversations


SHELLS = """# 10. Files

## 10.4 Scripts

All command scripts should have a shebang line naming the interpreter.

The C shells csh and tcsh should be avoided as scripting languages.

### 10.4.1 Other scripts

Perl scripts should check for errors.
"""


@pytest.mark.requirement("LB-252", "LB-253")
async def test_a_section_is_all_of_its_paragraphs(tmp_path: Path) -> None:
    """The verdict names the one that was found; a part of it stands for itself alone."""
    async with open_app(tmp_path) as app:
        library = await put_library(app, "policy", {"policy.md": SHELLS})
        verifier = Verifier(app, library)
        claim = "csh and tcsh should be avoided as scripting languages."
        whole = await verifier.cite("10.4", claim)
        assert (whole.supports_claim, whole.paragraph_ref) == (True, "10.4 ¶2")
        assert "csh" in (whole.source_text or "")
        assert "tcsh should be avoided" in whole.passage
        assert (whole.quoted, whole.method != "") == (False, True)
        elsewhere = await verifier.cite("10.4.1", claim)
        assert not elsewhere.supports_claim


async def an_undecided_one(verifier: Verifier) -> tuple[Citation, bool]:
    """A claim that the reader leaves open, and what it leans to."""
    for line in CLAIMS.read_text().splitlines():
        labelled = json.loads(line)
        detail = await verifier.cite(labelled["ref"], labelled["claim"])
        if detail.verdict == "undecided":
            citation = Citation(paragraph_ref=labelled["ref"], claim=labelled["claim"])
            return citation, detail.supports_claim
    raise AssertionError("The reader decides every claim: write one that it cannot.")
