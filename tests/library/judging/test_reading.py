"""What a reader says to a claim, beside what the rules found."""

from collections.abc import Sequence

from bottega.library.judging.judge import Asked, is_open, judge_claims
from bottega.library.judging.verdicts import Judgement, Verdict

PARAGRAPH = "Visitors shall leave the pier within 3 hours."
OTHER_WORDS = "Guests must be gone from the jetty after three hours at most."


def judge(claim: str, support: float) -> Judgement:
    return judge_claims([Asked(claim, PARAGRAPH)], support=lambda pairs: [support] * len(pairs))[0]


def test_the_reader_decides_about_other_words() -> None:
    """LB-250: whatever the rules make of them."""
    assert judge(OTHER_WORDS, 0.98).verdict is Verdict.SUPPORTED
    doubted = judge(OTHER_WORDS, 0.02)
    assert doubted.verdict is Verdict.UNSUPPORTED
    assert doubted.reasons[-1] == "read as a whole, the paragraph does not bear it out"


def test_another_number_has_to_be_believed_more_firmly() -> None:
    """LB-250: there the rules are right where a reader is not."""
    wrong = "Visitors shall leave the pier within 5 hours."
    assert judge(wrong, 0.7).leaning is Verdict.UNSUPPORTED
    assert judge(wrong, 0.95).leaning is Verdict.SUPPORTED


def test_only_what_the_two_are_not_sure_about_is_open() -> None:
    """LB-250."""
    assert [is_open(judge(OTHER_WORDS, each)) for each in (0.02, 0.4, 0.6, 0.98)] == [
        *(False, True, True, False)
    ]


def test_what_is_repeated_word_by_word_is_not_read() -> None:
    """LB-250: and each claim is read with the words that lead to its paragraph."""
    asked = [
        Asked(PARAGRAPH, PARAGRAPH),
        Asked("Smoking is forbidden there.", "on the pier;", ("Nobody may smoke:",)),
    ]
    read: list[tuple[str, str]] = []

    def support(pairs: Sequence[tuple[str, str]]) -> list[float]:
        read.extend(pairs)
        return [0.9] * len(pairs)

    verbatim, other = judge_claims(asked, support=support)
    assert (verbatim.was_read, other.was_read) == (False, True)
    assert read == [("Nobody may smoke on the pier.", "Smoking is forbidden there.")]
