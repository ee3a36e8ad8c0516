"""Citations, entities, relations and contradictions, checked against the example standards."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from bottega.core import entailment
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels
from bottega.errors import ModelError, NotFound
from bottega.library.filling.ingest import Ingest
from bottega.library.libraries import Libraries
from bottega.library.prompts.judge_claim import ClaimVerdict
from bottega.library.tables import Library, LibraryEdge
from bottega.library.tool_arguments import Citation, Relation
from bottega.library.verifying import claim_judge
from bottega.library.verifying.verification import Verification
from bottega.library.verifying.verified import CitationDetail
from tests.library.house import House, open_house

CLAIMS = Path(__file__).parent / "data" / "claims_tuning.jsonl"


class Desk:
    def __init__(self, house: House, library: Library) -> None:
        self.core = house.core
        self.library = library
        self.verification = Verification(house.core)

    async def cite(self, cited: str, claim: str) -> CitationDetail:
        citation = Citation(paragraph_ref=cited, claim=claim)
        report = await self.verification.citations(self.library, [citation])
        return report.details[0]


@asynccontextmanager
async def open_verification(root: Path, database_url: str | None = None) -> AsyncIterator[Desk]:
    async with open_house(root, database_url=database_url) as house:
        libraries = Libraries(house.core)
        library = await libraries.create("harbour")
        ingest = Ingest(house.core, libraries)
        await ingest.wait(await ingest.folder(library, house.standards))
        yield Desk(house, library)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_verification(tmp_path) as desk:
        yield desk


async def test_a_claim_that_its_paragraph_makes_is_supported(desk: Desk) -> None:
    """LB-501: exists, supports_claim, source_text, match_level and no error."""
    detail = await desk.cite("315.7", "Nobody shall stand under a load.")
    assert detail.exists
    assert detail.supports_claim
    assert detail.source_text == "Nobody shall stand under a load."
    assert detail.match_level == "exact"
    assert detail.error_category is None


async def test_a_claim_that_its_paragraph_does_not_make_is_a_mismatch(desk: Desk) -> None:
    """LB-502: a wrong number and a wrong modality are told with their reasons."""
    number = await desk.cite("315.5", "The crane may lift up to 12 tonnes.")
    modality = await desk.cite("315.7", "People may stand under a load.")
    for detail in (number, modality):
        assert detail.exists
        assert not detail.supports_claim
        assert detail.error_category == "CONTENT_MISMATCH"
        assert detail.reasons


async def test_a_missing_paragraph_is_told_from_a_missing_part_of_one(desk: Desk) -> None:
    """LB-503: NOT_FOUND, and SUB_PARA_NOT_FOUND with the paragraph that would contain it."""
    nowhere = await desk.cite("999.1", "Anything.")
    assert (nowhere.exists, nowhere.error_category) == (False, "NOT_FOUND")
    part = await desk.cite("315.12(z)", "The agent shall declare dangerous goods.")
    assert (part.exists, part.supports_claim) == (False, False)
    assert part.error_category == "SUB_PARA_NOT_FOUND"
    assert part.paragraph_ref == "315.12"


async def test_a_reference_stands_for_its_parts_and_for_what_leads_to_it(
    tmp_path: Path, database_url: str
) -> None:
    """LB-504: 315.12 is read with its (a) to (c), and 315.12(a) with the words before it."""
    claim = "The agent shall declare dangerous goods at least 72 hours before they arrive by sea."
    async with open_verification(tmp_path, database_url) as desk:
        for cited in ("315.12", "315.12(a)", "Standard 315, paragraph 12 (a)"):
            detail = await desk.cite(cited, claim)
            assert detail.supports_claim, (cited, detail.reasons)
        assert not (await desk.cite("315.12(b)", claim)).supports_claim


async def test_a_paragraph_is_cited_by_its_id_as_well(desk: Desk) -> None:
    """LB-505: `paragraph_id` is enough."""
    known = await desk.cite("315.7", "Nobody shall stand under a load.")
    citation = Citation(paragraph_id=known.paragraph_id, claim=known.claim)
    report = await desk.verification.citations(desk.library, [citation])
    assert report.details[0].paragraph_ref == "315.7"
    assert report.passed


async def test_the_score_is_the_share_of_claims_that_hold(desk: Desk) -> None:
    """LB-506: three of four pass, two of four do not."""
    right = Citation(paragraph_ref="315.7", claim="Nobody shall stand under a load.")
    wrong = Citation(paragraph_ref="315.7", claim="Cargo may stand on the quay for 36 hours.")
    three = await desk.verification.citations(desk.library, [right, right, right, wrong])
    assert (three.score, three.passed) == (0.75, True)
    two = await desk.verification.citations(desk.library, [right, right, wrong, wrong])
    assert (two.score, two.passed) == (0.5, False)


async def test_a_whole_answer_is_verified_in_well_under_a_second(desk: Desk) -> None:
    """LB-228: 50 claims of the labelled set, each with a paragraph of its own."""
    labelled = [json.loads(line) for line in CLAIMS.read_text().splitlines()][:50]
    citations = [Citation(paragraph_ref=each["ref"], claim=each["claim"]) for each in labelled]
    await desk.verification.citations(desk.library, citations[:1])
    start = time.process_time()
    report = await desk.verification.citations(desk.library, citations)
    assert time.process_time() - start < 1
    assert [detail.claim for detail in report.details] == [each["claim"] for each in labelled]


async def test_entities_are_looked_for_in_their_sources(desk: Desk) -> None:
    """LB-507: as words and as numbers, with the words that lead to a sub-paragraph."""
    named = ["dangerous goods", "3 days", "submarine"]
    report = await desk.verification.entities(desk.library, named, ["315.12(a)"])
    assert [detail["grounded"] for detail in report.details] == [True, True, False]
    assert report.score == 0.667
    assert not report.passed
    two = await desk.verification.entities(desk.library, named[:2], ["315.12(a)"])
    assert (two.score, two.passed) == (1.0, True)
    with pytest.raises(NotFound) as missing:
        await desk.verification.entities(desk.library, named, ["315.12(a)", "999.1"])
    assert missing.value.details["missing"] == ["999.1"]


async def test_relations_hold_in_the_text_or_in_the_graph_and_in_their_direction(
    desk: Desk,
) -> None:
    """LB-508: belongs_to and cites; the other way round and what is not there do not hold."""
    cites = await an_edge(desk, "cites")
    maps = await an_edge(desk, "maps_to")
    inside = Relation(
        source_paragraph="315.12(a)", target_paragraph="315.12", relation_type="belongs_to"
    )
    held = await desk.verification.relations(desk.library, [cites, maps, inside])
    assert (held.score, held.passed) == (1.0, True)
    turned = Relation(
        source_paragraph="315.12", target_paragraph="315.12(a)", relation_type="belongs_to"
    )
    nowhere = Relation(source_paragraph="315.12", target_paragraph="999.1", relation_type="cites")
    report = await desk.verification.relations(desk.library, [turned, nowhere])
    assert (report.score, report.passed) == (0.0, False)
    assert "other way round" in report.details[0]["reason"]
    assert report.details[1]["error_category"] == "NOT_FOUND"


async def an_edge(desk: Desk, kind: str) -> Relation:
    """Some edge of the library, with its ends by id."""
    async with desk.core.database.read() as session:
        edge = await session.scalar(select(LibraryEdge).where(LibraryEdge.kind == kind).limit(1))
    assert edge is not None
    return Relation(
        source_paragraph=edge.source_id, target_paragraph=edge.target_id, relation_type=kind
    )


async def test_claims_that_contradict_their_sources_are_found(desk: Desk) -> None:
    """LB-509: the example agrees with itself; a claim against it does not pass."""
    sources = ["315.5", "315.7", "315.12"]
    agreed = await desk.verification.contradictions(desk.library, sources)
    assert agreed.passed, agreed.details
    claims = ["Everybody may stand under a load.", "The crane may lift up to 12 tonnes."]
    opposed = await desk.verification.contradictions(desk.library, sources, claims)
    assert not opposed.passed
    assert opposed.score < 1
    assert ["315.5", "claim 2"] in [detail["between"] for detail in opposed.details]


async def test_a_model_judges_only_what_the_rules_leave_open(desk: Desk) -> None:
    """LB-510: it is asked once, told of the doubts, and its failure leaves the rules' leaning."""
    decided = Citation(paragraph_ref="315.7", claim="Nobody shall stand under a load.")
    open_one, leaning = await an_undecided_one(desk)
    said = ClaimVerdict(supported=not leaning, confidence=0.9, reason="The hose, it says.")
    model = ScriptedModel(said, ModelError("The model is away."))
    gateway = Gateway(ScriptedModels(model), desk.core.ledger)
    verification = Verification(replace(desk.core, gateway=gateway))
    report = await verification.citations(desk.library, [decided, open_one])
    assert [detail.judged_by for detail in report.details] == ["rules", "model"]
    assert report.details[1].supports_claim is not leaning
    assert report.details[1].reasons == ["The hose, it says."]
    assert len(model.conversations) == 1
    asked = "".join(str(part) for message in model.conversations[0] for part in message.parts)
    assert json.dumps(open_one.claim, ensure_ascii=False)[1:30] in asked
    again = await verification.citations(desk.library, [open_one])
    assert again.details[0].judged_by == "rules"
    assert again.details[0].supports_claim is leaning


async def test_a_model_is_asked_about_a_claim_in_quite_other_words(desk: Desk) -> None:
    """LB-510: too little in common decides nothing where a model can have a look."""
    other_words = Citation(paragraph_ref="315.7", claim="Nobody shall walk beneath hoisted goods.")
    [by_rules] = (await desk.verification.citations(desk.library, [other_words])).details
    assert (by_rules.verdict, by_rules.judged_by) == ("unsupported", "rules")
    model = ScriptedModel(ClaimVerdict(supported=True, confidence=0.9, reason="Hoisted."))
    gateway = Gateway(ScriptedModels(model), desk.core.ledger)
    verification = Verification(replace(desk.core, gateway=gateway))
    [detail] = (await verification.citations(desk.library, [other_words])).details
    assert (detail.verdict, detail.judged_by) == ("supported", "model")


async def test_a_reader_recognises_what_the_rules_do_not(desk: Desk) -> None:
    """LB-250: where its weights are installed, unless the house does without them."""
    if not entailment.is_installed():
        pytest.skip("the extra `entailment` is not installed")
    core = replace(desk.core, choices=replace(desk.core.choices, entailment=True))
    reading = Verification(core)
    claims = ["Nobody shall walk beneath hoisted goods.", "Anybody may stand under a load."]
    citations = [Citation(paragraph_ref="315.7", claim=claim) for claim in claims]
    right, wrong = (await reading.citations(desk.library, citations)).details
    assert (right.supports_claim, right.judged_by, right.reasons) == (True, "reader", [])
    assert (wrong.supports_claim, wrong.judged_by) == (False, "reader")
    assert "read as a whole" in wrong.reasons[-1]
    by_rules = await desk.verification.citations(desk.library, citations)
    assert [each.judged_by for each in by_rules.details] == ["rules", "rules"]


async def test_a_model_is_asked_where_reader_and_rules_are_not_sure(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-250: and not where they are."""
    monkeypatch.setattr(claim_judge, "reader", lambda: lambda pairs: [0.5, 0.99])
    said = ClaimVerdict(supported=True, confidence=0.9, reason="Hoisted.")
    gateway = Gateway(ScriptedModels(ScriptedModel(said)), desk.core.ledger)
    choices = replace(desk.core.choices, entailment=True)
    verification = Verification(replace(desk.core, gateway=gateway, choices=choices))
    claims = ["Mind hoisted goods over the quay.", "Nobody shall walk beneath hoisted goods."]
    citations = [Citation(paragraph_ref="315.7", claim=claim) for claim in claims]
    report = await verification.citations(desk.library, citations)
    assert [each.judged_by for each in report.details] == ["model", "reader"]


async def an_undecided_one(desk: Desk) -> tuple[Citation, bool]:
    """A claim that the rules leave open, and what they lean to."""
    for line in CLAIMS.read_text().splitlines():
        labelled = json.loads(line)
        detail = await desk.cite(labelled["ref"], labelled["claim"])
        if detail.verdict == "undecided":
            citation = Citation(paragraph_ref=labelled["ref"], claim=labelled["claim"])
            return citation, detail.supports_claim
    raise AssertionError("The rules decide every claim: write one that they cannot.")
