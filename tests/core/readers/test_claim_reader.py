"""The default claim reader: what raises a probability, what lowers it, and what it costs."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.core.readers import cross_encoder
from bottega.core.readers.claim_reader import ClaimLabel, ClaimReading, CrossClaimReader
from bottega.core.readers.windows import Vocabulary
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.library.verify.citations import CitedPart
from bottega.library.verify.claims import judge_claims
from bottega.library.verify.verdicts import Verdict

OVEN = "The baker shall clean the oven within two hours of closing."
PASS = "The warden may issue a day pass to a guest whose bag has been searched."
SHED = "Paint should be stored in the north shed, unless the shed is full."


@pytest.fixture(scope="module")
def reader() -> CrossClaimReader:
    return CrossClaimReader()


async def read(reader: CrossClaimReader, claim: str, *paragraphs: str) -> ClaimReading:
    (reading,) = await reader.read([(claim, paragraphs)])
    return reading


@pytest.mark.requirement("LB-217")
@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("The oven has to be cleaned by the baker.", OVEN),
        ("A day pass may be issued to guests whose bags were searched.", PASS),
        ("Unless the north shed is full, paint should be kept in it.", SHED),
    ],
)
async def test_a_paraphrase_or_a_part_is_rather_supported(
    reader: CrossClaimReader, claim: str, paragraph: str
) -> None:
    reading = await read(reader, claim, paragraph)
    assert reading.label is ClaimLabel.SUPPORTED
    assert reading.supported + reading.contradicted + reading.unknown == pytest.approx(1, abs=1e-3)


@pytest.mark.requirement("LB-212", "LB-213", "LB-215", "LB-216")
@pytest.mark.parametrize(
    ("likelier", "claim", "paragraph"),
    [
        ("Members may swim.", "Only members may swim.", "Members may swim at noon."),
        ("Members may vote.", "All members may vote.", "Some members may vote by letter."),
        ("The oven shall be cleaned by the baker.", "The oven shall be cleaned by a waiter.", OVEN),
        ("Unless it is full, paint goes to the shed.", "Paint is blue.", SHED),
        ("The baker must clean the oven.", "The tide table is published in autumn.", OVEN),
    ],
)
async def test_what_the_paragraph_does_not_say_is_less_likely(
    reader: CrossClaimReader, likelier: str, claim: str, paragraph: str
) -> None:
    assert (await read(reader, likelier, paragraph)).supported > (
        await read(reader, claim, paragraph)
    ).supported


@pytest.mark.requirement("LB-213")
async def test_words_that_are_missing_are_told(reader: CrossClaimReader) -> None:
    reading = await read(reader, "The oven shall be cleaned by the waiter.", OVEN)
    assert reading.missing == ("waiter",)


@pytest.mark.requirement("LB-240")
async def test_what_it_is_not_sure_of_stays_open(reader: CrossClaimReader) -> None:
    part = CitedPart("1", "1", "Nobody shall stand under a load.")
    claim = "Nobody shall walk beneath hoisted goods."
    (opinion,) = await judge_claims(reader, [(claim, [part])], {})
    low, high = reader.bounds
    assert low < opinion.score < high
    assert opinion.verdict is Verdict.UNDECIDED


async def test_weights_and_granite_are_read_once(reader: CrossClaimReader) -> None:
    await read(reader, "The oven is cleaned.", OVEN)
    assert cross_encoder.load() is cross_encoder.load()


@pytest.mark.requirement("LB-241")
async def test_forms_of_a_word_are_the_same_and_others_are_not() -> None:
    embedder = WordLlamaEmbedder()
    await embedder.warm()
    words = ["removal", "removing", "erase", "delete", "skipper", "pilot"]
    vocabulary = Vocabulary(embedder, iter(words))
    same, near, other = (
        float(vocabulary.matches([one], [two])[0, 0])
        for one, two in (("removal", "removing"), ("erase", "delete"), ("skipper", "pilot"))
    )
    assert same == 1.0
    assert 0.5 < near < 1.0
    assert other < 0.2


@pytest.mark.requirement("LB-244")
async def test_the_sentence_that_says_it_is_named(reader: CrossClaimReader) -> None:
    """In a long paragraph, and in the right one of several."""
    filler = "The quay is swept on every working day, and the lamps are lit at dusk. " * 20
    text = f"{filler} Visitors leave the pier by nine. {filler}"
    reading = await read(reader, "Visitors have to be off the pier by nine.", filler, text)
    assert reading.place == 1
    assert "Visitors leave the pier by nine." in reading.window


@pytest.mark.requirement("LB-221")
@settings(max_examples=25, deadline=None)
@given(st.text(max_size=120), st.text(max_size=200))
async def test_any_text_is_read_and_twice_alike(
    reader: CrossClaimReader, claim: str, paragraph: str
) -> None:
    first = await read(reader, claim, paragraph)
    assert 0 <= first.supported <= 1
    assert 0 <= first.contradicted <= 1
    assert await read(reader, claim, paragraph) == first


async def test_nothing_is_unknown(reader: CrossClaimReader) -> None:
    assert await reader.read([]) == []
    for claim, paragraphs in (("", ()), ("A claim.", ()), ("", ("A text.",)), ("A claim.", ("",))):
        assert (await read(reader, claim, *paragraphs)).supported < 0.5


@pytest.mark.requirement("LB-228")
async def test_fifty_claims_take_less_than_four_seconds(reader: CrossClaimReader) -> None:
    pairs = [(f"In round {n} the oven has to be cleaned.", [OVEN, PASS, SHED]) for n in range(50)]
    await reader.read(pairs[:1])
    start = time.process_time()
    assert len(await reader.read(pairs)) == 50
    assert time.process_time() - start < 4
