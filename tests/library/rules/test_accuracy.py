"""What the judge is worth beside "always no", on claims that it has not learned from.

No figure is a floor: `python -m bench library_judge` prints them, `docs/judgements.md` has them.
"""

import numpy as np
import pytest

from bench._intervals import balanced_accuracy, interval
from bottega.core.readers.claim_reader import CrossClaimReader
from bottega.library.verify.verdicts import Verdict
from tests.library.rules import labelled
from tests.library.rules.labelled import Claim

SOME = 60


async def figures(claims: list[Claim]) -> tuple[float, float]:
    """Balanced accuracy, and the lower end of its interval; always no has 0.5."""
    judged = await labelled.judge_all(claims, CrossClaimReader())
    truth = np.array([each.claim.label is Verdict.SUPPORTED for each in judged])
    said = np.array([each.supported for each in judged])
    return balanced_accuracy(truth, said), interval(truth, said)[0]


@pytest.mark.requirement("LB-223")
async def test_the_judge_beats_always_no_on_held_out_claims() -> None:
    reached, least = await figures(labelled.claims("claims_held_out")[::2])
    assert reached > least > 0.5


@pytest.mark.requirement("LB-224")
async def test_the_judge_beats_always_no_on_a_foreign_document() -> None:
    claims = labelled.claims("claims_foreign_held_out")
    if reason := labelled.unreadable(claims):
        pytest.skip(reason)
    reached, least = await figures(claims)
    assert reached > least > 0.5


@pytest.mark.requirement("LB-216")
async def test_a_true_claim_that_cites_another_paragraph_is_less_likely() -> None:
    """Moved on to the next paragraph of its document."""
    refs = list(labelled.standards().paragraphs)
    true = [each for each in labelled.claims("claims_tuning") if each.label is Verdict.SUPPORTED][
        :SOME
    ]
    moved = [
        Claim(refs[(refs.index(each.ref) + 1) % len(refs)], each.claim, each.label, each.kind)
        for each in true
    ]
    reader = CrossClaimReader()
    here = np.array([each.score for each in await labelled.judge_all(true, reader)])
    there = np.array([each.score for each in await labelled.judge_all(moved, reader)])
    assert (here > there).mean() > 0.8


@pytest.mark.requirement("LB-227")
async def test_a_whole_answer_is_judged_as_its_claims_are_one_by_one() -> None:
    claims = labelled.claims("claims_tuning")[:12]
    reader = CrossClaimReader()
    together = await labelled.judge_all(claims, reader)
    alone = [(await labelled.judge_all([each], reader))[0] for each in claims]
    assert [each.verdict for each in together] == [each.verdict for each in alone]
    assert [each.score for each in together] == pytest.approx(
        [each.score for each in alone], abs=0.01
    )
