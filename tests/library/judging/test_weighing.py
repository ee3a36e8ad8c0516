"""Many claims at once, what is weighed, and what stays open."""

from collections.abc import Sequence
from dataclasses import fields, replace

import pytest

from bottega.core.vectors.store import Vector
from bottega.library.judging.evidence import weigh
from bottega.library.judging.judge import Asked, judge_claim, judge_claims
from bottega.library.judging.thesaurus import are_related
from bottega.library.judging.verdicts import Evidence, Verdict
from tests.library.judging import labelled

ALL_SAID = Evidence(
    said=1.0, core=1.0, known=1.0, repeated=1.0, conditions=0.0, things=0.0, modality=0.0
)


def test_a_whole_answer_is_judged_as_its_claims_are_one_by_one() -> None:
    """LB-227: and the embedder is asked once for all of them."""
    texts = labelled.standards()
    claims = [each for each in labelled.claims("claims_tuning") if each.ref in texts.paragraphs][
        :50
    ]
    calls: list[int] = []

    def embed(words: Sequence[str]) -> Vector:
        calls.append(len(words))
        return labelled.embed(words)

    asked = [Asked(each.claim, texts.paragraphs[each.ref]) for each in claims]
    together = judge_claims(asked, terms=texts.terms, embed=embed)
    assert len(calls) == 1
    alone = [
        judge_claim(each.claim, each.paragraph, terms=texts.terms, embed=labelled.embed)
        for each in asked
    ]
    assert [each.verdict for each in together] == [each.verdict for each in alone]
    assert [each.score for each in together] == pytest.approx(
        [each.score for each in alone], abs=0.01
    )


def test_each_piece_of_evidence_pulls_in_its_direction() -> None:
    """LB-240: less that is said, or a check that fails, makes a claim less likely."""
    best = weigh(ALL_SAID)
    assert best > 0.9
    for each in fields(Evidence):
        worse = replace(ALL_SAID, **{each.name: 1 - getattr(ALL_SAID, each.name)})
        assert weigh(worse) < best, each.name


def test_what_is_weighed_to_the_middle_stays_undecided() -> None:
    """LB-240: of the tuning claims a few, and their verdict is the leaning of their score."""
    judged = list(labelled.judge_all(labelled.claims("claims_tuning")))
    open_ones = [j.judgement for j in judged if j.judgement.verdict is Verdict.UNDECIDED]
    assert 5 < len(open_ones) < len(judged) / 10
    for judgement in open_ones:
        assert 0.42 < judgement.score < 0.8
        assert (judgement.leaning is Verdict.SUPPORTED) == (judgement.score >= 0.5)


@pytest.mark.parametrize(
    ("one", "other"),
    [("decision", "decided"), ("removal", "removing"), ("obtains", "received"), ("kept", "stored")],
)
def test_derivations_and_synonyms_are_related(one: str, other: str) -> None:
    """LB-241."""
    assert are_related(one, other)
    assert are_related(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("skipper", "pilot"), ("open", "closed"), ("file", "person")]
)
def test_words_of_one_field_are_not_related(one: str, other: str) -> None:
    """LB-241."""
    assert not are_related(one, other)


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("Letters from the mayor go to the council.", "Letters from the council go to the mayor."),
        ("Keep oil in the shed rather than the hut.", "Keep oil in the hut rather than the shed."),
        ("ALPHA should take precedence over BETA.", "BETA should take precedence over ALPHA."),
    ],
)
def test_the_same_words_in_other_places_are_not_supported(claim: str, paragraph: str) -> None:
    """LB-242."""
    judgement = judge_claim(claim, paragraph, embed=labelled.embed)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert "swap" in {check.name for check in judgement.checks if not check.passed}
